"""Examples of schemas that say in odd ways what they accept, and schemas that can't be used, told at their place."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from xregit.payloads import SchemaError, parse

BOTH_WAYS = {
    "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
    "then": {"required": ["x"]},
    "else": False,
    "type": "object",
}
# One of all messages, and the body of one of them.
ENVELOPE = {"type": "object", "properties": {"id": {"type": "string"}, "data": {"type": "object"}}, "required": ["id"]}
BODY = {"type": "object", "required": ["n"], "properties": {"n": {"type": "string"}}}


@pytest.mark.parametrize(
    ("draft", "schema", "due"),
    [
        ("2020-12", {"const": None}, None),
        ("2020-12", {"properties": {"a": {"const": None}}, "required": ["a"]}, {"a": None}),
        ("2020-12", {"dependentRequired": {"b": ["c"], "a": ["b"]}, "required": ["a"], "type": "object"}, None),
        ("2020-12", {"dependentSchemas": {"a": {"required": ["c"]}}, "required": ["a"], "type": "object"}, None),
        ("draft-07", {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}, "required": ["a", "c"]}, None),
        ("2020-12", BOTH_WAYS, {"k": 1, "x": "text"}),
        ("2020-12", {"if": {"required": ["k"]}, "then": False, "else": {"required": ["y"]}}, {"y": "text"}),
        ("2020-12", {"type": "array", "contains": {"const": 3}, "minContains": 2, "maxContains": 3}, [3, 3]),
        ("2020-12", {"type": "object", "propertyNames": {"pattern": "^x"}, "minProperties": 2}, None),
        (
            "2020-12",
            {"type": "object", "patternProperties": {"^s_": {"const": 1}}, "additionalProperties": False},
            {"s_": 1},
        ),
        ("draft-04", {"minimum": 3, "exclusiveMinimum": True, "maximum": 3.5, "type": "number"}, 3.25),
        ("2020-12", {"allOf": [ENVELOPE, {"properties": {"data": BODY}}]}, {"id": "A1042", "data": {"n": "text"}}),
        ("2020-12", {"exclusiveMinimum": 0.5, "exclusiveMaximum": 0.75, "type": "number"}, 0.625),
    ],
)
def test_example_fits_its_schema(draft: str, schema: Any, due: Any) -> None:
    """What is required in another way than by "required" is there too."""
    schema_ = parse(f"JsonSchema/{draft}", orjson.dumps(schema))
    result = schema_.example()
    assert schema_.validate(orjson.dumps(result)) == ()
    if due is not None:
        assert result == due


@pytest.mark.parametrize(
    ("document", "column", "part"),
    [
        ('{"properties": {"a": {"pattern": "["}}}', 34, 'at "properties/a/pattern"'),
        ('{"patternProperties": {"(": {}}}', 29, 'at "patternProperties/("'),
    ],
)
def test_pattern_that_is_none_is_told_at_its_place(document: str, column: int, part: str) -> None:
    """Drafts from 2019-09 on don't say that a pattern must be one, and yet nobody can use another."""
    with pytest.raises(SchemaError) as caught:
        parse("JsonSchema/2020-12", document.encode())
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == (1, column)
    assert part in problem.message


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ('<xs:restriction base="xs:NMTOKENS"/>', "text"),
        ('<xs:restriction base="xs:NMTOKENS"><xs:minLength value="2"/></xs:restriction>', "text text"),
        ('<xs:restriction base="xs:hexBinary"><xs:length value="3"/></xs:restriction>', "000000"),
        ('<xs:restriction base="xs:base64Binary"><xs:minLength value="1"/></xs:restriction>', "AA=="),
        ('<xs:list itemType="xs:int"/>', "1"),
    ],
)
def test_example_of_an_xml_type(type_: str, text: str) -> None:
    """Lists that narrow others, and bytes of a certain number, have examples too."""
    document = (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:simpleType>'
        f"{type_}</xs:simpleType></xs:element></xs:schema>"
    )
    schema = parse("XSD/1.0", document.encode())
    assert schema.encode(schema.example()).endswith(f"<a>{text}</a>".encode())
