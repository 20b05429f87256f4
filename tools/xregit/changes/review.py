"""The change policy: which breaking changes fail a check, and which are let through, and where.

A draft, an announced removal or a waiver lets a breaking change through. By default the message specification's own
advice holds: a definition in use does not change on the wire. A change does not judge itself: drafts, removals and
waivers count as they were before it, and of two severities the worse.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from xregit.arguments import to_day
from xregit.catalog.entities import Group, Place, Resource, Version
from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, SETTINGS_FILE, WAIVERS_FILE
from xregit.catalog.registry import Entity, Registry, expect_registry
from xregit.catalog.settings import TEXTS
from xregit.changes.attribute_diff import alike
from xregit.changes.change import AUDIENCES, Change, Impact
from xregit.changes.verdict_table import describe_transition, quote_value
from xregit.diagnostics import Diagnostic, Severity, Span, has_errors, ordered, sentence
from xregit.json_pointer import KeyPath, NamePath
from xregit.model.similarity import is_misspelled
from xregit.model.times import moment
from xregit.rules import severities
from xregit.xid import parent

# Which member of a property's definition says what differs, the likelier one first.
_MEMBERS: Mapping[str, NamePath] = {"value": ("value",), "presence": ("required", "value")}
# Each removed name is compared with each new one beside it. Nobody writes so many of them by hand.
_MAX_NAMES = 200
# A model may be new as a whole, with hundreds of attributes.
_MAX_PARTS = 50


@dataclass(frozen=True, slots=True)
class NewName:
    """The path of a name that is new in an entity, and the name that it replaces, if any."""

    path: NamePath
    replaces: str = ""


def find_new_name(before: Registry, after: Registry, change: Change) -> NewName | None:
    """Return the new name that a change is about; None where all of its names were there before, or none is."""
    old, new = (registry.entity(change.xid) for registry in (before, after))
    if not isinstance(old, Group | Resource) or not isinstance(new, Group | Resource):
        return None
    paths = [(*change.path, member) for member in _MEMBERS.get(change.kind, ())] or [change.path]
    names = (_first_new_name(_definition(old), _definition(new), path) for path in paths)
    return next((name for name in names if name is not None), None)


def _first_new_name(old: Any, new: Any, path: NamePath) -> NewName | None:
    """Return the first name on a path that is new there, or that replaces a removed one."""
    for number, name in enumerate(path):
        if not isinstance(old, Mapping) or not isinstance(new, Mapping) or (name not in old and name not in new):
            return None
        if name not in old:
            return NewName(path[: number + 1])
        if name not in new:
            if len(new) > _MAX_NAMES:
                return None
            others = [other for other in new if other not in old and _replaces(new[other], old[name], other, name)]
            return NewName((*path[:number], others[0]), name) if len(others) == 1 else None
        old, new = old[name], new[name]
    return None


def _replaces(value: Any, before: Any, other: str, name: str) -> bool:
    """Return whether a name replaces another one: with its value, which says more than a number, or misspelled."""
    return is_misspelled(other, name) or (isinstance(value, str | Mapping | list | tuple) and alike(value, before))


def locate_change(before: Registry, after: Registry, change: Change, name: NamePath = ()) -> tuple[Place, Span]:
    """Return the file of a change and its line, or the line of a new ``name``; a removed file has no lines."""
    entity = after.entity(change.xid)
    if entity is not None and name:
        return entity.place, after.origin.span(entity.place, name, on_key=True)
    if isinstance(entity, Version):
        return _own_file(entity), _changed_text(before.entity(change.xid), entity, change.where)
    if entity is not None:
        path = _file_path(entity, change)
        return entity.place, after.origin.span(entity.place, path, on_key=True)
    if change.xid == "/":
        return after.place, after.origin.span(after.place, change.path, on_key=True)
    old = before.entity(change.xid)
    if old is None or not old.place.pointer:
        place = _own_file(old) if old is not None else before.place
        return Place(place.path), Span()
    holder = after.entity(parent(change.xid))  # the group or schema in whose file it stood
    return (holder.place, after.origin.span(holder.place)) if holder is not None else (Place(old.place.path), Span())


def _changed_text(old: Entity | None, new: Version, where: Sequence[str]) -> Span:
    """Return the first name of what changed in the lines of a document that differ, else the first such line.

    ``where`` are places in the payload; a name that is gone stands nowhere.
    """
    texts = [item.data if isinstance(item, Version) else None for item in (old, new)]
    if texts[0] is None or texts[1] is None:
        return Span(1, 1, 1, 1)
    before, after = (text.decode(errors="replace").splitlines() for text in texts if text is not None)
    common = range(min(len(before), len(after)))
    start = next((number for number in common if before[number] != after[number]), len(common))
    same = next((number for number in common[: len(common) - start] if before[-1 - number] != after[-1 - number]), 0)
    changed = range(start, max(len(after) - same, start))
    names = [re.findall(r"[^.:\s\[\]]+", place)[-1:] for place in where]
    for name in (each for found in names for each in found):
        word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        match = next(((number + 1, found) for number in changed if (found := word.search(after[number]))), None)
        if match is not None:
            return Span(match[0], match[1].start() + 1, match[0], match[1].end() + 1)
    line = min(start + 1, max(len(after), 1))
    text = after[line - 1] if after else ""
    return Span(line, len(text) - len(text.lstrip()) + 1, line, len(text) + 1)


def _own_file(entity: Entity) -> Place:
    return entity.document.place if isinstance(entity, Version) and entity.document is not None else entity.place


def _definition(entity: Group | Resource) -> Mapping[str, Any]:
    return entity.definition if isinstance(entity, Resource) else entity.attributes


def _file_path(entity: Group | Resource, change: Change) -> KeyPath:
    """Return the path of a change in its file: items of lists by their numbers, and the member of a property."""
    value: object = _definition(entity)
    path: KeyPath = change.path
    if isinstance(entity, Resource) and path and path[0] not in entity.definition:
        if path[0] in entity.meta and "meta" in entity.definition:
            path = ("meta", *path)
        elif "versions" in entity.definition:
            path = ("versions", entity.defaultversionid, *path)
    result: list[str | int] = []
    for part in path:
        key: str | int = part
        if isinstance(value, list | tuple):
            key = next((number for number, item in enumerate(value) if _has_name(item, str(part))), part)
        result.append(key)
        value = _child(value, key)
    members = _MEMBERS.get(change.kind, ()) if isinstance(value, dict) else ()
    return (*result, *[name for name in members if _child(value, name) is not None][:1])


def _has_name(item: object, name: str) -> bool:
    if isinstance(item, dict):
        return name.strip('"').lower() in {str(item.get("name")).lower(), str(item.get("uri")).lower()}
    return str(item) == name.strip('"')


def _child(value: object, key: str | int) -> object:
    if isinstance(value, dict):
        return value.get(key)
    return value[key] if isinstance(value, list | tuple) and isinstance(key, int) else None


LABEL, DRAFT = "stage", "draft"
REMOVED, RENAMED, MADE_DRAFT = "definition-removed", "definition-renamed", "made-draft"
ANNOUNCEMENTS = ("deprecated", "deprecation-changed", RENAMED)
USED, UNNEEDED = "waiver-used", "waiver-unneeded"
NOT_COMPARED, SETTINGS, WAIVERS = "file-not-compared", "settings-changed", "waivers-changed"
# Rules of `check` about names, which find the same fault as the change that brought the name.
OF_NAMES = frozenset({"unknown-attribute", "misspelled-attribute"})
MESSAGES = "/messages/"
MAX_LISTED = 3
_GROUP_DEPTH, _RESOURCE_DEPTH = 3, 5
_SEVERITIES = tuple(Severity)


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
    """One change, where it is to be seen, whether it may be merged, and the reason where it is let through.

    ``severity`` is that of its diagnostic; None where there is none. ``name`` is a new name that it is about.
    """

    change: Change
    decision: MergeDecision
    place: Place
    span: Span
    severity: Severity | None = None
    reason: str = ""
    name: NewName | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """All changes between two states of a registry, judged, and the diagnostics that follow; the worst first.

    A name in another spelling has one diagnostic. ``on_new_names`` are the diagnostics at names that are new.
    ``unreadable`` are the files that can't be read in one of the states, whose definitions are therefore not compared.
    ``policy`` are the diagnostics that a reviewer should see first: what was not compared, and what changes of the
    settings and waivers. ``waivers_path`` is the file of the waivers, which let intended changes through.
    """

    items: tuple[ReviewItem, ...]
    diagnostics: tuple[Diagnostic, ...]
    on_new_names: frozenset[Diagnostic] = frozenset()
    unreadable: tuple[str, ...] = ()
    policy: tuple[Diagnostic, ...] = ()
    waivers_path: str = WAIVERS_FILE

    @property
    def advice(self) -> str:
        """What to do where a break is intended; nothing where no change fails."""
        stands = any(item.decision is MergeDecision.STANDS for item in self.items)
        return intended_break(self.waivers_path) if stands else ""

    @property
    def failed(self) -> bool:
        """Whether a change fails the check."""
        return has_errors(self.diagnostics)


def review(changes: Sequence[Change], before: Registry, after: Registry, *, today: date | None = None) -> Review:
    """Return what may be merged, by the waivers of the registry before the change and the stricter of both settings.

    Where there was no registry before, or it is a document, which has neither, those of the registry after it count.
    ``today`` decides which waivers have expired; by default it is the current date in UTC.

    Raises:
        XregitError: one of the states is no registry, or ``today`` is no date.
    """
    for state in (before, after):
        expect_registry(state)
    return _Reviewer(before, after, datetime.now(UTC).date() if today is None else to_day(today)).review(changes)


class _Reviewer:
    """One review; ``used`` are the changes that need a waiver, by its place in the file, None if it does not suffice.

    ``other_xids`` has the former xid of what is renamed by the new one, and the new one by the former.
    """

    def __init__(self, before: Registry, after: Registry, today: date) -> None:
        self.before, self.after, self.today = before, after, today
        self.waivers = tuple(load_waivers(before if before.has_policy else after))
        self.severity = severities(after, before)
        self.used: dict[int, Change | None] = {}
        self.other_xids: dict[str, str] = {}

    def review(self, changes: Sequence[Change]) -> Review:
        pairs = [(item.xid, str(item.before)) for item in changes if item.rule == RENAMED]
        self.other_xids = {one: other for pair in pairs for one, other in (pair, pair[::-1])}
        items = tuple(self.decide(change) for change in changes)
        path = self.after.place.path.removesuffix(REGISTRY_FILE) + WAIVERS_FILE
        advice = intended_break(path)
        findings = list(
            _worst_per_name((item.name, _diagnostic(item, advice)) for item in items if item.severity is not None)
        )
        policy = ordered(
            [*self.files_not_compared(), *self.changed_settings(), *self.changed_model(), *self.changed_waivers()]
        )
        diagnostics = ordered([*(item for _, item in findings), *self.check_waivers(), *policy])
        unreadable = tuple(sorted(self.before.broken | self.after.broken))
        return Review(items, diagnostics, frozenset(item for name, item in findings if name), unreadable, policy, path)

    def decide(self, change: Change) -> ReviewItem:
        change = self.without_notice(change)
        place, span = locate_change(self.before, self.after, change)
        if change.impact not in {Impact.BREAKING, Impact.UNKNOWN}:
            return ReviewItem(change, MergeDecision.FINE, place, span)
        if self.is_draft(change):
            return ReviewItem(change, MergeDecision.DRAFT, place, span, reason="draft: no compatibility guarantee")
        removal = self.removal_before(change) if change.rule == REMOVED else None
        if removal is not None and removal <= self.today:
            reason = f"its removal was announced for {removal}"
            return ReviewItem(change, MergeDecision.ANNOUNCED, place, span, reason=reason)
        waivers, uncovered = self.waivers_of(change)
        valid = [waiver for waiver in waivers if self.today <= waiver.until]
        for waiver in waivers:
            self.used[waiver.index] = self.used.get(waiver.index) or (None if uncovered else change)
        if not uncovered:
            reasons = (f"by {item.approvedby} until {item.until}: {item.reason}" for item in waivers)
            reason = f"accepted {'; '.join(dict.fromkeys(reasons))}"
            return ReviewItem(change, MergeDecision.WAIVED, place, span, reason=reason)
        severity = self.severity_of(change, place)
        decision = MergeDecision.STANDS if severity is not None else MergeDecision.OFF
        name = find_new_name(self.before, self.after, change)
        if name is not None and name.replaces:
            place, span = locate_change(self.before, self.after, change, name.path)
        advice = f'The waiver of "{valid[0].xid}" does not cover "{uncovered[0]}".' if valid else ""
        ended = next((waiver for waiver in waivers if waiver not in valid), None)
        if ended is not None:
            advice = f'The waiver of "{ended.xid}" ended on {ended.until}.'
        change = replace(change, help=f"{change.help} {advice}".strip())
        return ReviewItem(self.with_advice(change, removal, name), decision, place, span, severity, name=name)

    def names(self, *xids: str) -> list[str]:
        """Return xids, and the former or new ones of what is renamed.

        So a move of a definition, or of a part of it, never makes its break count less.
        """
        names = dict.fromkeys(xids)
        for xid in xids:
            head = xid
            while head and head not in self.other_xids:
                head = parent(head)
            other = self.other_xids[head] + xid.removeprefix(head) if head else ""
            if any(self.entities(other)):
                names[other] = None
        return list(names)

    def former_xids(self, *xids: str) -> list[str]:
        """Return the xids of what was there before, as they were then."""
        return [xid for xid in self.names(*xids) if self.before.entity(xid) is not None]

    def removal_before(self, change: Change) -> date | None:
        """Return the day on which what changes was to be removed, by what was announced before."""
        return next((removal_of(self.before, xid) for xid in self.former_xids(change.xid)), None)

    def entities(self, xid: str) -> list[Entity]:
        """Return what has an xid, before and now."""
        return [entity for state in (self.before, self.after) if (entity := state.entity(xid)) is not None]

    def waivers_of(self, change: Change) -> tuple[list[Waiver], list[str]]:
        """Return the waivers that are about a change, and the xids that none covers any more.

        Each message that it reaches must be covered as well, unless it goes with its group or leaves an endpoint.
        """
        inside = tuple(f"{xid}/" for xid in self.names(change.xid))
        reached = (xid for xid in change.reaches if MESSAGES in xid and not xid.startswith(inside))
        xids = self.names(change.xid, *(reached if change.entity != "endpoint" else ()))
        waivers = sorted((item for item in self.waivers if item.is_about(change)), key=lambda item: item.until)
        found = {xid: next((item for item in reversed(waivers) if item.covers(xid)), None) for xid in xids}
        used = [item for item in dict.fromkeys(found.values()) if item is not None]
        return used, [xid for xid, item in found.items() if item is None or self.today > item.until]

    def without_notice(self, change: Change) -> Change:
        """Return the announcement of a removal for a day that has come as what it is: a removal without notice.

        A move to where such a day was announced announces it for what moves.
        """
        day = removal_of(self.after, change.xid) if change.rule in ANNOUNCEMENTS else None
        if day is None or day > self.today or day == self.removal_before(change):
            return change
        message = f"Its removal is announced for {day}, which leaves nobody time to move."
        advice = 'Name a day that lies ahead as "removal".'
        if change.rule == RENAMED:
            advice = "Move it to where no removal is due."
        says = dict.fromkeys(AUDIENCES, "have no time to move")
        worst = Impact.BREAKING
        return replace(change, rule=REMOVED, producer=worst, consumer=worst, message=message, says=says, help=advice)

    def severity_of(self, change: Change, place: Place) -> Severity | None:
        """Return the severity of a change: the worst of those of all that it is about."""
        xids = self.names(change.xid, *change.reaches)
        others = ((item.place.path, xid) for xid in xids for item in self.entities(xid))
        paths = dict.fromkeys(((place.path, change.xid), *others))
        candidates = (self.severity(change.rule, path, xid) for path, xid in paths)
        return min((item for item in candidates if item is not None), key=_SEVERITIES.index, default=None)

    def is_draft(self, change: Change) -> bool:
        """Return whether all that a change is about was a draft before it."""
        xids = self.former_xids(change.xid, *change.reaches)
        return change.rule != MADE_DRAFT and bool(xids) and all(in_draft(self.before, xid) for xid in xids)

    def with_advice(self, change: Change, removal: date | None, name: NewName | None) -> Change:
        """Return a change with advice that fits: the old name, or what was announced of a removal."""
        if name is not None and name.replaces:
            return replace(change, help=f'Write "{name.replaces}" instead of "{name.path[-1]}". {change.help}'.rstrip())
        if removal is not None and change.change == "removed":
            return replace(change, help=f"It was announced for {removal}; wait until then.")
        if change.rule == REMOVED and change.change == "removed" and is_deprecated(self.before, change.xid):
            return replace(change, help='Its deprecation names no day; keep it, and add "removal" to "deprecated".')
        return change

    def check_waivers(self) -> Iterator[Diagnostic]:
        """Yield each waiver that lets a change through, and each that nothing needs.

        `check` reports waivers that have ended; the change that fails for that says so in its help.
        """
        places = {waiver.content: ("waivers", waiver.index) for waiver in load_waivers(self.after)}
        for waiver in self.waivers:
            place = Place(WAIVERS_FILE, places.get(waiver.content, ()))
            change = self.used.get(waiver.index)
            if change is not None:
                permission = f"is accepted until {waiver.until} by {waiver.approvedby}: {waiver.reason}"
                message = sentence(f'"{waiver.rule}" of "{change.xid}" {permission}') + _describe_reach(change)
                yield from self.report(USED, place, message, "", waiver.xid)
            elif waiver.index not in self.used and place.pointer and self.today <= waiver.until:
                message = f'The waiver of "{waiver.rule}" for "{waiver.xid}" accepts no break of this change.'
                yield from self.report(UNNEEDED, place, message, "Remove it.", waiver.xid)

    def files_not_compared(self) -> Iterator[Diagnostic]:
        """Yield the files that can't be read now, in which any change could hide."""
        for path in sorted(self.after.broken):
            severity = self.severity(NOT_COMPARED, path, "")
            if severity is not None:
                message = "The file can't be read as a whole, so what changes in it was not compared."
                advice = "Correct it. A comment that accepts the fault does not help here."
                yield Diagnostic(NOT_COMPARED, severity, path, message, help=advice)

    def changed_settings(self) -> Iterator[Diagnostic]:
        """Yield each setting that differs, and each rule's severity, in all of the registry or in a part."""
        before, after = (_levels(state) for state in (self.before, self.after))
        for name in TEXTS if self.before.has_policy else ():
            old, new = (getattr(state.settings, name) or None for state in (self.before, self.after))
            if old != new:
                message = f'The setting "{name}" changes from {quote_value(old)} to {quote_value(new)}.'
                advice = "What is published changes with it; see who relies on that."
                place = Place(SETTINGS_FILE, (name,) if name in self.after.settings.raw else ())
                yield from self.report(SETTINGS, place, message, advice)
        for key in sorted({*before, *after}) if self.before.has_policy else ():
            old, new = before.get(key, "its default"), after.get(key, "its default")
            if old != new:
                *scope, rule = key
                where = f' in "{scope[-1]}"' if scope[1:] else ""
                message = f'The severity of "{rule}"{where} changes from {old} to {new}.'
                advice = "Until this is merged, the worse of the two counts."
                yield from self.report(SETTINGS, Place(SETTINGS_FILE, key if key in after else ()), message, advice)

    def changed_model(self) -> Iterator[Diagnostic]:
        """Yield each part of the registry's own model that differs."""
        before, after = self.before.modelsource, self.after.modelsource
        parts = list(_diff_models(before, after)) if self.before.has_policy else []
        advice = "It decides what may be written, and what is published; see who relies on that."
        for path, old, new in parts[:_MAX_PARTS]:
            message = f'The model\'s "{".".join(path)}" {describe_transition("changes", old, new)}.'
            yield from self.report(SETTINGS, Place(MODEL_FILE, path if new is not None else ()), message, advice)
        if parts[_MAX_PARTS:]:
            message = f"{len(parts) - _MAX_PARTS:,} more parts of the model differ."
            yield from self.report(SETTINGS, Place(MODEL_FILE, ()), message, "Look at the file itself.")

    def changed_waivers(self) -> Iterator[Diagnostic]:
        """Yield the waivers that were not there before."""
        known = {waiver.content for waiver in self.waivers}
        for waiver in load_waivers(self.after) if self.before.has_policy else ():
            if waiver.content not in known:
                terms = f"until {waiver.until}, approved by {waiver.approvedby}: {waiver.reason}"
                message = f'A waiver of "{waiver.rule}" for "{waiver.xid}" is new, {terms}'
                advice = (
                    "It counts once it is merged: merge it first, in a change of its own that its approver reviews."
                )
                place = Place(WAIVERS_FILE, ("waivers", waiver.index))
                yield from self.report(WAIVERS, place, message, advice, waiver.xid)

    def report(self, rule: str, place: Place, message: str, advice: str, xid: str = "") -> Iterator[Diagnostic]:
        """Yield the diagnostic about a place in a file beside ``registry.yaml``."""
        path = self.after.place.path.removesuffix(REGISTRY_FILE) + place.path
        severity = self.severity(rule, path, xid)
        if severity is not None:
            span = self.after.origin.span(Place(path, place.pointer)) if place.pointer else Span()
            yield Diagnostic(rule, severity, path, sentence(message), *span, xid=xid, help=advice)


