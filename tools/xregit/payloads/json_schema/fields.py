"""The fields and bounds that a JSON Schema describes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.payloads.fields import (
    MAX_FIELDS,
    MORE_FIELDS,
    Field,
    beyond_type,
    count_text,
    has_budget,
    pattern_texts,
    range_text,
    with_budget,
)
from xregit.payloads.json_schema.subschemas import Combined, Node, combine, root_node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.json_schema.schema import Loaded

# The types that ``format`` alone implies (OpenAPI's format registry); JSON Structure's types have the same names here.
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
# The types of strings by ``format``.
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
# JSON Structure's keywords for decimals.
_DIGITS = ("precision", "scale")


@with_budget(MAX_FIELDS)
def fields(loaded: Loaded, pointer: str) -> tuple[Field, ...]:
    """Return the properties of an object schema; the one value without a name where it isn't an object."""
    root = _field("", (root_node(loaded, pointer),), required=True)
    return root.fields if root.type == "record" else (root,)


def _field(name: str, nodes: tuple[Node, ...], *, required: bool, cut: bool = False) -> Field:
    """Return a value's field; ``cut`` says that it is an alternative of what is reached again."""
    if not has_budget():
        return MORE_FIELDS
    schema = combine(*nodes)
    schema = replace(schema, cut=schema.cut or cut)
    types = [item for item in schema.types() if item != "null"]
    accepts_all = any(not node.schema for node in schema.branches())
    branches = [node for node in schema.branches() if _describes(node)] if not accepts_all else []
    nullable = "null" in schema.types() or any(_is_null(node) for node in schema.branches())
    attributes: dict[str, Any] = {"required": required, "nullable": nullable, "description": _description(schema)}
    alternatives = [node for node in branches if not _is_null(node)]
    if alternatives and schema.first("properties") is None:
        return _union_field(name, schema, alternatives, attributes)
    values = schema.first("enum") if schema.first("const") is None else [schema.first("const")]
    if isinstance(values, list):
        attributes["nullable"] = nullable or None in values
        return Field(
            name, "enum", _declared_type(schema, types), values=tuple(v for v in values if v is not None), **attributes
        )
    if schema.first("format") in _FORMAT_TYPES and types:
        attributes["limits"] = beyond_type(bound_texts(schema, *types))
        attributes |= {key: schema.first(key) for key in _DIGITS if type(schema.first(key)) is int}
        return Field(name, _FORMAT_TYPES[schema.first("format")], str(schema.first("format")), **attributes)
    if len(types) > 1:
        members = (_field_of_type(item, schema, item, {"required": True}) for item in types)
        return Field(name, "union", fields=tuple(members), **attributes)
    return _field_of_type(name, schema, types[0] if types else "any", attributes)


def _union_field(name: str, schema: Combined, alternatives: list[Node], attributes: dict[str, Any]) -> Field:
    if len(alternatives) == 1 and _is_recursive(alternatives[0]):
        return Field(name, "union", recursive=True, **attributes)
    if len(alternatives) > 1:
        return Field(
            name, "union", fields=tuple(_branch_field(node, cut=schema.cut) for node in alternatives), **attributes
        )
    inner = _field(name, (*_without_branches(schema), *alternatives), required=attributes["required"], cut=schema.cut)
    nullable, description = attributes["nullable"] or inner.nullable, attributes["description"] or inner.description
    return replace(inner, nullable=nullable, description=description)


def _without_branches(schema: Combined) -> tuple[Node, ...]:
    """Return the schemas of the layers without their alternatives, references and parts, which stand there too."""
    dropped = {"anyOf", "oneOf", "allOf", "$ref"}
    return tuple(node.at({k: v for k, v in node.schema.items() if k not in dropped}) for node in schema.nodes)


def _field_of_type(name: str, schema: Combined, type_: str, attributes: dict[str, Any]) -> Field:
    native = _declared_type(schema, [type_] if type_ != "any" else [])
    attributes = {**attributes, "limits": bound_texts(schema, type_)}
    if type_ == "object":
        return _object_field(name, schema, native, attributes)
    if type_ == "array":
        item = schema.inner("items")
        inner = _field("item", (item,), required=True) if item and not schema.cut else Field("item", "any")
        return Field(name, "array", native, fields=(inner,), recursive=schema.cut, **attributes)
    return Field(name, _FORMATS.get((type_, str(schema.first("format"))), type_), native, **attributes)


