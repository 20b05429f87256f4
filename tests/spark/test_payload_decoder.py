"""Payloads of events, read and held against their schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.spark.streams import event
from xregit.messages.decoder import decode
from xregit.payloads import PayloadError, parse
from xregit.spark.streams.decoder import decode_payload

DRAFT = "JsonSchema/draft-07"
ORDINARY = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "https://example.com/reading",
    "type": "object",
    "required": ["at", "value"],
    "properties": {
        "at": {"type": "string", "format": "date-time"},
        "value": {"type": "number", "minimum": 0},
        "unit": {"type": "string", "enum": ["bar", "mm"]},
        "place": {"$ref": "#/definitions/place"},
        "marks": {"type": "array", "items": {"type": "string"}},
        "count": {"type": ["integer", "null"]},
    },
    "definitions": {"place": {"type": "object", "properties": {"lat": {"type": "number"}, "ok": {"type": "boolean"}}}},
}


VALID = {
    "at": "2024-02-29T10:30:00Z",
    "value": 1.5,
    "unit": "mm",
    "place": {"lat": 1, "ok": True},
    "marks": ["a"],
    "count": None,
}


def payload(schema: Any, value: Any) -> Any:
    """Return what a payload is by a schema."""
    (item,) = decode(json.dumps({**event(1), "data": value}).encode())
    return decode_payload(schema, item)


@pytest.mark.parametrize("value", [VALID, {"at": "2026-05-22T10:30:00.5+02:00", "value": 1, "more": 2}])
def test_payloads_that_fit_are_read(value: Any) -> None:
    """A payload that its schema accepts is its value."""
    assert payload(parse(DRAFT, ORDINARY), value) == value


@pytest.mark.parametrize(
    "value",
    [
        {"at": "2026-05-22T10:30:00Z", "value": -1},
        {"at": "2026-05-22T10:30:00Z", "value": "1"},
        {**VALID, "unit": "m"},
        {**VALID, "place": {"ok": 1}},
        {**VALID, "count": 1.5},
        {"value": 1},
        None,
        [],
        3,
    ],
)
def test_payloads_that_break_the_schema_are_not(value: Any) -> None:
    """Payloads that break the schema are refused, with what is wrong."""
    with pytest.raises(PayloadError) as caught:
        payload(parse(DRAFT, ORDINARY), value)
    assert caught.value.problems


def test_schemas_that_lead_back_to_themselves_last() -> None:
    """The limit to the work of comparing one value with a schema that leads back to itself is not that of a stream."""
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    schema = parse(DRAFT, node)
    value: dict[str, Any] = {}
    for _ in range(200):
        value = {"next": value}
    (item,) = decode(json.dumps({**event(1), "data": value}).encode())
    assert [decode_payload(schema, item) for _ in range(2000)] == [value] * 2000
