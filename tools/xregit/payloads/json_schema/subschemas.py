"""The subschemas of a JSON Schema: those inside it, those that apply together, and the work that they make.

Each level of a value may be compared with several branches, each of which compares the next level with all branches
again: the work doubles with every level. A keyword of our own, in every subschema, counts and ends that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.payloads.base import Problem, SchemaError, too_deep

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.json_pointer import KeyPath
    from xregit.payloads.json_schema.schema import Loaded

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


def map_subschemas(schema: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
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


def max_branches(schema: Any) -> int:
    """Return with how many subschemas at most one value is compared by one keyword."""
    held = (len(schema[key]) for key in ("allOf", "anyOf", "oneOf") if isinstance(schema, dict) and key in schema)
    return max((1, *held, *(max_branches(inner) for _, _, inner in subschemas(schema))))


def recurs(root: Any, resolver: jsonschema_rs.Resolver) -> bool:
    """Tell whether a schema leads back to itself, so that the work grows with the depth of the value.

    Raises:
        SchemaError: its references multiply, so that even a flat value would be compared with too many subschemas, or
            lead from one to the next without end.
    """
    cost = _CostCounter()
    try:
        cost.of(root, resolver)
    except RecursionError:
        raise SchemaError(too_deep()) from None
    return cost.recurs


class _CostCounter:
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


STEP_KEYWORD = "x-xregit-step"
MAX_STEPS = 200_000


@dataclass(slots=True)
class StepBudget:
    """How many subschemas one value may still be compared with."""

    left: int = MAX_STEPS

    def keywords(self) -> dict[str, Any]:
        """Return the keyword for the library: a class that it makes an object of wherever the keyword stands."""
        steps = self

        class Step:
            def __init__(self, _schema: Any, _value: Any, _path: Any) -> None:
                """Need nothing of the schema around it."""

            def validate(self, _value: Any) -> None:
                """Count one use; the library takes the error for a value that isn't valid, and goes no deeper."""
                steps.left -= 1
                if steps.left < 0:
                    raise ValueError

        return {STEP_KEYWORD: Step}


def add_steps(schema: Any) -> Any:
    """Return a schema with the keyword in all subschemas except beside ``$ref``, where old drafts ignore all else."""
    if not isinstance(schema, dict):
        return schema
    return map_subschemas(schema if "$ref" in schema else {STEP_KEYWORD: True, **schema}, add_steps)


# Keywords that imply a type where none is stated.
_IMPLIED = {"properties": "object", "required": "object", "additionalProperties": "object", "items": "array"}
_MAX_COMBINED = 200


@dataclass(frozen=True, slots=True)
class Node:
    """A schema, the document it stands in, what its references are relative to, and those that led to it."""

    schema: Any
    loaded: Loaded
    resolver: jsonschema_rs.Resolver
    trail: tuple[str, ...] = ()

    def at(self, schema: Any) -> Node:
        """Return a schema that stands inside this one."""
        return replace(self, schema=schema)

    def to(self, reference: str) -> Node | None:
        """Return the schema that a reference leads to, or None."""
        try:
            found = self.loaded.lookup(reference, self.resolver)
        except LookupError:
            return None
        fragment = reference.partition("#")[2]
        uri = found.resolver.base_uri
        schema = self.loaded.written(uri, fragment, found.contents)
        return Node(schema, self.loaded, found.resolver, (*self.trail, f"{uri}#{fragment}"))


@dataclass(frozen=True, slots=True)
class Combined:
    """All schemas that one value must satisfy at once, the outermost first; ``cut`` where they lead back to a trail."""

    nodes: tuple[Node, ...]
    cut: bool = False

    def first(self, keyword: str) -> Any:
        """Return what the first of them says with a keyword, or None."""
        return next((node.schema[keyword] for node in self.nodes if keyword in node.schema), None)

    def every(self, keyword: str) -> Iterator[Any]:
        """Give what each of them says with a keyword."""
        return (node.schema[keyword] for node in self.nodes if keyword in node.schema)

    def inner(self, keyword: str) -> Node | None:
        """Return the first schema under a keyword."""
        found = (node.at(node.schema[keyword]) for node in self.nodes if isinstance(node.schema.get(keyword), dict))
        return next(found, None)

    def properties(self) -> dict[str, Node]:
        """Return the properties that any of them describes; the first description counts."""
        found: dict[str, Node] = {}
        for node in self.nodes:
            table = node.schema.get("properties")
            for name, schema in table.items() if isinstance(table, Mapping) else ():
                if name not in found or not found[name].schema:
                    found[name] = node.at(schema)
        return found

    def required(self) -> frozenset[str]:
        """Return the names of properties that must be there."""
        found = {name for names in self.every("required") if isinstance(names, list) for name in names}
        lists = [(given, due) for given, due in self._due() if isinstance(due, list)] if found else []
        for _ in lists:  # one may ask for another one
            found.update(name for given, due in lists if given in found for name in due)
        return frozenset(found)

    def depending(self) -> list[Node]:
        """Return the schemas that apply because of properties that must be there."""
        required = self.required()
        return [self.nodes[0].at(due) for given, due in self._due() if given in required and isinstance(due, dict)]

    def _due(self) -> Iterator[tuple[str, Any]]:
        """Give what is due where a property is there, names or a schema, with the name of that property."""
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            for table in self.every(keyword):
                yield from table.items() if isinstance(table, dict) else ()

    def types(self) -> tuple[str, ...]:
        """Return the types that a value may have; none where nothing says so."""
        for stated in self.every("type"):
            return tuple(stated) if isinstance(stated, list) else (stated,)
        return tuple(dict.fromkeys(type_ for keyword, type_ in _IMPLIED.items() if self.first(keyword) is not None))

    def branches(self) -> tuple[Node, ...]:
        """Return the alternatives of the first ``oneOf`` or ``anyOf``."""
        for node in self.nodes:
            for keyword in ("oneOf", "anyOf"):
                if node.schema.get(keyword):
                    return tuple(node.at(item) for item in node.schema[keyword])
        return ()


def root_node(loaded: Loaded, pointer: str) -> Node:
    """Return the schema that a pointer means; it is there, since loading has found it."""
    start = Node({}, loaded, loaded.registry.resolver(loaded.uri))
    return start.to(f"{loaded.uri}#{pointer}") or start


def combine(*nodes: Node) -> Combined:
    """Return the schemas that apply where these do; one that is reached again by its own reference is cut."""
    found: list[Node] = []
    cut = False
    waiting = list(reversed(nodes))
    while waiting and len(found) < _MAX_COMBINED:
        node = waiting.pop()
        if not isinstance(node.schema, dict):
            continue
        found.append(node)
        target = _resolve_reference(node)
        if target is not None and target.trail[-1] in node.trail:
            cut = True
            found += [target] if isinstance(target.schema, dict) else []
        else:
            waiting += [target] if target else []
            waiting += reversed(_all_of(node))
    return Combined(tuple(found), cut)


def _all_of(node: Node) -> list[Node]:
    return [node.at(item) for item in node.schema.get("allOf", ())]


def _resolve_reference(node: Node) -> Node | None:
    reference = node.schema.get("$ref")
    return node.to(reference) if isinstance(reference, str) else None
