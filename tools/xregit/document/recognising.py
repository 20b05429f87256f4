"""A document's value to the dialect that it is written in, told by the names of its attributes.

``specversion`` doesn't tell: three different texts call themselves 1.0-rc2 (facts, K55).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xregit.document.tables import Dialect, dialect

FOREIGN = ("0.5-wip", "model")


def foreign(value: Mapping[str, Any]) -> tuple[Dialect, tuple[str, ...]] | None:
    """Return a dialect that isn't read, and the attribute that gives it away; nothing for a document of 1.0."""
    for name in FOREIGN:
        found = dialect(name)
        for marker in found.markers:
            path = next(_paths(value, marker), None)
            if path is not None:
                return found, path
    return None


def _paths(value: Any, marker: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Give the paths that fit a marker; names are compared without regard to case."""
    if not marker:
        yield ()
        return
    if not isinstance(value, Mapping):
        return
    for name, inner in value.items():
        if marker[0] in ("*", name.casefold()):
            for rest in _paths(inner, marker[1:]):
                yield (name, *rest)
