"""What holds for every payload: what is encoded decodes to itself, and nothing makes validation raise."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sizes import some
from xregit.payloads import PayloadError, PayloadSchema, SchemaError, parse, problems
from xregit.payloads.compatibility import compare

FORMATS = ("JsonSchema/draft-07", "JsonStructure/draft-02", "Avro/1.11.0", "Protobuf/3", "XSD/1.0")
XSD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:complexType><xs:sequence>
<xs:element name="n" type="xs:long"/><xs:element name="s" type="xs:string" minOccurs="0"/>
<xs:element name="d" type="xs:decimal" minOccurs="0" maxOccurs="9"/></xs:sequence>
<xs:attribute name="b" type="xs:boolean"/></xs:complexType></xs:element></xs:schema>"""
STRUCTURE = """{"$schema": "https://json-structure.org/meta/core/v0/#", "$id": "https://example.com/a", "name": "A",
"type": "object", "properties": {"n": {"type": "int32"}, "s": {"type": ["string", "null"]},
"more": {"type": "map", "values": {"type": "double"}}}}"""
AVRO = """{"type": "record", "name": "A", "fields": [
{"name": "n", "type": "long"}, {"name": "f", "type": "double"}, {"name": "s", "type": ["null", "string", "long"]},
{"name": "raw", "type": "bytes"}, {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
{"name": "day", "type": {"type": "int", "logicalType": "date"}},
{"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 3}},
{"name": "more", "type": {"type": "map", "values": {"type": "array", "items": "int"}}}]}"""
PROTOBUF = """syntax = "proto3"; message A { int64 n = 1; optional string s = 2; repeated double f = 3; bytes raw = 4;
map<string, A> more = 5; K k = 6; uint32 u = 7; enum K { NONE = 0; SOME = 1; } }"""

texts = st.text(st.characters(codec="utf-8"))
xml_texts = st.text(st.characters(codec="ascii", min_codepoint=32), min_size=1).map(str.strip).filter(bool)
longs = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 - bounds
decimals = st.integers(-(10**12) + 1, 10**12 - 1).map(lambda number: Decimal(number).scaleb(-3))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**38), 10**38) | floats | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
avro_values = st.fixed_dictionaries(
    {
        "n": longs,
        "f": floats,
        "s": st.none() | texts | longs,
        "raw": st.binary(),
        "at": moments,
        "day": st.dates(),
        "price": decimals,
        "more": st.dictionaries(texts, st.lists(st.integers(-(2**31), 2**31 - 1), max_size=3), max_size=3),
    }
)
plain_messages = st.fixed_dictionaries(
    {
        "n": longs,
        "f": st.lists(floats, max_size=3),
        "raw": st.binary(),
        "k": st.sampled_from(["NONE", "SOME"]),
        "u": st.integers(0, 2**32 - 1),
        "more": st.just({}),
    },
    optional={"s": texts},
)
inner_messages = st.dictionaries(texts, plain_messages, max_size=3)
messages = st.builds(lambda value, more: {**value, "more": more}, plain_messages, inner_messages)
markup = st.text().map(lambda text: f"<a>{text}</a>".encode(errors="replace"))
structures = st.fixed_dictionaries(
    {},
    optional={
        "n": st.integers(-(2**31), 2**31 - 1),
        "s": st.none() | texts,
        "more": st.dictionaries(texts, floats, max_size=3),
    },
)
elements = st.fixed_dictionaries(
    {"n": longs},
    optional={"s": xml_texts, "d": st.lists(decimals, min_size=1, max_size=9), "@b": st.booleans()},
)


places = ("not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames", "contentSchema")
lists, tables = ("anyOf", "oneOf", "allOf", "prefixItems"), ("properties", "patternProperties", "dependentSchemas")
documents = st.recursive(
    st.booleans() | st.sampled_from([{"type": "null"}, {"type": "object"}, {"const": None}, {"$ref": "#"}, {}]),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(places, inner),
            **dict.fromkeys(lists, st.lists(inner, min_size=1, max_size=3)),
            **dict.fromkeys(tables, st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)),
            "required": st.just(["a"]),
            "type": st.sampled_from(["object", "array", ["string", "null"]]),
        },
    ),
    max_leaves=8,
)


@cache
def schema(format_: str) -> PayloadSchema:
    """Return the schema of a language whose payloads are made here."""
    documents = ("true", STRUCTURE, AVRO, PROTOBUF, XSD)
    return parse(format_, dict(zip(FORMATS, documents, strict=True))[format_].encode())


