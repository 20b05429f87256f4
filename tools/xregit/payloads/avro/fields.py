"""An Avro type to the fields of its payloads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xregit.payloads.room import BEYOND, MAX_FIELDS, bounded, has_room
from xregit.payloads.shapes import Field

if TYPE_CHECKING:
    from xregit.payloads.avro.types import Type

_TYPES = {"int": "int32", "long": "int64", "float": "float32", "double": "float64", "fixed": "bytes"}
_LOGICAL = {
    "decimal": "decimal",
    "uuid": "uuid",
    "date": "date",
    "time": "time",
    "timestamp": "timestamp",
    "local-timestamp": "localtimestamp",
    "duration": "duration",
}


@bounded(MAX_FIELDS)
def fields(type_: Type) -> tuple[Field, ...]:
    """Return the fields of a record; the one value without a name where it isn't one."""
    whole = _field("", type_, ())
    return whole.fields if whole.type == "record" else (whole,)


def _field(name: str, type_: Type, trail: tuple[str, ...]) -> Field:
    if not has_room():
        return BEYOND
    if type_.kind == "union":
        return _union(name, type_, trail)
    logical = type_.logical.rpartition("-")[0] or type_.logical
    kind = _LOGICAL.get(logical) or _TYPES.get(type_.kind, type_.kind)
    stated = type_.logical or type_.label
    made = Field(name, kind, stated, required=True, description=type_.doc, precision=type_.precision, scale=type_.scale)
    if type_.name and type_.name in trail:
        return replace(made, recursive=True)
    inside = (*trail, type_.name) if type_.name else trail
    if type_.kind == "record":
        members = (
            replace(found, description=item.doc or found.description)
            for item in type_.members
            for found in (_field(item.name, item.type, inside),)
        )
        return replace(made, fields=tuple(members))
    if type_.kind in {"array", "map"}:
        return replace(made, fields=(_field("item" if kind == "array" else "value", type_.inner[0], inside),))
    return replace(made, values=type_.symbols)


def _union(name: str, type_: Type, trail: tuple[str, ...]) -> Field:
    """Return a nullable field for a union with null and one branch more, else a union."""
    others = [branch for branch in type_.inner if branch.kind != "null"]
    nullable = len(others) < len(type_.inner)
    if len(others) == 1:
        return replace(_field(name, others[0], trail), nullable=nullable)
    if not others:
        return Field(name, "null", "null", required=True, nullable=True)
    branches = tuple(_field(branch.label, branch, trail) for branch in others)
    return Field(name, "union", required=True, nullable=nullable, fields=branches)
