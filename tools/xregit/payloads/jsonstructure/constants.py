"""Values that a JSON Structure allows alone, and that are none of the type beside them (Core, `const` and `enum`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.model.quoting import quote
from xregit.payloads.documents import Document
from xregit.payloads.jsonschema import parsing as jsonschema
from xregit.payloads.jsonstructure.translating import PRIMITIVES, translated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.payloads.jsonschema.parsing import JsonSchema
    from xregit.payloads.shapes import Problem

_VALUES = frozenset(("const", "enum", "default", "examples"))
_HELP = "write a value of that type, as its payloads have it"


def misfits(document: Document, value: Any, path: tuple[str | int, ...] = ()) -> Iterator[Problem]:
    """Give the constants in a document, and the values in its enumerations, that are none of their type."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from misfits(document, item, (*path, number))
    if not isinstance(value, Mapping):
        return
    stated = value.get("type")
    types = tuple(stated) if isinstance(stated, list) else (stated,)
    if all(isinstance(each, str) and each in PRIMITIVES for each in types):
        for place, found in _allowed(value):
            if not any(_schema(each).accepts(found) for each in types):
                message = f"{quote(found)} is no value of the type {' or '.join(types)}, so that no payload can have it"
                yield document.problem("syntax", message, _HELP, (*path, *place))
    for key, item in value.items():
        if key not in _VALUES or (isinstance(item, Mapping) and isinstance(item.get("type"), str)):
            yield from misfits(document, item, (*path, key))


def _allowed(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if "const" in schema:
        yield ("const",), schema["const"]
    listed = schema.get("enum")
    for number, item in enumerate(listed if isinstance(listed, list) else ()):
        yield ("enum", number), item


@cache
def _schema(name: str) -> JsonSchema:
    said = Document("JsonSchema/draft/2020-12", translated({"type": name}))
    return jsonschema.parse(said, formats=True)
