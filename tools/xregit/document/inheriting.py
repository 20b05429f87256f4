"""The envelope and protocol of an entity of a document: its own, else its group's, else those of its base messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any

from xregit.catalog.resolving import BASE, SELECTORS
from xregit.catalog.resources import VERSIONS
from xregit.document.tables import dialect
from xregit.model import canonical

DIALECT = "1.0"
MAX_BASES = 100
_LEAKED = "None"
_PARTS = 4


def selected(whole: Mapping[str, Any], value: Mapping[str, Any], group: Mapping[str, Any]) -> dict[str, str]:
    """Return the selectors of an entity as we spell them; ``whole`` is the document, in which its bases are."""
    found: dict[str, str] = {}
    own = _with_version(value)
    for name in SELECTORS:
        for source in chain((own, group), _bases(whole, own)):
            stated = source.get(name)
            if isinstance(stated, str) and stated != _LEAKED:
                found[name] = canonical(name, stated)
                break
    return found


def _bases(whole: Mapping[str, Any], value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give a message's base messages in the document, the nearest first."""
    for _ in range(MAX_BASES):
        reference = next((value[name] for name in _base_names() if isinstance(value.get(name), str)), "")
        parts = reference.removeprefix("#").split("/")[1 : _PARTS + 1]
        target: Any = whole if len(parts) == _PARTS else None
        for part in parts:
            target = target.get(part) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            return
        value = _with_version(target)
        yield value


def _with_version(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a resource's attributes with those of its last version, where it lists versions."""
    versions = value.get(VERSIONS)
    last = [*versions.values()][-1:] if isinstance(versions, dict) else []
    return {**value, **last[0]} if last and isinstance(last[0], dict) else value


@cache
def _base_names() -> tuple[str, ...]:
    """Return all names of the attribute that refers to a base message."""
    steps = dialect(DIALECT).entities["message"]
    return (BASE, *(old for step in steps if not step.at for old, new in step.names.items() if new == BASE))