def returns(format_: str, value: Any, *contenttypes: str) -> None:
    """Encode a value, and hold what it decodes to against it."""
    for contenttype in contenttypes:
        body = schema(format_).encode(value, contenttype)
        assert schema(format_).validate(body, contenttype) == ()
        assert schema(format_).decode(body, contenttype) == value


@given(json_values)
def test_json_returns(value: Any) -> None:
    """A JSON value decodes to itself."""
    returns("JsonSchema/draft-07", value, "application/json")


@given(structures)
def test_json_structure_returns(value: Any) -> None:
    """So does one that a JSON Structure describes."""
    returns("JsonStructure/draft-02", value, "application/json")


@given(avro_values)
def test_avro_returns(value: Any) -> None:
    """An Avro record decodes to itself, from bytes and from JSON, with dates, decimals and unions."""
    returns("Avro/1.11.0", value, "application/avro", "avro/json")


@given(messages)
def test_protobuf_returns(value: Any) -> None:
    """A Protobuf message decodes to itself, from bytes and from JSON."""
    returns("Protobuf/3", value, "application/protobuf", "application/json")


@given(elements)
def test_xml_returns(value: Any) -> None:
    """An XML element decodes to itself."""
    returns("XSD/1.0", value, "application/xml")


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("contenttype", ["", "application/json"])
@settings(max_examples=some(200))
@given(body=st.binary() | json_values.map(str).map(str.encode) | markup)
def test_validation_never_raises(format_: str, contenttype: str, body: bytes) -> None:
    """Any bytes are a payload or not; validation says which."""
    for problem in schema(format_).validate(body, contenttype):
        assert isinstance(problem, str)


@pytest.mark.parametrize("format_", FORMATS)
@given(document=st.binary() | st.text() | json_values, fragment=st.text())
def test_any_document_is_a_schema_or_an_error(format_: str, document: Any, fragment: str) -> None:
    """Any document and selector give a schema or the error that says why not."""
    wrong = problems(format_, document)
    with suppress(SchemaError):
        parse(format_, document, fragment=fragment)
        assert {item.kind for item in wrong} <= {"format"}


@pytest.mark.parametrize("format_", ["JsonSchema/2020-12", "JsonSchema/2019-09", "JsonSchema/draft-07"])
@settings(suppress_health_check=list(HealthCheck))
@given(document=documents, value=json_values)
def test_any_json_schema_is_shown(format_: str, document: Any, value: Any) -> None:
    """Whatever stands in place of a schema, true and false too: pages, examples and verdicts can be made of it."""
    with suppress(SchemaError):
        schema_ = parse(format_, document)
        schema_.fields()
        schema_.validate(json.dumps(value).encode())
        compare(schema_, schema_)
        with suppress(PayloadError):
            schema_.example()


@pytest.mark.parametrize("others", [[], [{"type": "null"}], [{"type": "string"}, {"type": "null"}]])
@pytest.mark.parametrize("inner", [{"$ref": "#"}, {"type": "array", "items": {"$ref": "#"}}])
def test_schema_of_alternatives_may_hold_itself(others: list[Any], inner: dict[str, Any]) -> None:
    """A list or tree that ends in nothing is shown down to where it begins anew."""
    document = {"anyOf": [{"type": "object", "properties": {"next": inner}}, *others]}
    assert '"recursive": true' in json.dumps([asdict(item) for item in parse("JsonSchema/2020-12", document).fields()])


@pytest.mark.parametrize("name", ["JsonSchema", "Avro", "Protobuf", "XSD"])
@given(data=st.data())
def test_damaged_documents_are_schemas_or_errors(name: str, data: st.DataObject) -> None:
    """A document in which a stretch is missing or doubled is a schema still or an error, never a crash."""
    documents = {
        "JsonSchema": '{"type": "object", "properties": {"a": {"$ref": "#/definitions/b"}}, "definitions": {"b": {}}}',
        "Avro": AVRO,
        "Protobuf": PROTOBUF,
        "XSD": XSD,
    }
    text = documents[name]
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    damaged = text[:end] + text[start:]
    for document in (damaged, text[:start] + text[end:]):
        problems(f"{name}/1", document.encode())


def test_dates_may_be_texts() -> None:
    """What stands in JSON as text is taken for what the schema says."""
    stated = {"n": 1, "f": 1, "s": "a", "raw": "b", "at": "2026-01-31T09:30:00Z", "day": "2026-01-31", "price": "1.5"}
    body = schema("Avro/1.11.0").encode({**stated, "more": {}})
    result = schema("Avro/1.11.0").decode(body)
    assert result["at"] == datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
    assert (result["day"], result["price"], result["raw"]) == (date(2026, 1, 31), Decimal("1.5"), b"b")
