"""The findings of a check and the state of the files that it looked at, as bytes, for later checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from xregit.catalog.parts import Folder, Folders, Outline
from xregit.catalog.traces import Terms, group_of
from xregit.diagnostics import Diagnostic, Severity
from xregit.records import record
from xregit.source.remembered import opened, sealed

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

Found = Mapping[str, tuple[Diagnostic, ...]]
Held = Mapping[str, Mapping[str, int]]


@record
class Kept:
    """The findings of one check of a whole registry; ``folders`` are the files that were looked at, on a ``day``.

    ``held`` is how many resources of each type are in each group, by its xid. ``found`` are the findings, by the xid of
    their group, an empty text for none; ``faulty`` are the groups with errors. ``context`` is what else findings depend
    on, ``terms`` what traces depend on. ``faultless`` are digests of schemas (`payloads.faultless`).
    """

    folders: Folders
    held: Held
    found: Found
    faulty: frozenset[str]
    day: date
    context: str
    terms: Terms
    faultless: frozenset[str] = frozenset()

    @property
    def diagnostics(self) -> Iterable[Diagnostic]:
        """All findings."""
        return (item for group in self.found.values() for item in group)


def held_by(registry: Registry) -> Held:
    """Return how many resources of each type are in each group of a registry."""
    return {
        group.xid: {plural: len(resources) for plural, resources in group.collections.items()}
        for group in registry.all_groups
    }


def state_of(kept: Kept) -> str:
    """Return a digest of all that a compiled document depends on except Git's history: files, settings, their place."""
    found = sha256(repr((kept.context, tuple(kept.terms), tuple(kept.folders))).encode(errors="surrogatepass"))
    for folder in kept.folders.values():
        found.update(folder.rows)
    return found.hexdigest()


def by_group(diagnostics: Iterable[Diagnostic], prefix: str) -> Found:
    """Return findings by the groups whose files they are in; ``prefix`` is the registry folder in the repository."""
    found: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for item in diagnostics:
        found[group_of(item.path.removeprefix(prefix)) if item.path.startswith(prefix) else ""].append(item)
    return {group: tuple(items) for group, items in found.items()}


def to_bytes(kept: Kept) -> bytes | None:
    """Return what was kept as bytes, which `from_bytes` finds damaged if they are; None where JSON can't hold a text.

    The first line of JSON has all but the files; each further line has those of one group, as few are read again.
    """
    value = {
        "context": kept.context,
        "terms": tuple(kept.terms),
        "day": kept.day.isoformat(),
        "faulty": sorted(kept.faulty),
        "folders": {group: (tuple(folder.outline), folder.mark) for group, folder in kept.folders.items()},
        "held": kept.held,
        "faultless": sorted(kept.faultless),
        "found": {group: [_row(item) for item in items] for group, items in kept.found.items()},
    }
    try:
        head = orjson.dumps(value)
    except orjson.JSONEncodeError:  # half of a surrogate pair
        return None
    return sealed(b"\n".join((head, *(folder.rows for folder in kept.folders.values()))))


def from_bytes(data: bytes, context: str) -> Kept | None:
    """Return what such bytes hold; None where they are damaged, of another version or of another context."""
    head, *lines = opened(data) or (b"{}",)
    value = orjson.loads(head)
    if value.get("context") != context:
        return None
    folders = zip(value["folders"].items(), lines, strict=True)
    return Kept(
        {group: Folder(Outline._make(outline), mark, rows) for (group, (outline, mark)), rows in folders},
        value["held"],
        {group: tuple(map(_diagnostic, rows)) for group, rows in value["found"].items()},
        frozenset(value["faulty"]),
        date.fromisoformat(value["day"]),
        context,
        Terms._make(value["terms"]),
        frozenset(value["faultless"]),
    )


def _row(item: Diagnostic) -> tuple[Any, ...]:
    place = (item.line, item.column, item.endline, item.endcolumn)
    return (item.rule, item.severity, item.path, item.message, *place, item.xid, item.help, item.requirement)


def _diagnostic(row: list[Any]) -> Diagnostic:
    rule, severity, *rest = row
    return Diagnostic(rule, Severity(severity), *rest)
