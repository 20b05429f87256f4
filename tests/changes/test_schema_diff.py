"""Schemas of which the history has pointers of Git LFS alone."""

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
