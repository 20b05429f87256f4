"""The fields and bounds that a JSON Schema describes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.payloads.base import Field
from xregit.payloads.bounds import beyond_type, count_text, pattern_texts, range_text
from xregit.payloads.budget import MAX_FIELDS, MORE_FIELDS, has_budget, with_budget
from xregit.payloads.json_schema.subschemas import Combined, Node, combine, root_node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.json_schema.schema import Loaded

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


@with_budget(MAX_FIELDS)
def fields(loaded: Loaded, pointer: str) -> tuple[Field, ...]:
    """Return the properties of an object schema; the one value without a name where it isn't an object."""
    whole = _field("", (root_node(loaded, pointer),), required=True)
    return whole.fields if whole.type == "record" else (whole,)


def _field(name: str, nodes: tuple[Node, ...], *, required: bool) -> Field:
    return _build_field(name, nodes, required=required) if has_budget() else MORE_FIELDS


def _build_field(name: str, nodes: tuple[Node, ...], *, required: bool) -> Field:
    all_ = combine(*nodes)
    types = [item for item in all_.types() if item != "null"]
    branches = [node for node in all_.branches() if _describes(node)]
    nullable = "null" in all_.types() or any(_is_null(node) for node in all_.branches())
    said: dict[str, Any] = {"required": required, "nullable": nullable, "description": _description(all_)}
    others = [node for node in branches if not _is_null(node)]
    if others and all_.first("properties") is None:
        return _union_field(name, all_, others, said)
    values = all_.first("enum") if all_.first("const") is None else [all_.first("const")]
    if isinstance(values, list):
        said["nullable"] = nullable or None in values
        return Field(
            name, "enum", _declared_type(all_, types), values=tuple(v for v in values if v is not None), **said
        )
    if all_.first("format") in _FORMAT_TYPES and types:
        said["limits"] = beyond_type(bound_texts(all_, *types))
        said |= {key: all_.first(key) for key in _DIGITS if type(all_.first(key)) is int}
        return Field(name, _FORMAT_TYPES[all_.first("format")], str(all_.first("format")), **said)
    if len(types) > 1:
        inside = (_field_of_type(item, all_, item, {"required": True}) for item in types)
        return Field(name, "union", fields=tuple(inside), **said)
    return _field_of_type(name, all_, types[0] if types else "any", said)


def _union_field(name: str, all_: Combined, others: list[Node], said: dict[str, Any]) -> Field:
    if len(others) == 1 and _is_recursive(others[0]):
        return Field(name, "union", recursive=True, **said)
    if len(others) > 1:
        return Field(name, "union", fields=tuple(_branch_field(node) for node in others), **said)
    inner = _field(name, (*_without_branches(all_), *others), required=said["required"])
    nullable, description = said["nullable"] or inner.nullable, said["description"] or inner.description
    return replace(inner, nullable=nullable, description=description)


def _without_branches(all_: Combined) -> tuple[Node, ...]:
    """Return the schemas of the layers without their alternatives, references and parts, which stand there too."""
    dropped = {"anyOf", "oneOf", "allOf", "$ref"}
    return tuple(node.at({k: v for k, v in node.schema.items() if k not in dropped}) for node in all_.nodes)


def _field_of_type(name: str, all_: Combined, type_: str, said: dict[str, Any]) -> Field:
    stated, said = _declared_type(all_, [type_] if type_ != "any" else []), {**said, "limits": bound_texts(all_, type_)}
    if type_ == "object":
        return _object_field(name, all_, stated, said)
    if type_ == "array":
        item = all_.inner("items")
        inside = _field("item", (item,), required=True) if item and not all_.cut else Field("item", "any")
        return Field(name, "array", stated, fields=(inside,), recursive=all_.cut, **said)
    return Field(name, _FORMATS.get((type_, str(all_.first("format"))), type_), stated, **said)


def _object_field(name: str, all_: Combined, stated: str, said: dict[str, Any]) -> Field:
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


def _branch_field(node: Node) -> Field:
    all_ = combine(node)
    name = all_.first("title") or node.schema.get("$ref", "").rpartition("/")[2] or "/".join(all_.types())
    if _is_recursive(node):
        return Field(str(name), "union", required=True, recursive=True)
    return _field(str(name), (node,), required=True)


def _is_recursive(node: Node) -> bool:
    """Tell whether an alternative is nothing but the alternatives that it is one of."""
    all_ = combine(node)
    return all_.cut and bool(all_.branches()) and all_.first("properties") is None


def _describes(node: Node) -> bool:
    """Tell whether an alternative says what a value is, and not only which properties must be there."""
    all_ = combine(node)
    return any(all_.first(key) is not None for key in ("type", "properties", "enum", "const", "items")) or all_.cut


def _is_null(node: Node) -> bool:
    all_ = combine(node)
    return all_.types() == ("null",) or all_.first("enum") == [None] or node.schema.get("const", "") is None


def _declared_type(all_: Combined, types: list[str]) -> str:
    parts = ["/".join(types), *(str(all_.first(key)) for key in ("format", "contentEncoding") if all_.first(key))]
    return ", ".join(part for part in parts if part)


def _description(all_: Combined) -> str:
    return next((text for text in all_.every("description") if isinstance(text, str)), "")


def bound_texts(all_: Combined, *types: str) -> tuple[str, ...]:
    """Return what schemas that apply at once say of values of these types: bounds, steps, patterns, lengths.

    An example is ("0 to 100", "steps of 5"). What is said of other types is left out, unless the type is "any".
    """
    asked = [say for kind, say in _BOUNDS if not {*kind, "any"}.isdisjoint(types)]
    return tuple(words for say in asked for words in say(all_) if words)


def _number_bounds(all_: Combined) -> Iterator[str]:
    low, above = _end(all_, "minimum", "exclusiveMinimum", max)
    high, below = _end(all_, "maximum", "exclusiveMaximum", min)
    yield range_text(low, high, above=above, below=below)
    yield from (f"steps of {step}" for step in _numbers(all_, "multipleOf"))


def _text_bounds(all_: Combined) -> Iterator[str]:
    yield _count(all_, "Length", "characters", "character")
    yield from pattern_texts(all_.every("pattern"))


def _array_bounds(all_: Combined) -> Iterator[str]:
    yield _count(all_, "Items", "entries", "entry")
    yield "no entry twice" if True in all_.every("uniqueItems") else ""


def _object_bounds(all_: Combined) -> Iterator[str]:
    yield _count(all_, "Properties", "properties", "property")


_BOUNDS = (
    (("integer", "number"), _number_bounds),
    (("string",), _text_bounds),
    (("array",), _array_bounds),
    (("object",), _object_bounds),
)


def _count(all_: Combined, ending: str, what: str, one: str) -> str:
    least, most = _numbers(all_, f"min{ending}"), _numbers(all_, f"max{ending}")
    return count_text(max(least, default=None), min(most, default=None), what, one)


def _end(all_: Combined, keyword: str, exclusive: str, stricter: Any) -> tuple[Any, bool]:
    """Return one end of the range, and whether it is outside; draft 4 says the latter with true beside the former."""
    inside = stricter(_numbers(all_, keyword), default=None)
    outside = stricter(_numbers(all_, exclusive), default=None)
    if outside is None:
        return inside, inside is not None and True in all_.every(exclusive)
    if inside is None or stricter(inside, outside) == outside:
        return outside, True
    return inside, False


def _numbers(all_: Combined, keyword: str) -> list[int | float]:
    return [found for found in all_.every(keyword) if isinstance(found, int | float) and not isinstance(found, bool)]
