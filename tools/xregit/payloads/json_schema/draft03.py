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
    """Yield what draft-03 does not allow in a schema; where a type may be a schema, that is an object."""
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
    """Yield the types that draft-03 doesn't know; its metaschema allows any others, which no validator understands."""
    if not isinstance(schema, dict):
        return
    for name in ("type", "disallow"):
        is_list = isinstance(schema.get(name), list)
        for index, item in enumerate(schema[name] if is_list else (schema.get(name),)):
            if isinstance(item, str) and item not in TYPES:
                yield not_allowed((*path, name, index) if is_list else (*path, name), item, map(to_json, TYPES))
    for place, inner in _schemas(schema):
        yield from _unknown_types(inner, (*path, *place))


def _schemas(schema: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Any]]:
    """Yield what may be schemas inside a schema, with their places."""
    for name, value in schema.items():
        if name in _SCHEMA_MAPS and isinstance(value, dict):
            yield from (((name, key), item) for key, item in value.items())
        elif name in _SCHEMA_KEYWORDS and isinstance(value, list):
            yield from (((name, index), item) for index, item in enumerate(value))
        elif name in _SCHEMA_KEYWORDS:
            yield (name,), value


def upgrade(schema: Any) -> Any:
    """Return a schema of draft-03 that accepts the same under draft-04; anything else stays the same."""
    if not isinstance(schema, dict):
        return schema
    upgraded: dict[str, Any] = {}
    for name, value in schema.items():
        upgraded |= _KEYWORDS[name](name, value) if name in _KEYWORDS else {name: value}
    conditions = _upgrade_list(schema.get("extends"))
    types, disallowed = schema.get("type"), schema.get("disallow")
    if isinstance(types, list) and ANY not in types and not all(isinstance(item, str) for item in types):
        conditions.append(_any_of(types))
    if disallowed is not None:
        names = disallowed if isinstance(disallowed, list) else [disallowed]
        conditions.append({"not": {} if ANY in names else _any_of(names)})
    return {**upgraded, "allOf": [*upgraded.get("allOf", ()), *conditions]} if conditions else upgraded


def _any_of(types: list[Any]) -> dict[str, Any]:
    """Return a schema of values that are of one of some types, which may be schemas."""
    return {"anyOf": [{"type": item} if isinstance(item, str) else upgrade(item) for item in types]}


def _upgrade_list(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [] if value is None else [value]
    return [upgrade(item) for item in items]


def _drop(name: str, value: Any) -> dict[str, Any]:  # noqa: ARG001 - other keywords express it
    return {}


def _upgrade_schemas(name: str, value: Any) -> dict[str, Any]:
    return {name: [upgrade(item) for item in value] if isinstance(value, list) else upgrade(value)}


def _upgrade_mapping(name: str, value: Any) -> dict[str, Any]:
    return {name: {key: upgrade(item) for key, item in value.items()}} if isinstance(value, dict) else {name: value}


def _properties(name: str, value: Any) -> dict[str, Any]:
    """Return properties, and those that say that they are required as the list that draft-04 has on their object."""
    if not isinstance(value, dict):
        return {name: value}
    required = [key for key, item in value.items() if isinstance(item, dict) and item.get("required") is True]
    return _upgrade_mapping(name, value) | ({"required": required} if required else {})


def _dependencies(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {name: value}
    return {name: {key: [item] if isinstance(item, str) else upgrade(item) for key, item in value.items()}}


def _type(name: str, value: Any) -> dict[str, Any]:
    """Return the types where all of them are names; schemas among them become alternatives."""
    names = value if isinstance(value, list) else [value]
    all_names = all(isinstance(item, str) and item != ANY for item in names) and names
    return {name: value} if all_names else {}


def _format(name: str, value: Any) -> dict[str, Any]:
    renamed = FORMATS.get(value, value) if isinstance(value, str) else value
    return {name: renamed} if renamed != "" else {}


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
    "patternProperties": _upgrade_mapping,
    "definitions": _upgrade_mapping,
    "$defs": _upgrade_mapping,
    "dependencies": _dependencies,
    "items": _upgrade_schemas,
    "additionalItems": _upgrade_schemas,
    "additionalProperties": _upgrade_schemas,
}