def _diff_models(
    before: Mapping[str, Any], after: Mapping[str, Any], path: NamePath = ()
) -> Iterator[tuple[NamePath, Any, Any]]:
    """Yield the path of each part of a model that differs, with its values; what can be quoted as a whole is one."""
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        both = isinstance(old, Mapping) and isinstance(new, Mapping)
        if both or any(isinstance(value, Mapping) and quote_value(value).endswith("…") for value in (old, new)):
            old, new = (value if isinstance(value, Mapping) else {} for value in (old, new))
            yield from _diff_models(old, new, (*path, str(name)))
        elif not alike(old, new):
            yield (*path, str(name)), old, new


def _levels(registry: Registry) -> dict[KeyPath, str]:
    """Return the severities that a registry sets, by their place in its settings."""
    settings = registry.settings
    tables: dict[KeyPath, Mapping[str, str]] = {("rules",): settings.rules}
    tables |= {("paths", scope.pattern): scope.rules for scope in settings.paths}
    return {(*place, rule): level for place, rules in tables.items() for rule, level in rules.items()}


def intended_break(waivers_path: str) -> str:
    """Return how a break is let through that is meant to be."""
    return f"If the break is intended, add a waiver to {waivers_path} in a change that is merged before this one."


def _diagnostic(item: ReviewItem, advice: str) -> Diagnostic:
    change = item.change
    severity = item.severity or Severity.ERROR
    text = describe_change(change)
    help_ = f"{change.help} {advice}".lstrip()
    return Diagnostic(change.rule, severity, item.place.path, text, *item.span, change.xid, help_, change.requirement)


