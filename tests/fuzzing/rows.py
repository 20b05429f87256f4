"""The reader that routing is: lines, and records of Kafka in lines of JSON, to rows of tables."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import xregit
from tests.fuzzing.wires import ROOT, wire_seeds
from xregit.messages.decoder import decode
from xregit.spark.streams.decoder import decode_kafka_lines
from xregit.spark.streams.plan import Plan, plan
from xregit.spark.streams.router import PartitionRouter

Tables = Mapping[str, Counter[str]]


def rows(data: bytes) -> None:
    """Sort lines together and one by one: both give the same rows, one for each message; so with records of Kafka."""
    lines = data.split(b"\n")
    given = [(line, len(line)) for line in lines if line and not line.isspace()]
    due = sum(len(decode(line)) for line, _ in given)
    together, single = _sorted(lambda to: to.route_lines(lines)), _sorted(lambda to: to.route(given))
    assert together == single, (together, single)
    assert _count(single) == due
    records = list(decode_kafka_lines(pa.RecordBatch.from_pydict({"value": pa.array(lines, pa.binary())})))
    assert len(records) == len(given)
    assert _count(_sorted(lambda to: to.route(records))) == sum(len(decode(record)) for record, _ in records)


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
    return plan(xregit.load(ROOT / "registry"))


def _sorted(sort: Callable[[PartitionRouter], Iterable[pa.RecordBatch]]) -> Tables:
    """Return how often each row is in each table after messages are sorted."""
    with TemporaryDirectory() as name:
        sorter = PartitionRouter(_plan(), name)
        return _read(Path(name), chain(sort(sorter), sorter.write()))


def _read(folder: Path, parts: Iterable[pa.RecordBatch]) -> Tables:
    result: dict[str, Counter[str]] = {}
    for part in parts:
        for file in part.to_pylist():
            listed = pq.read_table(folder / file["table"] / file["path"]).to_pylist()
            assert file["records"] == len(listed)
            result.setdefault(file["table"], Counter()).update(map(repr, listed))
    return result


def _count(tables: Tables) -> int:
    return sum(each.total() for each in tables.values())
