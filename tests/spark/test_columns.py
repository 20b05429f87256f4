"""Fields of payloads to columns: the type of each, what a value becomes, and what goes to the rest."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from io import BytesIO
from struct import pack
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.payloads import Field, PayloadSchema, parse
from xregit.payloads.fields import WILDCARD
from xregit.spark.streams.converters import (
    MAX_DEPTH,
    ColumnNames,
    ColumnType,
    column_type,
    members,
    record_converter,
)
from xregit.spark.table_schema import array_type, arrow_type, covers, map_type, sql_type, struct_type, widen

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

# A JSON Schema, the column that it becomes, and values with what the column and the rest hold of each.
JSON_SCHEMAS: list[tuple[dict[str, Any], str, list[tuple[Any, Any, Any]]]] = [
    ({"type": "boolean"}, "BOOLEAN", [(True, True, None), (1, None, 1)]),
    ({"type": "integer"}, "BIGINT", [(7, 7, None), (7.0, 7, None), (2**63, None, 2**63), (True, None, True)]),
    ({"type": "integer", "format": "uint8"}, "SMALLINT", [(255, 255, None), (256, None, 256)]),
    ({"type": "integer"}, "BIGINT", [("-7", -7, None), ("--7", None, "--7"), ("-", None, "-"), ("²", None, "²")]),
    ({"type": "integer", "format": "uint64"}, "DECIMAL(20,0)", [(2**64 - 1, Decimal(2**64 - 1), None)]),
    ({"type": "number"}, "DOUBLE", [(1, 1.0, None), (0.5, 0.5, None), (2**53 + 1, None, 2**53 + 1)]),
    ({"type": "string"}, "STRING", [("é", "é", None), (1, None, 1), ("\ud800", None, "\ud800")]),
    ({"enum": ["a", "b"]}, "STRING", [("a", "a", None)]),
    ({"enum": [1, 2]}, "BIGINT", [(2, 2, None)]),
    ({"enum": ["a", 2]}, "STRING", [(2, "2", None), ("a", '"a"', None)]),
    (
        {"type": "string", "format": "date-time"},
        "TIMESTAMP",
        [
            ("2026-01-01T12:00:00Z", NOON, None),
            ("2026-01-01t14:00:00+02:00", NOON, None),
            ("soon", None, "soon"),
        ],
    ),
    ({"type": "string", "format": "date"}, "DATE", [("2026-01-01", date(2026, 1, 1), None), ("x", None, "x")]),
    ({"type": "string", "format": "time"}, "STRING", [("12:00:00Z", "12:00:00Z", None)]),
    ({"type": ["string", "null"]}, "STRING", [("a", "a", None)]),
    ({"type": "array", "items": {"type": "integer"}}, "ARRAY<BIGINT>", [([1, None], [1, None], None), (1, None, 1)]),
    (
        {"type": "object", "additionalProperties": {"type": "number"}},
        "MAP<STRING, DOUBLE>",
        [({"a": 1}, [("a", 1.0)], None)],
    ),
    (
        {"type": "object", "properties": {"a": {"type": "integer"}, "b.c": {"type": "string"}}},
        "STRUCT<`a`: BIGINT, `b_c`: STRING>",
        [({"a": 1, "b.c": "x"}, {"a": 1, "b_c": "x"}, None)],
    ),
    ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, "DOUBLE", [(1, 1.0, None)]),
    (
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "STRUCT<`member0`: BIGINT, `member1`: STRING>",
        [(1, {"member0": 1}, None), ("a", {"member1": "a"}, None), ([1], None, [1])],
    ),
    ({}, "STRING", [({"a": [1]}, '{"a":[1]}', None), (None, None, None)]),
    ({"type": "string", "format": "decimal"}, "STRING", [("1.50", "1.50", None), (1.5, "1.5", None)]),
    ({"anyOf": [{"type": "string"}, {"type": "string", "format": "uuid"}]}, "STRING", [("a", "a", None)]),
    (
        {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}}}},
        "ARRAY<STRUCT<`a`: BIGINT>>",
        [([{"a": 1}, None], [{"a": 1}, None], None), ({"a": 1}, None, {"a": 1})],
    ),
    ({"type": "array"}, "ARRAY<STRING>", [([1, "a"], ["1", '"a"'], None)]),
]


def column(schema: PayloadSchema) -> tuple[str, Any]:
    """Return the SQL type of the one field "x" of a payload, and what makes a record of the payload."""
    result = members(schema.fields())
    assert [each.key for each in result] == ["x"]
    return sql_type(result[0].type.data_type), record_converter(result)


@pytest.mark.parametrize(("schema", "expected", "values"), JSON_SCHEMAS, ids=[each[1] for each in JSON_SCHEMAS])
def test_json_schema_becomes_a_column(
    schema: dict[str, Any], expected: str, values: list[tuple[Any, Any, Any]]
) -> None:
    """Each kind of schema has its type; what fits is in the column, what does not is in the rest, nothing is lost."""
    parsed = parse("JsonSchema/draft-07", {"type": "object", "properties": {"x": schema}})
    found, convert = column(parsed)
    assert found == expected
    inside = members(parsed.fields())
    for value, held, left in values:
        rest: dict[str, Any] = {}
        result = convert({"x": value}, "", rest)["x"]
        assert (result, rest.get("/x")) == (held, left)
        pa.array([result], arrow_type(inside[0].type.data_type))


def column_of(kind: ColumnType, values: Sequence[Any], path: str, rests: defaultdict[int, dict[str, Any]]) -> pa.Array:
    """Return the column that values become, and put into the rest of each row what it can't hold."""
    converted = [None if each is None else kind.convert(each, path, rests[row]) for row, each in enumerate(values)]
    return pa.array(converted, arrow_type(kind.data_type))


