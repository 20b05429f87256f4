"""The loader of JSON Structure: the SDK checks the document, an equivalent JSON Schema the payloads."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import json_structure

from xregit.model.quoting import quote
from xregit.payloads.base import Document, Problem, SchemaError, json_value, resolve, too_deep
from xregit.payloads.json_schema import codec as json_schema
from xregit.payloads.json_structure.doubts import doubts
from xregit.payloads.json_structure.translator import PRIMITIVES, translate

if TYPE_CHECKING:
    from xregit.json_pointer import KeyPath
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
    """Yield the problem of a ``$schema`` that is none of JSON Structure's, and doubts."""
    value = document.value()
    uri = value.get("$schema")
    if isinstance(uri, str) and not uri.startswith(_METASCHEMAS):
        message = f'"$schema" is {uri}, but the format is {document.format}'
        yield document.problem("format", message, "correct the one that is wrong", ("$schema",))
    for path, message, help_ in islice(doubts(value, _accepts), _MAX_PROBLEMS):
        yield document.problem("doubt", message, help_, path)


def _accepts(type_: str, value: Any) -> bool:
    return _value_schema(type_).accepts(value)


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
    mismatches = tuple(islice(find_mismatches(document, value), _MAX_PROBLEMS))
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


_CHECKED_TYPES = frozenset(("const", "enum", "default", "examples"))
_CONSTANT_HELP = "write a value of that type, as its payloads have it"


def find_mismatches(document: Document, value: Any, path: tuple[str | int, ...] = ()) -> Iterator[Problem]:
    """Yield the constants in a document, and the values in its enumerations, that are none of their type."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from find_mismatches(document, item, (*path, number))
    if not isinstance(value, Mapping):
        return
    declared = value.get("type")
    types = tuple(declared) if isinstance(declared, list) else (declared,)
    if all(isinstance(name, str) and name in PRIMITIVES for name in types):
        for place, constant in _listed_values(value):
            if not any(_value_schema(name).accepts(constant) for name in types):
                message = (
                    f"{quote(constant)} is no value of the type {' or '.join(types)}, so that no payload can have it"
                )
                yield document.problem("syntax", message, _CONSTANT_HELP, (*path, *place))
    for key, item in value.items():
        if key not in _CHECKED_TYPES or (isinstance(item, Mapping) and isinstance(item.get("type"), str)):
            yield from find_mismatches(document, item, (*path, key))


def _listed_values(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if "const" in schema:
        yield ("const",), schema["const"]
    values = schema.get("enum")
    for number, item in enumerate(values if isinstance(values, list) else ()):
        yield ("enum", number), item


@cache
def _value_schema(name: str) -> JsonSchema:
    document = Document(_JSON_SCHEMA, translate({"type": name}))
    return json_schema.parse(document, formats=True)
