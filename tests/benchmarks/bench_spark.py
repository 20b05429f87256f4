"""What publishing and routing cost, each against a plain Spark program that does what can't be saved."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import pytest

import xregit
from tests.benchmarks.ratio import ratio
from tests.benchmarks.synthetic import write_registry
from xregit.spark.session import DEFAULTS, JVM_OPTIONS, LOCAL_DEFAULTS, session
from xregit.spark.streams.landing import table_names
from xregit.spark.streams.plans import packed, plan, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pytest_benchmark.fixture import BenchmarkFixture

    from xregit.catalog import Registry

PUBLISH, START, FLAT, DECODE, MANY, LAND, TABLES = 1.3, 0.6, 1.0, 0.8, 0.85, 2.5, 2.5
EVENTS = int(os.environ.get("XREGIT_BENCH_EVENTS", "500000"))
ROUNDS = 2
SCHEMA = {
    "type": "object",
    "required": ["value", "at"],
    "properties": {
        "value": {"type": "number"},
        "at": {"type": "string", "format": "date-time"},
        "unit": {"type": "string"},
        "count": {"type": "integer"},
        "place": {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}},
    },
}
ATTRIBUTES = "specversion string, id string, source string, type string, subject string, time string"
PAYLOAD = "value: double, at: timestamp, unit: string, count: bigint, place: struct<lat: double, lon: double>"
KNOWN = f"{ATTRIBUTES}, datacontenttype string, data struct<{PAYLOAD}>"
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


def program(*arguments: str) -> float:
    """Run Python once, and return the processor time of it and all its children, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def settings() -> list[str]:
    """Return our session's settings as arguments of the bare program."""
    found = {**DEFAULTS, **LOCAL_DEFAULTS, "spark.driver.extraJavaOptions": " ".join(JVM_OPTIONS)}
    return [f"{name}={value}" for name, value in found.items()]


