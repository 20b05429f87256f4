"""Parts of what entities state, read so that a value of another type counts as absent: the model reports those."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from xregit.catalog.views import Message
from xregit.json_pointer import KeyPath
from xregit.model import canonical
from xregit.model.language import MAPPINGS, NOTHING
from xregit.model.similarity import suggest_similar

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
    result = inside(value, *path)
    return result if isinstance(result, MAPPINGS) else NOTHING


def items(value: Any, *path: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the mappings in the list at the path, each with its place in the list."""
    result = inside(value, *path)
    for index, item in enumerate(result if isinstance(result, (list, tuple)) else ()):
        if isinstance(item, MAPPINGS):
            yield index, item


def nested_texts(value: Any, path: KeyPath, excluded: Collection[str] = ()) -> Iterator[tuple[KeyPath, str]]:
    """Yield the texts inside the value at a path, with their paths, in their order; none below ``excluded`` names."""
    pending: list[tuple[KeyPath, Any]] = [(path, value)]
    while pending:
        at, node = pending.pop()
        if isinstance(node, str):
            yield at, node
        elif isinstance(node, MAPPINGS):
            pending += [((*at, name), node[name]) for name in reversed(node) if name not in excluded]
        elif isinstance(node, list | tuple):
            pending += [((*at, index), node[index]) for index in reversed(range(len(node)))]


def states(value: Any, path: KeyPath) -> bool:
    """Return whether something stands at a path of names and indexes."""
    for part in path:
        if isinstance(part, int):
            if not isinstance(value, list | tuple) or part >= len(value):
                return False
        elif not isinstance(value, MAPPINGS) or part not in value:
            return False
        value = value[part]
    return True


def selector_name(selector: str, value: Any) -> str:
    """Return the canonical name that a selector such as ``protocol`` has, or an empty text."""
    name = text(value, selector)
    return canonical(selector, name) if name else ""


def has_placeholder(value: str) -> bool:
    """Return whether a text is, or may be, filled in later."""
    return "{" in value and "}" in value


def near(name: str, choices: Collection[str], except_: str = "") -> str:
    """Return a question that offers the known name most like one that is not known, ``except_`` for one; or nothing."""
    return (
        suggest_similar(name, (other for other in choices if other not in {name, except_}))
        if len(choices) <= MAX_NAMES_TO_GUESS
        else ""
    )


def in_another_language(message: Message) -> bool:
    """Return whether a message's schema states another language than the message does, which is reported as that."""
    version = message.schema.version if message.schema else None
    format_ = text(version.attributes, "format") if version else ""
    return bool(format_) and _language(format_) != _language(text(message.resolved.attributes, "dataschemaformat"))


def _language(format_: str) -> str:
    return canonical("format", format_).partition("/")[0]
