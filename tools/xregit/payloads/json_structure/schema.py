"""JSON Structure: the SDK checks the document, and a JSON Schema that it is translated to the payloads.

Source: JSON Structure Core, and its validation addins.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import Any

import json_structure

from xregit.json_pointer import KeyPath
from xregit.model.excerpts import quote
from xregit.payloads.base import Document, Problem, SchemaError, json_value, resolve, too_deep
from xregit.payloads.json_schema import codec as json_schema
from xregit.payloads.json_schema.codec import JsonSchema

_METASCHEMAS = "https://json-structure.org/"
_JSON_SCHEMA = "JsonSchema/draft/2020-12"


def parse(document: Document) -> JsonSchema:
    """Return the type at a pointer or name in a document, as the JSON Schema that says the same.

    Raises:
        SchemaError: the document isn't a JSON Structure, or has no such type.
    """
    same = replace(document, content=translate(load(document)), format=_JSON_SCHEMA)
    return replace(json_schema.parse(same, formats=True), format=document.format)


def disagreements(document: Document) -> Iterator[Problem]:
    """Yield the problem of a ``$schema`` that is none of JSON Structure's, and defaults that are none of their type."""
    value = document.value()
    uri = value.get("$schema")
    if isinstance(uri, str) and not uri.startswith(_METASCHEMAS):
        message = f'"$schema" is {uri}, but the format is {document.format}'
        yield document.problem("format", message, "correct the one that is wrong", ("$schema",))
    yield from islice(find_mismatches(document, value, _DEFAULTS), _MAX_PROBLEMS)


# Keywords that describe and don't constrain. The SDK asks that a unit stands with a numeric type, and knows no
# "number or null"; half of all real documents have that.
_ANNOTATIONS = frozenset(("unit", "symbol", "currency", "altnames", "altenums", "descriptions"))
# Published documents leave these out, and the meaning is clear without them.
_MISMATCH = json_structure.error_codes.SCHEMA_CONSTRAINT_TYPE_MISMATCH
_LENIENT = frozenset(("SCHEMA_ROOT_MISSING_ID", "SCHEMA_EXTENSION_KEYWORD_NOT_ENABLED"))
# The SDK takes a number for the value of a wide type, which is a text; `constants` looks at these itself.
_OF_TYPE = re.compile(r"/enum\[\d+\]$")
_MAX_PROBLEMS = 20


def load(document: Document) -> Any:
    """Return a document's value, with imported definitions in it.

    Raises:
        SchemaError: it isn't a JSON Structure, or imports what isn't there.
    """
    value = document.value()
    if not isinstance(value, dict):
        raise SchemaError(document.problem("syntax", "a JSON Structure is an object", "write a type in braces"))
    missing: list[Problem] = []
    external = list(_load_imports(document, value, missing))
    if missing:
        raise SchemaError(*missing)
    content = copy.deepcopy(value)
    validator = json_structure.SchemaValidator(extended=True, allow_import=True, external_schemas=external)
    try:
        errors = [error for error in validator.validate(content) if _is_relevant(error)]
    except RecursionError:
        raise SchemaError(too_deep()) from None
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        problem = document.problem("syntax", f"the document is no JSON Structure: {error}", "correct it")
        raise SchemaError(problem) from error
    if errors:
        # The SDK reports some of them twice.
        raise SchemaError(*dict.fromkeys(_problem(document, error) for error in errors[:_MAX_PROBLEMS]))
    mismatches = tuple(islice(find_mismatches(document, value, _CONSTANTS), _MAX_PROBLEMS))
    if mismatches:
        raise SchemaError(*mismatches)
    return content


def _load_imports(document: Document, value: Any, missing: list[Problem]) -> Iterator[dict[str, Any]]:
    for path, reference in _find_imports(value, ()):
        content = document.fetch(resolve(document.uri, reference))
        if content is None:
            message = f'"{reference}" is imported, but not in this registry'
            help_ = "add it as a schema, or put its definitions here"
            missing.append(document.problem("reference", message, help_, path))
            continue
        imported = json_value(content)
        yield {**(imported if isinstance(imported, dict) else {}), "$id": reference}


def _find_imports(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in {"$import", "$importdefs"} and isinstance(item, str):
                yield (*path, key), item
            else:
                yield from _find_imports(item, (*path, key))


_INDEX = re.compile("[0-9]{1,9}")


def _is_relevant(error: Any) -> bool:
    last = str(error.path).rpartition("/")[2]
    return error.severity is json_structure.ValidationSeverity.ERROR and not (
        last in _ANNOTATIONS or error.code in _LENIENT or (error.code == _MISMATCH and _OF_TYPE.search(str(error.path)))
    )


def _problem(document: Document, error: Any) -> Problem:
    parts = str(error.path).removeprefix("#").split("/")[1:]
    path = tuple(int(part) if _INDEX.fullmatch(part) else part for part in parts)
    return document.problem("syntax", str(error.message), "write what JSON Structure allows there", path)


_CONSTANTS, _DEFAULTS = ("const", "enum"), ("default",)
_CHECKED_TYPES = frozenset((*_CONSTANTS, *_DEFAULTS, "examples"))
_CONSTANT_HELP = "write a value of that type, as its payloads have it"


def find_mismatches(document: Document, value: Any, keywords: tuple[str, ...], path: KeyPath = ()) -> Iterator[Problem]:
    """Yield the values of some keywords in a document that are none of their type."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from find_mismatches(document, item, keywords, (*path, number))
    if not isinstance(value, Mapping):
        return
    declared = value.get("type")
    types = tuple(declared) if isinstance(declared, list) else (declared,)
    if all(isinstance(name, str) and name in PRIMITIVES for name in types):
        for place, constant in _listed_values(value, keywords):
            if not any(_value_schema(name).accepts(constant) for name in types):
                message = f"{quote(constant)} is no value of the type {' or '.join(types)}"
                message += "" if keywords == _DEFAULTS else ", so that no payload can have it"
                kind = "doubt" if keywords == _DEFAULTS else "syntax"
                yield document.problem(kind, message, _CONSTANT_HELP, (*path, *place))
    for key, item in value.items():
        if key not in _CHECKED_TYPES or (isinstance(item, Mapping) and isinstance(item.get("type"), str)):
            yield from find_mismatches(document, item, keywords, (*path, key))


def _listed_values(schema: Mapping[str, Any], keywords: tuple[str, ...]) -> Iterator[tuple[KeyPath, Any]]:
    for keyword in keywords:
        value = schema.get(keyword)
        if keyword != "enum" and keyword in schema:
            yield (keyword,), value
        for number, item in enumerate(value if keyword == "enum" and isinstance(value, list) else ()):
            yield (keyword, number), item


@cache
def _value_schema(name: str) -> JsonSchema:
    document = Document(_JSON_SCHEMA, translate({"type": name}))
    return json_schema.parse(document, formats=True)


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
_LIST_TYPES = ("allOf", "anyOf", "oneOf")
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
    return any(isinstance(value.get(key), str | list) for key in ("type", "$ref", "enum", *_LIST_TYPES)) or (
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
    for key in _LIST_TYPES:
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
