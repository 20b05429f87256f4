"""Doubts about a JSON Structure: names that are nearly keywords, which the SDK ignores, and defaults of wrong types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from json_structure import SchemaValidator

from xregit.model.quoting import cut, quote
from xregit.model.spelling import is_misspelled, is_slip
from xregit.payloads.json_structure.translator import PRIMITIVES, is_type

if TYPE_CHECKING:
    from xregit.json_pointer import KeyPath

Doubt = tuple["KeyPath", str, str]

_KEYWORDS = frozenset(
    {
        *SchemaValidator.RESERVED_KEYWORDS,
        *SchemaValidator.COMPOSITION_KEYWORDS,
        *SchemaValidator.NUMERIC_VALIDATION_KEYWORDS,
        *SchemaValidator.STRING_VALIDATION_KEYWORDS,
        *SchemaValidator.ARRAY_VALIDATION_KEYWORDS,
        *SchemaValidator.OBJECT_VALIDATION_KEYWORDS,
        *("$offers", "$import", "$importdefs", "contentEncoding", "contentMediaType", "contentCompression"),
        *("altnames", "altenums", "descriptions", "unit", "symbol", "currency", "deprecated", "title", "format"),
        *("readOnly", "writeOnly", "$comment", "example", "has", "minEntries", "maxEntries"),
    }
)
_HABITS: Mapping[str, str] = {
    "nullable": 'write "type": ["{type}", "null"]',
    "optional": 'leave it out: what is not in "required" is optional',
    "anyof": 'write "anyOf"',
    "patternProperties": 'write "type": "map" and "values"',
    "prefixItems": 'write "type": "tuple" and "tuple"',
    "$defs": 'write "definitions"',
}
_ONE = ("items", "values", "additionalProperties", "not", "if", "then", "else", "contains")
_LISTS = ("allOf", "anyOf", "oneOf")
_MAPPINGS = ("properties", "choices")


def doubts(document: Mapping[str, Any], accepts: Callable[[str, Any], bool]) -> Iterator[Doubt]:
    """Yield what is doubtful in a document that the SDK takes; ``accepts`` says whether a type has a value."""
    for path, schema in _types(document):
        declared = schema.get("type")
        types = declared if isinstance(declared, list) else [declared]
        for name, value in schema.items():
            if name in _HABITS and value is not False:
                help_ = _HABITS[name].format(type=declared if isinstance(declared, str) else "string")
                yield (*path, name), f'JSON Structure has no "{name}", so it is ignored', help_
            elif name not in _KEYWORDS and (near := _nearest(name, schema)):
                yield (*path, name), f'JSON Structure has no "{cut(name)}", so it is ignored', f'did you mean "{near}"'
        primitives = [item for item in types if isinstance(item, str) and item in PRIMITIVES]
        if "default" in schema and len(primitives) == len(types):
            value = schema["default"]
            if not any(accepts(item, value) for item in primitives):
                message = f"the default {quote(value)} is no value of the type {' or '.join(primitives)}"
                yield (*path, "default"), message, "write a value of that type, or leave it out"


def _nearest(name: str, schema: Mapping[str, Any]) -> str:
    near = (item for item in sorted(_KEYWORDS) if is_misspelled(name, item) or is_slip(name, item))
    return "" if name.startswith("x-") else next((item for item in near if item not in schema), "")


def _types(document: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Mapping[str, Any]]]:
    """Yield the types in a document with their paths, from its top; in definitions there are namespaces of them."""
    pending: list[tuple[KeyPath, Any, bool]] = [((), document, True)]
    while pending:
        path, value, is_schema = pending.pop()
        if not isinstance(value, Mapping):
            continue
        if is_schema:
            yield path, value
            tables = [((*path, key), value.get(key)) for key in _MAPPINGS]
            lists = [((*path, key), value.get(key)) for key in _LISTS]
            pending += [((*path, key), value[key], True) for key in _ONE if key in value]
            pending += [((*at, name), each, True) for at, table in tables for name, each in _entries(table)]
            pending += [((*at, index), each, True) for at, items in lists for index, each in _indexed(items)]
            pending.append(((*path, "definitions"), value.get("definitions"), False))
        else:
            pending += [
                ((*path, name), each, isinstance(each, Mapping) and is_type(each)) for name, each in value.items()
            ]


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    yield from value.items() if isinstance(value, Mapping) else ()


def _indexed(value: Any) -> Iterator[tuple[int, Any]]:
    yield from enumerate(value) if isinstance(value, list) else ()
