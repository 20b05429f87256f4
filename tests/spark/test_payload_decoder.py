"""Payloads read to records of their schema: none that it refuses, and all to the columns that the long way makes.

What no record takes goes the long way, so that a record may refuse what it likes, but for what is ordinary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.payloads import parse
from xregit.spark.streams.row_builder import MatchedRows, RowBuilder
from xregit.spark.streams.table_mapping import DefinitionTable

DRAFT, LATER = "JsonSchema/draft-07", "JsonSchema/2020-12"
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([2**53 + 1, 2**70, -0.0])
BOUNDS = st.dictionaries(
    st.sampled_from(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]), st.integers(-3, 3) | st.just(1.5)
)
TEXTS = st.text(max_size=3) | st.sampled_from(
    ["2026-05-22T10:30:00Z", "2024-02-29T10:30:00.123456+02:00", "2026-02-29T10:30:00Z", "2026-05-22T10:30:00.1234567Z"]
)
PLAIN: list[Any] = [
    {"type": "boolean", "description": "whether"},
    {"type": "string"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "uuid"},
    {"type": "string", "minLength": 1, "maxLength": 2},
    {"type": "string", "enum": ["a", "b"]},
    {"type": ["string", "null"], "enum": ["a", "b"]},
    {"type": ["integer", "null"]},
    {"type": "number", "format": "double"},
    {"type": "string", "pattern": "^a"},
    {"$ref": "#/definitions/short"},
    {"enum": [1, "a"]},
    True,
    {"type": "string", "enum": ["a", 1]},
    {"type": "integer", "enum": [1]},
    {"type": "string", "minLength": 2, "pattern": "^a"},
    {"type": "string", "maxLength": 2.0},
    {"type": "number", "multipleOf": 2},
    {"type": "number", "minimum": 2**53 + 1},
    {"$ref": "#/definitions/any"},
    {"type": ["null", "string"], "maxLength": 1},
    {"type": ["string", "integer"]},
    {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    {"type": "array", "items": {"type": "string", "format": "date-time"}},
    {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
    {"type": "array"},
]
SINGLE = st.one_of(
    st.builds(lambda kind, more: {"type": kind, **more}, st.sampled_from(["number", "integer"]), BOUNDS),
    st.sampled_from(PLAIN),
)
ARRAYS = st.builds(
    lambda items, more: {"type": "array", "items": items, **more}, SINGLE, st.just({}) | st.just({"maxItems": 1})
)


SHORT = {"short": {"type": "string", "maxLength": 1}, "any": True}


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of objects with members of these schemas."""
    return st.builds(
        lambda members, required, more: {
            "type": "object",
            "properties": members,
            "required": sorted(required & members.keys()),
            **more,
        },
        st.dictionaries(st.sampled_from(["a", "b", "c", 'quote"d']), inner, min_size=1),
        st.sets(st.sampled_from(["a", "b"])),
        st.sampled_from(
            [{}, {"additionalProperties": False}, {"additionalProperties": {"type": "string"}}, {"minProperties": 1}]
        ),
    )


SCHEMAS = objects(SINGLE | ARRAYS | objects(SINGLE | ARRAYS)).map(
    lambda schema: {
        **schema,
        "$id": "https://example.com/s",
        "definitions": SHORT,
    }
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), inner),
    max_leaves=8,
)


def rows_of(schema: Any, draft: str) -> RowBuilder:
    """Return what makes the rows of a table for payloads of a schema."""
    return RowBuilder(DefinitionTable("/messagegroups/g/messages/m", "t"), parse(draft, schema))


def landed(values: list[Any]) -> MatchedRows:
    """Return messages with these payloads, and nothing else."""
    nothing: list[dict[str, str]] = [{} for _ in values]
    return MatchedRows(lambda _: [None] * len(values), nothing, nothing, [None] * len(values), values)


def as_raw(value: Any) -> msgspec.Raw:
    """Return a payload as a plain event holds it."""
    return msgspec.Raw(json.dumps(value).encode())


def fitting(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return objects with the members of a schema, each of some value."""
    table = schema["properties"]
    kinds = {
        key: fitting(inner) if isinstance(inner, dict) and "properties" in inner else VALUES
        for key, inner in table.items()
    }
    return st.fixed_dictionaries({}, optional=kinds)


@pytest.mark.parametrize("draft", [DRAFT, LATER])
@given(st.data())
def test_records_are_what_the_schema_accepts(draft: str, data: st.DataObject) -> None:
    """What a record takes fits the schema, and comes to the same row as by its value, or is in doubt."""
    schema = data.draw(SCHEMAS)
    compare(rows_of(schema, draft), data.draw(fitting(schema) | VALUES))


def compare(rows: RowBuilder, value: Any) -> None:
    """Hold that what a record takes of a payload is what the schema accepts, and is the row of the value."""
    raw = as_raw(value)
    (record,) = rows.decode_records([raw])
    result = None if record is None else rows.build_from_records(landed([record]))
    if result is not None:
        read = rows.decoder.decode_json([raw])
        assert read == [value]
        assert result.equals(rows.build(landed(read)))


GIVEN: list[Any] = [
    *(None, True, 1, 2, 2.5, 2**53, 2**70, "a", "b", "ab", "abc", "1", "2026-05-22T10:30:00Z"),
    *([], ["a"], ["a", "a"], [1], [None], ["2026-05-22T10:30:00Z"], [{}], [{"a": "b"}], {}, {"a": "a"}),
]


@pytest.mark.parametrize("schema", PLAIN, ids=json.dumps)
def test_each_word_of_a_schema_counts(schema: Any) -> None:
    """What a schema says beyond what a record tells of, records leave to the long way."""
    whole = {"type": "object", "properties": {"a": schema}, "definitions": SHORT}
    rows = rows_of(whole, DRAFT)
    for value in ({}, {"a": 1, "b": 2}, *({"a": each} for each in GIVEN)):
        compare(rows, value)


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


@pytest.mark.parametrize(
    "value",
    [
        {"at": "2026-05-22T10:30:00.5+02:00", "value": 1},
        {
            "at": "2024-02-29T10:30:00Z",
            "value": 1.5,
            "unit": "mm",
            "place": {"lat": 1, "ok": True},
            "marks": ["a"],
            "count": None,
        },
    ],
)
def test_ordinary_payloads_are_records(value: Any) -> None:
    """Payloads of an ordinary schema are read to records."""
    rows = rows_of(ORDINARY, DRAFT)
    records = rows.decode_records([as_raw(value)])
    result = rows.build_from_records(landed(records))
    assert result is not None
    assert result.equals(rows.build(landed([value])))


@pytest.mark.parametrize(
    "value", [{"at": "yesterday", "value": 1}, {"at": "2026-05-22T10:30:00Z", "value": -1}, {"value": 1}, None, [], 3]
)
def test_what_the_schema_refuses_is_no_record(value: Any) -> None:
    """Payloads that break the schema are no records, or are in doubt."""
    rows = rows_of(ORDINARY, DRAFT)
    (record,) = rows.decode_records([as_raw(value)])
    assert record is None or rows.build_from_records(landed([record])) is None
    assert rows.decoder.decode_json([as_raw(value)]) == [None]


def test_schemas_that_lead_back_to_themselves_last() -> None:
    """The limit to the work of comparing one value with a schema that leads back to itself is not that of a stream."""
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    reader = rows_of(node, DRAFT).decoder
    value: dict[str, Any] = {}
    for _ in range(200):
        value = {"next": value}
    raw = as_raw(value)
    assert reader.decode_json([raw] * 2000) == [value] * 2000
