"""A JSON Schema to the same schema at a place inside another document: its references lead where they led before.

References that leave the schema are not followed: each stands as ``x-ref`` with its text (design, "Nothing is
fetched").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from xregit.jsonpointers import escaped, unescaped
from xregit.model.language import NOTHING

# Deeper schemas are nobody's, and other readers refuse them.
MAX_DEPTH = 200


def rebased(schema: Any, base: str) -> Any:
    """Return the schema with its references below ``base``, or None where it is nested more than 200 levels deep."""
    try:
        anchors = dict(_anchors(schema, "", 0))
        return _rebased(schema, _Places(schema, base, anchors), 0)
    except _TooDeepError:
        return None


def below(schema: Any, pointer: str) -> Any:
    """Return what a JSON Pointer leads to, or None (RFC 6901)."""
    for part in pointer.split("/")[1:]:
        name = unescaped(part)
        if isinstance(schema, list | tuple):
            schema = schema[int(name)] if name.isascii() and name.isdigit() and int(name) < len(schema) else None
        else:
            schema = schema.get(name) if isinstance(schema, Mapping) else None
    return schema


class _TooDeepError(Exception):
    """The schema has more levels than we read."""


class _Places:
    """Where the references of one schema lead."""

    def __init__(self, schema: Any, base: str, anchors: Mapping[str, str]) -> None:
        self.schema = schema
        self.base = base
        self.anchors = anchors
        own = schema.get("$id", schema.get("id")) if isinstance(schema, Mapping) else None
        self.own = own.partition("#")[0] if isinstance(own, str) else ""

    def of(self, reference: str) -> str | None:
        """Return the same reference from outside, or nothing where it leaves the schema or leads nowhere."""
        if reference in self.anchors:
            return self.base + self.anchors[reference]
        document, _, fragment = reference.partition("#")
        if document and document != self.own:
            return None
        if fragment.startswith("/"):
            return self.base + fragment if below(self.schema, unquote(fragment)) is not None else None
        if not fragment:
            return self.base
        found = self.anchors.get(f"#{fragment}")
        return None if found is None else self.base + found


def _anchors(schema: Any, pointer: str, depth: int) -> Any:
    """Give the names by which parts of a schema are referred to, with the pointers to them."""
    if depth > MAX_DEPTH:
        raise _TooDeepError
    if isinstance(schema, Mapping):
        for name in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(name), str):
                yield f"#{schema[name]}", pointer
        if pointer and isinstance(schema.get("$id"), str):
            yield schema["$id"], pointer
    for name, item in _items(schema):
        yield from _anchors(item, f"{pointer}/{name}", depth + 1)


def _items(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        return ((escaped(name), item) for name, item in schema.items())
    return enumerate(schema) if isinstance(schema, list | tuple) else NOTHING.items()


def _rebased(schema: Any, places: _Places, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise _TooDeepError
    if isinstance(schema, list | tuple):
        return [_rebased(item, places, depth + 1) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    result = {name: _rebased(item, places, depth + 1) for name, item in schema.items() if name != "$ref"}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        place = places.of(reference)
        return {**result, "x-ref": reference} if place is None else {"$ref": place, **result}
    return {**result, "$ref": _rebased(reference, places, depth + 1)} if "$ref" in schema else result
