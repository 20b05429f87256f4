"""Keywords of single values: does what one schema says imply the bound, pattern or list that another states?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from xregit.payloads.compatibility.jsonschema.said import NUMBERS, Said, is_number, types

# Each takes what is written, and the schema that reads; it says whether the keyword follows from what is written.
Implied = Callable[[Said, Mapping[str, Any]], bool]


def _lower(schema: Mapping[str, Any]) -> Iterator[tuple[float, bool]]:
    """Give least values, each with whether it is excluded; draft 04 says so beside it."""
    least, beyond = schema.get("minimum"), schema.get("exclusiveMinimum")
    if is_number(least):
        yield least, beyond is True
    if is_number(beyond):
        yield beyond, True


def _upper(schema: Mapping[str, Any]) -> Iterator[tuple[float, bool]]:
    most, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    if is_number(most):
        yield -most, below is True
    if is_number(below):
        yield -below, True


def _bounded(bounds: Callable[[Mapping[str, Any]], Iterator[tuple[float, bool]]]) -> Implied:
    def implied(said: Said, read: Mapping[str, Any]) -> bool:
        stated = [bound for schema in said.schemas for bound in bounds(schema)]
        return all(
            any(value > due or (value == due and (strict or not excluded)) for value, strict in stated)
            for due, excluded in bounds(read)
        )

    return implied


def _at_least(keyword: str) -> Implied:
    def implied(said: Said, read: Mapping[str, Any]) -> bool:
        known = said.largest(keyword)
        due = read[keyword]
        if keyword == "minProperties":
            known = max(known or 0, len(said.required))
        return bool(due <= 0 or (known is not None and known >= due))

    return implied


def _at_most(keyword: str) -> Implied:
    def implied(said: Said, read: Mapping[str, Any]) -> bool:
        known = said.smallest(keyword)
        return known is not None and known <= read[keyword]

    return implied


def _stated(keyword: str) -> Implied:
    """Return whether the very same is stated; what refers elsewhere may mean something else there."""

    def implied(said: Said, read: Mapping[str, Any]) -> bool:
        due = _text(read[keyword])
        return '"$ref"' not in due and any(_text(item) == due for item in said.stated(keyword))

    return implied


def _multiple(said: Said, read: Mapping[str, Any]) -> bool:
    due = read["multipleOf"]
    if not isinstance(due, int):
        return any(item == due for item in said.stated("multipleOf"))
    whole = "fraction" not in said.types and due == 1
    return whole or any(isinstance(item, int) and item % due == 0 for item in said.stated("multipleOf"))


def _unique(said: Said, read: Mapping[str, Any]) -> bool:
    most = said.smallest("maxItems")
    return read["uniqueItems"] is not True or True in said.stated("uniqueItems") or (most is not None and most <= 1)


def _type(said: Said, read: Mapping[str, Any]) -> bool:
    return said.types <= types(dict(read))


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


# Keyword → the types that it is about, the kind of change, and what tells whether it follows.
SINGLE: Mapping[str, tuple[frozenset[str], str, Implied]] = {
    "minimum": (NUMBERS, "bound", _bounded(_lower)),
    "exclusiveMinimum": (NUMBERS, "bound", _bounded(_lower)),
    "maximum": (NUMBERS, "bound", _bounded(_upper)),
    "exclusiveMaximum": (NUMBERS, "bound", _bounded(_upper)),
    "multipleOf": (NUMBERS, "bound", _multiple),
    "minLength": (frozenset(("string",)), "length", _at_least("minLength")),
    "maxLength": (frozenset(("string",)), "length", _at_most("maxLength")),
    "pattern": (frozenset(("string",)), "pattern", _stated("pattern")),
    "minItems": (frozenset(("array",)), "length", _at_least("minItems")),
    "maxItems": (frozenset(("array",)), "length", _at_most("maxItems")),
    "uniqueItems": (frozenset(("array",)), "unique", _unique),
    "minProperties": (frozenset(("object",)), "length", _at_least("minProperties")),
    "maxProperties": (frozenset(("object",)), "length", _at_most("maxProperties")),
    "propertyNames": (frozenset(("object",)), "condition", _stated("propertyNames")),
    "dependencies": (frozenset(("object",)), "condition", _stated("dependencies")),
    "dependentRequired": (frozenset(("object",)), "condition", _stated("dependentRequired")),
    "dependentSchemas": (frozenset(("object",)), "condition", _stated("dependentSchemas")),
}


def same(said: Said, read: Mapping[str, Any], keywords: tuple[str, ...]) -> bool:
    """Tell whether one of the written schemas says the same with some keywords that belong together."""
    due = _text({name: read.get(name) for name in keywords})
    texts = (_text({name: schema.get(name) for name in keywords}) for schema in said.schemas)
    return '"$ref"' not in due and due in texts


def type_follows(said: Said, read: Mapping[str, Any]) -> bool:
    """Tell whether all types that may be written are read."""
    return _type(said, read)
