"""Walks through the subschemas of a JSON Schema: where its references stand, and how much work it makes."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.payloads.shapes import Problem, SchemaError, too_far

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xregit.keypaths import KeyPath


# Keywords by what they hold: one schema, a list of schemas or a mapping of schemas; those of the first table apply to
# the same value as the schema that holds them.
SAME_VALUE = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"))
_ONE = (
    *("not", "if", "then", "else", "items", "additionalItems", "contains", "additionalProperties", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_MAPPINGS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_KEYWORDS = frozenset((*_ONE, *_LISTS, *_MAPPINGS))
# Checking one value may look at this many subschemas: real ones stay far below, a bomb of references far above.
_MAX_COST = 100_000


def subschemas(schema: Any) -> Iterator[tuple[str, KeyPath, Any]]:
    """Give the schemas directly inside a schema, each with its keyword and its path."""
    if not isinstance(schema, dict):
        return
    for keyword in [name for name in schema if name in _KEYWORDS]:
        for path, inner in _held(keyword, schema[keyword]):
            if isinstance(inner, dict | bool):
                yield keyword, path, inner


def _held(keyword: str, value: Any) -> Iterator[tuple[KeyPath, Any]]:
    if keyword in _ONE and not isinstance(value, list):
        yield (keyword,), value
    elif keyword in _LISTS and isinstance(value, list):
        yield from (((keyword, index), item) for index, item in enumerate(value))
    elif keyword in _MAPPINGS and isinstance(value, dict):
        yield from (((keyword, name), item) for name, item in value.items())


def rebuilt(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a copy of a schema with each direct subschema replaced by what ``change`` makes of it."""
    made = dict(schema)
    for keyword, step, inner in subschemas(schema):
        if len(step) == 1:
            made[keyword] = change(inner)
            continue
        if made[keyword] is schema[keyword]:
            made[keyword] = copy(schema[keyword])
        made[keyword][step[1]] = change(inner)
    return made


def references(schema: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Give each ``$ref`` and its path, but for those below another ``$id``, which are relative to that one."""
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        yield (*path, "$ref"), schema["$ref"]
    for _, step, inner in subschemas(schema):
        if not (isinstance(inner, dict) and ("$id" in inner or "id" in inner)):
            yield from references(inner, (*path, *step))


def most_branches(schema: Any) -> int:
    """Return with how many subschemas at most one value is compared by one keyword."""
    held = (len(schema[key]) for key in ("allOf", "anyOf", "oneOf") if isinstance(schema, dict) and key in schema)
    return max((1, *held, *(most_branches(inner) for _, _, inner in subschemas(schema))))


def recurs(root: Any, resolver: jsonschema_rs.Resolver) -> bool:
    """Tell whether a schema leads back to itself, so that the work grows with the depth of the value.

    Raises:
        SchemaError: its references multiply, so that even a flat value would be compared with too many subschemas, or
            lead from one to the next without end.
    """
    cost = _Cost()
    try:
        cost.of(root, resolver)
    except RecursionError:
        raise SchemaError(too_far()) from None
    return cost.recurs


class _Cost:
    """How many subschemas apply to one value, summed up once for each reference."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], int] = {}
        self.open: set[tuple[str, str]] = set()
        self.recurs = False

    def of(self, schema: Any, resolver: jsonschema_rs.Resolver) -> int:
        inner = ((keyword, self.of(item, resolver)) for keyword, _, item in subschemas(schema))
        total = 1 + sum(cost for keyword, cost in inner if keyword in SAME_VALUE)
        if isinstance(schema, dict) and not schema.keys().isdisjoint(_DYNAMIC):
            self.recurs = True
        if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            total += self.of_reference(schema["$ref"], resolver)
        if total > _MAX_COST:
            message = f"one value would be compared with more than {_MAX_COST} subschemas"
            raise SchemaError(Problem("syntax", message, "let fewer references lead to the same schema"))
        return total

    def of_reference(self, reference: str, resolver: jsonschema_rs.Resolver) -> int:
        key = (resolver.base_uri, reference)
        self.recurs = self.recurs or key in self.open
        if key not in self.known:
            self.known[key] = 0  # a schema that leads back to itself costs nothing more
            try:
                found = resolver.lookup(reference)
            except (ValueError, jsonschema_rs.ReferencingError):
                return 0
            self.open.add(key)
            self.known[key] = self.of(found.contents, found.resolver)
            self.open.discard(key)
        return self.known[key]
