"""Equality as JSON means it, of values and documents; and pointers of Git LFS that stand for a document.

Source: the pointer's format, as https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any


def alike(one: Any, other: Any) -> bool:
    """Tell whether two values are the same, with ``True`` unlike 1 and ``False`` unlike 0.

    Equal values nearly always have the same ``repr``, and comparing those is much faster.
    """
    return bool(one == other) and (repr(one) == repr(other) or _members_equal(one, other))


def _members_equal(one: Any, other: Any) -> bool:
    """Tell whether two values that are equal to Python are equal as JSON."""
    if isinstance(one, Mapping):
        return all(_members_equal(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple):
        return all(map(_members_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool)


def same_document(one: Any, other: Any) -> bool:
    """Tell whether two documents mean the same whatever their language: the same text, or the same JSON."""
    if one is None or other is None:
        return False
    return alike(one, other) or alike(_comparable(one), _comparable(other))


def _comparable(document: Any) -> Any:
    """Return the value of a JSON document, else the document without blanks at its lines' ends."""
    if not isinstance(document, bytes):
        return document
    from xregit.source import json_loader

    parsed = json_loader.parse(document)
    return [text for line in document.splitlines() if (text := line.strip())] if parsed.problems else parsed.value


_BEGIN = b"version https://git-lfs.github.com/spec/"
_HASH = b"oid sha256:"
MAX_BYTES = 1024


def is_lfs_pointer(document: Any) -> bool:
    """Tell whether a document is a pointer to one."""
    return isinstance(document, bytes) and len(document) < MAX_BYTES and document.startswith(_BEGIN)


def points_to(pointer: Any, document: Any) -> bool:
    """Tell whether a document is the one that a pointer leads to."""
    if not is_lfs_pointer(pointer) or not isinstance(document, bytes):
        return False
    return _HASH + sha256(document).hexdigest().encode() in pointer.splitlines()
