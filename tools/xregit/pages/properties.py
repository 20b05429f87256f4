"""What a message must look like on the wire: its property definitions, flattened from envelope and protocol parts.

Source: message/spec.md, "Property definitions": an object of ``type``, ``value``, ``required`` and ``description``;
some protocol options write the bare value, and lists name each item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from xregit.model.language import AttributeModel

MEMBERS = frozenset({"name", "type", "value", "required", "description", "specurl"})
PARTS = ("envelopemetadata", "protocoloptions")
# What tells a reader where a message travels, the first that a message has.
ADDRESSES = ("method", "path", "topic_name", "topic", "node", "to", "subject")

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.]*)\}")


@dataclass(frozen=True, slots=True)
class Text:
    """A stretch of a value; ``placeholder`` is the name of the variable that stands there."""

    text: str
    placeholder: str = ""


@dataclass(frozen=True, slots=True)
class Property:
    """One property that a message declares; ``value`` is None where any value will do."""

    section: str
    name: str
    path: tuple[str, ...]
    type: str
    required: bool
    value: Any
    description: str
    specurl: str = ""
    members: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[Text, ...]:
        """The value cut at its placeholders; nothing where there is no value."""
        return () if self.value is None else texts(written(self.value))

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names of the placeholders in the value."""
        return tuple(part.placeholder for part in self.texts if part.placeholder)


def properties(attributes: Mapping[str, Any], models: Mapping[str, AttributeModel]) -> tuple[Property, ...]:
    """Return the properties that resolved attributes declare; ``models`` are the attributes in force."""
    found: list[Property] = []
    for part in PARTS:
        value, model = attributes.get(part), models.get(part)
        if isinstance(value, Mapping):
            selector = attributes.get("envelope" if part == "envelopemetadata" else "protocol")
            family = str(selector).split("/", 1)[0] if isinstance(selector, str) and selector else part
            title = f"{family} attributes" if part == "envelopemetadata" else f"{family} options"
            found += _walk(value, (part,), _Place(title, family, _inner(model)))
    return tuple(found)


def texts(value: str) -> tuple[Text, ...]:
    """Return a value cut at its placeholders, such as ``{vin}``."""
    parts: list[Text] = []
    end = 0
    for match in _PLACEHOLDER.finditer(value):
        if match.start() > end:
            parts.append(Text(value[end : match.start()]))
        parts.append(Text(match[0], match[1]))
        end = match.end()
    return (*parts, Text(value[end:])) if value[end:] else tuple(parts)


def written(value: object) -> str:
    """Return a value as one writes it in JSON, a string without its quotes."""
    if isinstance(value, str):
        return value
    import json

    return json.dumps(_plain(value), ensure_ascii=False, default=str)


@dataclass(frozen=True, slots=True)
class _Place:
    section: str
    family: str
    models: Mapping[str, AttributeModel]

    def below(self, name: str) -> _Place:
        words = re.sub(r"[-_]", " ", name)
        return _Place(f"{self.family} {words}", self.family, _inner(self.model(name)))

    def model(self, name: str) -> AttributeModel | None:
        return self.models.get(name) or self.models.get("*")


def _walk(value: Mapping[str, Any], path: tuple[str, ...], place: _Place) -> Iterator[Property]:
    for name, inner in value.items():
        here = (*path, name)
        if _is_definition(inner, place.model(name)):
            yield _defined(name, inner, here, place)
        elif isinstance(inner, Mapping):
            yield from _walk(inner, here, place.below(name))
        elif _is_list_of_definitions(inner):
            yield from (_defined(str(item["name"]), item, here, place.below(name)) for item in inner)
        else:
            yield _constant(name, inner, here, place)


def _defined(name: str, definition: Mapping[str, Any], path: tuple[str, ...], place: _Place) -> Property:
    model = place.model(path[-1])
    if model is not None and model.type == "array":
        model = model.item
    models = model.attributes if model else NOTHING
    return Property(
        section=place.section,
        name=str(definition.get("name", name)),
        path=path,
        type=str(definition.get("type") or _default(models, "type") or "string"),
        required=bool(definition.get("required", _default(models, "required"))),
        value=definition.get("value"),
        description=_text(definition.get("description")) or (model.description if model else ""),
        specurl=_text(definition.get("specurl")),
        members=tuple(name for name in definition if name != "name"),
    )


def _constant(name: str, value: object, path: tuple[str, ...], place: _Place) -> Property:
    model = place.model(name)
    kind, description = (model.property or model.type, model.description) if model else ("any", "")
    return Property(place.section, name, path, kind, required=False, value=value, description=description)


def _is_definition(value: object, model: AttributeModel | None = None) -> bool:
    """Tell whether a value is a property definition: its model says so, or it has only the members of one."""
    if not isinstance(value, Mapping):
        return False
    if model is not None and model.property:
        return True
    nested = any(isinstance(inner, Mapping | list | tuple) for name, inner in value.items() if name != "value")
    return value.keys() <= MEMBERS and not nested


def _is_list_of_definitions(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(_is_definition(x) and x.get("name") for x in value)


def _inner(model: AttributeModel | None) -> Mapping[str, AttributeModel]:
    if model is None:
        return NOTHING
    if model.attributes:
        return model.attributes
    if model.item is None:
        return NOTHING
    return model.item.attributes if model.type == "array" else {"*": model.item}


def _default(models: Mapping[str, AttributeModel], name: str) -> Any:
    model = models.get(name)
    return model.default if model else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
