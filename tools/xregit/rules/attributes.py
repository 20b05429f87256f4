"""Parts of what entities state, read so that a value of another type counts as absent: the model reports those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.model import canonical
from xregit.model.language import MAPPINGS, NOTHING
from xregit.model.spelling import suggest_similar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from xregit.catalog.views import Message
    from xregit.json_pointer import KeyPath


# Among more names, looking for the one that was meant takes too long.
MAX_NAMES_TO_GUESS = 1000


def inside(value: Any, *path: str) -> Any:
    """Return what stands at the path, or None."""
    for name in path:
        if not isinstance(value, MAPPINGS):
            return None
        value = value.get(name)
    return value


def text(value: Any, *path: str) -> str:
    """Return the text at the path, or an empty one."""
    for name in path:
        if not isinstance(value, MAPPINGS):
            return ""
        value = value.get(name)
    return value if isinstance(value, str) else ""


def mapping(value: Any, *path: str) -> Mapping[str, Any]:
    """Return the mapping at the path, or an empty one."""
    found = inside(value, *path)
    return found if isinstance(found, MAPPINGS) else NOTHING


def items(value: Any, *path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Give the mappings in the list at the path, each with its place in the list."""
    found = inside(value, *path)
    for index, item in enumerate(found if isinstance(found, (list, tuple)) else ()):
        if isinstance(item, MAPPINGS):
            yield index, item


def states(value: Any, path: KeyPath) -> bool:
    """Tell whether something stands at a path of names and indexes."""
    for part in path:
        if isinstance(part, int):
            if not isinstance(value, list | tuple) or part >= len(value):
                return False
        elif not isinstance(value, MAPPINGS) or part not in value:
            return False
        value = value[part]
    return True


def selected(selector: str, value: Any) -> str:
    """Return the canonical name that a selector such as ``protocol`` has, or an empty text."""
    found = text(value, selector)
    return canonical(selector, found) if found else ""


def has_placeholder(value: str) -> bool:
    """Tell whether a text is, or may be, filled in later."""
    return "{" in value and "}" in value


def near(name: str, known: Collection[str], but: str = "") -> str:
    """Return a question that offers the known name most like one that isn't known, ``but`` for one; or nothing."""
    return (
        suggest_similar(name, (other for other in known if other not in {name, but}))
        if len(known) <= MAX_NAMES_TO_GUESS
        else ""
    )


def in_another_language(message: Message) -> bool:
    """Tell whether a message's schema states another language than the message does, which is reported as that."""
    version = message.schema.version if message.schema else None
    stated = text(version.attributes, "format") if version else ""
    return bool(stated) and _language(stated) != _language(text(message.resolved.attributes, "dataschemaformat"))


def _language(format_: str) -> str:
    return canonical("format", format_).partition("/")[0]
