"""What a session and a publication cost, as processor time of all processes, Java's and the executors' included."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from tests.benchmarks.measuring import Cost, cost
from tests.benchmarks.synthetic import write_registry
from xregit.spark.session import DEFAULTS, JVM_OPTIONS, LOCAL_DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_benchmark.fixture import BenchmarkFixture

PUBLISH, START, FLAT = 1.3, 0.6, 1.15
ROUNDS = 5
SIZES = tuple(int(size) for size in os.environ.get("XREGIT_BENCH_SIZES", "1000,10000,100000").split(","))
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
READ = "import sys, xregit; xregit.read(sys.argv[1])"


def test_publish_costs_little_more_than_its_session(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Publishing the example catalog takes 1.3 times what a bare program takes with the same session and one row."""
    settings = {**DEFAULTS, **LOCAL_DEFAULTS, "spark.driver.extraJavaOptions": " ".join(JVM_OPTIONS)}
    bare = ("-c", BARE, str(tmp_path / "bare"), *(f"{name}={value}" for name, value in settings.items()))
    turns = iter(range(ROUNDS + 1))

    def run() -> float:
        ours = publishing(EXAMPLE, tmp_path / f"tables{next(turns)}", tmp_path)
        return ours.seconds / spent(bare, tmp_path).seconds

    told(benchmark, [run() for _ in range(ROUNDS)], PUBLISH)


def test_session_starts_on_less_processor_time(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Our session takes at most 0.6 times the processor time of one with PySpark's defaults."""
    defaults = ("-c", BARE, "", "spark.master=local[2]")
    ratios = [spent(("-c", OURS), tmp_path).seconds / spent(defaults, tmp_path).seconds for _ in range(ROUNDS)]
    told(benchmark, ratios, START)


def test_publishing_more_costs_no_more_for_each(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """A message costs no more among 100,000 than among 1,000, with the session and without it; memory is told."""
    start = published(1, tmp_path).seconds
    each: list[tuple[float, float]] = []
    for size in SIZES:
        found = published(size, tmp_path)
        each.append((found.seconds / size, (found.seconds - start) / size))
        whole, alone = (1000 * seconds for seconds in each[-1])
        benchmark.extra_info[f"{size}"] = {"whole_ms": whole, "alone_ms": alone, "peak_mib": found.peak}
        print(f"\n{size:,} messages: {whole:.2f} ms each, {alone:.2f} without the start, at most {found.peak:.0f} MiB")
    benchmark.pedantic(lambda: None)
    assert all(later[0] < before[0] for before, later in pairwise(each))
    # Of fewer than 10,000, what one costs is lost in how much starts differ.
    assert each[-1][1] <= FLAT * each[-2][1]


def published(size: int, folder: Path) -> Cost:
    """Return what publishing a registry of that many messages costs beyond reading it."""
    root = write_registry(folder / f"registry{size}", size)
    reading = spent(("-c", READ, str(root)), folder)
    whole = publishing(str(root), folder / f"tables of {size}", folder)
    return Cost(whole.seconds - reading.seconds, whole.peak)


def publishing(registry: str, tables: Path, folder: Path) -> Cost:
    """Return what the command costs."""
    return spent(("-m", "xregit", "--registry", registry, "publish", "--tables", str(tables)), folder)


def spent(program: Sequence[str], folder: Path) -> Cost:
    """Return what a program of Python costs."""
    return cost(program, folder, {})


def told(benchmark: BenchmarkFixture, ratios: Sequence[float], most: float) -> None:
    """Tell the median of ratios that were measured in turn, which is to be at most so much."""
    found = median(ratios)
    benchmark.extra_info.update(ratio=found, ratios=list(ratios))
    benchmark.pedantic(lambda: None)
    print(f"\n{benchmark.name}: {found:.2f} times its baseline, of {', '.join(f'{each:.2f}' for each in ratios)}")
    assert found <= most