def describe_change(change: Change) -> str:
    """Return what a change does, in sentences: what it is, what it means for whom, and what else it reaches."""
    effects = [f"{name.capitalize()}s {change.says[name]}." for name in change.audience if name in change.says]
    return f"{change.text} {' '.join(effects)}".rstrip() + _describe_reach(change)


def _describe_reach(change: Change) -> str:
    """Return what else a change affects, as a sentence that follows others."""
    first = ", ".join(f'"{xid}"' for xid in change.reaches[:MAX_LISTED])
    more = len(change.reaches) - MAX_LISTED
    return f" It also affects {first}{f' and {more} more' if more > 0 else ''}." if first else ""


def _worst_per_name(
    findings: Iterable[tuple[NewName | None, Diagnostic]],
) -> Iterator[tuple[NewName | None, Diagnostic]]:
    """Yield the findings, but where one name replaces another only the worst; of two, the one on the old name."""
    findings = list(findings)
    replaced = {(item.xid, name.path) for name, item in findings if name and name.replaces}
    reported: set[tuple[str, Sequence[str]]] = set()
    for name, item in sorted(findings, key=lambda pair: (_rank(pair[1]), pair[0] is None or not pair[0].replaces)):
        key = (item.xid, name.path if name else ())
        if key not in reported:
            yield name, item
        if key in replaced:
            reported.add(key)