def test_publish_costs_little_more_than_its_session(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """Publishing the example catalog takes 1.3 times as long as a bare program with the same session and one row."""
    root = str(Path(__file__).parents[2] / "registry")

    def run() -> None:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        program("-m", "xregit", "--registry", root, "publish", "--tables", str(folder))

    found = ratio(benchmark, run, lambda: program("-c", BARE, str(tmp_path / "bare"), *settings()), rounds=5)
    assert found <= PUBLISH


def test_session_starts_on_less_processor_time(benchmark: BenchmarkFixture) -> None:
    """Our session takes at most 0.6 times the processor time of one with PySpark's defaults."""
    times = [(program("-c", OURS), program("-c", BARE, "", "spark.master=local[2]")) for _ in range(4)]
    found = min(ours for ours, _ in times) / min(bare for _, bare in times)
    benchmark.pedantic(program, ("-c", OURS), rounds=1)
    benchmark.extra_info.update(ratio=found)
    print(f"\n{benchmark.name}: {found:.2f} times the defaults")
    assert found <= START


def test_publishing_more_costs_no_more_for_each(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """A row of 100,000 messages costs no more than one of 1,000; the most memory of the driver is told."""
    few, many = (xregit.read(write_registry(tmp_path / str(size), size)) for size in (1_000, 100_000))
    spark = session(name="benchmarks")
    targets = (tmp_path / f"tables{number}" for number in range(100))
    xregit.publish(few, next(targets), spark=spark)
    found = ratio(
        benchmark,
        lambda: xregit.publish(many, next(targets), spark=spark),
        lambda: xregit.publish(few, next(targets), spark=spark),
        rounds=1,
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    benchmark.extra_info.update(per_row=found / 100, peak_mib=peak)
    print(f"\n{benchmark.name}: {found / 100:.2f} times as much for each row, at most {peak} MiB in the driver")
    assert found / 100 <= FLAT


@cache
def registry(folder: Path, size: int) -> Registry:
    """Return a registry of that many definitions: most with a type of their own, some told apart by their source."""
    messages = {}
    for number in range(size):
        kind, source = attributes(number)
        messages[f"m{number}"] = {
            "messageid": f"m{number}",
            "envelope": "CloudEvents/1.0",
            "envelopemetadata": {
                "type": {"value": kind},
                "source": {"value": f"{source}/{{vin}}", "type": "uritemplate"},
                "time": {"type": "timestamp", "required": True},
            },
            "dataschemaformat": "JsonSchema/draft-07",
            "dataschema": SCHEMA,
        }
    document = {"specversion": "1.0-rc2", "registryid": "bench", "messagegroups": {"g": {"messages": messages}}}
    path = folder / f"{size}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return xregit.read(path)


def attributes(number: int) -> tuple[str, str]:
    """Return the type of a definition's events and what their source begins with."""
    shared = number % 4 == 0
    return (f"com.example.shared{number // 20}" if shared else f"com.example.kind{number}"), f"/plants/{number}"


@cache
def events(folder: Path, size: int) -> str:
    """Return a folder with files of events, in turn of each of so many definitions; one in 21 fits none."""
    place = folder / f"events{size}"
    place.mkdir()
    for part in range(8):
        with (place / f"{part}.jsonl").open("wb") as file:
            file.writelines(event(number, size) for number in range(part, EVENTS, 8))
    return str(place)


def event(number: int, size: int) -> bytes:
    """Return one event as a line of about 430 bytes."""
    kind, source = attributes((number * 7919) % size)
    value = {
        "specversion": "1.0",
        "id": f"{number:08x}-7a1c-4b2d-8e3f-{number:012x}",
        "source": f"{source}/WDB{number % 1000:014d}",
        "type": kind if number % 21 else "com.example.unknown",
        "subject": f"sensors/{number % 97}",
        "time": "2026-05-22T10:30:00.123Z",
        "datacontenttype": "application/json",
        "data": {
            "value": number / 8,
            "at": "2026-05-22T10:30:00Z",
            "unit": "millimetres per second",
            "count": number,
            "place": {"lat": 48.1, "lon": 11.5},
        },
    }
    return json.dumps(value).encode() + b"\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for all that these benchmarks read and write."""
    return tmp_path_factory.mktemp("spark")


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """Return a session as `route` has it."""
    running = session(name="benchmarks", conf={"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=4"})
    yield running
    running.stop()


def lines(spark: SparkSession, place: str) -> DataFrame:
    """Return the lines of files as bytes."""
    return spark.read.text(place).selectExpr("cast(value as binary) as value")


def counted(frame: DataFrame, made: Callable[[], Callable[[bytes], object]]) -> None:
    """Do something with each line on the executors, made there once for each partition, and count the lines."""

    def each(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        work = made()
        for batch in batches:
            for line in batch.column(0).to_pylist():
                work(line)
            yield pa.RecordBatch.from_pydict({"rows": pa.array([batch.num_rows], pa.int64())})

    assert frame.mapInArrow(each, "rows long").groupBy().sum("rows").collect()[0][0] == EVENTS


def classifying(spark: SparkSession, folder: Path, size: int) -> Callable[[], None]:
    """Return a function that classifies all events against that many definitions."""
    sent = packed(plan(registry(folder, size)))
    frame = lines(spark, events(folder, size))

    def made() -> Callable[[bytes], object]:
        return unpacked(sent.digest, sent.data).matcher.match

    return lambda: counted(frame, made)


def decoding(spark: SparkSession, place: str) -> Callable[[], None]:
    """Return a function that only decodes the JSON of all events."""
    import orjson

    return lambda: counted(lines(spark, place), lambda: orjson.loads)


def test_classifying_costs_little_more_than_decoding(
    benchmark: BenchmarkFixture, spark: SparkSession, folder: Path
) -> None:
    """Against 1,000 definitions, 0.8 times the rate of a job that decodes, and faster than Spark's own from_json."""
    place = events(folder, 1_000)
    run = classifying(spark, folder, 1_000)
    found = ratio(benchmark, run, decoding(spark, place), rounds=ROUNDS)
    print(f"{1 / found:.2f} times the rate of decoding")
    assert 1 / found >= DECODE


def test_classifying_is_faster_than_from_json(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """Against 1,000 definitions, classifying takes less than Spark takes to parse the same events with their schema."""
    place = events(folder, 1_000)
    parsed = spark.read.text(place).selectExpr(f"from_json(value, '{KNOWN}') as e").selectExpr("e.*")
    found = ratio(
        benchmark,
        classifying(spark, folder, 1_000),
        lambda: parsed.write.format("noop").mode("overwrite").save(),
        rounds=ROUNDS,
    )
    assert found < 1


def test_many_definitions_cost_what_few_do(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """Against 10,000 definitions, 0.85 times the rate against 100."""
    found = ratio(benchmark, classifying(spark, folder, 10_000), classifying(spark, folder, 100), rounds=ROUNDS)
    print(f"{1 / found:.2f} times the rate")
    assert 1 / found >= MANY


def landing(spark: SparkSession, folder: Path, size: int) -> Callable[[], None]:
    """Return a function that routes all events to that many tables, each time to a new folder."""
    made, place = registry(folder, size), events(folder, size)

    def run() -> None:
        done = xregit.route(made, place, mkdtemp(dir=folder), spark=spark)
        assert sum(done.rows.values()) == EVENTS
        assert len(done.rows) == len(table_names(item.xid for item in made.messages)) + 1

    return run


def test_landing_costs_little_more_than_parsing_and_writing(
    benchmark: BenchmarkFixture, spark: SparkSession, folder: Path
) -> None:
    """To land in 100 tables takes 2.5 times as long as Spark takes to parse the events and write them to one folder."""
    frame = spark.read.schema(KNOWN).json(events(folder, 100))
    target = str(folder / "parsed")
    found = ratio(
        benchmark, landing(spark, folder, 100), lambda: frame.write.mode("overwrite").parquet(target), rounds=ROUNDS
    )
    assert found <= LAND


def test_many_tables_cost_what_few_do(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """To land in 1,000 tables takes 2.5 times as long as in 100."""
    found = ratio(benchmark, landing(spark, folder, 1_000), landing(spark, folder, 100), rounds=ROUNDS)
    assert found <= TABLES
