"""The reader that routing is: lines, and records of Kafka in lines of JSON, to rows of tables."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import xregit
from tests.fuzzing.wires import ROOT, wire_seeds
from tests.spark.streams import landed
from xregit.messages.decoder import Input, decode
from xregit.spark.streams.decoder import kafka_line, split
from xregit.spark.streams.message_tables import record_columns
from xregit.spark.streams.router import Plan, make_plan
from xregit.spark.streams.source import KAFKA_JSON, LINES

Tables = Mapping[str, Counter[str]]


def rows(data: bytes) -> None:
    """Sort lines together and one by one: both give the same rows, one for each message; so with records of Kafka."""
    lines = data.split(b"\n")
    given = [line for line in lines if line and not line.isspace()]
    together = _sorted(lines, LINES)
    single: dict[str, Counter[str]] = {}
    for line in lines:
        for name, rows_of_line in _sorted([line], LINES).items():
            single.setdefault(name, Counter()).update(rows_of_line)
    assert together == single, (together, single)
    assert _count(together) == sum(_count_messages(line) for line in given)
    assert _count(_sorted(lines, KAFKA_JSON)) == sum(_count_messages(kafka_line(line)) for line in given)


def _count_messages(message: Input) -> int:
    return sum(len(decode(part)) for part in split(message))


def row_seeds() -> Iterator[bytes]:
    """Give messages as lines, several of them too, and as records of Kafka."""
    results = list(wire_seeds())
    yield from results
    yield b"\n".join(results[-6:])
    for line in results:
        wire = json.loads(line)
        if wire.get("protocol") == "KAFKA":
            yield json.dumps(_record(wire)).encode()


def _record(wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Spark writes of a record, which has its bytes in base 64."""
    headers = [{"key": name, "value": _base64(value)} for name, value in wire.get("headers", {}).items()]
    return {"topic": wire.get("topic"), "value": _base64(wire.get("body")), "partition": 0, "headers": headers}


def _base64(value: Any) -> str:
    return b64encode((value if isinstance(value, str) else json.dumps(value)).encode()).decode()


@cache
def _plan() -> Plan:
    return replace(make_plan(xregit.load(ROOT / "registry")), record=record_columns(()))


def _sorted(lines: list[bytes], message_format: str) -> Tables:
    """Return how often each row is in each table after messages are sorted."""
    batch = pa.RecordBatch.from_pydict({"value": pa.array(lines, pa.binary())})
    result: dict[str, Counter[str]] = {}
    with TemporaryDirectory() as name:
        for file in landed(_plan(), [batch], Path(name), message_format):
            listed = pq.read_table(Path(name) / file["table"] / file["path"]).to_pylist()
            assert file["records"] == len(listed)
            result.setdefault(file["table"], Counter()).update(map(repr, listed))
    return result


def _count(tables: Tables) -> int:
    return sum(each.total() for each in tables.values())
