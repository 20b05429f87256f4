"""The translation of a JSON Structure to JSON Schema (JSON Structure Core, and its validation addins)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_BITS = (8, 16, 32, 64, 128)
# Numbers that JavaScript would round are written as text; real payloads have them as numbers too, so both are taken.
_WIDE = 64
_TYPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
    "number": {"type": "number"},
    "float8": {"type": "number", "format": "float"},
    "float": {"type": "number", "format": "float"},
    "double": {"type": "number", "format": "double"},
    "decimal": {"type": ["string", "number"], "format": "decimal", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "local-time", "pattern": r"^[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?$"},
    "duration": {"type": "string", "format": "duration"},
    "uuid": {"type": "string", "format": "uuid"},
    "uri": {"type": "string", "format": "uri-reference"},
    "binary": {"type": "string", "format": "byte", "pattern": r"^[A-Za-z0-9+/]*={0,2}$"},
    "jsonpointer": {"type": "string", "pattern": r"^#?(/.*)?$"},
    "object": {"type": "object"},
    "array": {"type": "array"},
    "set": {"type": "array", "uniqueItems": True},
    "map": {"type": "object"},
    "tuple": {"type": "array"},
    "choice": {},
    "any": {},
}
for _bits in _BITS:
    for _name, _least, _most in (
        (f"int{_bits}", -(2 ** (_bits - 1)), 2 ** (_bits - 1) - 1),
        (f"uint{_bits}", 0, 2**_bits - 1),
    ):
        _bounds: dict[str, Any] = {"format": _name, "minimum": _least, "maximum": _most}
        _TYPES[_name] = (
            {"type": ["string", "integer"], **_bounds, "pattern": "^-?[0-9]+$"}
            if _bits >= _WIDE
            else {"type": "integer", **_bounds}
        )
_TYPES["integer"] = {**_TYPES["int32"], "format": "int32"}

PRIMITIVES = _TYPES.keys() - {"object", "array", "set", "map", "tuple", "choice", "any"}

_SAME = (
    *("title", "description", "examples", "default", "enum", "const", "maxLength", "minLength", "pattern", "format"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"),
    *(
        "precision",
        "scale",
        "uniqueItems",
        "minContains",
        "maxContains",
        "minProperties",
        "maxProperties",
        "dependentRequired",
    ),
)
# Those of numbers that are written as text are texts themselves (JSON Structure Validation, "Numeric Validation").
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_MAX_DIGITS = 300
_RENAMED = {"minEntries": "minProperties", "maxEntries": "maxProperties"}
_LISTS = ("allOf", "anyOf", "oneOf")
_INNER = ("not", "if", "then", "else", "contains")


def translate(document: Any) -> Any:
    """Return the JSON Schema document of a JSON Structure document, its definitions in the same places."""
    root = _translate_type(document)
    if not isinstance(document, Mapping):
        return root
    schema: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", **root}
    if isinstance(document.get("definitions"), Mapping):
        schema["definitions"] = _translate_definitions(document["definitions"])
    if isinstance(document.get("$root"), str):
        schema["$ref"] = document["$root"]
    return schema


def _translate_definitions(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return definitions; those without a type are namespaces of further ones."""
    return {
        name: _translate_type(item) if is_type(item) else _translate_definitions(item)
        for name, item in table.items()
        if isinstance(item, Mapping)
    }


def is_type(value: Mapping[str, Any]) -> bool:
    """Return whether an entry of the definitions is a type, and no namespace of further ones."""
    return any(isinstance(value.get(key), str | list) for key in ("type", "$ref", "enum", *_LISTS)) or (
        isinstance(value.get("type"), Mapping) and "$ref" in value["type"]
    )


def _translate_type(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    schema = _type_schema(value.get("type"))
    schema |= {key: value[key] for key in _SAME if key in value}
    schema |= {key: _number(value[key]) for key in _BOUNDS if isinstance(value.get(key), str)}
    schema |= {new: value[old] for old, new in _RENAMED.items() if old in value}
    if isinstance(value.get("$ref"), str):
        schema["$ref"] = value["$ref"]
    for key in _LISTS:
        if isinstance(value.get(key), list):
            schema[key] = [_translate_type(item) for item in value[key]]
    schema |= {key: _translate_type(value[key]) for key in _INNER if key in value}
    return {**schema, **_content(value), **_inherited(value)}


def _number(text: str) -> Any:
    """Return the number that a text is; one that is none, or has no bounds, stays, for its schema to refuse."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return text
    if not number.is_finite() or abs(number.adjusted()) > _MAX_DIGITS:
        return text
    return int(number) if number == number.to_integral_value() else float(number)


def _type_schema(type_: Any) -> dict[str, Any]:
    if isinstance(type_, str):
        return dict(_TYPES.get(type_, {}))
    if isinstance(type_, Mapping):
        inner: dict[str, Any] = {"$ref": type_["$ref"]} if "$ref" in type_ else _translate_type(type_)
        return inner
    if isinstance(type_, list):
        branches = [_type_schema(item) for item in type_]
        return _nullable(branches) or {"anyOf": branches}
    return {}


def _nullable(branches: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return one of two types with null added to it, where the other is null."""
    others = [branch for branch in branches if branch != {"type": "null"}]
    if len(others) != 1 or len(branches) == 1 or "type" not in others[0]:
        return None
    type_ = others[0]["type"]
    return {**others[0], "type": [*(type_ if isinstance(type_, list) else [type_]), "null"]}


def _content(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a compound type says of what is inside."""
    type_ = value.get("type")
    schema: dict[str, Any] = {}
    properties = value.get("properties")
    inner = (
        {name: _translate_type(item) for name, item in properties.items()} if isinstance(properties, Mapping) else {}
    )
    if type_ == "tuple":
        order = [name for name in value.get("tuple", ()) if name in inner]
        return {"prefixItems": [inner[name] for name in order], "minItems": len(order), "maxItems": len(order)}
    if type_ == "choice":
        return _choice(value)
    if inner:
        schema["properties"] = inner
    schema |= _required(value.get("required"))
    for old, new in (("items", "items"), ("values", "additionalProperties"), ("additionalProperties",) * 2):
        if old in value:
            schema[new] = _translate_type(value[old])
    return schema


def _required(names: Any) -> dict[str, Any]:
    """Return the required names; lists of names are alternatives."""
    if not isinstance(names, list) or not names:
        return {}
    if isinstance(names[0], list):
        return {"anyOf": [{"required": group} for group in names]}
    return {"required": names}


def _choice(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tagged union, ``{"name": …}``, or an inline one, whose selector is a property beside the others."""
    choices = value.get("choices")
    if not isinstance(choices, Mapping):
        return {}
    selector = value.get("selector")
    branches = []
    for name, item in choices.items():
        inner = _translate_type(item)
        if isinstance(selector, str):
            tag = {"type": "object", "properties": {selector: {"const": name}}, "required": [selector]}
            branches.append({"title": name, "allOf": [tag, inner]})
        else:
            properties = {name: inner}
            branch = {"title": name, "type": "object", "properties": properties, "required": [name]}
            branches.append({**branch, "additionalProperties": False})
    return {"oneOf": branches}


def _inherited(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a type inherits by ``$extends``, whose bases forbid nothing that it adds."""
    bases = value.get("$extends")
    pointers = [bases] if isinstance(bases, str) else bases if isinstance(bases, list) else []
    if not pointers or value.get("type") == "choice":
        return {}
    return {"allOf": [{"$ref": pointer} for pointer in pointers if isinstance(pointer, str)]}
