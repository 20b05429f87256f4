"""What is said of payloads that fit none of several alternatives."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from xregit.payloads import parse

BY_KIND = {
    "oneOf": [
        {"properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
        {"properties": {"kind": {"const": "b"}, "s": {"type": "string"}}, "required": ["kind", "s"]},
    ]
}
BY_NAME = {
    "properties": {"x": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}},
    "$defs": {
        "A": {"type": "object", "required": ["a"]},
        "B": {"type": "object", "properties": {"b": {"type": "array", "items": {"type": "string"}}}},
    },
}
SCALARS = {"anyOf": [{"enum": ["a", "b"]}, {"type": "integer"}]}
NESTED = {"anyOf": [{"type": "string"}, {"anyOf": [{"type": "integer"}, {"items": {"type": "integer"}}]}]}


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        (BY_KIND, {"kind": "b", "s": 3}, 'none of 2 alternatives; number 2 is nearest: /s: 3 is not of type "string"'),
        (BY_KIND, {"kind": "a"}, 'none of 2 alternatives; number 1 is nearest: "n" is a required property'),
        (BY_NAME, {"x": {"b": [1]}}, 'number 2 ("B") is nearest: /x/b/0: 1 is not of type "string"'),
        (SCALARS, "c", '"c" fits none of 2 alternatives: "c" is not one of "a" or "b"; "c" is not of type "integer"'),
        (NESTED, ["a"], 'is nearest: ["a"] fits none of 2 alternatives; number 2 is nearest: /0: "a" is not of type'),
        ({"oneOf": [{"type": "integer"}, {"minimum": 2}, {"type": "null"}]}, 3, "3 fits alternatives 1 and 2, but may"),
        ({"anyOf": [{"minLength": 3}]}, "ab", '"ab" is shorter than 3 characters'),
        ({"anyOf": [False, {"minLength": 3}]}, "ab", 'number 2 is nearest: "ab" is shorter than 3 characters'),
    ],
)
def test_nearest_alternative_is_told(schema: Any, value: Any, said: str) -> None:
    """One learns which alternative was probably meant, and what it lacks, at its place."""
    (result,) = parse("JsonSchema/2020-12", orjson.dumps(schema)).validate(orjson.dumps(value))
    assert said in result


def test_many_reasons_are_cut() -> None:
    """An alternative that lacks very much is not told in full."""
    wide = {"anyOf": [{"required": [f"name{number}" for number in range(50)]}, {"type": "integer"}]}
    (result,) = parse("JsonSchema/2020-12", orjson.dumps(wide)).validate(b"{}")
    assert result.endswith("; …")
    assert len(result) < 400


LONG = "x" * 100_000
MANY = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "e", "type": {"type": "enum", "name": "E", "symbols": [f"S{number}" for number in range(5000)]}},
        {"name": "m", "type": {"type": "map", "values": "int"}},
    ],
}
XML = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="xs:int"/></xs:schema>'
LENGTHY: list[tuple[str, Any, str, str]] = [
    ("Avro/1.11.0", MANY, f'{{"e": "{LONG}", "m": {{"{LONG}": "x"}}}}', "is not of the type int"),
    ("JsonSchema/draft-07", {"additionalProperties": {"type": "integer"}}, f'{{"{LONG}": "x"}}', '"integer"'),
    ("Protobuf/3", 'syntax = "proto3"; message M { int32 a = 1; }', f'{{"a": "{LONG}"}}', "int()"),
    ("XSD/1.0", XML, f"<a>{LONG}</a>", "is no value of the type xs:int"),
]


@pytest.mark.parametrize(("format_", "schema", "body", "said"), LENGTHY, ids=[each[0] for each in LENGTHY])
def test_problems_are_short_whatever_they_quote(format_: str, schema: Any, body: str, said: str) -> None:
    """A row for a payload that breaks its schema is no larger for that than a sentence or two."""
    result = parse(format_, schema).validate(body.encode(), "application/json")
    assert any(said in each for each in result)
    assert all(len(each) < 700 for each in result)
