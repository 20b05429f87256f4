"""Which branch of a union a decoded value is of: no payload says so once it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from xregit.payloads import Field

KEEPS, STANDS_FOR, OTHER = range(3)
_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer")
_BROKEN = ("float64", "number", "float32")
# The types of fields that keep values of a class as they are. A datetime's depends on its zone, a text's on its schema.
_KEPT: Mapping[type, frozenset[str]] = {
    bool: frozenset({"boolean"}),
    int: frozenset(_WHOLE),
    float: frozenset(_BROKEN),
    Decimal: frozenset({"decimal"}),
    bytes: frozenset({"bytes", "duration"}),
    date: frozenset({"date"}),
    time: frozenset({"time"}),
    UUID: frozenset({"uuid"}),
}
_ZONED, _LOCAL = frozenset({"timestamp"}), frozenset({"localtimestamp"})
# Numbers that other types hold too, such as 1 in a double.
_HELD: Mapping[type, frozenset[str]] = {int: frozenset({*_BROKEN, "decimal"}), float: frozenset({*_WHOLE, "decimal"})}


def suits(field: Field, value: Any) -> int:
    """Return how a value that is not null suits a branch: kept as it is, as what it may stand for, or not at all.

    A text that looks like a number is a text before it is that number.
    """
    if field.type == "union" and field.fields:
        return min(suits(branch, value) for branch in field.fields)
    if field.type in {"any", "union"} or field.recursive:
        return KEEPS
    if field.type == "enum":
        return KEEPS if any(_same(each, value) for each in field.values) else OTHER
    if isinstance(value, Mapping):
        return _object(field, value)
    if isinstance(value, list | tuple):
        return _worst(field, value) if field.type == "array" else OTHER
    return _single(field, value)


def _single(field: Field, value: Any) -> int:
    if isinstance(value, str):
        return KEEPS if field.stated.startswith("string") else STANDS_FOR
    kept = _KEPT.get(type(value), frozenset())
    if isinstance(value, datetime):
        kept = _LOCAL if value.tzinfo is None else _ZONED
    held = _HELD.get(type(value), frozenset())
    return KEEPS if field.type in kept else STANDS_FOR if field.type in held else OTHER


def _object(field: Field, value: Mapping[str, Any]) -> int:
    """Judge an object, which is a record before it is a map, and none that lacks what the record must have."""
    if field.type == "map":
        return max(STANDS_FOR, _worst(field, value.values()))
    if field.type != "record" or any(each.required and each.name not in value for each in field.fields):
        return OTHER
    there = ((each, value.get(each.name)) for each in field.fields)
    return max((suits(each, item) for each, item in there if item is not None), default=KEEPS)


def _worst(field: Field, items: Iterable[Any]) -> int:
    inner = field.fields[0] if field.fields else None
    return max((suits(inner, item) for item in items if inner is not None and item is not None), default=KEEPS)


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are the same in JSON, where 1 is 1.0 and not true."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)