WHOLE = [
    *((kind, (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)) for kind, bits in (("int8", 8), ("int16", 16), ("int32", 32))),
    *((kind, (0, 2**bits - 1)) for kind, bits in (("uint8", 8), ("uint16", 16), ("uint32", 32))),
    *((kind, (-(2**63), 2**63 - 1)) for kind in ("int64", "integer")),
]


@pytest.mark.parametrize(("kind", "bounds"), WHOLE)
def test_whole_numbers_have_their_bounds(kind: str, bounds: tuple[int, int]) -> None:
    """The least and the largest number that a type has is in the column, what is beyond is the rest."""
    results = column_type(Field("x", kind))
    least, most = bounds
    lines = [least, most, str(least), str(most), float(most) + 1, least - 1, most + 1, str(least - 1), 1.5, None]
    rests: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    result = column_of(results, lines, "/x", rests).to_pylist()
    assert result == [least, most, least, most, *[None] * 6]
    assert {row: rest["/x"] for row, rest in rests.items() if rest} == dict(enumerate(lines[4:9], 4))


def test_time_without_zone_is_the_rest() -> None:
    """It is no point in time, and would be a wrong one as UTC; of a date with a zone the date is in the column too."""
    whole = ["2026-01-01T14:00:00+02:00", "2026-01-01t12:00:00z"]
    others = ["2026-01-01T12:00:00", "2026-01-01", "2026-01-01T12:00:60Z", "", "now", 3, date(2026, 1, 1)]
    rests: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    assert column_of(column_type(Field("x", "timestamp")), [*whole, *others], "/x", rests).to_pylist() == [
        *[NOON] * 2,
        *[None] * len(others),
    ]
    assert [rests[row] for row in range(9)] == [{}, {}, *({"/x": each} for each in others)]
    rests.clear()
    dates = ["2026-01-01", date(2026, 1, 1), "2026-01-01Z", "2026-01-01-05:00", "2026-02-30Z", "", NOON]
    first = date(2026, 1, 1)
    assert column_of(column_type(Field("x", "date")), dates, "/x", rests).to_pylist() == [*[first] * 4, *[None] * 3]
    assert [rests[row].get("/x") for row in range(7)] == [None, None, *dates[2:]]


