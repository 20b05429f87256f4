"""Placeholders, which tie the values of a message's properties together by their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    own = message.entity.attributes
    stated = [place for part in PARTS if part in own for place in _placeholders(own[part], (part,))]
    if not stated:
        return
    attributes = message.resolved.attributes
    places: dict[str, list[Path]] = {}
    for part in PARTS:
        for path, name in _placeholders(attributes.get(part), (part,)):
            places.setdefault(name, []).append(path)
    for path, name in _last_of_each(stated):
        other = next((other for other in places if _is_meant(name, other, places)), "")
        if other and len(places.get(name, ())) == 1:
            text_ = f'The placeholder "{{{name}}}" stands only here, but "{{{other}}}" elsewhere in the message.'
            help_ = f'Write "{{{other}}}" if the same value is meant; equal names stand for equal values.'
            yield found(*path, message=text_, help=help_)


def _last_of_each(stated: list[tuple[Path, str]]) -> list[tuple[Path, str]]:
    return [(path, name) for name, path in {name: path for path, name in stated}.items()]


def _is_meant(name: str, other: str, places: dict[str, list[Path]]) -> bool:
    """Tell whether another placeholder is the one that was meant; of two that stand once, it is the earlier one."""
    if name == other or places.get(other) == places.get(name):
        return False
    order = list(places)
    likelier = len(places[other]) > 1 or name not in places or order.index(other) < order.index(name)
    return likelier and is_misspelled(name, other)


def _placeholders(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Give the path and name of every placeholder inside a value, each once for each path."""
    if isinstance(value, str):
        if "{" in value:
            yield from ((path, match[1:-1]) for match in dict.fromkeys(_PLACEHOLDER.findall(value)))
    elif len(path) > _MAX_DEPTH:
        return
    elif isinstance(value, MAPPINGS):
        for name, item in value.items():
            if name not in _PROSE or not isinstance(item, str):
                yield from _placeholders(item, (*path, name))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _placeholders(item, (*path, index))