def merge_findings(
    findings: Sequence[Diagnostic], changes: Iterable[Diagnostic], on_new_names: Container[Diagnostic]
) -> Iterator[Diagnostic]:
    """Yield the findings of `check` and those on changes, but of several about one new name only the worst.

    That a file was not compared is left out where an error says what is wrong with it.
    """
    unreadable = {item.path for item in findings if item.severity is Severity.ERROR}
    changes = (item for item in changes if item.rule != NOT_COMPARED or item.path not in unreadable)
    of_names = {(item.path, item.line, item.column): item for item in findings if item.rule in OF_NAMES}
    hidden: set[Diagnostic] = set()
    for item in changes:
        other = of_names.get((item.path, item.line, item.column)) if item in on_new_names else None
        if other is None:
            yield item
        elif _rank(item) < _rank(other):
            hidden.add(other)
            yield item
    yield from (item for item in findings if item not in hidden)


def _rank(item: Diagnostic) -> int:
    return _SEVERITIES.index(item.severity)


def is_draft(group: Group) -> bool:
    """Return whether a group is marked as a draft."""
    labels = group.attributes.get("labels")
    return isinstance(labels, Mapping) and labels.get(LABEL) == DRAFT


def in_draft(registry: Registry, xid: str) -> bool:
    """Return whether an entity is a draft group, or in one."""
    group = registry.entity("/".join(xid.split("/")[:_GROUP_DEPTH]))
    return isinstance(group, Group) and is_draft(group)


