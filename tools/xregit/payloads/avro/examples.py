"""An Avro type to a value that it holds."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from xregit.payloads.room import MAX_CHARACTERS, LargeError, take_room
from xregit.payloads.samples import TEXTS
from xregit.payloads.shapes import PayloadError

if TYPE_CHECKING:
    from xregit.payloads.avro.types import Type

_MOMENT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
_VALUES: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "int": 1,
    "long": 1,
    "float": 1.5,
    "double": 1.5,
    "bytes": b"bytes",
    "string": "text",
    "uuid": UUID(TEXTS["uuid"]),
    "date": date(2026, 1, 31),
    "time": time(9, 30),
    "timestamp": _MOMENT,
    "local-timestamp": _MOMENT.replace(tzinfo=None),
}


def example(type_: Type, trail: tuple[str, ...] = ()) -> Any:
    """Return a value with all fields, but for those that would hold their own record again.

    Raises:
        PayloadError: the record must hold itself without end, or the value would be too large.
    """
    take_room()
    if type_.kind == "union":
        return _of_union(type_, trail)
    if type_.name and type_.name in trail:
        message = f'the record "{type_.name}" must hold itself; no value can'
        raise PayloadError(message)
    inside = (*trail, type_.name) if type_.name else trail
    if type_.kind == "record":
        return {member.name: example(member.type, inside) for member in type_.members}
    if type_.kind in {"array", "map"}:
        item = _one(type_.inner[0], inside)
        return [*item] if type_.kind == "array" else {f"key{index}": value for index, value in enumerate(item, 1)}
    return _scalar(type_)


def _of_union(type_: Type, trail: tuple[str, ...]) -> Any:
    for branch in sorted(type_.inner, key=lambda item: item.kind == "null"):
        found = _one(branch, trail)
        if found:
            return found[0]
    message = "no value ends the recursion of the union"
    raise PayloadError(message)


def _one(type_: Type, trail: tuple[str, ...]) -> tuple[Any, ...]:
    """Return one value, or none where it would recur."""
    try:
        return (example(type_, trail),)
    except PayloadError:
        return ()


def _scalar(type_: Type) -> Any:
    if type_.logical == "decimal":
        return Decimal((0, (1,), -type_.scale))
    if type_.size > MAX_CHARACTERS:
        raise LargeError
    if type_.kind == "fixed" and type_.logical != "uuid":
        return b"0" * type_.size
    if type_.kind == "enum":
        return type_.symbols[0]
    return _VALUES[type_.logical.rpartition("-")[0] or type_.logical or type_.kind]
