"""Documents that can't be used: one problem at its place, and nothing is fetched to find it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from xregit.payloads import Problem, SchemaError, language, parse, problems

CASES: list[list[Any]] = yaml.safe_load((Path(__file__).parent / "cases_problems.yaml").read_text(encoding="utf-8"))
#: A record in Avro, with room for what it and its field say.
R = '{"type": "record", "name": "A", %s"fields": [{"name": "a", %s}]}'
INT = '"type": "int"'
DECIMAL = '{"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": %s}'
DEGREES = b'{"$id": "https://example.com/degrees", "type": "number", "maximum": 360}'
COMMON = b'syntax = "proto3"; package common; message Point { double x = 1; }'
TYPES = (
    b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
    b'<xs:simpleType name="T"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>'
)
INCLUDING = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="../../types"/>'
    '<xs:element name="a" type="T"/></xs:schema>'
)
OTHER = (
    '{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/a", '
    '"name": "A", "type": "string"}'
)
LATER = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" '
    'xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" vc:minVersion="1.1"/>'
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[-1]}")
def test_problem_is_found_at_its_place(case: list[Any]) -> None:
    """A document has one fault, which is named with its place and what to do."""
    format_, fragment, document, kind, line, column, part = case
    with pytest.raises(SchemaError) as caught:
        parse(format_, document.encode(), fragment=fragment)
    assert [(item.kind, item.line, item.column) for item in caught.value.problems] == [(kind, line, column)]
    (problem,) = caught.value.problems
    assert problem.help
    assert part in f"{problem.message}; {problem.help}"


@pytest.mark.parametrize(
    ("format_", "document", "column"),
    [
        ("JsonSchema/draft-07", b'{"type":\n"\xff"}', 2),
        ("JsonStructure/draft-02", b'{"type":\n"\xff"}', 2),
        ("Avro/1.11.0", b'{"type":\n"\xff"}', 2),
        ("Protobuf/3", b'syntax = "proto3";\n// \xff\nmessage A {}', 4),
        ("XSD/1.0", b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">\n<!-- \xff --></xs:schema>', 6),
    ],
)
def test_byte_that_is_no_text_is_found_at_its_place(format_: str, document: bytes, column: int) -> None:
    """A document in another encoding than UTF-8 is refused at the first byte that shows it."""
    with pytest.raises(SchemaError) as caught:
        parse(format_, document)
    assert [(item.kind, item.line, item.column) for item in caught.value.problems] == [("syntax", 2, column)]


@pytest.mark.requirement("MSG-36", "MSG-37")
@pytest.mark.parametrize(
    ("format_", "document", "part"),
    [
        ("JsonSchema/draft-07", '{"$schema": "https://json-schema.org/draft/2020-12/schema"}', "draft/2020-12"),
        ("JsonSchema/draft-07", '{"$schema": "https://example.com/own"}', "none of the drafts"),
        ("JsonStructure/draft-02", OTHER, "json-schema"),
        ("Protobuf/2", 'syntax = "proto3"; message A {}', "proto3"),
        ("Protobuf/3", "message A { optional bool b = 1; }", "proto2"),
        ("XSD/1.0", LATER, "1.1"),
    ],
)
def test_document_of_another_version_is_told(format_: str, document: str, part: str) -> None:
    """What a document says of its version is held against its format."""
    result = problems(format_, document.encode())
    assert [item.kind for item in result] == ["format"]
    assert part in result[0].message


@pytest.mark.parametrize(
    ("format_", "document"),
    [
        ("JsonSchema/draft-07", '{"$schema": "http://json-schema.org/draft-07/schema#"}'),
        ("JSONSchema/Draft-07", '{"type": "string"}'),
        ("Protobuf/3.0", 'syntax = "proto3"; message A {} message B {}'),
        ("Avro", '"string"'),
        ("XMLSchema/1.1", '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'),
        ("Smalltalk/80", "anything"),
    ],
)
def test_document_of_its_version_has_no_problem(format_: str, document: str) -> None:
    """Spellings of a format don't matter, nor does it which object of a document is meant."""
    assert problems(format_, document.encode()) == ()


