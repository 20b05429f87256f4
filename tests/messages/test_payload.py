"""Payload schemas that mean the same wherever they stand, which are read once, and those that don't."""

from __future__ import annotations

import pytest

from xregit.messages.payload import SchemaSource, without_address

ALONE = {
    "a JSON Schema": b'{"type": "object", "properties": {"value": {"description": "in \\u00b0C"}}}',
    "an Avro schema": b'{"type": "record", "name": "Reading", "fields": []}',
    "a protobuf file": b'syntax = "proto3"; message Reading { double value = 1; }',
}
REFERRING = {
    "a reference": b'{"$ref": "other.json"}',
    "a dynamic reference": b'{"$dynamicRef": "#other"}',
    "a reference that JSON escapes": b'{"$\\u0072\\u0065\\u0066": "other.json"}',
    "an extended type": b'{"$extends": "#/definitions/Base"}',
    "an import of protobuf": b'import "other.proto";',
    "an include of XML Schema": b'<xs:include schemaLocation="other.xsd"/>',
}


@pytest.mark.parametrize("document", ALONE.values(), ids=ALONE)
def test_schema_that_refers_to_nothing_has_no_address(document: bytes) -> None:
    """Equal ones of two messages are one."""
    assert without_address(SchemaSource("", document, uri="/a")) == without_address(
        SchemaSource("", document, uri="/b")
    )


@pytest.mark.parametrize("document", REFERRING.values(), ids=REFERRING)
def test_schema_that_refers_keeps_its_address(document: bytes) -> None:
    """What it refers to depends on where it stands."""
    assert without_address(SchemaSource("", document, uri="/a")).uri == "/a"
