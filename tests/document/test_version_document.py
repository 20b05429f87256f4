"""Documents of versions as attributes, and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xregit
from tests.catalog.folders import registry_of
from tests.source.values import mappings
from xregit.document.static_api import api_files
from xregit.document.version_document import attribute_for, extension, inline_document
from xregit.errors import XregitError
from xregit.source.json_emitter import pretty_json, to_bytes


@pytest.mark.parametrize(
    ("format_", "data", "attributes"),
    [
        ("Avro/1.11", b'{"type": "record"}', {"schema": {"type": "record"}}),
        ("Avro/1.11", b'"string"', {"schema": "string"}),
        ("Avro/1.11", b"string", {"schema": "string"}),
        ("JsonSchema/draft-07", b"true", {"schema": True}),
        ("JsonSchema/draft-07", b'{"a": NaN}', {"schema": '{"a": NaN}'}),
        ("JsonSchema/draft-07", b"{broken", {"schema": "{broken"}),
        ("JsonSchema/draft-07", b'{"a": 12345678901234567890123}', {"schema": {"a": 12345678901234567890123}}),
        ("Protobuf/3", b"message A {}", {"schema": "message A {}"}),
        ("Unknown/1", b"[1]", {"schema": [1]}),
        ("Unknown/1", b"\xff\x00", {"schemabase64": "/wA="}),
        ("", b"", {"schemabase64": ""}),
    ],
)
def test_document_is_carried_as_what_it_is(format_: str, data: bytes, attributes: dict[str, object]) -> None:
    """JSON is carried as a value, other text as a string, anything else in base 64."""
    assert attribute_for(data, format_, "schema") == attributes


@given(mappings())
def test_json_documents_survive(value: dict[str, object]) -> None:
    """A JSON document that is written as a person would reads back as the same value."""
    assert attribute_for(pretty_json(value), "JsonSchema/draft-07", "schema") == {"schema": value}


@given(st.binary())
def test_any_bytes_survive_or_are_json(data: bytes) -> None:
    """The bytes of a document that isn't JSON come back from the attribute that carries them."""
    attributes = attribute_for(data, "Protobuf/3", "schema")
    if not isinstance(attributes.get("schema"), dict | list):
        assert inline_document(attributes, "schema") == data


def test_bad_base64_is_no_document() -> None:
    """What isn't base 64 gives nothing, so that it can be reported."""
    assert inline_document({"schemabase64": "%"}, "schema") is None
    assert inline_document({"schemabase64": 5}, "schema") is None
    assert inline_document({}, "schema") is None


@pytest.mark.parametrize(
    ("format_", "data", "ending"),
    [
        ("Avro/1.11", b"", ".avsc"),
        ("JSONSchema/draft-07", b"", ".json"),
        ("JsonStructure/draft-02", b"", ".json"),
        ("Proto/3", b"", ".proto"),
        ("XMLSchema/1.1", b"", ".xsd"),
        ("Other/1", b'{"a": 1}', ".json"),
        ("Other/1", b"{a}", ".txt"),
        ("Other/1", b"\xff", ".bin"),
    ],
)
def test_ending_follows_the_format(format_: str, data: bytes, ending: str) -> None:
    """A document's file ends as its format says, else as its content looks."""
    assert extension(format_, data) == ending


def test_text_that_is_not_unicode_ends_in_one_line() -> None:
    """Half a surrogate pair can't be written, and the message shows it."""
    with pytest.raises(XregitError, match="ud800"):
        to_bytes({"a": "\ud800"})


def test_integers_of_any_size_are_written() -> None:
    """Integers that the fast writer refuses are written all the same, in the same form."""
    assert to_bytes({"a": [2**80], "b": {}}) == b'{\n  "a": [\n    1208925819614629174706176\n  ],\n  "b": {}\n}\n'


BOM = "\ufeff"
MARKED = {
    "Avro/1.11.0": ("avsc", '{"type": "record", "name": "R", "fields": []}'),
    "JsonSchema/draft-07": ("json", '{"type": "object"}'),
    "Protobuf/3": ("proto", 'syntax = "proto3";\nmessage M {}\n'),
    "XSD/1.0": ("xsd", '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'),
}


@pytest.mark.parametrize("format_", MARKED)
def test_a_byte_order_mark_is_no_part_of_a_schema(tmp_path: Path, format_: str) -> None:
    """Some editors begin a file with one; document, API, check and differences are the same as without it."""
    ending, text = MARKED[format_]
    told, documents, served = [], [], []
    for mark in (BOM, ""):
        files = {
            "schemagroups/g/schemas/s/schema.yaml": f"format: {format_}\n",
            f"schemagroups/g/schemas/s/versions/1.{ending}": mark + text,
        }
        registry = registry_of(tmp_path / str(len(mark)), files)
        told.append([(item.rule, item.path) for item in xregit.check(registry).diagnostics])
        documents.append(xregit.compile(registry))
        served.append(api_files(registry, "https://r.example")["schemagroups/g/schemas/s/versions/1/index.html"])
    assert told[0] == told[1]
    assert "invalid-schema" not in dict(told[0])
    assert documents[0] == documents[1]
    assert served == [text.encode()] * 2


def test_a_byte_order_mark_stays_where_nothing_is_known_of_a_document(tmp_path: Path) -> None:
    """Its bytes may mean anything."""
    files = {
        "schemagroups/g/schemas/s/schema.yaml": "format: CSV/1\n",
        "schemagroups/g/schemas/s/versions/1.csv": f"{BOM}a;b\n",
    }
    document = registry_of(tmp_path, files)["/schemagroups/g/schemas/s"].default.document
    assert document.data == f"{BOM}a;b\n".encode()
