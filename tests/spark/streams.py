"""Catalogs and messages for tests that route: three kinds of event, and lines that fit none or two."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

import xregit
from xregit.catalog import Registry

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
