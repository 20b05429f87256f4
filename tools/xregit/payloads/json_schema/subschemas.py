"""The subschemas of a JSON Schema: those inside it, and the work that they make.

Each level of a value may be compared with several branches, each of which compares the next level with all branches
again: the work doubles with every level. A keyword of our own, in every subschema, counts and ends that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from xregit.json_pointer import KeyPath
from xregit.payloads.base import Problem, SchemaError, too_deep

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
    """Yield the schemas directly inside a schema, each with its keyword and its path."""
    if not isinstance(schema, dict):
        return
    for keyword in [name for name in schema if name in _KEYWORDS]:
        for path, inner in _values_of(keyword, schema[keyword]):
            if isinstance(inner, dict | bool):
                yield keyword, path, inner


def _values_of(keyword: str, value: Any) -> Iterator[tuple[KeyPath, Any]]:
    if keyword in _ONE and not isinstance(value, list):
        yield (keyword,), value
    elif keyword in _LISTS and isinstance(value, list):
        yield from (((keyword, index), item) for index, item in enumerate(value))
    elif keyword in _MAPPINGS and isinstance(value, dict):
        yield from (((keyword, name), item) for name, item in value.items())


def map_subschemas(schema: dict[str, Any], function: Callable[[Any], Any]) -> dict[str, Any]:
    """Return a copy of a schema with each direct subschema replaced by what a function returns for it."""
    mapped = dict(schema)
    for keyword, step, inner in subschemas(schema):
        if len(step) == 1:
            mapped[keyword] = function(inner)
            continue
        if mapped[keyword] is schema[keyword]:
            mapped[keyword] = copy(schema[keyword])
        mapped[keyword][step[1]] = function(inner)
    return mapped


def references(schema: Any, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Yield each ``$ref`` and its path, but for those below another ``$id``, which are relative to that one."""
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        yield (*path, "$ref"), schema["$ref"]
    for _, step, inner in subschemas(schema):
        if not (isinstance(inner, dict) and ("$id" in inner or "id" in inner)):
            yield from references(inner, (*path, *step))


def max_branches(schema: Any) -> int:
    """Return the largest number of subschemas that one keyword compares a value with."""
    counts = (len(schema[key]) for key in ("allOf", "anyOf", "oneOf") if isinstance(schema, dict) and key in schema)
    return max((1, *counts, *(max_branches(inner) for _, _, inner in subschemas(schema))))


def count_patterns(schema: Any) -> int:
    """Return how many patterns stand in a schema, of values and of names."""
    if not isinstance(schema, dict):
        return 0
    names = schema.get("patternProperties")
    own = ("pattern" in schema) + (len(names) if isinstance(names, dict) else 0)
    return own + sum(count_patterns(inner) for _, _, inner in subschemas(schema))


def measure(root: Any, resolver: jsonschema_rs.Resolver) -> tuple[int, bool]:
    """Return how many subschemas one value may be compared with, and whether a schema leads back to itself.

    If it does, the work grows with the depth of the value.

    Raises:
        SchemaError: its references multiply, so that even a flat value would be compared with too many subschemas, or
            lead from one to the next without end.
    """
    counter = _CostCounter()
    try:
        counter.count(root, resolver)
    except RecursionError:
        raise SchemaError(too_deep()) from None
    return counter.largest, counter.recurs


class _CostCounter:
    """How many subschemas apply to one value, summed up once for each reference."""

    def __init__(self) -> None:
        self.costs: dict[tuple[str, str], int] = {}
        self.unfinished: set[tuple[str, str]] = set()
        self.recurs = False
        self.largest = 1

    def count(self, schema: Any, resolver: jsonschema_rs.Resolver) -> int:
        inner = ((keyword, self.count(item, resolver)) for keyword, _, item in subschemas(schema))
        total = 1 + sum(cost for keyword, cost in inner if keyword in SAME_VALUE)
        if isinstance(schema, dict) and not schema.keys().isdisjoint(_DYNAMIC):
            self.recurs = True
        if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            total += self.count_reference(schema["$ref"], resolver)
        if total > _MAX_COST:
            message = f"one value would be compared with more than {_MAX_COST} subschemas"
            raise SchemaError(Problem("syntax", message, "let fewer references lead to the same schema"))
        self.largest = max(self.largest, total)
        return total

    def count_reference(self, reference: str, resolver: jsonschema_rs.Resolver) -> int:
        key = (resolver.base_uri, reference)
        self.recurs = self.recurs or key in self.unfinished
        if key not in self.costs:
            self.costs[key] = 0  # a schema that leads back to itself costs nothing more
            try:
                target = resolver.lookup(reference)
            except (ValueError, jsonschema_rs.ReferencingError):
                return 0
            self.unfinished.add(key)
            self.costs[key] = self.count(target.contents, target.resolver)
            self.unfinished.discard(key)
        return self.costs[key]


STEP_KEYWORD = "x-xregit-step"
MAX_STEPS = 200_000


@dataclass(slots=True)
class StepBudget:
    """How many subschemas one value may still be compared with."""

    remaining: int = MAX_STEPS

    def keywords(self) -> dict[str, Any]:
        """Return the keyword for the library: a class that it makes an object of wherever the keyword stands."""
        steps = self

        class Step:
            def __init__(self, _schema: Any, _value: Any, _path: Any) -> None:
                """Ignore the schema around the keyword."""

            def validate(self, _value: Any) -> None:
                """Count one use; an error ends the walk, since the library takes the value for one that isn't valid."""
                steps.remaining -= 1
                if steps.remaining < 0:
                    raise ValueError

        return {STEP_KEYWORD: Step}


def add_steps(schema: Any) -> Any:
    """Return a schema with the keyword in all subschemas except beside ``$ref``, where old drafts ignore all else."""
    if not isinstance(schema, dict):
        return schema
    return map_subschemas(schema if "$ref" in schema else {STEP_KEYWORD: True, **schema}, add_steps)
