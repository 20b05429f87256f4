"""What a session and a publication cost, as processor time of all processes, Java's and the executors' included."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from math import log
from pathlib import Path
from shutil import rmtree
from statistics import median
from typing import TYPE_CHECKING

from pyarrow.parquet import read_metadata

from tests.benchmarks.measurement import Cost, cost
from tests.benchmarks.synthetic import write_registry
from xregit.spark.session import DEFAULTS, JVM_OPTIONS, LOCAL_DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_benchmark.fixture import BenchmarkFixture

PUBLISH, START = 1.3, 0.6
# The power of the rows with which their cost may grow beyond the start, which is noise among few.
POWER, FEW = 1.15, 50_000
ROUNDS = 5
# Up to so many messages a publication is measured a few times, since starts differ by a third of a second.
SMALL = 10_000
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
    """A row costs less among 10,000 messages than among 1,000, and less still among 100,000.

    Beyond the start, what all rows cost grows nearly as their number does. Memory is told.
    """
    whole: list[float] = []
    alone: dict[int, float] = {}
    for size in SIZES:
        found = [published(size, tmp_path, turn) for turn in range(ROUNDS if size <= SMALL else 1)]
        folder = tmp_path / f"tables of {size}, 0"
        rows = sum(read_metadata(path).num_rows for path in folder.glob("*/*.parquet"))
        whole.append(median(each.seconds for each, _ in found) / rows)
        alone[rows] = median(each.seconds - start.seconds for each, start in found)
        peaks = {program: max(_peak(each, program) for each, _ in found) for program in ("python", "java")}
        benchmark.extra_info[f"{size}"] = {"rows": rows, "whole": whole[-1], "alone": alone[rows], **peaks}
        print(
            f"\n{size:,} messages, {rows:,} rows: {whole[-1] * rows:.2f} s, {1000 * whole[-1]:.4f} ms a row, "
            f"{1000 * alone[rows] / rows:.4f} without the start; "
            f"the driver's Python at most {peaks['python']:.0f} MiB, its Java {peaks['java']:.0f} MiB"
        )
    benchmark.pedantic(lambda: None)
    assert all(later < before for before, later in pairwise(whole))
    for less, more in pairwise(rows for rows in alone if rows > FEW):
        assert log(alone[more] / alone[less]) / log(more / less) <= POWER


def _peak(found: Cost, program: str) -> float:
    """Return the MiB of the largest process of a program, whatever version its name has: of Python's, the driver's."""
    return max(peak for name, peak in found.peaks.items() if name.startswith(program))


def published(size: int, folder: Path, turn: int) -> tuple[Cost, Cost]:
    """Return what publishing a registry of that many messages costs beyond reading it, and in turn what one costs."""
    return _beyond_reading(size, folder, turn), _beyond_reading(1, folder, turn)


def _beyond_reading(size: int, folder: Path, turn: int) -> Cost:
    root = folder / f"registry of {size}"
    if not root.exists():
        write_registry(root, size)
    tables = folder / f"tables of {size}, {turn}"
    rmtree(tables, ignore_errors=True)
    reading, whole = spent(("-c", READ, str(root)), folder), publishing(str(root), tables, folder)
    return replace(whole, seconds=whole.seconds - reading.seconds)


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
