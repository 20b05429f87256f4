"""What a session and a publication cost, as processor time of all processes, Java's and the executors' included."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.measurement import cost
from xregit.spark.session import DEFAULTS, JVM_OPTIONS, LOCAL_DEFAULTS

ROUNDS = 5
EXAMPLE = str(Path(__file__).parents[2] / "registry")
BARE = """
import sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.appName("bare")
for setting in sys.argv[2:]:
    builder = builder.config(*setting.split("=", 1))
spark = builder.getOrCreate()
if sys.argv[1]:
    spark.createDataFrame([(1,)], "a long").write.mode("overwrite").parquet(sys.argv[1])
spark.stop()
"""
OURS = "from xregit.spark.session import session; session(name='ours').stop()"


def test_publish_against_a_bare_session(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Publishing the example catalog, against a bare program with the same session and one row."""
    settings = {**DEFAULTS, **LOCAL_DEFAULTS, "spark.driver.extraJavaOptions": " ".join(JVM_OPTIONS)}
    bare = ("-c", BARE, str(tmp_path / "bare"), *(f"{name}={value}" for name, value in settings.items()))
    publish = ("-m", "xregit", "--registry", EXAMPLE, "publish", "--tables")
    ratios = [seconds((*publish, f"tables{turn}"), tmp_path) / seconds(bare, tmp_path) for turn in range(ROUNDS)]
    print_median(benchmark, ratios)


def test_session_against_defaults(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Our session, against one with PySpark's defaults."""
    defaults = ("-c", BARE, "", "spark.master=local[2]")
    ratios = [seconds(("-c", OURS), tmp_path) / seconds(defaults, tmp_path) for _ in range(ROUNDS)]
    print_median(benchmark, ratios)


def print_median(benchmark: BenchmarkFixture, ratios: Sequence[float]) -> None:
    """Print the median of ratios that were measured in turn."""
    benchmark.extra_info.update(ratio=median(ratios), ratios=list(ratios))
    benchmark.pedantic(lambda: None)
    print(f"\n{benchmark.name}: {median(ratios):.2f} times its baseline")


def seconds(program: Sequence[str], folder: Path) -> float:
    """Return the processor time of a program of Python."""
    return cost(program, folder, {}).seconds