def test_numbers_are_exact_or_the_rest() -> None:
    """Broken numbers may be told as Protobuf tells them; decimals have no more digits than their type."""
    said = ["NaN", "Infinity", "-Infinity", "1.5", True, Decimal("1.5"), 2**53 + 1, None]
    rests: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    result = column_of(column_type(Field("x", "float64")), said, "/x", rests).to_pylist()
    assert repr(result) == "[nan, inf, -inf, None, None, 1.5, None, None]"
    assert {row for row, rest in rests.items() if rest} == {3, 4, 6}
    price = column_type(Field("x", "decimal", precision=4, scale=2))
    digits = ["99.99", "100", "0.001", "NaN", True, "x", 1]
    rests.clear()
    assert column_of(price, digits, "/x", rests).to_pylist() == [Decimal("99.99"), *[None] * 5, Decimal("1.00")]
    assert {row for row, rest in rests.items() if rest} == {1, 2, 3, 4, 5}
    whole = Decimal("1234567890123456789012345678.0123456789")
    rests.clear()
    assert column_of(column_type(Field("x", "decimal", precision=38, scale=10)), [whole], "/x", rests).to_pylist() == [
        whole
    ]


def test_text_stands_in_where_there_is_no_type() -> None:
    """Times of day, local times and durations are text as ISO 8601 has it, decimals without precision as they are."""
    said = {
        "time": (time(12, 30), "12:30:00"),
        "localtimestamp": (datetime(2026, 1, 1, 12), "2026-01-01T12:00:00"),  # noqa: DTZ001 - it names no zone
        "duration": (timedelta(days=1, milliseconds=1500), "PT86401.5S"),
        "decimal": (Decimal("1.50"), "1.50"),
        "bytes": ("AAH/", b"\x00\x01\xff"),
    }
    for kind, (value, expected) in said.items():
        assert column_type(Field("x", kind)).convert(value, "/x", {}) == expected
    spans = {"PT10S": timedelta(seconds=10), "P1M2DT0.5S": pack("<3I", 1, 2, 500), "P0M0DT0S": bytes(12)}
    for text, span in spans.items():
        assert column_type(Field("x", "duration")).convert(span, "/x", {}) == text
    any_ = {1: b"\xff", "a": (1, date(2026, 1, 1), Decimal("1.50"))}
    assert column_type(Field("x", "any")).convert(any_, "/x", {}) == '{"1":"/w==","a":[1,"2026-01-01","1.50"]}'
    numbers = {"a": [float("nan"), float("inf"), -float("inf"), 1.5, None]}
    told = '{"a":["NaN","Infinity","-Infinity",1.5,null]}'
    assert column_type(Field("x", "any")).convert(numbers, "/x", {}) == told
    assert column_type(Field("x", "any")).convert({**numbers, "b": 2**70}, "/x", {}) == f'{told[:-1]},"b":{2**70}}}'
    assert column_type(Field("x", "any")).convert({**any_, "b": 2**70}, "/x", {}).endswith(f',"b":{2**70}}}')


def test_what_nests_too_deep_is_json() -> None:
    """Records within records become JSON where they are too many, and what holds them says what of."""
    deep = Field("x", "int32")
    for _ in range(MAX_DEPTH + 1):
        deep = Field("x", "record", fields=(deep,))
    form = sql_type(column_type(deep).data_type)
    assert form.count("STRUCT") == MAX_DEPTH
    assert "INT" not in form
    for kind, said in (("array", "Each item"), ("map", "Each value")):
        assert column_type(Field("x", kind, fields=(Field("x", "time"),))).note.startswith(
            f"{said}: As text, as Delta has"
        )
        assert column_type(Field("x", kind, fields=(Field("x", "string"),))).note == ""


