"""The schemas that one value must satisfy at once: one, what it refers to, and all of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import jsonschema_rs

from xregit.payloads.json_schema.schema import Loaded

# Keywords that imply a type where there is no "type".
_IMPLIED = {"properties": "object", "required": "object", "additionalProperties": "object", "items": "array"}
_MAX_COMBINED = 200


# What no value satisfies, as an object.
NEVER: dict[str, Any] = {"not": {}}


@dataclass(frozen=True, slots=True)
class Node:
    """A schema, its document, the base of its references, and the references that led to it.

    The schemas ``true`` and ``false`` are kept as the objects that mean the same (JSON Schema Core, 4.3.2).
    """

    schema: dict[str, Any]
    loaded: Loaded
    resolver: jsonschema_rs.Resolver
    trail: tuple[str, ...] = ()

    def at(self, schema: Any) -> Node:
        """Return a schema inside this one."""
        return replace(self, schema=_to_object(schema))

    def to(self, reference: str) -> Node | None:
        """Return the schema that a reference leads to, or None."""
        try:
            target = self.loaded.lookup(reference, self.resolver)
        except LookupError:
            return None
        fragment = reference.partition("#")[2]
        uri = target.resolver.base_uri
        schema = self.loaded.as_written(uri, fragment, target.contents)
        return Node(_to_object(schema), self.loaded, target.resolver, (*self.trail, f"{uri}#{fragment}"))


def _to_object(schema: Any) -> dict[str, Any]:
    if isinstance(schema, dict):
        return schema
    return NEVER if schema is False else {}


@dataclass(frozen=True, slots=True)
class Combined:
    """All schemas that one value must satisfy at once, the outermost first; ``cut`` where they lead back to a trail."""

    nodes: tuple[Node, ...]
    cut: bool = False

    def first(self, keyword: str) -> Any:
        """Return the first value that any of them gives a keyword, or None."""
        return next((node.schema[keyword] for node in self.nodes if keyword in node.schema), None)

    def every(self, keyword: str) -> Iterator[Any]:
        """Yield the values that they give a keyword."""
        return (node.schema[keyword] for node in self.nodes if keyword in node.schema)

    def inner(self, keyword: str) -> Node | None:
        """Return the first schema under a keyword."""
        inner = (node.at(node.schema[keyword]) for node in self.nodes if isinstance(node.schema.get(keyword), dict))
        return next(inner, None)

    def properties(self) -> dict[str, tuple[Node, ...]]:
        """Return the properties that any of them describes, each with all its descriptions."""
        properties: dict[str, tuple[Node, ...]] = {}
        for node in self.nodes:
            table = node.schema.get("properties")
            for name, schema in table.items() if isinstance(table, Mapping) else ():
                properties[name] = (*properties.get(name, ()), node.at(schema))
        return properties

    def required(self) -> frozenset[str]:
        """Return the names of properties that must be there."""
        required = {name for names in self.every("required") if isinstance(names, list) for name in names}
        lists = [(name, names) for name, names in self._dependencies() if isinstance(names, list)] if required else []
        for _ in lists:  # one may require another one
            required.update(other for name, names in lists if name in required for other in names)
        return frozenset(required)

    def depending(self) -> list[Node]:
        """Return the schemas that apply because of properties that must be there."""
        required = self.required()
        schemas = (item for name, item in self._dependencies() if name in required and isinstance(item, dict))
        return [self.nodes[0].at(schema) for schema in schemas]

    def _dependencies(self) -> Iterator[tuple[str, Any]]:
        """Yield the name of a property with the names, or the schema, that its presence requires."""
        for keyword in ("dependentRequired", "dependentSchemas", "dependencies"):
            for table in self.every(keyword):
                yield from table.items() if isinstance(table, dict) else ()

    def types(self) -> tuple[str, ...]:
        """Return the types that a value may have; none where nothing says so."""
        for declared in self.every("type"):
            return tuple(declared) if isinstance(declared, list) else (declared,)
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
    combined: list[Node] = []
    cut = False
    pending = list(reversed(nodes))
    while pending and len(combined) < _MAX_COMBINED:
        node = pending.pop()
        combined.append(node)
        reference = node.schema.get("$ref")
        target = node.to(reference) if isinstance(reference, str) else None
        if target is not None and target.trail[-1] in node.trail:
            cut = True
            combined.append(target)
        else:
            pending += [target] if target else []
            pending += reversed([node.at(item) for item in node.schema.get("allOf", ())])
    return Combined(tuple(combined), cut)
