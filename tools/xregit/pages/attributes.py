"""Attributes and message properties as rows of tables, and their values as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from xregit.catalog.properties import PARTS, Property, Text, texts
from xregit.catalog.registry import Registry
from xregit.model.language import AttributeModel
from xregit.pages.links import Link, reference
from xregit.pages.prose import plain

MAX_DEPTH = 8
MAX_SEARCHED_CHARS = 200
# What tells a reader where a message travels, the first that a message has.
ADDRESSES = ("method", "path", "topic_name", "topic", "node", "to", "subject")
KEY = "key"
# What a page has in the place of a credential.
HIDDEN = "(not shown, as it looks like a credential)"
# The objects that have those; a header may have any of these names.
ADDRESS_PATHS = frozenset({("protocoloptions",), ("protocoloptions", "properties")})


class Value(NamedTuple):
    """A value to show: one text, perhaps a link, or members, or items."""

    texts: tuple[Text, ...] = ()
    href: str = ""
    members: tuple[tuple[str, Value], ...] = ()
    items: tuple[Value, ...] = ()


class Row(NamedTuple):
    """One attribute in a table; ``origins`` is empty for an attribute of the entity itself."""

    name: str
    type: str
    value: Value
    description: str = ""
    origins: tuple[Link, ...] = ()


def attribute_rows(
    registry: Registry,
    attributes: Mapping[str, Any],
    models: Mapping[str, AttributeModel],
    *,
    without: Iterable[str] = (),
    origins: Mapping[str, Link] | None = None,
) -> tuple[Row, ...]:
    """Return the rows of a table of attributes; ``origins`` has the sources of those that are inherited."""
    rows: list[Row] = []
    for name, value in attributes.items():
        if name in without:
            continue
        model = models.get(name) or models.get("*")
        origin = origins.get(name) if origins else None
        rows.append(
            Row(
                name=name,
                type=(model.property or model.type) if model else "",
                value=to_value(registry, value),
                description=plain(model.description) if model and model.name == name else "",
                origins=(origin,) if origin else (),
            )
        )
    return tuple(rows)


def to_value(registry: Registry, value: object, depth: int = 0) -> Value:
    """Return any value as one to show; what is nested too deeply becomes JSON."""
    if isinstance(value, str):
        link = reference(registry, value)
        if link.href:
            return Value(texts=(Text(value),), href=link.href)
        parts = texts(value)
        # A number in braces is a count in a regular expression; a property has no such name either.
        return Value(texts=(Text(value),) if any(part.placeholder.isdigit() for part in parts) else parts)
    if isinstance(value, Mapping) and value and depth < MAX_DEPTH:
        # A description is Markdown, wherever it stands.
        members = ((str(name), plain(item) or item if name == "description" else item) for name, item in value.items())
        return Value(members=tuple((name, to_value(registry, item, depth + 1)) for name, item in members))
    if isinstance(value, list | tuple) and value and depth < MAX_DEPTH:
        return Value(items=tuple(to_value(registry, item, depth + 1) for item in value))
    return Value(texts=(Text(to_text(value)),))


def searchable_texts(attributes: Mapping[str, Any], without: Iterable[str]) -> tuple[str, ...]:
    """Return the texts among attributes and their labels, by which the search finds the entity."""
    labels = attributes.get("labels")
    items = [*attributes.items(), *(labels.items() if isinstance(labels, Mapping) else ())]
    return tuple(text[:MAX_SEARCHED_CHARS] for name, text in items if isinstance(text, str) and name not in without)


def nested_texts(value: object, depth: int = 0) -> Iterator[str]:
    """Yield the texts anywhere in a value, such as addresses in a list, in their order."""
    if isinstance(value, str):
        yield value[:MAX_SEARCHED_CHARS]
    elif isinstance(value, Mapping | list | tuple) and depth < MAX_DEPTH:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from nested_texts(item, depth + 1)


def destinations(properties: Iterable[Property]) -> Iterator[tuple[str, tuple[Text, ...]]]:
    """Yield where a message travels, with its key, each under its name as a title, such as ``Topic name``."""
    by_name = {item.name: property_parts(item) for item in properties if item.path[:-1] in ADDRESS_PATHS}
    for name in (*ADDRESSES, KEY):
        if by_name.get(name):
            yield name.replace("_", " ").capitalize(), by_name[name]


def section_title(attributes: Mapping[str, Any], item: Property) -> str:
    """Return the title of the section that a property is in, such as ``AMQP application properties``."""
    part, *path = item.path[:-1]
    is_envelope = part == PARTS[0]
    selector = attributes.get("envelope" if is_envelope else "protocol")
    subject = selector if isinstance(selector, str) and selector else part
    noun = "attributes" if is_envelope else "options"
    if path:
        noun = re.sub("[-_]", " ", "/".join(path).rpartition("/")[2])
    return f"{subject.split('/', 1)[0]} {noun}"


def property_parts(item: Property) -> tuple[Text, ...]:
    """Return a property's value cut at its placeholders; nothing where any value is allowed."""
    return texts(property_text(item))


def property_text(item: Property) -> str:
    """Return a property's value as one text, an empty one where any value is allowed."""
    return "" if item.value is None else to_text(item.value)


def to_text(value: object) -> str:
    """Return a value as JSON, a string without its quotes."""
    if isinstance(value, str):
        return value
    return json.dumps(_to_json(value), ensure_ascii=False, default=str)


def _to_json(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _to_json(member) for name, member in value.items()}
    return [_to_json(item) for item in value] if isinstance(value, list | tuple) else value
