"""What a check has found, with the state of the files that it looked at, as bytes for the checks after it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import orjson

from xregit.catalog.parts import Files, Traced
from xregit.catalog.traces import group_of
from xregit.diagnostics import Diagnostic, Severity
from xregit.source.remembered import opened, sealed

Found = Mapping[str, tuple[Diagnostic, ...]]


@dataclass(frozen=True, slots=True)
class Kept:
    """The findings of one check of a whole registry, by the xid of the group that they are in; an empty one for none.

    ``files`` are those that were looked at; the check was on a ``day``, and began at the time ``since``, in
    nanoseconds. ``faulty`` are the groups with errors. ``context`` is what else may make findings different,
    ``baseurl`` that of the settings.
    """

    files: Files
    found: Found
    faulty: frozenset[str]
    day: date
    since: int
    context: str
    baseurl: str = ""

    @property
    def diagnostics(self) -> Iterable[Diagnostic]:
        """All findings."""
        return (item for group in self.found.values() for item in group)


def by_group(diagnostics: Iterable[Diagnostic], prefix: str) -> Found:
    """Return findings by the groups whose files they are in; ``prefix`` is the registry folder in the repository."""
    found: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for item in diagnostics:
        found[group_of(item.path.removeprefix(prefix)) if item.path.startswith(prefix) else ""].append(item)
    return {group: tuple(items) for group, items in found.items()}


def to_bytes(kept: Kept) -> bytes | None:
    """Return what was kept as bytes that say whether they are whole; None where JSON can't hold a text."""
    value = {
        "context": kept.context,
        "baseurl": kept.baseurl,
        "day": kept.day.isoformat(),
        "since": kept.since,
        "faulty": sorted(kept.faulty),
        "files": {group: {path: [*file] for path, file in files.items()} for group, files in kept.files.items()},
        "found": {group: [_row(item) for item in items] for group, items in kept.found.items()},
    }
    try:
        return sealed(orjson.dumps(value))
    except orjson.JSONEncodeError:  # half of a surrogate pair
        return None


def from_bytes(data: bytes, context: str) -> Kept | None:
    """Return what such bytes hold; None where they are damaged, of another version or of another context."""
    body = opened(data)
    value = orjson.loads(body) if body is not None else {}
    if value.get("context") != context:
        return None
    files = value["files"].items()
    return Kept(
        {group: {path: Traced._make(row) for path, row in rows.items()} for group, rows in files},
        {group: tuple(map(_diagnostic, rows)) for group, rows in value["found"].items()},
        frozenset(value["faulty"]),
        date.fromisoformat(value["day"]),
        value["since"],
        context,
        value["baseurl"],
    )


def _row(item: Diagnostic) -> tuple[Any, ...]:
    place = (item.line, item.column, item.endline, item.endcolumn)
    return (item.rule, item.severity, item.path, item.message, *place, item.xid, item.help, item.requirement)


def _diagnostic(row: list[Any]) -> Diagnostic:
    rule, severity, *rest = row
    return Diagnostic(rule, Severity(severity), *rest)
