"""An Avro type to a schema for fastavro that needs no other: each named type is defined where it first stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xregit.payloads.avro.types import Type


#: Stands before the logical types of dates and times whose numbers may be of any year; see `far`.
FAR = "xregit far "


def plain_schema(type_: Type, mark: str = "") -> Any:
    """Return the schema of a type and of all that it refers to, with a mark before logical types of dates and times."""
    return _schema(type_, set(), mark)


def _schema(type_: Type, known: set[str], mark: str) -> Any:
    if type_.kind == "union":
        return [_schema(branch, known, mark) for branch in type_.inner]
    if type_.name in known:
        return type_.name
    said: dict[str, Any] = {"type": type_.kind}
    if type_.name:
        known.add(type_.name)
        said["name"] = type_.name
    if type_.logical:
        said["logicalType"] = (mark if "timestamp" in type_.logical or type_.logical == "date" else "") + type_.logical
    if type_.logical == "decimal":
        said |= {"precision": type_.precision, "scale": type_.scale}
    return said | _content(type_, known, mark)


def _content(type_: Type, known: set[str], mark: str) -> dict[str, Any]:
    if type_.kind == "record":
        return {"fields": [{"name": item.name, "type": _schema(item.type, known, mark)} for item in type_.members]}
    if type_.kind in {"array", "map"}:
        return {{"array": "items", "map": "values"}[type_.kind]: _schema(type_.inner[0], known, mark)}
    if type_.kind == "enum":
        return {"symbols": list(type_.symbols)}
    return {"size": type_.size} if type_.kind == "fixed" else {}