AVRO = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "i", "type": "int"},
        {"name": "l", "type": ["null", "long"]},
        {"name": "n", "type": ["int", "long"]},
        {"name": "f", "type": "float"},
        {"name": "d", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "near", "type": {"type": "long", "logicalType": "local-timestamp-millis"}},
        {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
        {"name": "m", "type": {"type": "map", "values": "double"}},
        {"name": "u", "type": ["int", "string", {"type": "array", "items": "string"}]},
        {"name": "next", "type": ["null", "R"]},
        {"name": "b", "type": "bytes"},
    ],
}
AVRO_COLUMNS = {
    "i": "INT",
    "l": "BIGINT",
    "n": "BIGINT",
    "f": "FLOAT",
    "d": "DECIMAL(9,2)",
    "day": "DATE",
    "at": "TIMESTAMP",
    "near": "STRING",
    "e": "STRING",
    "m": "MAP<STRING, DOUBLE>",
    "u": "STRUCT<`member0`: INT, `member1`: STRING, `member2`: ARRAY<STRING>>",
    "next": "STRING",
    "b": "BINARY",
}
PROTO = b"""
syntax = "proto3";
import "google/protobuf/timestamp.proto";
message M {
  uint64 big = 1;
  google.protobuf.Timestamp at = 2;
  repeated Inner items = 3;
  map<string, int32> counts = 4;
  bytes raw = 5;
  oneof choice { string text = 6; int64 number = 7; }
  enum Kind { NONE = 0; SOME = 1; }
  Kind kind = 8;
  message Inner { double x = 1; }
}
"""
PROTO_COLUMNS = {
    "big": "DECIMAL(20,0)",
    "at": "TIMESTAMP",
    "items": "ARRAY<STRUCT<`x`: DOUBLE>>",
    "counts": "MAP<STRING, INT>",
    "raw": "BINARY",
    "text": "STRING",
    "number": "BIGINT",
    "kind": "STRING",
}
STRUCTURE = {
    "$schema": "https://json-structure.org/meta/core/v0/#",
    "$id": "https://example.com/s",
    "name": "S",
    "type": "object",
    "properties": {
        "id": {"type": "uuid"},
        "count": {"type": "int64"},
        "price": {"type": "decimal"},
        "at": {"type": "datetime"},
        "tags": {"type": "set", "items": {"type": "string"}},
        "by": {"type": "map", "values": {"type": "double"}},
    },
}
STRUCTURE_COLUMNS = {
    "id": "STRING",
    "count": "BIGINT",
    "price": "STRING",
    "at": "TIMESTAMP",
    "tags": "ARRAY<STRING>",
    "by": "MAP<STRING, DOUBLE>",
}
LANGUAGES = [
    ("Avro/1.12.0", json.dumps(AVRO).encode(), AVRO_COLUMNS),
    ("Protobuf/3", PROTO, PROTO_COLUMNS),
    ("JsonStructure/draft-02", json.dumps(STRUCTURE).encode(), STRUCTURE_COLUMNS),
]


@pytest.mark.parametrize(("format_", "document", "expected"), LANGUAGES, ids=["avro", "protobuf", "jsonstructure"])
def test_language_becomes_columns_that_hold_its_example(
    format_: str, document: bytes, expected: dict[str, str]
) -> None:
    """Each language's types become columns, which hold all of an encoded and decoded example."""
    schema = parse(format_, document, fragment="M" if document is PROTO else "")
    result = members(schema.fields())
    assert {each.name: sql_type(each.type.data_type) for each in result} == expected
    rest: dict[str, Any] = {}
    value = record_converter(result)(schema.decode(schema.encode(schema.example())), "", rest)
    assert rest == {}
    form = struct_type((each.name, each.type.data_type, "") for each in result)
    assert pa.array([value], arrow_type(form)).to_pylist()[0].keys() == expected.keys()


XSD = b"""
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="Digest">
    <xs:restriction base="xs:hexBinary"><xs:length value="2"/></xs:restriction>
  </xs:simpleType>
  <xs:element name="a"><xs:complexType>
    <xs:sequence>
      <xs:element name="hex" type="xs:hexBinary" maxOccurs="unbounded"/>
      <xs:element name="coded" type="xs:base64Binary"/>
    </xs:sequence>
    <xs:attribute name="digest" type="Digest"/>
  </xs:complexType></xs:element>
</xs:schema>
"""


def test_bytes_in_xml_are_bytes() -> None:
    """Whichever of its two forms XML has them in, which look alike, and in whatever part of a document."""
    schema = parse("XSD/1.0", XSD)
    body = b'<a digest="00fF"><hex>abcd</hex><hex/><coded> q83v </coded></a>'
    rest: dict[str, Any] = {}
    result = record_converter(members(schema.fields()))(schema.decode(body), "", rest)
    assert result == {"@digest": b"\x00\xff", "hex": [b"\xab\xcd", b""], "coded": b"\xab\xcd\xef"}
    assert rest == {}
    assert schema.decode(schema.encode(schema.decode(body))) == schema.decode(body)
    assert schema.example()["@digest"] == "0000"  # as people write it


