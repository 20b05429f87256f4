"""XML documents to values: what is empty, absent or nil, what has attributes, and what stands there more than once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from xregit.payloads import Field, parse

OPTIONAL = 'minOccurs="0"'
NUMBER = '<xs:element name="{}" type="xs:int"/>'
A, B = NUMBER.format("a"), NUMBER.format("b")
UNION = '<xs:simpleType><xs:union memberTypes="xs:int xs:boolean"/></xs:simpleType>'
ANY = '<xs:simpleType><xs:union memberTypes="xs:int xs:decimal xs:double xs:string"/></xs:simpleType>'
SEVEN = f'<xs:simpleType><xs:restriction>{UNION}<xs:enumeration value="7"/></xs:restriction></xs:simpleType>'
CHOSEN = '<xs:simpleType><xs:restriction base="xs:{}"><xs:enumeration value="{}"/></xs:restriction></xs:simpleType>'
SHARES = '<xs:simpleType><xs:restriction base="xs:NMTOKENS"><xs:maxLength value="3"/></xs:restriction></xs:simpleType>'
PRICED = (
    '<xs:complexType><xs:simpleContent><xs:extension base="xs:decimal"><xs:attribute name="in"/></xs:extension>'
    "</xs:simpleContent></xs:complexType>"
)
MIXED = f'<xs:complexType mixed="true"><xs:sequence>{A.replace("/>", f" {OPTIONAL}/>")}</xs:sequence></xs:complexType>'

# What the root holds by its schema, what a document has there, and the values.
CASES: list[tuple[str, str, Any]] = [
    (f'<xs:element name="a" type="xs:string" {OPTIONAL}/>', "", {}),
    ('<xs:element name="a" type="xs:string"/>', "<a/>", {"a": ""}),
    ('<xs:element name="a" type="xs:string" default="x"/>', "<a/>", {"a": "x"}),
    ('<xs:element name="a" type="xs:string" nillable="true"/>', "<a/>", {"a": ""}),
    ('<xs:element name="a" type="xs:int" nillable="true"/>', '<a i:nil=" true "/>', {"a": None}),
    ('<xs:element name="a" type="xs:hexBinary"/>', "<a/>", {"a": b""}),
    ('<xs:element name="a" type="xs:NMTOKENS"/>', "<a>x y</a>", {"a": ["x", "y"]}),
    (f'<xs:element name="a">{SHARES}</xs:element>', "<a>x</a>", {"a": ["x"]}),
    (f'<xs:element name="a">{UNION}</xs:element>', "<a> 05 </a>", {"a": "05"}),
    (f'<xs:element name="a">{UNION}</xs:element>', "<a>true</a>", {"a": "true"}),
    (f'<xs:element name="a">{ANY}</xs:element>', "<a>007</a>", {"a": "007"}),
    (f'<xs:element name="a">{ANY}</xs:element>', "<a>+1.50</a>", {"a": "+1.50"}),
    (f'<xs:element name="a">{ANY}</xs:element>', "<a>1E5</a>", {"a": "1E5"}),
    (f'<xs:element name="a">{ANY}</xs:element>', "<a>7 x</a>", {"a": "7 x"}),
    (f'<xs:element name="a">{SEVEN}</xs:element>', "<a>07</a>", {"a": "07"}),
    (f'<xs:element name="a">{CHOSEN.format("int", 2)}</xs:element>', "<a>2</a>", {"a": 2}),
    (f'<xs:element name="a">{CHOSEN.format("decimal", 2.5)}</xs:element>', "<a>2.5</a>", {"a": "2.5"}),
    (f'<xs:element name="a">{PRICED}</xs:element>', '<a in="EUR">1.5</a>', {"a": {"@in": "EUR", "$": Decimal("1.5")}}),
    (f'<xs:element name="a">{PRICED}</xs:element>', "<a>1.5</a>", {"a": {"$": Decimal("1.5")}}),
    (f'<xs:element name="a" nillable="true">{PRICED}</xs:element>', '<a i:nil="1"/>', {"a": None}),
    (f'<xs:element name="a" nillable="true">{PRICED}</xs:element>', '<a in="x" i:nil="1"/>', {"a": {"@in": "x"}}),
    (f'<xs:element name="m">{MIXED}</xs:element>', "<m/>", {"m": {}}),
    (f'<xs:element name="m">{MIXED}</xs:element>', "<m>x<a>1</a>y</m>", {"m": {"$": "x y", "a": 1}}),
    ('<xs:element name="a" type="xs:anyType"/>', "<a>x</a>", {"a": "x"}),
    (f'<xs:sequence maxOccurs="2">{A}{B}</xs:sequence>', "<a>1</a><b>2</b>", {"a": [1], "b": [2]}),
    (f'<xs:choice maxOccurs="2">{A}{B}</xs:choice>', "<a>1</a><a>2</a>", {"a": [1, 2]}),
    (A + B + A, "<a>1</a><b>2</b><a>3</a>", {"a": [1, 3], "b": 2}),
    (f"<xs:choice>{A}<xs:sequence>{B}{A}</xs:sequence></xs:choice>", "<b>1</b><a>2</a>", {"b": 1, "a": 2}),
    (f'{A}<xs:any namespace="##other" processContents="lax"/>', '<a>1</a><a xmlns="urn:x">2</a>', {"a": [1, "2"]}),
]
# To write these would take an order, or a namespace, which values don't tell.
UNTOLD = {declared for declared, _, _ in CASES[-3:]}


@pytest.mark.parametrize(("declared", "content", "expected"), CASES, ids=[content for _, content, _ in CASES])
def test_values_are_those_of_the_document(declared: str, content: str, expected: Any) -> None:
    """An empty text is a text, nil is nothing, and all values have the shape that the table of fields shows."""
    schema = parse("XSD/1.0", document(declared))
    body = f'<root xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="urn:a a.xsd">{content}</root>'
    assert schema.decode(body.encode()) == expected
    if declared not in UNTOLD:
        assert schema.decode(schema.encode(expected)) == expected
    lists = {field.name for field in schema.fields() if field.type == "array"}
    if "xs:any " not in declared:
        assert lists >= {name for name, value in expected.items() if isinstance(value, list)}
        assert not lists & {name for name, value in expected.items() if not isinstance(value, list)}


def test_values_that_a_union_enumerates_are_as_they_are_written() -> None:
    """They are what documents have, and not what the values are in Python."""
    values = "".join(f'<xs:enumeration value="{each}"/>' for each in ("07", "true", "+1"))
    declared = SEVEN.replace('<xs:enumeration value="7"/>', values)
    (field,) = parse("XSD/1.1", document(f'<xs:element name="a">{declared}</xs:element>')).fields()
    assert field.values == ("07", "true", "+1")


def test_each_name_is_one_field() -> None:
    """An element that stands in two places is one field, a list where a document may have both; texts too."""
    assert parse("XSD/1.0", document(A + B + A)).fields() == (
        Field("a", "array", "xs:int", required=True, fields=(Field("item", "int32", "xs:int", required=True),)),
        Field("b", "int32", "xs:int", required=True),
    )
    (mixed,) = parse("XSD/1.0", document(f'<xs:element name="m">{MIXED}</xs:element>')).fields()
    assert [(field.name, field.type) for field in mixed.fields] == [("a", "int32"), ("$", "string")]


def test_attributes_of_one_name_are_all_there() -> None:
    """Those that differ in their namespaces alone have these before their names."""
    declared = '<xs:sequence/><xs:attribute name="q"/><xs:anyAttribute processContents="lax"/>'
    schema = parse("XSD/1.0", document(declared))
    assert schema.decode(b'<root xmlns:x="urn:x" q="1" x:q="2" x:z="3"/>') == {"@q": "1", "@{urn:x}q": "2", "@z": "3"}


def document(declared: str) -> str:
    """Return a schema whose root has that content."""
    content = declared if declared.startswith("<xs:sequence/>") else f"<xs:sequence>{declared}</xs:sequence>"
    root = f'<xs:element name="root"><xs:complexType>{content}</xs:complexType></xs:element>'
    return f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{root}</xs:schema>'
