"""Documents of versions as attributes, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.values import mappings
from xregit.document.documents import carried, contents, extension, pretty
from xregit.document.serialising import to_bytes
from xregit.errors import XregitError


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
    assert carried(data, format_, "schema") == attributes


@given(mappings())
def test_json_documents_survive(value: dict[str, object]) -> None:
    """A JSON document that is written as a person would reads back as the same value."""
    assert carried(pretty(value), "JsonSchema/draft-07", "schema") == {"schema": value}


@given(st.binary())
def test_any_bytes_survive_or_are_json(data: bytes) -> None:
    """The bytes of a document that isn't JSON come back from the attribute that carries them."""
    attributes = carried(data, "Protobuf/3", "schema")
    if not isinstance(attributes.get("schema"), dict | list):
        assert contents(attributes, "schema") == data


def test_bad_base64_is_no_document() -> None:
    """What isn't base 64 gives nothing, so that it can be reported."""
    assert contents({"schemabase64": "%"}, "schema") is None
    assert contents({"schemabase64": 5}, "schema") is None
    assert contents({}, "schema") is None


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
