"""Whether two values are the same as JSON has it: 1 and 1.0 are one number, and true is no number at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def alike(one: Any, other: Any) -> bool:
    """Tell whether two values are the same; Python takes true for 1, and false for 0.

    What is equal is nearly always written alike too, which is told far sooner.
    """
    return bool(one == other) and (repr(one) == repr(other) or _is_alike(one, other))


def _is_alike(one: Any, other: Any) -> bool:
    """Tell of two values that Python finds equal whether they are."""
    if isinstance(one, Mapping):
        return all(_is_alike(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple):
        return all(map(_is_alike, one, other))
    return isinstance(one, bool) == isinstance(other, bool)
