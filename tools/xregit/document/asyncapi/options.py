"""The protocol options of an endpoint and of one of its messages, found by the names that the table gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import Property
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PART = "protocoloptions"
MESSAGE, ENDPOINT = "message", "endpoint"


@dataclass(frozen=True, slots=True)
class OptionValues:
    """What an endpoint states for all messages, and what one message declares; none for the endpoint alone."""

    endpoint: Mapping[str, Any]
    message: tuple[Property, ...] = ()

    def all(self, sources: Sequence[str]) -> tuple[Property, ...]:
        """Return every property below these options, such as each of the ``message/headers``."""
        return tuple(found for source in sources for found in self._below(source))

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
    named = options if isinstance(options, Mapping) else NOTHING
    return {name: value for name, value in named.items() if f"{owner}/{name}" not in placed}


def _option_properties(value: Any, path: tuple[str, ...]) -> Iterator[Property]:
    """Give an endpoint's option as the properties that it sets: itself, or each entry of a map or list of pairs."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield Property((*path, name), name, "string", required=True, value=item)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            if isinstance(item, Mapping) and isinstance(item.get("name"), str):
                yield Property((*path, str(number)), item["name"], "string", required=True, value=item.get("value"))
    elif value is not None:
        yield Property(path, path[-1], "any", required=True, value=value)
