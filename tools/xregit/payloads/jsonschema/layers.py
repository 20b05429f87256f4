"""A JSON Schema to the schemas that apply together with it: behind its ``$ref`` and inside its ``allOf``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.records import record

if TYPE_CHECKING:
    import jsonschema_rs

    from xregit.payloads.jsonschema.loading import Loaded

# Keywords that imply a type where none is stated.
_IMPLIED = {"properties": "object", "required": "object", "additionalProperties": "object", "items": "array"}
_MAX_LAYERS = 200


@record
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


@record
class Layers:
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


def root(loaded: Loaded, pointer: str) -> Node:
    """Return the schema that a pointer means; it is there, since loading has found it."""
    start = Node({}, loaded, loaded.registry.resolver(loaded.uri))
    return start.to(f"{loaded.uri}#{pointer}") or start


def layers(*nodes: Node) -> Layers:
    """Return the schemas that apply where these do; one that is reached again by its own reference is cut."""
    found: list[Node] = []
    cut = False
    waiting = list(reversed(nodes))
    while waiting and len(found) < _MAX_LAYERS:
        node = waiting.pop()
        if not isinstance(node.schema, dict):
            continue
        found.append(node)
        target = _target(node)
        if target is not None and target.trail[-1] in node.trail:
            cut = True
            found += [target] if isinstance(target.schema, dict) else []
        else:
            waiting += [target] if target else []
            waiting += reversed(_all_of(node))
    return Layers(tuple(found), cut)


def _all_of(node: Node) -> list[Node]:
    return [node.at(item) for item in node.schema.get("allOf", ())]


def _target(node: Node) -> Node | None:
    reference = node.schema.get("$ref")
    return node.to(reference) if isinstance(reference, str) else None