@pytest.mark.parametrize(
    ("format_", "document", "valid"),
    [
        ("JsonSchema/draft-07", '{"properties": {"a": {"$ref": "../../degrees"}}}', b'{"a": 4}'),
        ("JsonSchema/draft-07", '{"properties": {"a": {"$ref": "/schemagroups/g/schemas/degrees"}}}', b'{"a": 4}'),
        ("JsonSchema/draft-07", '{"properties": {"a": {"$ref": "https://example.com/degrees"}}}', b'{"a": 4}'),
        ("Protobuf/3", 'syntax = "proto3"; import "common.proto"; message A { common.Point p = 1; }', b""),
        ("XSD/1.0", INCLUDING, b"<a>4</a>"),
    ],
)
def test_references_reach_other_documents_of_the_registry(format_: str, document: str, valid: bytes) -> None:
    """What a document refers to comes from the function that is handed over."""
    known = {
        "/schemagroups/g/schemas/degrees": DEGREES,
        "https://example.com/degrees": DEGREES,
        "/schemagroups/g/schemas/common": COMMON,
        "/schemagroups/g/schemas/types": TYPES,
    }
    schema = parse(format_, document.encode(), uri="/schemagroups/g/schemas/s/versions/1", fetch=known.get)
    assert schema.validate(valid) == ()
    assert schema.fields()


def test_languages_are_recognised_by_any_spelling() -> None:
    """A format names a language however it is written; other formats name none."""
    assert [
        language(name) for name in ("AVRO/1.11.1", "Proto/3", "XMLSchema/1.1", "JSON Schema", "JSONStructure/x")
    ] == [
        "Avro",
        "Protobuf",
        "XSD",
        "JsonSchema",
        "JsonStructure",
    ]
    assert language("OpenAPI/3") == language("") == ""


def test_documents_may_be_values() -> None:
    """A schema that stands inside another document is handed over as the value that it is there."""
    assert parse("JsonSchema/draft-07", {"type": "string"}).validate(b'"a"') == ()
    assert parse("Avro/1.11.0", ["null", "long"]).encode(3, "application/json") == b'{"long": 3}'
    with pytest.raises(SchemaError):
        parse("Protobuf/3", {"type": "string"})
    assert problems("JsonSchema/draft-07", {"properties": {"a": {"type": "x"}}})[0].path == ("properties", "a", "type")
    assert isinstance(problems("Avro/1.11.0", {"type": "x"})[0], Problem)


def test_wrong_values_of_xml_are_told_with_their_type() -> None:
    """In words of XML Schema, for elements and attributes, not in those of the program that reads them."""
    text = (
        b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:complexType>'
        b'<xs:simpleContent><xs:extension base="xs:int"><xs:attribute name="at" type="xs:dateTime"/></xs:extension>'
        b"</xs:simpleContent></xs:complexType></xs:element></xs:schema>"
    )
    assert parse("XSD/1.0", text).validate(b'<a at="noon">many</a>') == (
        '/a: attribute at: "noon" is no value of the type xs:dateTime',
        '/a: "many" is no value of the type xs:int',
    )


@pytest.mark.parametrize(
    ("type_", "default", "said"),
    [
        ('"int"', '"a"', 'the default "a" is no int'),
        ('"int"', "2147483648", "is no int"),
        ('"long"', "1.5", "is no long"),
        ('"boolean"', "0", "is no boolean"),
        ('"bytes"', '"\u20ac"', "is no bytes"),
        ('"string"', "null", "the default null is no string"),
        ('["null", "int"]', '"a"', "is no null or int"),
        ('{"type": "enum", "name": "E", "symbols": ["a"]}', '"b"', 'the default "b" is no enum "E"'),
        ('{"type": "fixed", "name": "F", "size": 2}', '"a"', 'is no fixed "F"'),
        ('{"type": "array", "items": "int"}', '[1, "a"]', "the default a list is no array"),
        ('{"type": "map", "values": "int"}', '{"a": null}', "the default a map is no map"),
        ('{"type": "record", "name": "B", "fields": [{"name": "b", "type": "int"}]}', "{}", 'is no record "B"'),
    ],
)
def test_default_that_its_field_can_not_have_is_told(type_: str, default: str, said: str) -> None:
    """Other readers of Avro refuse such a schema; whole payloads can be read all the same."""
    document = f'{{"type": "record", "name": "A", "fields": [{{"name": "a", "type": {type_}, "default": {default}}}]}}'
    (result,) = problems("Avro/1.11.0", document.encode())
    assert said in result.message
    assert (result.kind, result.line, result.column) == ("syntax", 1, document.index(', "default": ') + 14)
    assert parse("Avro/1.11.0", document.encode()).fields()


