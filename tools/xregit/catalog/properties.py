"""The properties that a resolved message declares, with the types that the model gives them.

Source: message/spec.md, "Property definitions": an object of ``type``, ``value``, ``required`` and ``description``;
some protocol options write the bare value, and lists name each item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from xregit.json_pointer import NamePath, escape
from xregit.model import siblings
from xregit.model.datatypes import PLACEHOLDER
from xregit.model.language import NOTHING, AttributeModel, ResourceModel

PARTS = ("envelopemetadata", "protocoloptions")
MEMBERS = frozenset({"name", "type", "value", "required", "description", "specurl"})
# Decoders need the placeholders of a value for every message.
MAX_CACHED_VALUES = 65_536


@dataclass(frozen=True, slots=True)
class Text:
    """A stretch of a value; ``placeholder`` is the name of the variable that it is, if any."""

    text: str
    placeholder: str = ""


class Property(NamedTuple):
    """One property that a message declares, a named tuple, as messages have many; ``value`` is None where any will do.

    ``path`` leads to it from the message, an item of a list by its number. ``meaning`` is its description in the model,
    ``members`` are the names in its definition: none where the bare value stands for the property.
    """

    path: NamePath
    name: str
    type: str
    required: bool
    value: Any
    description: str = ""
    meaning: str = ""
    specurl: str = ""
    members: tuple[str, ...] = ()

    @property
    def section(self) -> str:
        """The path of what it stands in, such as ``protocoloptions/headers``."""
        return "/".join(self.path[:-1])

    @property
    def pointer(self) -> str:
        """The JSON Pointer from the message to the property (RFC 6901)."""
        return "".join("/" + escape(part) for part in self.path)

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names of the placeholders in its value, each once, in their order."""
        return placeholders_in(self.value) if isinstance(self.value, str) else ()


def properties(model: ResourceModel, attributes: Mapping[str, Any]) -> Iterator[Property]:
    """Yield the properties that a resolved message declares, those of the envelope first."""
    models = siblings(model.attributes, attributes)
    for part in PARTS:
        if isinstance(attributes.get(part), Mapping):
            yield from _members(models.get(part), attributes[part], (part,))


def texts(value: str) -> tuple[Text, ...]:
    """Return a value cut at its placeholders, such as ``{vin}``."""
    parts: list[Text] = []
    end = 0
    for match in PLACEHOLDER.finditer(value):
        if match.start() > end:
            parts.append(Text(value[end : match.start()]))
        parts.append(Text(match[0], match[0][1:-1]))
        end = match.end()
    return (*parts, Text(value[end:])) if value[end:] else tuple(parts)


@lru_cache(maxsize=MAX_CACHED_VALUES)
def placeholders_in(value: str) -> tuple[str, ...]:
    """Return the names of the placeholders in a value, each once, in their order."""
    return tuple(placeholder[1:-1] for placeholder in dict.fromkeys(PLACEHOLDER.findall(value)))


def _members(model: AttributeModel | None, value: Mapping[str, Any], path: NamePath) -> Iterator[Property]:
    models = siblings(model.attributes, value) if model else NOTHING
    other = models.get("*") or (model.item if model else None)
    for name, member in value.items():
        yield from _properties(models.get(name) or other, member, (*path, name))


def _properties(model: AttributeModel | None, value: Any, path: NamePath) -> Iterator[Property]:
    item_model = model.item if model else None
    if _is_definition(model, value):
        yield _declared_property(model, value, path)
    elif isinstance(value, Mapping):
        yield from _members(model, value, path)
    elif isinstance(value, list | tuple) and all(
        _is_definition(item_model, item) and item.get("name") for item in value
    ):
        for number, item in enumerate(value):
            yield _declared_property(item_model, item, (*path, str(number)))
    else:
        kind = (model.property or model.type) if model else "any"
        yield Property(path, path[-1], kind, required=False, value=value, meaning=_meaning(model, path))


def _is_definition(model: AttributeModel | None, value: Any) -> bool:
    """Return whether a value defines a property: its model says so, or else it has only the members of a definition."""
    if not isinstance(value, Mapping):
        return False
    if model is not None and (model.property or model.attributes or model.item):
        return bool(model.property)
    nested = any(isinstance(inner, Mapping | list | tuple) for name, inner in value.items() if name != "value")
    return value.keys() <= MEMBERS and not nested


def _declared_property(model: AttributeModel | None, definition: Mapping[str, Any], path: NamePath) -> Property:
    return Property(
        path=path,
        name=_text(definition.get("name")) or path[-1],
        type=_text(definition.get("type")) or _text(_default(model, "type")) or "string",
        required=definition.get("required", _default(model, "required")) is True,
        value=definition.get("value"),
        description=_text(definition.get("description")),
        meaning=_meaning(model, path),
        specurl=_text(definition.get("specurl")),
        members=tuple(name for name in definition if name != "name"),
    )


def _meaning(model: AttributeModel | None, path: NamePath) -> str:
    # A description that the model gives to any header, say, tells nothing about this one.
    return model.description if model and model.name == path[-1] else ""


def _default(model: AttributeModel | None, name: str) -> Any:
    member = model.attributes.get(name) if model else None
    return member.default if member else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
