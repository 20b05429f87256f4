"""The fields of an Avro type, and an example of it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from xregit.payloads.base import PayloadError
from xregit.payloads.fields import (
    MAX_CHARACTERS,
    MAX_FIELDS,
    MORE_FIELDS,
    BudgetError,
    Field,
    has_budget,
    spend,
    with_budget,
)
from xregit.payloads.sample_texts import SAMPLE_TEXTS

if TYPE_CHECKING:
    from xregit.payloads.avro.schema import Type

_FIELD_TYPES = {"int": "int32", "long": "int64", "float": "float32", "double": "float64", "fixed": "bytes"}
_LOGICAL_FIELD_TYPES = {
    "decimal": "decimal",
    "uuid": "uuid",
    "date": "date",
    "time": "time",
    "timestamp": "timestamp",
    "local-timestamp": "localtimestamp",
    "duration": "duration",
}


@with_budget(MAX_FIELDS)
def fields(type_: Type) -> tuple[Field, ...]:
    """Return the fields of a record; the one value without a name where it isn't one."""
    root = _field("", type_, ())
    return root.fields if root.type == "record" else (root,)


def _field(name: str, type_: Type, trail: tuple[str, ...], doc: str = "") -> Field:
    """Return a field of a type; ``trail`` holds the records around it, ``doc`` what the record says of the field."""
    if not has_budget():
        return MORE_FIELDS
    if type_.kind == "union":
        return _union(name, type_, trail, doc)
    logical = type_.logical.rpartition("-")[0] or type_.logical
    kind = _LOGICAL_FIELD_TYPES.get(logical) or _FIELD_TYPES.get(type_.kind, type_.kind)
    field = Field(
        name,
        kind,
        type_.logical or type_.label,
        required=True,
        description=doc or type_.doc,
        values=type_.symbols,
        precision=type_.precision,
        scale=type_.scale,
        recursive=bool(type_.name) and type_.name in trail,
    )
    trail = (*trail, type_.name) if type_.name else trail
    if type_.kind == "record" and not field.recursive:
        return replace(field, fields=tuple(_field(item.name, item.type, trail, item.doc) for item in type_.members))
    if type_.kind in {"array", "map"}:
        return replace(field, fields=(_field("item" if kind == "array" else "value", type_.inner[0], trail),))
    return field


def _union(name: str, type_: Type, trail: tuple[str, ...], doc: str) -> Field:
    """Return a nullable field for a union with null and one branch more, else a union."""
    others = [branch for branch in type_.inner if branch.kind != "null"]
    nullable = len(others) < len(type_.inner)
    if len(others) == 1:
        return replace(_field(name, others[0], trail, doc), nullable=nullable)
    if not others:
        return Field(name, "null", "null", required=True, nullable=True, description=doc)
    branches = tuple(_field(branch.label, branch, trail) for branch in others)
    return Field(name, "union", required=True, nullable=nullable, description=doc, fields=branches)


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
    "uuid": UUID(SAMPLE_TEXTS["uuid"]),
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
    spend()
    if type_.kind == "union":
        for branch in sorted(type_.inner, key=lambda item: item.kind == "null"):
            with suppress(PayloadError):
                return example(branch, trail)
        message = "no value ends the recursion of the union"
        raise PayloadError(message)
    if type_.name and type_.name in trail:
        message = f'the record "{type_.name}" must hold itself; no value can'
        raise PayloadError(message)
    trail = (*trail, type_.name) if type_.name else trail
    if type_.kind == "record":
        return {member.name: example(member.type, trail) for member in type_.members}
    if type_.kind in {"array", "map"}:
        with suppress(PayloadError):  # an item that would recur is left out
            item = example(type_.inner[0], trail)
            return [item] if type_.kind == "array" else {"key1": item}
        return [] if type_.kind == "array" else {}
    return _scalar_example(type_)


def _scalar_example(type_: Type) -> Any:
    if type_.logical == "decimal":
        return Decimal((0, (1,), -type_.scale))
    if type_.size > MAX_CHARACTERS:
        raise BudgetError
    if type_.kind == "fixed" and type_.logical != "uuid":
        return b"0" * type_.size
    if type_.kind == "enum":
        return type_.symbols[0]
    return _VALUES[type_.logical.rpartition("-")[0] or type_.logical or type_.kind]
