"""The text of a schema document as its page shows it, or why it doesn't."""

from __future__ import annotations

import pytest

from xregit.catalog import Document, Place
from xregit.pages.documents import Source, document_source, inline_snippet

CASES = [
    (Document(Place("a.json"), b'{"a":[1]}'), Source('{\n  "a": [\n    1\n  ]\n}', "json")),
    (Document(Place("a.json"), b'{"a":\n1}\n'), Source('{"a":\n1}\n', "json")),
    (Document(Place("a.avsc"), b'{"a":'), Source('{"a":', "json")),
    (Document(Place("a.proto"), b'syntax = "proto3";'), Source('syntax = "proto3";', "protobuf")),
    (Document(Place("a.thrift"), b"struct A {}"), Source("struct A {}", "text")),
    (Document(Place("a.json"), b'{"\\ud800": NaN}'), Source('{"\\ud800": NaN}', "json")),
    (Document(Place("a.bin"), b"\xff\x00"), Source(reason="The document is binary, 2 bytes.")),
    (
        Document(Place("a.xsd"), b"x" * 1001),
        Source(reason="The document is long, 1,001 characters. The schema's page has it."),
    ),
    (Document(Place("a.yaml"), url="https://d.example/a"), Source(reason="The document is kept elsewhere.")),
]


@pytest.mark.parametrize(("document", "expected"), CASES)
def test_document_is_shown_or_told(document: Document, expected: Source) -> None:
    """Text is shown as it stands, JSON on a single line is laid out; anything else has a reason."""
    assert document_source(document, limit=1000) == expected


def test_document_inside_its_entity_is_shown() -> None:
    """A schema inside a message is text, or is laid out as JSON."""
    assert inline_snippet("message A {}") == Source("message A {}", "text")
    assert inline_snippet({"a": 1}) == Source('{\n  "a": 1\n}', "json")
