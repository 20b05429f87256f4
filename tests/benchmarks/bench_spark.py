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
from xregit.spark import BatchResult, classify
from xregit.spark.session import session
from xregit.spark.streams.message_tables import table_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

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


def events(folder: Path, size: int) -> str:
    """Return a folder with files of events, in turn of each of so many definitions; one in 21 fits none."""
    place = folder / f"events{size}"
    for part in () if place.exists() else range(8):
        place.mkdir(exist_ok=True)
        with (place / f"{part}.jsonl").open("wb") as file:
            file.writelines(event(number, size) for number in range(part, EVENTS, 8))
    return str(place)


def event(number: int, size: int) -> bytes:
    """Return one event as a line of about 430 bytes."""
    kind, source = attributes((number * 7919) % size)
    value = {
        "specversion": "1.0",
        "id": f"{number:08x}-7a1c-4b2d-8e3f-{number:012x}",
        "source": f"{source}/WDB{number % VEHICLES:014d}",
        "type": kind if number % 21 else "com.example.unknown",
        "subject": f"sensors/{number % VEHICLES}",
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


def to_nowhere(frame: DataFrame) -> None:
    """Compute all rows of a data frame, and write them nowhere."""
    frame.write.format("noop").mode("overwrite").save()


def classifying(spark: SparkSession, folder: Path, size: int) -> Callable[[], None]:
    """Return a function that classifies all events against that many definitions."""
    frame = classify(lines(spark, events(folder, size)), registry(folder, size), payloads=False)
    known = EVENTS - len(range(0, EVENTS, 21))
    assert frame.where("outcome = 'one'").count() == known
    return lambda: to_nowhere(frame)


def decoding(spark: SparkSession, place: str) -> Callable[[], None]:
    """Return a function that only decodes the JSON of all events, and passes them on."""

    def decode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for line in batch.column(0).to_pylist():
                orjson.loads(line)
            yield batch

    return lambda: to_nowhere(lines(spark, place).mapInArrow(decode, "value binary"))


def test_classifying_against_decoding(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """With 1,000 definitions, against a job that decodes and keeps nothing of it: 0.16 of its rate.

    Each event is decoded and compared by itself in some 23 µs of Python, where the other job takes 5 µs.
    """
    place = events(folder, 1_000)
    run = classifying(spark, folder, 1_000)
    result = ratio(benchmark, run, decoding(spark, place), rounds=ROUNDS)
    print(f"{1 / result:.2f} times the rate of decoding")


def test_classifying_against_from_json_with_filters(
    benchmark: BenchmarkFixture, spark: SparkSession, folder: Path
) -> None:
    """With 1,000 definitions, against what Spark takes to parse the events and to tell them apart: 0.8 of it."""
    parsed = spark.read.text(events(folder, 1_000)).selectExpr(f"from_json(value, '{KNOWN}') as e").selectExpr("e.*")
    kinds = " ".join(
        f"when type = '{kind}' and source like '{source}/%' then 'm{number}'"
        for number in range(1_000)
        for kind, source in [attributes(number)]
    )
    told = parsed.selectExpr("*", f"case {kinds} end as xid")
    ratio(benchmark, classifying(spark, folder, 1_000), lambda: to_nowhere(told), rounds=ROUNDS)


def test_many_definitions_against_few(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """With 10,000 definitions, against 100: 0.86 of the rate."""
    result = ratio(benchmark, classifying(spark, folder, 10_000), classifying(spark, folder, 100), rounds=ROUNDS)
    print(f"{1 / result:.2f} times the rate")


def landing(spark: SparkSession, folder: Path, size: int) -> Callable[[], None]:
    """Return a function that routes all events to that many tables, each time to a new folder."""
    made, place = registry(folder, size), events(folder, size)

    def run() -> None:
        done: list[BatchResult] = []
        xregit.route(made, place, mkdtemp(dir=folder), spark=spark, tell=done.append).awaitTermination()
        assert sum(done[0].rows.values()) == EVENTS
        assert len(done[0].rows) == len(table_names(item.xid for item in made.messages)) + 1

    return run


def parsing(spark: SparkSession, folder: Path, size: int) -> Callable[[], None]:
    """Return a function that parses all events and writes them to one folder."""
    frame, target = spark.read.schema(KNOWN).json(events(folder, size)), str(folder / "parsed")
    return lambda: frame.write.mode("overwrite").parquet(target)


def test_landing_in_new_tables_against_parsing(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """To land in 1,000 new tables, a file and a commit each, against writing the parsed events to one folder: 12.6."""
    ratio(benchmark, landing(spark, folder, 1_000), parsing(spark, folder, 1_000), rounds=ROUNDS)


def test_many_tables_against_few(benchmark: BenchmarkFixture, spark: SparkSession, folder: Path) -> None:
    """To land in 1,000 tables, against 100: 1.01."""
    ratio(benchmark, landing(spark, folder, 1_000), landing(spark, folder, 100), rounds=ROUNDS)
