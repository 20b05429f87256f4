"""A JSON Schema to the fields that it describes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.payloads.jsonschema.layers import Layers, Node, layers, root
from xregit.payloads.jsonschema.limits import limits
from xregit.payloads.limits import beyond_type
from xregit.payloads.room import BEYOND, MAX_FIELDS, bounded, has_room
from xregit.payloads.shapes import Field

if TYPE_CHECKING:
    from xregit.payloads.jsonschema.loading import Loaded

# What ``format`` alone says, by the format registry of OpenAPI; JSON Structure's types come here under these names.
_FORMAT_TYPES = {
    **{f"{sign}int{bits}": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "int128": "integer",
    "uint128": "integer",
    "float": "float32",
    "double": "float64",
    "decimal": "decimal",
    "byte": "bytes",
    "local-time": "time",
}
# What ``format`` makes of a string.
_FORMATS = {
    ("string", "date-time"): "timestamp",
    ("string", "date"): "date",
    ("string", "time"): "time",
    ("string", "duration"): "duration",
    ("string", "uuid"): "uuid",
    ("string", "uri"): "uri",
    ("string", "iri"): "uri",
    ("string", "uri-reference"): "uri",
}


# What JSON Structure says of decimals.
_DIGITS = ("precision", "scale")


@bounded(MAX_FIELDS)
def fields(loaded: Loaded, pointer: str) -> tuple[Field, ...]:
    """Return the properties of an object schema; the one value without a name where it isn't an object."""
    whole = _field("", (root(loaded, pointer),), required=True)
    return whole.fields if whole.type == "record" else (whole,)


def _field(name: str, nodes: tuple[Node, ...], *, required: bool) -> Field:
    return _described(name, nodes, required=required) if has_room() else BEYOND


def _described(name: str, nodes: tuple[Node, ...], *, required: bool) -> Field:
    all_ = layers(*nodes)
    types = [item for item in all_.types() if item != "null"]
    branches = [node for node in all_.branches() if _describes(node)]
    nullable = "null" in all_.types() or any(_is_null(node) for node in all_.branches())
    said: dict[str, Any] = {"required": required, "nullable": nullable, "description": _description(all_)}
    others = [node for node in branches if not _is_null(node)]
    if others and all_.first("properties") is None:
        return _union(name, all_, others, said)
    values = all_.first("enum") if all_.first("const") is None else [all_.first("const")]
    if isinstance(values, list):
        said["nullable"] = nullable or None in values
        return Field(name, "enum", _stated(all_, types), values=tuple(v for v in values if v is not None), **said)
    if all_.first("format") in _FORMAT_TYPES and types:
        said["limits"] = beyond_type(limits(all_, *types))
        said |= {key: all_.first(key) for key in _DIGITS if type(all_.first(key)) is int}
        return Field(name, _FORMAT_TYPES[all_.first("format")], str(all_.first("format")), **said)
    if len(types) > 1:
        inside = (_typed(item, all_, item, {"required": True}) for item in types)
        return Field(name, "union", fields=tuple(inside), **said)
    return _typed(name, all_, types[0] if types else "any", said)


def _union(name: str, all_: Layers, others: list[Node], said: dict[str, Any]) -> Field:
    if len(others) == 1 and _leads_back(others[0]):
        return Field(name, "union", recursive=True, **said)
    if len(others) > 1:
        return Field(name, "union", fields=tuple(_branch(node) for node in others), **said)
    inner = _field(name, (*_without_branches(all_), *others), required=said["required"])
    nullable, description = said["nullable"] or inner.nullable, said["description"] or inner.description
    return replace(inner, nullable=nullable, description=description)


def _without_branches(all_: Layers) -> tuple[Node, ...]:
    """Return the schemas of the layers without their alternatives, references and parts, which stand there too."""
    dropped = {"anyOf", "oneOf", "allOf", "$ref"}
    return tuple(node.at({k: v for k, v in node.schema.items() if k not in dropped}) for node in all_.nodes)


def _typed(name: str, all_: Layers, type_: str, said: dict[str, Any]) -> Field:
    stated, said = _stated(all_, [type_] if type_ != "any" else []), {**said, "limits": limits(all_, type_)}
    if type_ == "object":
        return _object(name, all_, stated, said)
    if type_ == "array":
        item = all_.inner("items")
        inside = _field("item", (item,), required=True) if item and not all_.cut else Field("item", "any")
        return Field(name, "array", stated, fields=(inside,), recursive=all_.cut, **said)
    return Field(name, _FORMATS.get((type_, str(all_.first("format"))), type_), stated, **said)


def _object(name: str, all_: Layers, stated: str, said: dict[str, Any]) -> Field:
    properties = all_.properties()
    if all_.cut:
        return Field(name, "record", stated, recursive=True, **said)
    if properties:
        required = all_.required()
        inside = (_field(key, (node,), required=key in required) for key, node in properties.items())
        return Field(name, "record", stated, fields=tuple(inside), **said)
    value = all_.inner("additionalProperties")
    inner = _field("value", (value,), required=True) if value else Field("value", "any", required=True)
    return Field(name, "map", stated, fields=(inner,), **said)


def _branch(node: Node) -> Field:
    all_ = layers(node)
    name = all_.first("title") or node.schema.get("$ref", "").rpartition("/")[2] or "/".join(all_.types())
    if _leads_back(node):
        return Field(str(name), "union", required=True, recursive=True)
    return _field(str(name), (node,), required=True)


def _leads_back(node: Node) -> bool:
    """Tell whether an alternative is nothing but the alternatives that it is one of."""
    all_ = layers(node)
    return all_.cut and bool(all_.branches()) and all_.first("properties") is None


def _describes(node: Node) -> bool:
    """Tell whether an alternative says what a value is, and not only which properties must be there."""
    all_ = layers(node)
    return any(all_.first(key) is not None for key in ("type", "properties", "enum", "const", "items")) or all_.cut


def _is_null(node: Node) -> bool:
    all_ = layers(node)
    return all_.types() == ("null",) or all_.first("enum") == [None] or node.schema.get("const", "") is None


def _stated(all_: Layers, types: list[str]) -> str:
    parts = ["/".join(types), *(str(all_.first(key)) for key in ("format", "contentEncoding") if all_.first(key))]
    return ", ".join(part for part in parts if part)


def _description(all_: Layers) -> str:
    return next((text for text in all_.every("description") if isinstance(text, str)), "")
