"""The change policy: which breaking changes fail a check, and which are let through.

A draft, an announced removal or a waiver lets a breaking change through. By default the message specification's own
advice holds: a definition in use does not change on the wire.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from xregit.arguments import to_day
from xregit.catalog.entities import Group, Place, Resource
from xregit.catalog.layout import REGISTRY_FILE, WAIVERS_FILE
from xregit.catalog.registry import expect_registry
from xregit.changes.change import Change, Impact
from xregit.changes.new_names import NewName, find_new_name, worst_per_name
from xregit.changes.verdicts import locate_change
from xregit.diagnostics import Diagnostic, Severity, Span, has_errors, ordered
from xregit.model.times import moment
from xregit.rules import severities

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.changes.change import Change


LABEL, DRAFT = "stage", "draft"
_GROUP_PARTS = 3


def is_draft(group: Group) -> bool:
    """Tell whether a group is marked as a draft."""
    labels = group.attributes.get("labels")
    return isinstance(labels, Mapping) and labels.get(LABEL) == DRAFT


def in_draft(registry: Registry, xid: str) -> bool:
    """Tell whether an entity is a draft group, or in one."""
    group = registry.entity("/".join(xid.split("/")[:_GROUP_PARTS]))
    return isinstance(group, Group) and is_draft(group)


_GROUP_DEPTH, _RESOURCE_DEPTH = 3, 5


def removal_of(registry: Registry, xid: str) -> date | None:
    """Return the day on which an entity, or what it is part of, is announced to be removed; the earliest of several."""
    days = [day for stated in _deprecations_of(registry, xid) if (day := _parse_day(stated.get("removal"))) is not None]
    return min(days, default=None)


def is_deprecated(registry: Registry, xid: str) -> bool:
    """Tell whether an entity, or what it is part of, is deprecated."""
    return any(True for _ in _deprecations_of(registry, xid))


def _deprecations_of(registry: Registry, xid: str) -> Iterator[Mapping[str, Any]]:
    parts = xid.split("/")
    for length in (_GROUP_DEPTH, _RESOURCE_DEPTH):
        entity = registry.entity("/".join(parts[:length])) if len(parts) >= length else None
        attributes = entity.meta if isinstance(entity, Resource) else entity.attributes if entity else {}
        stated = attributes.get("deprecated") if isinstance(entity, Group | Resource) else None
        if isinstance(stated, Mapping):
            yield stated


def _parse_day(written: object) -> date | None:
    time = moment(written)
    return time.date() if time else None


@dataclass(frozen=True, slots=True)
class Waiver:
    """One intended break; ``index`` is its place in the file. A wildcard in ``xid`` stands for any part of it."""

    index: int
    xid: str
    rule: str
    attribute: str
    reason: str
    approvedby: str
    until: date

    def covers(self, change: Change) -> bool:
        """Tell whether it is about a change; without an attribute it is about all of an entity."""
        return (
            self.rule == change.rule and self.attribute in {"", change.attribute} and fnmatchcase(change.xid, self.xid)
        )


def load_waivers(registry: Registry) -> Iterator[Waiver]:
    """Give the waivers of a registry, in their order."""
    stated = registry.waivers.get("waivers")
    for index, item in enumerate(stated if isinstance(stated, list) else ()):
        found = _waiver(index, item) if isinstance(item, Mapping) else None
        if found is not None:
            yield found


def _waiver(index: int, item: Mapping[str, Any]) -> Waiver | None:
    texts = [item.get(name, "") for name in ("xid", "rule", "attribute", "reason", "approvedby", "until")]
    if not all(isinstance(text, str) for text in texts) or not all(texts[:2] + texts[3:]):
        return None
    try:
        until = date.fromisoformat(texts[5])
    except ValueError:
        return None
    return Waiver(index, texts[0], texts[1], texts[2], texts[3], texts[4], until)


_JUDGED = frozenset({Impact.BREAKING, Impact.UNKNOWN})
REMOVED, MADE_DRAFT = "definition-removed", "made-draft"
USED, EXPIRED, UNNEEDED = "waiver-used", "waiver-expired", "waiver-unneeded"


class MergeDecision(StrEnum):
    """Why a change may or may not be merged."""

    FINE = "fine"
    STANDS = "stands"
    DRAFT = "draft"
    ANNOUNCED = "announced"
    WAIVED = "waived"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One change, where it is to be seen, whether it stands in the way of a merge, and a word on why.

    ``severity`` is that of its diagnostic; None where there is none. ``name`` is a new name that it is about.
    """

    change: Change
    standing: MergeDecision
    place: Place
    span: Span
    severity: Severity | None = None
    why: str = ""
    name: NewName | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """All changes between two states of a registry, judged, and the diagnostics that follow; the worst first.

    Of a name that was written otherwise there is one diagnostic. ``on_new_names`` are those at names that are new.
    ``unread`` are the files that can't be read in one of the states, whose definitions are therefore not compared.
    """

    items: tuple[ReviewItem, ...]
    diagnostics: tuple[Diagnostic, ...]
    on_new_names: frozenset[Diagnostic] = frozenset()
    unread: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether something stands in the way of a merge."""
        return has_errors(self.diagnostics)


def review(changes: Sequence[Change], before: Registry, after: Registry, *, today: date | None = None) -> Review:
    """Return what may be merged, by the settings and waivers of the registry after the change.

    ``today`` decides which waivers have expired; by default it is the current date in UTC.

    Raises:
        XregitError: one of the states is no registry, or ``today`` is no date.
    """
    for state in (before, after):
        expect_registry(state)
    return _Reviewer(before, after, datetime.now(UTC).date() if today is None else to_day(today)).review(changes)


class _Reviewer:
    """One review; ``used`` are the waivers that something needs, by their places in the file."""

    def __init__(self, before: Registry, after: Registry, today: date) -> None:
        self.before, self.after, self.today = before, after, today
        self.waivers = tuple(load_waivers(after))
        self.severity = severities(after)
        self.used: dict[int, Change] = {}

    def review(self, changes: Sequence[Change]) -> Review:
        items = tuple(self.judged(change) for change in changes)
        found = list(worst_per_name((item.name, _diagnostic(item)) for item in items if item.severity is not None))
        told = ordered([*(item for _, item in found), *self.of_waivers()])
        unread = tuple(sorted(self.before.broken | self.after.broken))
        return Review(items, told, frozenset(item for name, item in found if name), unread)

    def judged(self, change: Change) -> ReviewItem:
        place, span = locate_change(self.before, self.after, change)
        if change.impact not in _JUDGED:
            return ReviewItem(change, MergeDecision.FINE, place, span)
        if self.is_draft(change):
            return ReviewItem(change, MergeDecision.DRAFT, place, span, why="it is a draft, which promises nothing")
        removal = removal_of(self.before, change.xid) if change.rule == REMOVED else None
        if removal is not None and removal <= self.today:
            return ReviewItem(
                change, MergeDecision.ANNOUNCED, place, span, why=f"its removal was announced for {removal}"
            )
        waiver = next((item for item in self.waivers if item.covers(change)), None)
        if waiver is not None:
            self.used.setdefault(waiver.index, change)
            if self.today <= waiver.until:
                why = f"let through by {waiver.approvedby} until {waiver.until}: {waiver.reason}"
                return ReviewItem(change, MergeDecision.WAIVED, place, span, why=why)
        severity = self.severity(change.rule, place.path, change.xid)
        standing = MergeDecision.STANDS if severity is not None else MergeDecision.OFF
        name = find_new_name(self.before, self.after, change)
        if name is not None and name.instead:
            place, span = locate_change(self.before, self.after, change, name.path)
        return ReviewItem(self.advised(change, removal, name), standing, place, span, severity, name=name)

    def is_draft(self, change: Change) -> bool:
        """Tell whether all that a change touches was a draft before it."""
        if change.rule == MADE_DRAFT:
            return False
        old = str(change.before) if change.rule == "definition-renamed" else change.xid
        touched = (old, *(xid for xid in change.reaches if self.before.entity(xid) is not None))
        return all(in_draft(self.before, xid) for xid in touched)

    def advised(self, change: Change, removal: date | None, name: NewName | None) -> Change:
        """Return a change with advice that fits: to write a name as it was, or to what was announced of a removal."""
        if name is not None and name.instead:
            return replace(change, help=f'Write "{name.instead}" instead of "{name.path[-1]}". {change.help}'.rstrip())
        if change.rule != REMOVED:
            return change
        if removal is not None:
            return replace(change, help=f"It was announced for {removal}; wait until then.")
        if is_deprecated(self.before, change.xid):
            return replace(change, help='Its deprecation names no day; keep it, and add "removal" to "deprecated".')
        return change

    def of_waivers(self) -> Iterator[Diagnostic]:
        for waiver in self.waivers:
            change = self.used.get(waiver.index)
            if change is None:
                message = f'Nothing breaks that the waiver of "{waiver.rule}" for "{waiver.xid}" lets through.'
                yield from self.of_waiver(UNNEEDED, waiver, message, "Remove it.")
            elif self.today > waiver.until:
                message = f'The waiver of "{waiver.rule}" for "{waiver.xid}" ended on {waiver.until}.'
                yield from self.of_waiver(EXPIRED, waiver, message, "Undo the change, or agree on a new day.")
            else:
                message = (
                    f'"{waiver.rule}" of "{change.xid}" is let through until {waiver.until} by {waiver.approvedby}: '
                    f"{waiver.reason}"
                )
                yield from self.of_waiver(USED, waiver, message, "")

    def of_waiver(self, rule: str, waiver: Waiver, message: str, help_: str) -> Iterator[Diagnostic]:
        path = self.after.place.path.removesuffix(REGISTRY_FILE) + WAIVERS_FILE
        severity = self.severity(rule, path, waiver.xid)
        if severity is not None:
            span = self.after.origin.span(Place(path, ("waivers", waiver.index)))
            line = (span.line, span.column, span.endline, span.endcolumn)
            yield Diagnostic(rule, severity, path, message, *line, xid=waiver.xid, help=help_)


def _diagnostic(item: ReviewItem) -> Diagnostic:
    change, span = item.change, item.span
    line = (span.line, span.column, span.endline, span.endcolumn)
    severity = item.severity or Severity.ERROR
    text = describe_change(change)
    return Diagnostic(change.rule, severity, item.place.path, text, *line, change.xid, change.help, change.requirement)


def describe_change(change: Change) -> str:
    """Return what a change does, in sentences: what it is, what it means for whom, and what else it reaches."""
    hit = [f"{who.capitalize()}s {change.says[who]}." for who in change.audience if who in change.says]
    reached = f" It reaches {_shorten(change.reaches)}." if change.reaches else ""
    return f"{change.message} {' '.join(hit)}".rstrip() + reached


MAX_LISTED = 3


def _shorten(xids: Sequence[str]) -> str:
    """Return the first few of many, and how many more there are."""
    first = ", ".join(f'"{xid}"' for xid in xids[:MAX_LISTED])
    more = len(xids) - MAX_LISTED
    return f"{first} and {more} more" if more > 0 else first
