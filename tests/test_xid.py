"""Xids as text and as parts."""

from __future__ import annotations

import pytest

from xregit.xid import Xid, parent


@pytest.mark.parametrize(
    "text",
    [
        "/",
        "/messagegroups/g",
        "/messagegroups/g/messages/m",
        "/messagegroups/g/messages/m/meta",
        "/schemagroups/g/schemas/s/versions/1.0",
    ],
)
def test_an_xid_is_parsed_and_formatted_back(text: str) -> None:
    """Parsing and formatting are inverse."""
    assert str(Xid.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "messagegroups/g", "//", "/messagegroups", "/a/b/c", "/a/b/c/d/e", "/a/b/c/d/e/f/g"]
)
def test_what_names_no_entity_is_no_xid(text: str) -> None:
    """An xid has the parts of an entity, none of them empty."""
    with pytest.raises(ValueError, match="xid"):
        Xid.parse(text)


@pytest.mark.parametrize(
    ("xid", "holder"),
    [
        ("/schemagroups/g/schemas/s/versions/1.0", "/schemagroups/g/schemas/s"),
        ("/schemagroups/g/schemas/s", "/schemagroups/g"),
    ],
)
def test_a_parent_holds_the_entity(xid: str, holder: str) -> None:
    """Versions are in resources, and these in groups."""
    assert parent(xid) == holder
