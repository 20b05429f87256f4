"""What parts of a JSON Schema say together of one value: types, bounds, properties and items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeGuard

from xregit.payloads.compatibility.jsonschema.parts import Part, Parts, pattern
from xregit.records import record

if TYPE_CHECKING:
    from xregit.payloads.compatibility.jsonschema.parts import Space

NUMBERS = frozenset(("integer", "fraction"))
TYPES = frozenset(("null", "boolean", "integer", "fraction", "string", "array", "object"))
_ALTERNATIVES = ("anyOf", "oneOf")


@record
class Said:
    """Parts that apply to one value together."""

    parts: Parts
    space: Space

    @property
    def schemas(self) -> Iterator[dict[str, Any]]:
        """The schemas that are objects."""
        return (part.schema for part in self.parts if isinstance(part.schema, dict))

    @property
    def objects(self) -> Iterator[Part]:
        """The parts whose schemas are objects."""
        return (part for part in self.parts if isinstance(part.schema, dict))

    @property
    def types(self) -> frozenset[str]:
        """The types that a value may have; a number with and one without a fraction are told apart."""
        if any(part.schema is False for part in self.parts):
            return frozenset()
        found = TYPES
        for schema in self.schemas:
            found &= types(schema)
        return found

    @property
    def finite(self) -> list[Any] | None:
        """All values, where a list of them or their types say so."""
        if self.listed:
            return min(self.listed, key=len)
        if self.types <= {"null", "boolean"}:
            return [item for name, items in _FEW.items() if name in self.types for item in items]
        return None

    @property
    def listed(self) -> list[list[Any]]:
        """The lists of values that are stated."""
        listed = [schema["enum"] for schema in self.schemas if isinstance(schema.get("enum"), list)]
        return listed + [[schema["const"]] for schema in self.schemas if "const" in schema]

    @property
    def required(self) -> frozenset[str]:
        """The names of properties that must be there."""
        stated = (schema["required"] for schema in self.schemas if isinstance(schema.get("required"), list))
        return frozenset(name for names in stated for name in names)

    @property
    def declared(self) -> tuple[str, ...]:
        """The names of properties that are described."""
        return tuple(dict.fromkeys(name for schema in self.schemas for name in schema.get("properties", ())))

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of names that are described."""
        return tuple(dict.fromkeys(text for schema in self.schemas for text in schema.get("patternProperties", ())))

    def stated(self, keyword: str) -> list[Any]:
        """Return the values of a keyword."""
        return [schema[keyword] for schema in self.schemas if keyword in schema]

    def largest(self, keyword: str) -> float | None:
        """Return the largest number stated for a keyword."""
        return max((item for item in self.stated(keyword) if is_number(item)), default=None)

    def smallest(self, keyword: str) -> float | None:
        """Return the smallest number stated for a keyword."""
        return min((item for item in self.stated(keyword) if is_number(item)), default=None)

    def of_name(self, name: str) -> Parts:
        """Return what is said of a property; nothing where objects are open to it and no one describes it."""
        return tuple(inner for part in self.objects for inner in _of_property(part, name))

    def matching(self, text: str) -> Parts:
        """Return what is said of properties whose names match a pattern."""
        return tuple(
            part.inner(part.schema["patternProperties"][text], "patternProperties", text)
            for part in self.objects
            if text in part.schema.get("patternProperties", ())
        )

    @property
    def others(self) -> Parts:
        """What is said of properties that nothing else describes."""
        return tuple(
            part.inner(part.schema["additionalProperties"], "additionalProperties")
            for part in self.objects
            if "additionalProperties" in part.schema
        )

    def item(self, index: int) -> Parts:
        """Return what is said of the item at an index of an array."""
        return tuple(inner for part in self.objects for inner in _of_item(part, index))

    @property
    def places(self) -> int:
        """The number of items that are described one by one."""
        return max((len(prefix(part)) for part in self.objects), default=0)

    def branches(self) -> Iterator[Parts]:
        """Give the parts of each case of the first alternative; nothing where there is none."""
        for number, part in enumerate(self.parts):
            keyword = next((name for name in _ALTERNATIVES if _has(part, name)), None)
            if keyword is not None:
                whole = (*self.parts[:number], part.without(keyword), *self.parts[number + 1 :])
                rest = tuple(map(_taken_apart, whole))
                for index, item in enumerate(part.schema[keyword]):
                    yield (*rest, *self.space.flat(part.inner(item, keyword, index)))
                return


def _taken_apart(part: Part) -> Part:
    """Return a part without what it refers to, which stands beside it already and would come back with its cases."""
    for keyword in ("$ref", "allOf"):
        if isinstance(part.schema, dict) and keyword in part.schema:
            part = part.without(keyword)
    return part


_FEW: dict[str, list[Any]] = {"null": [None], "boolean": [True, False]}


def types(schema: dict[str, Any]) -> frozenset[str]:
    """Return the types that one schema allows."""
    stated = schema.get("type")
    listed = [stated] if isinstance(stated, str) else stated
    if not isinstance(listed, list):
        return TYPES
    return frozenset(name for item in listed for name in (NUMBERS if item == "number" else {item}))


def prefix(part: Part) -> list[Any]:
    """Return the schemas of items that are described one by one."""
    stated = part.schema.get("prefixItems" if _is_newest(part) else "items")
    return stated if isinstance(stated, list) else []


def is_number(value: Any) -> TypeGuard[float]:
    """Tell whether a value is a number, which in Python true and false are too."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def rest(part: Part) -> Parts:
    """Return what is said of items beyond those that are described one by one."""
    keyword = "additionalItems" if isinstance(part.schema.get("items"), list) else "items"
    return (part.inner(part.schema[keyword], keyword),) if keyword in part.schema else ()


def _is_newest(part: Part) -> bool:
    return "prefixItems" in part.schema


def _of_item(part: Part, index: int) -> Parts:
    listed = prefix(part)
    if index < len(listed):
        return (part.inner(listed[index], "prefixItems" if _is_newest(part) else "items", index),)
    return rest(part)


def _of_property(part: Part, name: str) -> Parts:
    schema = part.schema
    found = [part.inner(schema["properties"][name], "properties", name)] if name in schema.get("properties", ()) else []
    unread = False
    for text, inner in schema.get("patternProperties", {}).items():
        compiled = pattern(text)
        unread = unread or compiled is None
        if compiled is not None and compiled.search(name):
            found.append(part.inner(inner, "patternProperties", text))
    if not found and not unread and "additionalProperties" in schema:
        found.append(part.inner(schema["additionalProperties"], "additionalProperties"))
    return tuple(found)


def _has(part: Part, keyword: str) -> bool:
    return isinstance(part.schema, dict) and isinstance(part.schema.get(keyword), list)
