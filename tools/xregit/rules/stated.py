"""Parts of what entities state, read so that a value of another type counts as absent: the model reports those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.model import canonical
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from xregit.catalog.views import Message

CLOUDEVENTS = "CloudEvents/1.0"


def inside(value: Any, *path: str) -> Any:
    """Return what stands at the path, or None."""
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def text(value: Any, *path: str) -> str:
    """Return the text at the path, or an empty one."""
    found = inside(value, *path)
    return found if isinstance(found, str) else ""


def mapping(value: Any, *path: str) -> Mapping[str, Any]:
    """Return the mapping at the path, or an empty one."""
    found = inside(value, *path)
    return found if isinstance(found, Mapping) else NOTHING


def items(value: Any, *path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the mappings in the list at the path, each with its place in the list."""
    found = inside(value, *path)
    if isinstance(found, list | tuple):
        yield from ((index, item) for index, item in enumerate(found) if isinstance(item, Mapping))


def held(value: Any) -> Any:
    """Return the value of a property, written bare or as a definition."""
    return value.get("value") if isinstance(value, Mapping) else value


def selected(selector: str, value: Any) -> str:
    """Return the canonical name that a selector such as ``protocol`` has, or an empty text."""
    found = text(value, selector)
    return canonical(selector, found) if found else ""


def written(message: Message, *path: str) -> bool:
    """Tell whether the message itself states what stands at the path, instead of inheriting it."""
    return inside(message.entity.attributes, *path) is not None


def has_placeholder(value: str) -> bool:
    """Tell whether a text is, or may be, filled in later."""
    return "{" in value and "}" in value