def _object_field(name: str, schema: Combined, native: str, attributes: dict[str, Any]) -> Field:
    properties = schema.properties()
    if schema.cut:
        return Field(name, "record", native, recursive=True, **attributes)
    if properties:
        required = schema.required()
        members = (_field(key, (node,), required=key in required) for key, node in properties.items())
        return Field(name, "record", native, fields=tuple(members), **attributes)
    value = schema.inner("additionalProperties")
    inner = _field("value", (value,), required=True) if value else Field("value", "any", required=True)
    return Field(name, "map", native, fields=(inner,), **attributes)


def _branch_field(node: Node, *, cut: bool) -> Field:
    schema = combine(node)
    name = schema.first("title") or node.schema.get("$ref", "").rpartition("/")[2] or "/".join(schema.types())
    if _is_recursive(node):
        return Field(str(name), "union", required=True, recursive=True)
    return _field(str(name), (node,), required=True, cut=cut)


def _is_recursive(node: Node) -> bool:
    """Return whether an alternative is nothing but the alternatives that it is one of."""
    schema = combine(node)
    return schema.cut and bool(schema.branches()) and schema.first("properties") is None


def _describes(node: Node) -> bool:
    """Return whether an alternative says what a value is, and not only which properties must be there."""
    schema = combine(node)
    return any(schema.first(key) is not None for key in ("type", "properties", "enum", "const", "items")) or schema.cut


def _is_null(node: Node) -> bool:
    schema = combine(node)
    return schema.types() == ("null",) or schema.first("enum") == [None] or node.schema.get("const", "") is None


def _declared_type(schema: Combined, types: list[str]) -> str:
    parts = ["/".join(types), *(str(schema.first(key)) for key in ("format", "contentEncoding") if schema.first(key))]
    return ", ".join(part for part in parts if part)


def _description(schema: Combined) -> str:
    return next((text for text in schema.every("description") if isinstance(text, str)), "")


def bound_texts(schema: Combined, *types: str) -> tuple[str, ...]:
    """Return the words for bounds, steps, patterns and lengths of these types in schemas that apply at once.

    An example is ("0 to 100", "steps of 5"). Keywords for other types are left out, unless the type is "any".
    """
    functions = [function for kind, function in _BOUNDS if not {*kind, "any"}.isdisjoint(types)]
    return tuple(words for function in functions for words in function(schema) if words)


def _number_bounds(schema: Combined) -> Iterator[str]:
    low, above = _end(schema, "minimum", "exclusiveMinimum", max)
    high, below = _end(schema, "maximum", "exclusiveMaximum", min)
    yield range_text(low, high, above=above, below=below)
    yield from (f"steps of {step}" for step in _numbers(schema, "multipleOf"))


def _text_bounds(schema: Combined) -> Iterator[str]:
    yield _count(schema, "Length", "characters", "character")
    yield from pattern_texts(schema.every("pattern"))


def _array_bounds(schema: Combined) -> Iterator[str]:
    yield _count(schema, "Items", "entries", "entry")
    yield "no entry twice" if True in schema.every("uniqueItems") else ""


def _object_bounds(schema: Combined) -> Iterator[str]:
    yield _count(schema, "Properties", "properties", "property")


_BOUNDS = (
    (("integer", "number"), _number_bounds),
    (("string",), _text_bounds),
    (("array",), _array_bounds),
    (("object",), _object_bounds),
)


def _count(schema: Combined, ending: str, plural: str, singular: str) -> str:
    least, most = _numbers(schema, f"min{ending}"), _numbers(schema, f"max{ending}")
    return count_text(max(least, default=None), min(most, default=None), plural, singular)


def _end(schema: Combined, keyword: str, exclusive: str, stricter: Any) -> tuple[Any, bool]:
    """Return one end of the range, and whether it is outside; draft 4 says the latter with true beside the former."""
    inner = stricter(_numbers(schema, keyword), default=None)
    outer = stricter(_numbers(schema, exclusive), default=None)
    if outer is None:
        return inner, inner is not None and True in schema.every(exclusive)
    if inner is None or stricter(inner, outer) == outer:
        return outer, True
    return inner, False


def _numbers(schema: Combined, keyword: str) -> list[int | float]:
    return [item for item in schema.every(keyword) if isinstance(item, int | float) and not isinstance(item, bool)]
