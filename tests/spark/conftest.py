"""A sample registry with history, and the one Spark session that all tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.spark.jars import KAFKA_JARS
from tests.spark.repository import SAMPLE, Repository
from xregit.spark.session import session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from xregit.catalog import Registry


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository without commits."""
    return Repository(tmp_path / "repository")


@pytest.fixture
def sample(repository: Repository) -> Registry:
    """Return the sample registry, committed once."""
    return repository.commit(SAMPLE, "Begin")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Return a running session, which can read Kafka where `.ci/lake` could fetch what that takes."""
    running = session(name="tests", conf={"spark.jars": ",".join(map(str, KAFKA_JARS))} if KAFKA_JARS else {})
    yield running
    running.stop()
