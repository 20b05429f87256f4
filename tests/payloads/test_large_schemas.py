"""Schemas of few lines that describe more than anyone can look at, and long ones: answers within bounds."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from tests.sizes import sample
from tests.steps import at_most
from xregit.payloads import PayloadError, SchemaError, parse
from xregit.payloads.base import Document, fetch_nothing
from xregit.payloads.compatibility import compare_documents, compatible
from xregit.payloads.fields import MAX_FIELDS

MAX_STEPS = 60_000_000  # without bounds it would be billions
JSON, AVRO, XSD, PROTO = "JsonSchema/draft-07", "Avro/1.11.1", "XSD/1.0", "Protobuf/3"
FRAME = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{}</xs:schema>'
LIST = {"type": "array", "minItems": 1000}
TWICE = {
    f"d{level}": {
        "required": ["a", "b"],
        "properties": {name: {"$ref": f"#/definitions/d{level + 1}"} for name in ("a", "b")},
    }
    for level in range(40)
}
TYPES = "".join(
    f'<xs:complexType name="T{level}"><xs:sequence><xs:element name="a" type="T{level + 1}"/>'
    f'<xs:element name="b" type="T{level + 1}"/></xs:sequence></xs:complexType>'
    for level in range(40)
)
PATTERN = (
    '<xs:simpleType name="P"><xs:restriction base="xs:string"><xs:pattern value="(a+)+"/></xs:restriction>'
    "</xs:simpleType>"
)
GROUPS = "".join(
    f'<xs:group name="g{level}"><xs:sequence><xs:group ref="g{level - 1}"/><xs:group ref="g{level - 1}"/></xs:sequence>'
    "</xs:group>"
    for level in range(1, 24)
)
MESSAGES = "".join(f"message M{level} {{ M{level + 1} a = 1; }}" for level in range(2_000)) + "message M2000 {}"
SCHEMAS: dict[str, tuple[str, str]] = {
    "JSON twice at each level": (JSON, json.dumps({"$ref": "#/definitions/d0", "definitions": {**TWICE, "d40": {}}})),
    "JSON lists of lists": (JSON, json.dumps({**LIST, "items": {**LIST, "items": LIST}})),
    "JSON steps beyond numbers": (JSON, '{"type": "number", "multipleOf": 1e-300, "minimum": 1e300}'),
    "JSON a reference to itself": (JSON, '{"oneOf": [{"$ref": "#"}, {"type": "number"}]}'),
    "JSON many properties": (JSON, json.dumps({"properties": {f"p{number}": {} for number in range(10_000)}})),
    "JSON many required": (JSON, json.dumps({"required": [f"p{number}" for number in range(20_000)]})),
    "JSON a pattern of names": (
        JSON,
        json.dumps({"properties": {"a" * 60 + "!": {}}, "patternProperties": {"^(a|aa)+$": {"type": "string"}}}),
    ),
    "Protobuf messages in messages": (
        PROTO,
        f'syntax = "proto3"; message A {{ M0 a = 1; {MESSAGES} }}',
    ),
    "Avro many symbols": (
        AVRO,
        json.dumps({"type": "enum", "name": "E", "symbols": [f"S{number}" for number in range(20_000)]}),
    ),
    "Avro many wrong symbols": (
        AVRO,
        json.dumps({"type": "enum", "name": "E", "symbols": [f"{number}" for number in range(2_000)]}),
    ),
    "Avro a long value": (AVRO, '{"type": "fixed", "name": "F", "size": 2000000000}'),
    "Avro many digits": (AVRO, '{"type": "bytes", "logicalType": "decimal", "precision": 2000000, "scale": 1000000}'),
    "XSD twice at each level": (
        XSD,
        FRAME.format(f'<xs:element name="e" type="T0"/>{TYPES}<xs:complexType name="T40"/>'),
    ),
    "XSD many times": (
        XSD,
        FRAME.format(
            '<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" minOccurs="100000000" '
            'maxOccurs="100000000"/></xs:sequence></xs:complexType></xs:element>'
        ),
    ),
    "XSD a long text": (
        XSD,
        FRAME.format(
            '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:minLength value="10000000000"/>'
            "</xs:restriction></xs:simpleType></xs:element>"
        ),
    ),
    "XSD groups of groups": (
        XSD,
        FRAME.format(
            '<xs:group name="g0"><xs:sequence><xs:element name="x"/></xs:sequence></xs:group>'
            f'{GROUPS}<xs:element name="a"><xs:complexType><xs:group ref="g23"/></xs:complexType></xs:element>'
        ),
    ),
    "XSD a default by a pattern": (
        XSD,
        FRAME.format(f'{PATTERN}<xs:element name="a" type="P" default="{"a" * 60}!"/>'),
    ),
}


@pytest.mark.parametrize("name", sample(sorted(SCHEMAS)))
def test_schema_is_shown_and_compared_in_bounds(name: str) -> None:
    """Its fields, its example and how it relates to itself are found in bounded time, or said to be too many."""
    format_, document = SCHEMAS[name]
    parse(AVRO if format_ == AVRO else JSON, b'"int"' if format_ == AVRO else b"{}")  # what is imported late
    with at_most(MAX_STEPS), suppress(SchemaError):
        schema = parse(format_, document.encode())
        count, waiting = 0, [schema.fields()]
        while waiting:
            fields = waiting.pop()
            count += len(fields)
            waiting += [field.fields for field in fields]
        assert count <= 2 * MAX_FIELDS + 2
        with suppress(PayloadError):
            schema.encode(schema.example())
        compatible(format_, document.encode(), document.encode())


def test_many_messages_of_one_file_are_compared_in_bounds() -> None:
    """A file is read once, however many messages it has."""
    texts = ["".join(f"message M{n} {{ int32 a = {number}; }}" for n in range(1_000)) for number in (1, 2)]
    old, new = (Document(PROTO, f'syntax = "proto3"; {text}'.encode(), "", "/s", fetch_nothing) for text in texts)
    with at_most(MAX_STEPS):
        assert len(compare_documents(old, new).verdicts) >= 1_000
