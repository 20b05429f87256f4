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


def index(part: str, length: int) -> int | None:
    """Return the place in a list of a length that a part of a pointer names, or None (RFC 6901, section 4)."""
    is_number = part.isascii() and part.isdecimal() and len(part) <= len(str(length))
    return int(part) if is_number and int(part) < length else None
