"""Whether two values or documents are equal as JSON: 1 and 1.0 are one number, and true is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def alike(one: Any, other: Any) -> bool:
    """Tell whether two values are the same, with ``True`` unlike 1 and ``False`` unlike 0.

    Equal values nearly always have the same ``repr``, and comparing those is much faster.
    """
    return bool(one == other) and (repr(one) == repr(other) or _is_alike(one, other))


def _is_alike(one: Any, other: Any) -> bool:
    """Tell whether two values that are equal to Python are equal as JSON."""
    if isinstance(one, Mapping):
        return all(_is_alike(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple):
        return all(map(_is_alike, one, other))
    return isinstance(one, bool) == isinstance(other, bool)


def same_document(one: Any, other: Any) -> bool:
    """Tell whether two documents mean the same whatever their language: the same text, or the same JSON."""
    if one is None or other is None:
        return False
    return alike(one, other) or alike(_value(one), _value(other))


def _value(document: Any) -> Any:
    """Return the value of a JSON document, else the document without blanks at its lines' ends."""
    if not isinstance(document, bytes):
        return document
    from xregit.source import json

    parsed = json.parse(document)
    return [text for line in document.splitlines() if (text := line.strip())] if parsed.problems else parsed.value