def test_elements_of_any_name_are_the_rest() -> None:
    """What an XML schema allows beside the elements that it names has no column, and is not lost."""
    wild = XSD.replace(b"</xs:sequence>", b'<xs:any processContents="lax" minOccurs="0"/></xs:sequence>')
    schema = parse("XSD/1.0", wild)
    inside = members(schema.fields())
    assert [each.name for each in inside] == ["@digest", "hex", "coded"]
    rest: dict[str, Any] = {}
    record_converter(inside)(schema.decode(b"<a><hex/><coded/><more>x</more></a>"), "", rest)
    assert rest == {"/more": "x"}
    alone = Field("x", "record", fields=(WILDCARD,))
    assert column_type(alone).convert({"y": 1}, "/x", {}) == '{"y":1}'


def test_what_stays_json_says_so() -> None:
    """The comment of a column that is JSON text, or text for want of a type, says so."""
    schema = parse("Avro/1.12.0", AVRO)
    said = {each.name: each.comment for each in members(schema.fields())}
    assert said["next"] == "As JSON, as it may hold itself."
    assert said["near"] == "As text, as it names no time zone."
    assert said["i"] == ""


def test_names_differ_without_regard_to_case() -> None:
    """Names that Spark takes for the same are told apart, and characters that Delta refuses are replaced."""
    names = ColumnNames(reserved=["ce_id"])
    assert [names.reserve(name, name) for name in ("a b", "A_B", "a_b", "CE_ID", "")] == [
        "a_b",
        "A_B_2",
        "a_b_3",
        "CE_ID_2",
        "_",
    ]


FIELDS = st.recursive(
    st.sampled_from(
        ["boolean", "int32", "int64", "uint64", "float64", "string", "timestamp", "bytes", "any", "date"]
    ).map(lambda kind: Field("item", kind)),
    lambda inner: st.one_of(
        inner.map(lambda item: Field("item", "array", fields=(item,))),
        inner.map(lambda item: Field("item", "map", fields=(item,))),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: Field(
                "item", "record", fields=tuple(Field(f"f{n}", i.type, fields=i.fields) for n, i in enumerate(items))
            )
        ),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: Field("item", "union", fields=tuple(items))),
    ),
    max_leaves=6,
)
# Texts that are nearly numbers, or times that few can hold.
ODD = ("--1", "-", "²", "1e999999999", "NaN", "9" * 39, "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59")
SINGLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(ODD)
VALUES = st.recursive(
    SINGLE | st.binary() | st.datetimes() | st.decimals(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.sampled_from(["f0", "f1"]), inner),
    max_leaves=8,
)


@given(FIELDS, VALUES)
def test_any_value_goes_somewhere(field: Field, value: Any) -> None:
    """Whatever a payload holds, the column takes what was made of it, to be read; what it can't hold is the rest."""
    result = column_type(field)
    rest: dict[str, Any] = {}
    held = None if value is None else result.convert(value, "/x", rest)
    pa.array([held], arrow_type(result.data_type)).to_pylist()
    assert value is None or held is not None or rest


def test_what_nobody_declared_is_told_with_its_path() -> None:
    """What records in arrays, maps and unions hold beyond their fields is the rest, by its path in the payload."""
    inner = Field("item", "record", fields=(Field("a", "int64"),))
    said = {"a": 1, "b/c": 2, "d~": None}
    kinds = {
        "array": ([said, {"a": "x"}], [{"a": 1}, {"a": None}], {"/x/0/b~1c": 2, "/x/0/d~0": None, "/x/1/a": "x"}),
        "map": ({"~k": said}, [("~k", {"a": 1})], {"/x/~0k/b~1c": 2, "/x/~0k/d~0": None}),
        "union": (said, None, {"/x": said}),
    }
    for kind, (value, held, left) in kinds.items():
        rest: dict[str, Any] = {}
        result = column_type(Field("x", kind, fields=(inner, Field("y", "boolean"))[: 2 if kind == "union" else 1]))
        assert (result.convert(value, "/x", rest), rest) == (held, left)


