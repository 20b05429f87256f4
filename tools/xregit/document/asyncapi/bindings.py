"""The protocol options of an endpoint and its messages, and the binding objects of AsyncAPI that they become.

The table of a protocol's bindings names the options of each member (see `facts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import Property
from xregit.document.asyncapi.schemas import object_schema, property_schema
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xregit.document.asyncapi.facts import BindingMember, Protocol

PART = "protocoloptions"
MESSAGE, ENDPOINT = "message", "endpoint"


@dataclass(frozen=True, slots=True)
class OptionValues:
    """The options that an endpoint states for all messages, and the properties of one message, if there is one."""

    endpoint: Mapping[str, Any]
    message: tuple[Property, ...] = ()

    def all(self, sources: Sequence[str]) -> tuple[Property, ...]:
        """Return every property below these options, such as each of the ``message/headers``."""
        return tuple(item for source in sources for item in self._below(source))

    def first(self, sources: Sequence[str]) -> Property | None:
        """Return the first of these options that is there."""
        return next(iter(self.all(sources)), None)

    def _below(self, source: str) -> Iterator[Property]:
        owner, _, name = source.partition("/")
        path = (PART, *name.split("/"))
        if owner == MESSAGE:
            yield from (item for item in self.message if item.path[: len(path)] == path)
        elif owner == ENDPOINT:
            yield from _option_properties(self.endpoint.get(name), path)


def unplaced_options(options: Any, owner: str, placed: frozenset[str]) -> dict[str, Any]:
    """Return the options that have no place of their own."""
    members = options.items() if isinstance(options, Mapping) else ()
    return {name: value for name, value in members if f"{owner}/{name}" not in placed}


def _option_properties(value: Any, path: tuple[str, ...]) -> Iterator[Property]:
    """Yield an endpoint's option as the properties that it sets: itself, or each entry of a map or list of pairs."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield Property((*path, name), name, "string", required=True, value=item)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            if isinstance(item, Mapping) and isinstance(item.get("name"), str):
                yield Property((*path, str(number)), item["name"], "string", required=True, value=item.get("value"))
    elif value is not None:
        yield Property(path, path[-1], "any", required=True, value=value)


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
}


def bindings(protocol: Protocol, level: str, options: OptionValues) -> dict[str, Any]:
    """Return the member ``bindings`` of a server, operation or message, or nothing."""
    if not protocol.binding:
        return {}
    pairs = ((name, _FORMS[row.form](row, options)) for name, row in protocol.rows.get(level, NOTHING).items())
    members = {name: value for name, value in pairs if value is not None}
    if not members and level != "operation":
        return {}
    version = {"bindingVersion": protocol.version} if protocol.version else {}
    return {"bindings": {protocol.binding: {**members, **version}}}


def _binding_value(row: BindingMember, options: OptionValues) -> Any:
    """Return a constant that the binding takes, or nothing."""
    item = options.first(row.sources)
    if item is None:
        return row.default
    if item.placeholders:
        return None
    value = item.value
    if row.type == "integer" and isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:  # noqa: PLR2004 - digits that every reader takes
        value = int(value)
    fits = value in row.enum and not isinstance(value, bool) if row.enum else _TYPES[row.type](value)
    return value if fits else None


def _binding_schema(row: BindingMember, options: OptionValues) -> Any:
    item = options.first(row.sources)
    return property_schema(item) if item else None


def _binding_object(row: BindingMember, options: OptionValues) -> Any:
    items = options.all(row.sources)
    return object_schema(items) if items else None


_FORMS: Mapping[str, Callable[[BindingMember, OptionValues], Any]] = {
    "value": _binding_value,
    "schema": _binding_schema,
    "object": _binding_object,
}
