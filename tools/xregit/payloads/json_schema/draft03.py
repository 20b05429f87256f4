"""The upgrade of JSON Schema draft-03 to draft-04; the library `jsonschema` checks what draft-03 allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.model.quoting import to_json
from xregit.payloads.json_schema.error_messages import Refusal, not_allowed, type_phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from xregit.json_pointer import KeyPath

ANY = "any"
TYPES = ("string", "number", "integer", "boolean", "object", "array", "null", ANY)
FORMATS = {"ip-address": "ipv4", "host-name": "hostname", "utc-millisec": ""}


def refusals(root: Any) -> Iterator[Refusal]:
    """Give what draft-03 does not allow in a schema; where a type may be a schema, that is an object."""
    from jsonschema import Draft3Validator

    for error in Draft3Validator(Draft3Validator.META_SCHEMA).iter_errors(root):
        path = tuple(error.absolute_path)
        if error.validator == "type":
            types = [name if isinstance(name, str) else "object" for name in _upgrade_list(error.validator_value)]
            yield not_allowed(path, error.instance, map(type_phrase, types))
        else:
            yield Refusal(path, error.message)
    yield from _unknown_types(root, ())


def _unknown_types(schema: Any, path: KeyPath) -> Iterator[Refusal]:
    """Give the types that draft-03 doesn't know; it allows others, which mean nothing to anybody else."""
    if not isinstance(schema, dict):
        return
    for name in ("type", "disallow"):
        listed = isinstance(schema.get(name), list)
        for index, item in enumerate(schema[name] if listed else (schema.get(name),)):
            if isinstance(item, str) and item not in TYPES:
                yield not_allowed((*path, name, index) if listed else (*path, name), item, map(to_json, TYPES))
    for place, inner in _schemas(schema):
        yield from _unknown_types(inner, (*path, *place))


def _schemas(schema: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Any]]:
    """Give what may be schemas inside a schema, with their places."""
    for name, value in schema.items():
        if name in _SCHEMA_MAPS and isinstance(value, dict):
            yield from (((name, key), item) for key, item in value.items())
        elif name in _SCHEMA_KEYWORDS and isinstance(value, list):
            yield from (((name, index), item) for index, item in enumerate(value))
        elif name in _SCHEMA_KEYWORDS:
            yield (name,), value


def upgrade(schema: Any) -> Any:
    """Return a schema of draft-03 that accepts the same under draft-04; what is no schema stays as it is."""
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for name, value in schema.items():
        made |= _KEYWORDS.get(name, _keep)(name, value)
    found = [*_upgrade_list(schema.get("extends")), *_union_types(schema.get("type"), "anyOf"), *_disallow(schema)]
    return {**made, "allOf": [*made.get("allOf", ()), *found]} if found else made


def _keep(name: str, value: Any) -> dict[str, Any]:
    return {name: value}


def _drop(name: str, value: Any) -> dict[str, Any]:  # noqa: ARG001 - said in another way, or of the object around it
    return {}


def _upgrade_one(name: str, value: Any) -> dict[str, Any]:
    return {name: [upgrade(item) for item in value] if isinstance(value, list) else upgrade(value)}


def _upgrade_each(name: str, value: Any) -> dict[str, Any]:
    return {name: {key: upgrade(item) for key, item in value.items()}} if isinstance(value, dict) else {name: value}


def _properties(name: str, value: Any) -> dict[str, Any]:
    """Return properties, and those that say that they are required as the list that draft-04 has on their object."""
    if not isinstance(value, dict):
        return {name: value}
    required = [key for key, item in value.items() if isinstance(item, dict) and item.get("required") is True]
    return _upgrade_each(name, value) | ({"required": required} if required else {})


def _dependencies(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {name: value}
    return {name: {key: [item] if isinstance(item, str) else upgrade(item) for key, item in value.items()}}


def _type(name: str, value: Any) -> dict[str, Any]:
    """Return the types where all of them are names; schemas among them become alternatives."""
    names = value if isinstance(value, list) else [value]
    plain = all(isinstance(item, str) and item != ANY for item in names) and names
    return {name: value} if plain else {}


def _format(name: str, value: Any) -> dict[str, Any]:
    found = FORMATS.get(value, value) if isinstance(value, str) else value
    return {name: found} if found != "" else {}


def _upgrade_list(value: Any) -> list[Any]:
    found = value if isinstance(value, list) else [] if value is None else [value]
    return [upgrade(item) for item in found]


def _union_types(value: Any, keyword: str) -> list[dict[str, Any]]:
    """Return what a list of types with schemas among them means, nothing where there are none or anything will do."""
    if not isinstance(value, list) or ANY in value or all(isinstance(item, str) for item in value):
        return []
    return [{keyword: [{"type": item} if isinstance(item, str) else upgrade(item) for item in value]}]


def _disallow(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    value = schema.get("disallow")
    if value is None:
        return []
    names = value if isinstance(value, list) else [value]
    if ANY in names:
        return [{"not": {}}]
    return [{"not": {"anyOf": [{"type": item} if isinstance(item, str) else upgrade(item) for item in names]}}]


_SCHEMA_MAPS = frozenset({"properties", "patternProperties", "definitions", "$defs", "dependencies"})
_SCHEMA_KEYWORDS = frozenset({"type", "disallow", "extends", "items", "additionalItems", "additionalProperties"})
_KEYWORDS: Mapping[str, Callable[[str, Any], dict[str, Any]]] = {
    "$schema": lambda name, _: {name: "http://json-schema.org/draft-04/schema#"},
    "required": _drop,
    "extends": _drop,
    "disallow": _drop,
    "divisibleBy": lambda _, value: {"multipleOf": value},
    "type": _type,
    "format": _format,
    "properties": _properties,
    "patternProperties": _upgrade_each,
    "definitions": _upgrade_each,
    "$defs": _upgrade_each,
    "dependencies": _dependencies,
    "items": _upgrade_one,
    "additionalItems": _upgrade_one,
    "additionalProperties": _upgrade_one,
}
