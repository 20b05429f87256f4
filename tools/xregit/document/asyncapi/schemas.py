"""Declared properties to JSON Schema: the value that each must have, or the form of a template's values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import texts
from xregit.document.asyncapi.facts import facts
from xregit.messages.definition import is_now

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.catalog.properties import Property

# The characters that mean something in a regular expression of ECMA 262, which JSON Schema uses.
_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")
_PART, _WHOLE = "[^/]+", ".+"


def property_schema(item: Property) -> dict[str, Any]:
    """Return the schema of one property's value."""
    schema = dict(facts()["types"].get(item.type, facts()["othertype"]))
    if item.placeholders:
        schema["pattern"] = pattern(item.value)
    elif item.value is not None and not is_now(item.type, item.value):
        schema = {**schema, "const": item.value} if _fits(schema, item.value) else {"const": item.value}
    return {**schema, "description": item.description} if item.description else schema


def object_schema(items: Iterable[Property]) -> dict[str, Any]:
    """Return the schema of an object with these properties; of those of one name, any will do."""
    known: dict[str, list[dict[str, Any]]] = {}
    required: dict[str, None] = {}
    for item in items:
        known.setdefault(item.name, []).append(property_schema(item))
        if item.required or item.value is not None:
            required[item.name] = None
    schemas = {name: found[0] if len(found) == 1 else {"anyOf": found} for name, found in known.items()}
    return {"type": "object", "properties": schemas, **({"required": list(required)} if required else {})}


def pattern(template: str) -> str:
    """Return the regular expression of the values that a template stands for (design, part 5)."""
    parts = texts(template)
    any_text = _WHOLE if len(parts) == 1 else _PART
    return "^" + "".join(any_text if part.placeholder else _SPECIAL.sub(r"\\\g<0>", part.text) for part in parts) + "$"


def _fits(schema: dict[str, Any], value: Any) -> bool:
    """Tell whether a value may stand beside the type; numbers and booleans may be declared for texts."""
    return schema.get("type") != "string" or isinstance(value, str)
