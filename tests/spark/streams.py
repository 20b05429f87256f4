"""Catalogs and messages for tests that route: three kinds of event, and lines that fit none or two."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

import xregit
from xregit.catalog import Registry
from xregit.spark.location import Location
from xregit.spark.streams.job import wait_for
from xregit.spark.streams.message_tables import AMBIGUOUS, UNMATCHED
from xregit.spark.streams.router import ClassifyTask, Plan
from xregit.spark.streams.source import KAFKA, LINES, MessageColumns
from xregit.spark.streams.writer import TABLE, WriteTask

GROUP = "/messagegroups/g/messages/"
READING: Mapping[str, Any] = {
    "type": "object",
    "required": ["value"],
    "properties": {
        "value": {"type": "number"},
        "at": {"type": "string", "format": "date-time"},
        "place": {"type": "object", "properties": {"lat": {"type": "number"}}},
        "marks": {"type": "array", "items": {"type": "string"}},
    },
}


def definition(type_: str, schema: Mapping[str, Any] = READING, **more: Any) -> dict[str, Any]:
    """Return a definition of a CloudEvent of that type, from a vehicle, with a JSON Schema for its payload."""
    return {
        "envelope": "CloudEvents/1.0",
        "envelopemetadata": {
            "type": {"value": type_},
            "source": {"value": "/vehicles/{vin}", "type": "uritemplate"},
        },
        "dataschemaformat": "JsonSchema/draft-07",
        "dataschema": schema,
        **more,
    }


CATALOG = {
    "one": definition("t.one"),
    "two": definition("t.two"),
    "both.a": definition("t.both", {"type": "object"}),
    "both.b": definition("t.both", {"type": "object"}),
    "record": {
        "protocol": "KAFKA",
        "protocoloptions": {"topic": {"value": "readings"}, "key": {"value": "{vin}"}},
    },
}


def registry_of(folder: Path, messages: Mapping[str, Mapping[str, Any]] = CATALOG, name: str = "test") -> Registry:
    """Return a registry with one group of these messages, and one endpoint that carries it."""
    document = {
        "specversion": "1.0-rc2",
        "registryid": name,
        "messagegroups": {"g": {"messages": {key: {"messageid": key, **item} for key, item in messages.items()}}},
        "endpoints": {"all": {"usage": ["consumer"], "messagegroups": ["/messagegroups/g"]}},
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return xregit.read(path)


def event(number: int, type_: str = "t.one", data: Any = None, **more: Any) -> dict[str, Any]:
    """Return a CloudEvent with that number as its id."""
    attributes = {"specversion": "1.0", "id": str(number), "source": f"/vehicles/{number % 7}", "type": type_}
    return {**attributes, "data": {"value": number} if data is None else data, **more}


def write(path: Path, *messages: Any) -> Path:
    """Write messages as lines of a file; texts are lines as they are."""
    lines = [item if isinstance(item, str) else json.dumps(item) for item in messages]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def rows(tables: Path, name: str) -> list[dict[str, Any]]:
    """Return all rows of a table, none where there is no table."""
    if not DeltaTable.is_deltatable(str(tables / name)):
        return []
    result: list[dict[str, Any]] = pa.table(DeltaTable(tables / name).scan()).to_pylist()
    return result


WHOLE = {"type": "integer"}
# Fields whose columns would be called alike, of a payload and of a record in it, batch by batch.
FIELDS: list[dict[str, Any]] = [
    {"x_y": WHOLE},
    {"x.y": WHOLE, "x_y": WHOLE},
    {"x.y": WHOLE},
    {"x_y": WHOLE, "x y": WHOLE},
    {"x.y": WHOLE, "x_y": WHOLE, "x y": WHOLE},
]


def fields_that_come_and_go(folder: Path) -> list[str]:
    """Write a catalog and a message for each step; return their names. The last step is one that no table can take."""
    steps = [*FIELDS, {"x_y": {"type": "string"}}]
    for number, fields in enumerate(steps):
        record = {"type": "object", "properties": fields}
        schema = {**record, "properties": {**fields, "inner": record}}
        registry_of(folder, {"one": definition("t.one", schema)}, f"step{number}")
        values: dict[str, Any] = dict.fromkeys(fields, "text") if number == len(FIELDS) else _values(fields)
        write(folder / f"step{number}.jsonl", event(number, data={**values, "inner": values}))
    return [f"step{number}" for number in range(len(steps))]


def _values(fields: Iterable[str]) -> dict[str, int]:
    return {name: ord(name[1]) for name in fields}


def assert_fields_kept_their_columns(tables: Path) -> None:
    """Check that each column has the values of one field alone, whichever fields there were in a step."""
    found = sorted(rows(tables, "g__one"), key=lambda row: str(row["ce_id"]))
    for records in (found, [row["inner"] for row in found]):
        columns = {name: {row[name] for row in records} - {None} for name in records[0] if name.startswith("x")}
        assert sorted(map(sorted, columns.values())) == [[ord(" ")], [ord(".")], [ord("_")]]
        assert columns["x_y"] == {ord("_")}
        for row, fields in zip(records, FIELDS, strict=True):
            assert sorted(row[name] for name in columns if row[name] is not None) == sorted(_values(fields).values())


@dataclass
class Routed:
    """What a query has done, batch by batch."""

    batches: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    quarantined: dict[str, str] = field(default_factory=dict)


def route(registry: Registry, messages: Any, tables: Any, **options: Any) -> Routed:
    """Route all messages that there are, and return what was done."""
    result, inner = Routed(), options.pop("tell", None)

    def tell(batch: xregit.BatchResult) -> None:
        result.batches += 1
        result.rows.update(batch.rows)
        result.quarantined.update(batch.quarantined)
        if inner is not None:
            inner(batch)

    wait_for(xregit.route(registry, messages, tables, tell=tell, **options), endless=False)
    return result


CHUNK = 10
NAMES = ("value", "key", "topic", "partition", "headers")


def landed(
    plan: Plan,
    batches: Iterable[pa.RecordBatch],
    folder: Path,
    message_format: str = LINES,
    blocked: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Classify and write partitions as Spark would, with one process that writes, and describe the files."""
    names = NAMES if message_format == KAFKA else ("value",)
    columns = MessageColumns(message_format, {name: name for name in names})
    classified = pa.Table.from_batches(
        [each for batch in batches for each in ClassifyTask(plan, columns, payloads=False).run(iter([batch]))]
    )
    outcomes = zip(classified["outcome"].to_pylist(), classified["xid"].to_pylist(), strict=True)
    keys = [xid if outcome == "one" else {"many": AMBIGUOUS}.get(outcome, UNMATCHED) for outcome, xid in outcomes]
    ordered = classified.append_column(TABLE, pa.array(keys, pa.string())).sort_by(TABLE).drop("payload")
    task = WriteTask(plan, columns, (), Location.of(folder), datetime(2026, 1, 1, tzinfo=UTC), blocked or {})
    return [row for each in task.run(iter(ordered.to_batches(CHUNK))) for row in each.to_pylist()]
