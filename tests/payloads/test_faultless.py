"""Documents of schemas in which nothing is wrong are not looked at again, unless others decide about them."""

from __future__ import annotations

import pytest

from xregit.payloads import faultless, problems
from xregit.payloads.documents import nothing

JSON_SCHEMA = "JsonSchema/draft-07"
XSD = b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">%s</xs:schema>'
# One document for each language that can refer to another document, and that document.
REFERRING = {
    JSON_SCHEMA: (b'{"$id": "https://example.com/a", "$ref": "https://example.com/b"}', b'{"type": "object"}'),
    "Protobuf/3": (
        b'syntax = "proto3";\nimport "other.proto";\nmessage A { B b = 1; }\n',
        b'syntax = "proto3";\nmessage B { int32 n = 1; }\n',
    ),
    "XSD/1.0": (
        XSD % b'<xs:include schemaLocation="b"/><xs:element name="a" type="b"/>',
        XSD % b'<xs:simpleType name="b"><xs:restriction base="xs:string"/></xs:simpleType>',
    ),
}


def test_document_without_a_fault_is_remembered() -> None:
    """It counts with its format and its address."""
    document = b'{"type": "object", "title": "remembered"}'
    assert problems(JSON_SCHEMA, document, uri="/a") == ()
    assert faultless.digest(JSON_SCHEMA, document, "/a") in faultless.remembered()
    assert faultless.digest(JSON_SCHEMA, document, "/b") not in faultless.remembered()
    assert faultless.digest("JsonSchema/draft-04", document, "/a") not in faultless.remembered()


def test_document_with_a_fault_is_told_each_time() -> None:
    """Nothing is remembered of it."""
    document = b'{"type": "nothing"}'
    assert problems(JSON_SCHEMA, document) == problems(JSON_SCHEMA, document) != ()


def test_remembered_document_is_not_looked_at() -> None:
    """Whatever it holds, as long as an earlier run has said so."""
    document = b'{"type": "nothing", "title": "said by an earlier run"}'
    assert problems(JSON_SCHEMA, document) != ()
    faultless.remember({faultless.digest(JSON_SCHEMA, document, "")})
    assert problems(JSON_SCHEMA, document) == ()


@pytest.mark.parametrize("format_", REFERRING)
def test_document_that_refers_to_another_is_looked_at_again(format_: str) -> None:
    """The other one may be gone."""
    document, other = REFERRING[format_]
    assert problems(format_, document, uri="/a", fetch=lambda _: other) == ()
    assert problems(format_, document, uri="/a", fetch=nothing) != ()


def test_program_that_runs_on_forgets() -> None:
    """What is remembered stays below a bound, but for what was brought at once."""
    before = faultless.remembered()
    faultless.remember(str(number) for number in range(faultless.MOST))
    faultless.remember(["last"])
    assert faultless.remembered() == {"last"}
    faultless.remember(before)
