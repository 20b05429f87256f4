"""Placeholders, which tie the values of a message's properties together by their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.diagnostics import Finding, Severity
from xregit.model.datatypes import PLACEHOLDER
from xregit.model.spelling import is_misspelled
from xregit.rules.rule import found, rule
from xregit.rules.stated import MAPPINGS

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Message

PARTS = ("envelopemetadata", "protocoloptions")
_PLACEHOLDER = re.compile(PLACEHOLDER)
_PROSE = frozenset({"description", "name", "specurl"})
_MAX_DEPTH = 8

Path = tuple[str | int, ...]


@rule("message", Severity.WARNING, "A placeholder is spelled in two ways.", "MSG-63")
def placeholder_spelled_in_two_ways(_registry: Registry, message: Message) -> Iterator[Finding]:
    """Report a name that is used in one place only, and nearly the name of another placeholder of the message."""
    own = _placeholders(message.entity.attributes)
    places = own if own and not message.base else _placeholders(message.resolved.attributes) if own else {}
    for name, paths in own.items():
        other = next((other for other in places if _is_meant(name, other, places)), "")
        if other and len(places.get(name, paths)) == 1:
            text_ = f'The placeholder "{{{name}}}" stands only here, but "{{{other}}}" elsewhere in the message.'
            help_ = f'Write "{{{other}}}" if the same value is meant; equal names stand for equal values.'
            yield found(*paths[-1], message=text_, help=help_)


def _is_meant(name: str, other: str, places: Mapping[str, list[Path]]) -> bool:
    """Tell whether another placeholder is the one that was meant; of two that stand once, it is the earlier one."""
    if name == other or not is_misspelled(name, other) or places.get(name) == places[other]:
        return False
    order = list(places)
    return len(places[other]) > 1 or name not in places or order.index(other) < order.index(name)


def _placeholders(attributes: Mapping[str, Any]) -> Mapping[str, list[Path]]:
    """Return where each placeholder of a message stands, in the order in which they are written."""
    texts: list[tuple[Path, str]] = []
    for part in PARTS:
        if part in attributes:
            _collect(attributes[part], (part,), texts)
    places: dict[str, list[Path]] = {}
    for path, text in texts:
        for placeholder in dict.fromkeys(_PLACEHOLDER.findall(text)):
            places.setdefault(placeholder[1:-1], []).append(path)
    return places


def _collect(value: Any, path: Path, texts: list[tuple[Path, str]]) -> None:
    """Add the texts inside a value that hold a brace, but those that are for people."""
    if isinstance(value, str):
        if "{" in value:
            texts.append((path, value))
    elif len(path) > _MAX_DEPTH:
        return
    elif isinstance(value, MAPPINGS):
        for name, item in value.items():
            if item.__class__ is not str or ("{" in item and name not in _PROSE):
                _collect(item, (*path, name), texts)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _collect(item, (*path, index), texts)
