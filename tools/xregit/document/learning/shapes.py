"""The shapes of payloads, and the JSON Schemas that describe them.

A schema says what is so in every sample: types, fields, which of them are always there, formats. It never says values,
nor names of fields that look like values, as in an object with an entry for each customer.
"""

from __future__ import annotations

import re
from typing import Any

from xregit.document.learning.privacy import is_field, is_plural, names_person
from xregit.messages.decoder import TIME

DRAFT = "https://json-schema.org/draft/2020-12/schema"
MAX_NAMES = 200  # of an object; where there are more, they are values
MAX_DEPTH = 32
# An object is a map if it has as many names, each in less than half of the samples.
_MAP_NAMES = 3
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_FORMATS = {
    "date-time": re.compile(TIME, re.ASCII),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
}


class Shape:
    """What all values of one place have in common."""

    __slots__ = ("count", "fields", "format", "items", "objects", "types", "values")

    def __init__(self, name: str = "") -> None:
        """Begin without values; ``name`` is that of the field that they stand in."""
        self.count = 0
        self.objects = 0
        self.types: set[str] = set()
        self.format: str | None = None
        self.fields: dict[str, Shape] = {}
        self.items: Shape | None = None
        self.values: Shape | None = Shape() if is_plural(name) and names_person(name) else None

    def add(self, value: Any, depth: int = 0) -> None:
        """Add a value as JSON has it; what is deeper than anybody reads stays open."""
        self.count += 1
        if depth > MAX_DEPTH:
            self.types.add("")
        elif isinstance(value, dict):
            self._add_object(value, depth)
        elif isinstance(value, list):
            self.types.add("array")
            if self.items is None:
                self.items = Shape()
            for item in value:
                self.items.add(item, depth + 1)
        else:
            if isinstance(value, str):
                self._add_format(value)
            self.types.add(_TYPES[type(value)])

    def _add_format(self, value: str) -> None:
        if "string" not in self.types:
            self.format = next((name for name, pattern in _FORMATS.items() if pattern.fullmatch(value)), None)
        elif self.format is not None and _FORMATS[self.format].fullmatch(value) is None:
            self.format = None

    def _add_object(self, value: dict[str, Any], depth: int) -> None:
        self.types.add("object")
        self.objects += 1
        if self.values is None and not all(map(is_field, value)):
            self.values = Shape()
        for name, item in value.items():
            field = self.values
            if field is None:
                field = self.fields.get(name)
                if field is None:
                    field = self.fields[name] = Shape(name)
            field.add(item, depth + 1)
        if len(self.fields) > MAX_NAMES:
            self.values, self.fields = self.values or Shape(), {}
            self.types.add("")  # what the fields were is not known any more

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema that all values fit."""
        types = self.types - {"integer"} if "number" in self.types else self.types
        if not types or "" in types:
            return {}
        schema: dict[str, Any] = {"type": min(types) if len(types) == 1 else sorted(types)}
        if self.format is not None:
            schema["format"] = self.format
        if self.items is not None and (items := self.items.schema()):
            schema["items"] = items
        if self.objects:
            schema |= self._object_schema()
        return schema

    def _object_schema(self) -> dict[str, Any]:
        """Return the keywords about an object's fields."""
        fields = {name: self.fields[name].schema() for name in sorted(self.fields)}
        if self.is_map:
            return _map_schema([*fields.values(), *([self.values.schema()] if self.values is not None else [])])
        required = [name for name in fields if self.fields[name].count == self.objects]
        return ({"properties": fields} if fields else {}) | ({"required": required} if required else {})

    @property
    def is_map(self) -> bool:
        """Whether the names of objects are values."""
        rare = all(field.count * 2 < self.objects for field in self.fields.values())
        return self.values is not None or (len(self.fields) >= _MAP_NAMES and rare)

    def optional(self) -> list[tuple[str, int]]:
        """Return the fields that only some of the objects have, with how many do."""
        if self.is_map:
            return []
        return [(name, field.count) for name, field in sorted(self.fields.items()) if field.count < self.objects]


def _map_schema(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the keywords about an object whose names are values."""
    schema = schemas[0]
    for other in schemas[1:]:
        schema = join(schema, other)
    return {"additionalProperties": schema} if schema else {}


def join(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of what fits one of two schemas that were learnt."""
    if not one or not other:
        return {}
    types = _types(one) | _types(other)
    if "number" in types:
        types -= {"integer"}
    schema: dict[str, Any] = {"type": min(types) if len(types) == 1 else sorted(types)}
    texts = [each for each in (one, other) if "string" in _types(each)]
    if texts and all(each.get("format") == texts[0].get("format") is not None for each in texts):
        schema["format"] = texts[0]["format"]
    arrays = [each.get("items", {}) for each in (one, other) if "array" in _types(each)]
    if arrays and (items := join(arrays[0], arrays[-1])):
        schema["items"] = items
    objects = [each for each in (one, other) if "object" in _types(each)]
    return schema | (_join_objects(objects[0], objects[-1]) if objects else {})


def _join_objects(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    fields, others = one.get("properties", {}), other.get("properties", {})
    maps = [each["additionalProperties"] for each in (one, other) if "additionalProperties" in each]
    if not all("properties" in each or "additionalProperties" in each for each in (one, other)):
        return {}  # of one nothing is known
    if maps:
        return _map_schema([*maps, *fields.values(), *others.values()])
    joined = {
        name: join(fields[name], others[name]) if name in fields and name in others else (fields | others)[name]
        for name in sorted(fields | others)
    }
    required = [name for name in one.get("required", ()) if name in other.get("required", ())]
    return {"properties": joined} | ({"required": required} if required else {})


def _types(schema: dict[str, Any]) -> set[str]:
    types = schema["type"]
    return set(types) if isinstance(types, list) else {types}
