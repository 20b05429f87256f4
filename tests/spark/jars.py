"""What `.ci/programs` has fetched for Spark from Maven Central: all archives of one purpose, or none."""

from __future__ import annotations

from pathlib import Path

import pyspark

from tests.cache import CACHE

JARS = CACHE / "spark-jars"
SPARK = ".".join(pyspark.__version__.split(".")[:2])


def _all(*names: str) -> tuple[Path, ...]:
    results = tuple(path for name in names for path in JARS.glob(f"{name}-[0-9]*.jar"))
    return results if len(results) == len(names) else ()


DELTA_JARS = _all(f"delta-spark_{SPARK}_2.13", "delta-storage", "delta-kernel-api", "delta-kernel-defaults")
KAFKA_JARS = _all("spark-sql-kafka-0-10_2.13", "spark-token-provider-kafka-0-10_2.13", "kafka-clients", "commons-pool2")