def test_types_grow_and_clash() -> None:
    """A column covers one with fewer fields, and holds a narrower type; it can't hold another, or a wider one."""
    small = struct_type([("a", "integer", ""), ("b", struct_type([("c", "string", "")]), "")])
    large = struct_type(
        [("a", "integer", ""), ("b", struct_type([("c", "string", ""), ("d", "long", "")]), ""), ("e", "date", "")]
    )
    other = struct_type([("b", struct_type([("c", "double", "")]), "")])
    assert (covers(large, small), covers(small, large)) == (True, False)
    assert not covers(large, struct_type([("b", "string", "")]))
    assert not covers(struct_type([("b", "string", "")]), struct_type([("b", array_type("string"), "")]))
    assert (widen(large, small), widen(small, large)) == (large, small)
    assert widen(other, small) is None
    assert widen(array_type(other), array_type(small)) is None
    assert widen(small, struct_type([("b", "date", "")])) is None
    wide = struct_type([("a", "long", "")])
    assert widen(array_type(small), array_type(wide)) == array_type(
        struct_type([("a", "long", ""), ("b", struct_type([("c", "string", "")]), "")])
    )
    assert widen(wide, small) is None
    assert [widen(each, "decimal(9,2)") for each in ("decimal(8,2)", "decimal(9,1)", "decimal(9,3)", "long")] == [
        "decimal(9,2)",
        None,
        None,
        None,
    ]


@pytest.mark.parametrize("deep", [lambda form: form, array_type, lambda form: struct_type([("x", form, "")])])
def test_records_in_a_map_stay_as_they_are(deep: Callable[[Any], Any]) -> None:
    """Readers can't fill up the records in a map: what gains or loses a field there is another type."""
    small, large = (struct_type((name, "long", "") for name in names) for names in ("a", "ab"))
    turned = struct_type([("b", "long", "Said anew."), ("a", "long", "")])
    have = deep(map_type(large))
    for want in (large, turned):
        assert covers(have, deep(map_type(want)))
        assert widen(deep(map_type(want)), have) is not None
    for want in (small, struct_type([*((name, "long", "") for name in "abc")])):
        assert not covers(have, deep(map_type(want)))
        assert widen(deep(map_type(want)), have) is None


SHORT = {"type": "record", "name": "B", "fields": [{"name": "x", "type": ["null", "int"]}]}
LONG_RECORD = {**SHORT, "name": "A", "fields": [*SHORT["fields"], {"name": "y", "type": ["null", "int"]}]}
TAGS = [{"properties": {"kind": {"const": kind}}, "required": ["kind"], "type": "object"} for kind in ("a", "b")]
# A union in Avro or JSON Schema, a value that one of its branches has, the branch's number and what its column holds.
UNIONS: list[tuple[str, Any, Any, int, Any]] = [
    ("Avro/1.12.0", ["long", "string"], "007", 1, "007"),
    ("Avro/1.12.0", ["bytes", "string"], "abcd", 1, "abcd"),
    ("Avro/1.12.0", ["double", "string"], "NaN", 1, "NaN"),
    ("Avro/1.12.0", [{"type": "long", "logicalType": "timestamp-millis"}, "string"], "2026-01-01T12:00:00Z", 1, ...),
    ("Avro/1.12.0", [{"type": "int", "logicalType": "time-millis"}, "string", "long"], ("long", 7), 2, 7),
    ("Avro/1.12.0", ["string", "long", "double"], 2.0, 2, 2.0),
    ("Avro/1.12.0", [LONG_RECORD, SHORT], ("B", {"x": 1}), 1, {"x": 1}),
    ("Avro/1.12.0", [{"type": "map", "values": "int"}, SHORT], ("B", {"x": 1}), 1, {"x": 1}),
    ("Avro/1.12.0", [{"type": "enum", "name": "E", "symbols": ["P"]}, "string"], "Q", 1, "Q"),
    ("JsonSchema/draft/2020-12", {"type": ["integer", "string"]}, "007", 1, "007"),
    ("JsonSchema/draft/2020-12", {"type": ["boolean", "integer"]}, 1, 1, 1),
    ("JsonSchema/draft/2020-12", {"anyOf": [{"const": 1}, {"const": True}]}, True, 1, True),
    ("JsonSchema/draft/2020-12", {"oneOf": TAGS}, {"kind": "b"}, 1, {"kind": "b"}),
    (
        "JsonSchema/draft/2020-12",
        {"anyOf": [{"items": {"type": kind}} for kind in ("integer", "string")]},
        ["7"],
        1,
        ["7"],
    ),
    ("JsonSchema/draft/2020-12", {"anyOf": [{"type": "string", "format": "date"}, {"type": "string"}]}, "x", 1, "x"),
    ("JsonSchema/draft/2020-12", {"type": ["number", "array"]}, ["x"], 1, ['"x"']),
]


