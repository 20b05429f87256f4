"""Paths inside values, and the parts of JSON Pointers (RFC 6901, section 3)."""

from __future__ import annotations

#: Keys of mappings and indexes of lists.
KeyPath = tuple[str | int, ...]

#: Keys of mappings, or names of attributes, alone.
NamePath = tuple[str, ...]


def escape(name: object) -> str:
    """Return a name or index as a part of a pointer."""
    return str(name).replace("~", "~0").replace("/", "~1")


def unescape(part: str) -> str:
    """Return the name that a part of a pointer stands for."""
    return part.replace("~1", "/").replace("~0", "~")
