"""The properties that a message declares, as its page shows them: in titled sections, values cut at placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.catalog.properties import PARTS, Text, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xregit.catalog.properties import Property

# What tells a reader where a message travels, the first that a message has.
ADDRESSES = ("method", "path", "topic_name", "topic", "node", "to", "subject")
KEY = "key"
# Where those stand; a header may have any of these names.
TRAVEL = frozenset({("protocoloptions",), ("protocoloptions", "properties")})
MAX_REMEMBERED = 1_024
_JSON = json.JSONEncoder(ensure_ascii=False, default=str)  # making one takes longer than writing a number


def places(declared: Iterable[Property]) -> Iterator[tuple[str, tuple[Text, ...]]]:
    """Give where a message travels, its key too, each with its name as a title, such as ``Topic name``."""
    by_name = {item.name: item for item in declared if item.path[:-1] in TRAVEL}
    for name in (*ADDRESSES, KEY):
        if name in by_name and shown(by_name[name]):
            yield name.replace("_", " ").capitalize(), shown(by_name[name])


def title(attributes: Mapping[str, Any], item: Property) -> str:
    """Return the title of the section that a property stands in, such as ``AMQP application properties``."""
    part = item.path[0]
    selected = attributes.get("envelope" if part == PARTS[0] else "protocol")
    return _titled(selected if isinstance(selected, str) and selected else part, item.path[:-1])


@lru_cache(maxsize=MAX_REMEMBERED)
def _titled(selected: str, section: tuple[str, ...]) -> str:
    """Return the title of a section by its path; ``selected`` is the envelope or protocol, if one is stated."""
    within = "/".join(section).split("/")[1:]
    noun = "attributes" if section[0] == PARTS[0] else "options"
    return f"{selected.split('/', 1)[0]} {re.sub('[-_]', ' ', within[-1]) if within else noun}"


def shown(item: Property) -> tuple[Text, ...]:
    """Return a property's value cut at its placeholders; nothing where any value will do."""
    return texts(said(item))


def said(item: Property) -> str:
    """Return a property's value as one text, an empty one where any value will do."""
    return "" if item.value is None else written(item.value)


def written(value: object) -> str:
    """Return a value as one writes it in JSON, a string without its quotes."""
    if isinstance(value, str):
        return value
    return _JSON.encode(_plain(value))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