def test_names_in_json_that_proto2_lets_be_the_same() -> None:
    """Payloads in bytes are read; in JSON it is one of the two."""
    document = b"message A { optional int32 foo_bar = 1; optional int32 fooBar = 2; }"
    schema = parse("Protobuf/2", document)
    assert problems("Protobuf/2", document) == ()
    assert schema.decode(b"\x08\x01\x10\x02") == {"foo_bar": 1, "fooBar": 2}


@pytest.mark.parametrize(
    ("document", "marked", "said"),
    [
        (R % ('"namespace": "1a.b", ', INT), '"1a.b"', '"1a.b" is not a namespace'),
        (R % ('"namespace": 5, ', INT), "5", "5 is not a namespace"),
        (R % ('"aliases": "X", ', INT), '"X"', '"X" is not a list of names'),
        (R % ('"aliases": ["a.X", "1x"], ', INT), '"1x"', '"1x" is not a name'),
        (R % ("", f'{INT}, "aliases": ["a.b"]'), '"a.b"', '"a.b" is not a name'),
        (R % ("", f'{INT}, "aliases": ["a"]'), '"a"]', '"a" is the name of a field of this record'),
        (R % ("", f'{INT}, "order": "up"'), '"up"', '"up" is not an order'),
        (R.replace('"A"', '"int"') % ("", INT), '"int"', 'the record has the name of the type "int"'),
        ('{"items": {"type": "bytes", "logicalType": "decimal"}, "type": "array"}', '{"type": "b', "no precision"),
        (R % ("", f'"type": {DECIMAL % 3}'), "3}", "3 is no scale of 2 digits"),
    ],
)
def test_names_that_avro_does_not_allow_are_told(document: str, marked: str, said: str) -> None:
    """Other readers refuse such a schema or pass over what it says; payloads can be read all the same."""
    (result,) = problems("Avro/1.11.0", document.encode())
    assert said in result.message
    assert result.help
    assert (result.kind, result.line, result.column) == ("syntax", 1, document.index(marked) + 1)
    assert parse("Avro/1.11.0", document.encode()).format == "Avro/1.11.0"


def test_names_that_avro_allows_are_none_of_the_problems() -> None:
    """Nested types, aliases with dots, each order, an empty namespace and a fraction without digits before it."""
    inner = R.replace('"A"', '"B"') % ('"namespace": "", "aliases": ["x.y", "Z"], ', '"type": "int", "order": "ignore"')
    document = R % ('"namespace": "a.b_1", ', f'"type": ["null", {inner}, {DECIMAL % 2}], "aliases": ["b"]')
    assert problems("Avro/1.12.0", document.encode()) == ()


def test_defaults_that_fit_are_none_of_the_problems() -> None:
    """Each value is in the form that the specification has for its type, of a union in any branch."""
    inner = '{"type": "record", "name": "B", "fields": [{"name": "b", "type": ["null", "A", "B"], "default": null}]}'
    fields = (
        ('"bytes"', '"\u00ff"'),
        ('"double"', "1"),
        ('["null", "string"]', '"a"'),
        (inner, '{"b": ' * 40 + "{}" + "}" * 40),
        ('{"type": "fixed", "name": "F", "size": 2}', '"ab"'),
        ('{"type": "map", "values": {"type": "array", "items": "long"}}', '{"a": [1]}'),
    )
    written = (f'{{"name": "f{at}", "type": {item[0]}, "default": {item[1]}}}' for at, item in enumerate(fields))
    document = f'{{"type": "record", "name": "A", "fields": [{", ".join(written)}]}}'
    assert problems("Avro/1.12.0", document.encode()) == ()
