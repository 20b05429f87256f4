"""Schemas of which the history has pointers of Git LFS alone, and those that refer to others in odd ways."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from xregit.catalog.loader import read_contents
from xregit.changes import diff

SCHEMA = '{"type": "object"}'
OTHER = '{"type": "array"}'


def pointer(document: str) -> str:
    """Return what Git keeps of a document instead of it."""
    name, size = sha256(document.encode()).hexdigest(), len(document)
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize {size}\n"


@pytest.mark.parametrize(
    ("before", "after", "impacts"),
    [
        (pointer(SCHEMA), SCHEMA, []),
        (SCHEMA, pointer(SCHEMA), []),
        (pointer(SCHEMA), pointer(SCHEMA), []),
        (pointer(OTHER), SCHEMA, ["unknown"]),
        (pointer(OTHER), pointer(SCHEMA), ["unknown"]),
        (OTHER, SCHEMA, ["breaking"]),
    ],
)
def test_a_pointer_stands_for_its_document(before: str, after: str, impacts: list[str]) -> None:
    """Nothing has changed where it leads to the document that is there; of another one nobody can tell."""
    states = [
        read_contents(
            Path("/nowhere"),
            {
                "registry.yaml": b"registryid: r\n",
                "schemagroups/s/schemagroup.yaml": b"description: S.\n",
                "schemagroups/s/schemas/x/schema.yaml": b"versions:\n  '1':\n    format: JsonSchema/draft-07\n",
                "schemagroups/s/schemas/x/versions/1.json": text.encode(),
            },
            "c0ffee",
        )
        for text in (before, after)
    ]
    result = diff(*states)
    assert [str(change.impact) for change in result] == impacts
    assert all("Git LFS keeps" in change.message for change in result if impacts == ["unknown"])


JSON_SCHEMA, XSD, PROTOBUF = "JsonSchema/draft/2020-12", "XSD/1.0", "Protobuf/3"
SIMPLE = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:simpleType name="T"><xs:restriction base="xs:{}"/>'
SIMPLE += "</xs:simpleType></xs:schema>"
# Of each language the documents to which another one refers, before and after.
REFERRED = {
    JSON_SCHEMA: [f'{{"$anchor": "a", "$defs": {{"V": {{"type": "{kind}"}}}}}}' for kind in ("integer", "string")],
    XSD: [SIMPLE.format(kind) for kind in ("integer", "byte")],
    PROTOBUF: [f'syntax = "proto3"; message V {{ {kind} v = 1; }}' for kind in ("int32", "string")],
}
XML = """<?xml version="1.0"{}?><schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:t="http://www.w3.org/2001/XMLSchema">
<t:include\n schemaLocation = "../../y/versions&#x2f;1.x"/><element name="r" type="T"/></schema>"""
ESCAPES = ("$ref", "\\u0024ref", "$r\\u0065f")
REFERRING = [
    *((JSON_SCHEMA, f'{{"{name}" :\n "../../y/versions/1.x#/$defs/V"}}'.encode()) for name in ESCAPES),
    (JSON_SCHEMA, b'{"$ref": "..\\u002f..\\/y/versions/1.x#/$defs/V"}'),
    (JSON_SCHEMA, b'{"$dynamicRef": "../../y/versions/1.x#/$defs/V"}'),
    (JSON_SCHEMA, b'{"$id": "../../y/versions/2", "allOf": [{"$ref": "1.x#/$defs/V"}]}'),
    (XSD, XML.format("").encode()),
    (XSD, XML.format("").encode("utf-16")),
    (XSD, XML.format(' encoding="UTF-16"').encode("utf-16-be")),
    (PROTOBUF, b'syntax = "proto3"; import/**/"\\x79.proto"; message M { V v = 1; }'),
]


@pytest.mark.parametrize(("format_", "document"), REFERRING)
def test_reference_is_followed_however_it_is_written(format_: str, document: bytes) -> None:
    """What it leads to breaks those who rely on the document that refers."""
    folder = "schemagroups/s/schemas"
    states = [
        read_contents(
            Path("/nowhere"),
            {
                "registry.yaml": b"registryid: r\n",
                "schemagroups/s/schemagroup.yaml": b"description: S.\n",
                f"{folder}/x/schema.yaml": f"format: {format_}\n".encode(),
                f"{folder}/x/versions/1.x": document,
                f"{folder}/y/schema.yaml": f"format: {format_}\n".encode(),
                f"{folder}/y/versions/1.x": text.encode(),
            },
        )
        for text in REFERRED[format_]
    ]
    breaks = [change.xid for change in diff(*states) if change.xid == "/schemagroups/s/schemas/x/versions/1"]
    assert breaks == ["/schemagroups/s/schemas/x/versions/1"]
