"""What routing costs, against a plain Spark program that does what can't be saved."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import orjson
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import xregit
from tests.benchmarks.ratio import ratio
from xregit.catalog import Registry
from xregit.spark.session import session
from xregit.spark.streams.plan import pack_plan, plan, unpack_plan
from xregit.spark.streams.table_mapping import table_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

DECODE, NEW, MANY, LAND, TABLES = 0.8, 0.5, 0.85, 2.5, 2.5
EVENTS = int(os.environ.get("XREGIT_BENCH_EVENTS", "500000"))
# The least time of each counts: the first rounds are those in which Java still compiles.
ROUNDS = 4
# So many sources come again and again; the definitions' templates hold them.
VEHICLES = 1000
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


def events(folder: Path, size: int, vehicles: int = VEHICLES) -> str:
    """Return a folder with files of events, in turn of each of so many definitions; one in 21 fits none."""
    place = folder / f"events{size}-{vehicles}"
    for part in () if place.exists() else range(8):
        place.mkdir(exist_ok=True)
        with (place / f"{part}.jsonl").open("wb") as file:
            file.writelines(event(number, size, vehicles) for number in range(part, EVENTS, 8))
    return str(place)


def event(number: int, size: int, vehicles: int) -> bytes:
    """Return one event as a line of about 430 bytes."""
    kind, source = attributes((number * 7919) % size)
    value = {
        "specversion": "1.0",
        "id": f"{number:08x}-7a1c-4b2d-8e3f-{number:012x}",
        "source": f"{source}/WDB{number % vehicles:014d}",
        "type": kind if number % 21 else "com.example.unknown",
        "subject": f"sensors/{number % vehicles}",
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


def assert_count(frame: DataFrame, made: Callable[[], Callable[[list[bytes]], int]], known: int) -> None:
    """Do something with all lines on the executors, made there once for each partition, and add up what it counts."""

    def each(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        work = made()
        for batch in batches:
            rows = work(batch.column(0).to_pylist())
            yield pa.RecordBatch.from_pydict({"rows": pa.array([rows], pa.int64())})

    assert frame.mapInArrow(each, "rows long").groupBy().sum("rows").collect()[0][0] == known


def classifying(spark: SparkSession, folder: Path, size: int, vehicles: int = VEHICLES) -> Callable[[], None]:
    """Return a function that classifies all events against that many definitions."""
    sent = pack_plan(plan(registry(folder, size)))
    frame = lines(spark, events(folder, size, vehicles))

    def made() -> Callable[[list[bytes]], int]:
        matcher = unpack_plan(sent.data).line_matcher
        return lambda given: sum(bool(answer.xid) for _, _, answers in matcher.match(given) for answer in answers)

    known = EVENTS - len(range(0, EVENTS, 21))
    return lambda: assert_count(frame, made, known)


def decoding(spark: SparkSession, place: str) -> Callable[[], None]:
    """Return a function that only decodes the JSON of all events."""

    def decode(given: list[bytes]) -> int:
        for line in given:
            orjson.loads(line)
        return len(given)

    return lambda: assert_count(lines(spark, place), lambda: decode, EVENTS)


def test_classifying_costs_little_more_than_decoding(
    benchmark: BenchmarkFixture, spark: SparkSession, folder: Path
) -> None:
    """Against 1,000 definitions, 0.8 times the rate of a job that decodes, and faster than Spark's own from_json."""
    place = events(folder, 1_000)
    run = classifying(spark, folder, 1_000)
    result = ratio(benchmark, run, decoding(spark, place), rounds=ROUNDS)
    print(f"{1 / result:.2f} times the rate of decoding")
    assert 1 / result >= DECODE


def test_classifying_what_never_repeats_costs_less_than_twice_as_much(
    benchmark: BenchmarkFixture, spark: SparkSession, folder: Path
) -> None:
    """As above, of events that have a source and a subject of their own each: half the rate."""
    run, place = classifying(spark, folder, 1_000, EVENTS), events(folder, 1_000, EVENTS)
    result = ratio(benchmark, run, decoding(spark, place), rounds=ROUNDS)
    print(f"{1 / result:.2f} times the rate of decoding")
    assert 1 / result >= NEW


def test_classifying_is_faster_than_from_json(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """Against 1,000 definitions, classifying takes less than Spark takes to parse the same events with their schema."""
    place = events(folder, 1_000)
    parsed = spark.read.text(place).selectExpr(f"from_json(value, '{KNOWN}') as e").selectExpr("e.*")
    result = ratio(
        benchmark,
        classifying(spark, folder, 1_000),
        lambda: parsed.write.format("noop").mode("overwrite").save(),
        rounds=ROUNDS,
    )
    assert result < 1


def test_many_definitions_cost_what_few_do(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """Against 10,000 definitions, 0.85 times the rate against 100."""
    result = ratio(benchmark, classifying(spark, folder, 10_000), classifying(spark, folder, 100), rounds=ROUNDS)
    print(f"{1 / result:.2f} times the rate")
    assert 1 / result >= MANY


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
    result = ratio(
        benchmark, landing(spark, folder, 100), lambda: frame.write.mode("overwrite").parquet(target), rounds=ROUNDS
    )
    assert result <= LAND


def test_many_tables_cost_what_few_do(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """To land in 1,000 tables takes 2.5 times as long as in 100."""
    result = ratio(benchmark, landing(spark, folder, 1_000), landing(spark, folder, 100), rounds=ROUNDS)
    assert result <= TABLES