@pytest.mark.parametrize(("format_", "union", "value", "number", "held"), UNIONS, ids=map(str, range(len(UNIONS))))
def test_value_is_of_the_branch_that_keeps_it(format_: str, union: Any, value: Any, number: int, held: Any) -> None:
    """A text is a text before it is a number, bytes or a time, and a record has all that its branch must have."""
    if format_.startswith("Avro"):
        document: dict[str, Any] = {"type": "record", "name": "R", "fields": [{"name": "x", "type": union}]}
        out = BytesIO()
        fastavro.schemaless_writer(out, fastavro.parse_schema(document), {"x": value})
        body = out.getvalue()
    else:
        document, body = {"type": "object", "properties": {"x": union}}, json.dumps({"x": value}).encode()
    schema = parse(format_, json.dumps(document).encode())
    (member,) = members(schema.fields())
    rest: dict[str, Any] = {}
    expected = value if held is ... else held
    assert member.type.convert(schema.decode(body)["x"], "/x", rest) == {f"member{number}": expected}
    assert rest == {}


def test_numbers_of_32_bits_are_not_made_infinite() -> None:
    """A number that 32 bits round stays there; one that is too large, or whole and not held exactly, is the rest."""
    said = [0.1, 16777216, 16777217, 1e300, -1e39, "Infinity", Decimal("0.5"), 2**200]
    rests: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    result = column_of(column_type(Field("x", "float32")), said, "/x", rests).to_pylist()
    assert repr(result) == "[0.10000000149011612, 16777216.0, None, None, None, inf, 0.5, None]"
    assert {row: rest["/x"] for row, rest in rests.items() if rest} == {2: 16777217, 3: 1e300, 4: -1e39, 7: 2**200}


def test_identifiers_in_avro_may_be_bytes() -> None:
    """The specification lets ``uuid`` annotate a fixed type of 16 bytes, too."""
    schema = parse("Avro/1.12.0", b'{"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}')
    known = "00112233-4455-6677-8899-aabbccddeeff"
    result = schema.decode(bytes.fromhex(known.replace("-", "")))
    union = Field("x", "union", fields=(schema.fields()[0], Field("y", "string")))
    for field in (schema.fields()[0], union):
        assert column_type(field).convert(result, "", {}) == known


def test_decimals_as_text_have_all_their_zeros() -> None:
    """No XML document has ``1E-7``; an exponent that would take pages stays one."""
    said = [Decimal("0.0000001"), Decimal("1.10"), "1E-7", Decimal("1E+5000"), Decimal("NaN")]
    results = [column_type(Field("x", "decimal")).convert(value, "/x", {}) for value in said]
    assert results == ["0.0000001", "1.10", "1E-7", "1E+5000", "NaN"]
    assert column_type(Field("x", "any")).convert({"x": said[0]}, "", {}) == '{"x":"0.0000001"}'


DIGITS = b"""
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="price"><xs:simpleType>
    <xs:restriction base="xs:decimal"><xs:totalDigits value="5"/></xs:restriction>
  </xs:simpleType></xs:element>
</xs:schema>
"""


def test_digits_alone_do_not_say_where_the_point_is() -> None:
    """An XML decimal of so many digits may have any of them behind the point; the root's own value has no name."""
    schema = parse("XSD/1.0", DIGITS)
    (field,) = schema.fields()
    assert (field.name, field.type, sql_type(column_type(field).data_type)) == ("", "decimal", "STRING")
    exact = parse(
        "XSD/1.0",
        DIGITS.replace(
            b'<xs:totalDigits value="5"/>',
            rb"""<xs:totalDigits value="5"/>
        <xs:fractionDigits value="2"/>""",
        ),
    )
    assert sql_type(column_type(exact.fields()[0]).data_type) == "DECIMAL(5,2)"


def test_times_of_any_year_go_to_the_rest() -> None:
    """Avro's numbers that no column of times can hold are told as they came, also where the column is text."""
    for kind in ("date", "timestamp", "localtimestamp"):
        rest: dict[str, Any] = {}
        assert column_type(Field("x", kind)).convert(2**62, "/x", rest) is None
        assert rest == {"/x": 2**62}