def removal_of(registry: Registry, xid: str) -> date | None:
    """Return the day on which an entity, or what it is part of, is announced to be removed; the earliest of several."""
    times = (moment(deprecated.get("removal")) for deprecated in _deprecations_of(registry, xid))
    return min((time.date() for time in times if time), default=None)


def is_deprecated(registry: Registry, xid: str) -> bool:
    """Return whether an entity, or what it is part of, is deprecated."""
    return any(True for _ in _deprecations_of(registry, xid))


def _deprecations_of(registry: Registry, xid: str) -> Iterator[Mapping[str, Any]]:
    parts = xid.split("/")
    for depth in (_GROUP_DEPTH, _RESOURCE_DEPTH):
        entity = registry.entity("/".join(parts[:depth])) if len(parts) >= depth else None
        if isinstance(entity, Group | Resource):
            attributes = entity.meta if isinstance(entity, Resource) else entity.attributes
            deprecated = attributes.get("deprecated")
            if isinstance(deprecated, Mapping):
                yield deprecated


@dataclass(frozen=True, slots=True)
class Waiver:
    """One intended break; ``index`` is its place in the file. ``xid`` may have wildcards."""

    index: int
    xid: str
    rule: str
    attribute: str
    reason: str
    approvedby: str
    until: date

    @property
    def content(self) -> tuple[str | date, ...]:
        """All that it says, wherever it stands."""
        return (self.xid, self.rule, self.attribute, self.reason, self.approvedby, self.until)

    def is_about(self, change: Change) -> bool:
        """Return whether it names what changes; without an attribute it is about all of an entity."""
        return self.rule == change.rule and self.attribute in {"", change.attribute}

    def covers(self, xid: str) -> bool:
        """Return whether it is about an entity."""
        return fnmatchcase(xid, self.xid)


def load_waivers(registry: Registry) -> Iterator[Waiver]:
    """Yield the waivers of a registry, in their order; `check` reports those that are malformed."""
    waivers = registry.waivers.get("waivers")
    for index, item in enumerate(waivers if isinstance(waivers, list) else ()):
        if not isinstance(item, Mapping):
            continue
        texts = [item.get(name, "") for name in ("xid", "rule", "attribute", "reason", "approvedby", "until")]
        xid, rule, attribute, reason, approvedby, until = texts
        if not all(isinstance(text, str) for text in texts) or not all((xid, rule, reason, approvedby, until)):
            continue
        try:
            day = date.fromisoformat(until)
        except ValueError:
            continue
        yield Waiver(index, xid, rule, attribute, reason, approvedby, day)
