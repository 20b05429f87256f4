"""Which branch of an Avro union a value takes: the one that is named, else the one that keeps it as it is."""

from __future__ import annotations

import json
from datetime import date, time
from decimal import Decimal
from json import dumps
from typing import Any

import pytest

from xregit.payloads import PayloadError, parse
from xregit.payloads.compatibility.comparison import compatible

E = {"type": "enum", "name": "E", "symbols": ["x"]}


E2 = {"type": "enum", "name": "E2", "symbols": ["x", "y"]}


F = {"type": "fixed", "name": "F", "size": 2}


F2 = {"type": "fixed", "name": "F2", "size": 2}


DAY = {"type": "int", "logicalType": "date"}


@pytest.mark.parametrize(
    ("union", "value", "branch", "kept"),
    [
        (["string", "bytes"], "abc", 0, "abc"),
        (["bytes", "string"], "abc", 1, "abc"),
        (["bytes", "string"], "€", 1, "€"),
        (["string", "bytes"], b"abc", 1, b"abc"),
        (["string", "bytes"], {"bytes": "abc"}, 1, b"abc"),
        (["bytes", "string"], {"string": "abc"}, 1, "abc"),
        (["null", "bytes"], "abc", 1, b"abc"),
        (["double", "long"], 2**60 + 1, 1, 2**60 + 1),
        (["float", "double"], 0.1, 1, 0.1),
        (["float", "double"], 2**40 + 1, 1, 2**40 + 1),
        ([E, "string"], "x", 0, "x"),
        ([E, "string"], {"string": "x"}, 1, "x"),
        ([E, E2], {"E2": "x"}, 1, "x"),
        ([E, E2], "y", 1, "y"),
        ([F, F2], {"F2": b"ab"}, 1, b"ab"),
        (["long", DAY], {"int": "2026-11-22"}, 1, date(2026, 11, 22)),
    ],
)
def test_value_takes_the_branch_that_keeps_it(union: list[Any], value: Any, branch: int, kept: Any) -> None:
    """Whatever stands first; the first byte of the payload is the branch's number, doubled."""
    schema = parse("Avro", dumps(union).encode())
    written = schema.encode(value)
    assert (written[0] // 2, schema.decode(written)) == (branch, kept)
    assert schema.decode(schema.encode(value, "application/json"), "application/json") == kept


def test_unions_below_the_lists_of_unions_take_their_branches() -> None:
    """As feeds have them: a record that may be missing, with a list that may be, of records whose fields may be."""
    link = {"type": "record", "name": "Link", "fields": [{"name": "rel", "type": ["null", "string"]}]}
    links = {"name": "links", "type": ["null", {"type": "array", "items": link}]}
    more = {"name": "more", "type": ["null", {"type": "map", "values": ["null", "Link"]}]}
    source = {"type": "record", "name": "Source", "fields": [links, more]}
    item = {"type": "record", "name": "Item", "fields": [{"name": "source", "type": ["null", source]}]}
    schema = parse("Avro", dumps(item).encode())
    value = {"source": {"links": [{"rel": "self"}, {"rel": None}], "more": {"a": {"rel": "next"}, "b": None}}}
    for contenttype in ("", "application/json"):
        assert schema.decode(schema.encode(value, contenttype), contenttype) == value
    schema.encode(schema.example())


def test_records_without_fields_are_written_in_json() -> None:
    """They may be the whole value, or its last part."""
    empty: dict[str, Any] = {"type": "record", "name": "E", "fields": []}
    outer = {"type": "record", "name": "R", "fields": [{"name": "e", "type": empty}]}
    for schema, value in ((empty, {}), (outer, {"e": {}}), (["null", empty], {})):
        codec = parse("Avro/1.12.0", json.dumps(schema).encode())
        text = codec.encode(value, "application/json")
        assert codec.decode(text, "application/json") == value


@pytest.mark.parametrize(
    ("written", "read", "kinds"),
    [
        ("bytes", ["string", "bytes"], ["text can't tell"]),
        ("bytes", ["bytes", "string"], []),
        ("int", ["long", "int"], []),
    ],
)
def test_readers_that_take_another_branch_are_told_of(written: str, read: list[str], kinds: list[str]) -> None:
    """The specification has the first branch that fits; some readers take one of the same type before others."""
    result = compatible("Avro", dumps(written).encode(), dumps(read).encode())
    assert kinds == [f"{item.kind} {item.backward}" for item in result.verdicts if item.kind != "branch"]


FAR_TIMES = [
    ("int", "date", 2_932_897),
    ("int", "date", -719_163),
    ("int", "date", 2**31 - 1),
    ("long", "timestamp-millis", 2**63 - 1),
    ("long", "timestamp-millis", 253_402_300_800_000),
    ("long", "timestamp-micros", -(2**63)),
    ("long", "local-timestamp-millis", 2**63 - 1),
    ("long", "local-timestamp-micros", 2**63 - 1),
]


@pytest.mark.parametrize(("kind", "logical", "number"), FAR_TIMES)
def test_times_in_years_that_python_has_not_are_numbers(kind: str, logical: str, number: int) -> None:
    """A payload that says "for ever" by the largest number is valid, and what stands beside it is read as ever."""
    fields = [
        {"name": "far", "type": ["null", {"type": kind, "logicalType": logical}]},
        {"name": "near", "type": {"type": kind, "logicalType": logical}},
        {"name": "decimal", "type": {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}},
        {"name": "hour", "type": {"type": "int", "logicalType": "time-millis"}},
    ]
    schema = parse("Avro/1.12.0", json.dumps({"type": "record", "name": "R", "fields": fields}).encode())
    near = schema.decode(schema.encode({"far": 0, "near": 0, "decimal": "1.50", "hour": 0}))
    said = {"far": number, "near": near["near"], "decimal": Decimal("1.50"), "hour": time(0)}
    assert not isinstance(near["near"], int)
    assert schema.decode(schema.encode(said)) == said
    text = json.dumps({"far": {kind: number}, "near": 0, "decimal": "\u0000\u0096", "hour": 0}).encode()
    assert schema.decode(text, "application/json") == said
    too_large = json.dumps({"far": {kind: 2**70}, "near": 0, "decimal": "\u0096", "hour": 0}).encode()
    assert schema.validate(too_large, "application/json")


def test_truth_is_no_time() -> None:
    """Python takes it for a number."""
    schema = parse("Avro/1.12.0", b'{"type": "long", "logicalType": "timestamp-millis"}')
    with pytest.raises(PayloadError, match="timestamp-millis"):
        schema.encode(True)  # noqa: FBT003
