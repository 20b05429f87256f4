"""A check of what has changed since an earlier check, with the findings that a check of everything would give.

If that is not certain, it raises `WholeError`: after a change of settings, owners or the registry's own file, if a file
can't be read as a whole, or if the last error is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE, SETTINGS_FILE
from xregit.catalog.parts import Change, Folders, Web, concerned, differing, web
from xregit.collecting import uncollected
from xregit.diagnostics import ordered
from xregit.payloads import faultless
from xregit.records import record, replace
from xregit.rules.kept import Found, Held, Kept, by_group, held_by
from xregit.rules.listed import RULES
from xregit.rules.rule import SOUND
from xregit.rules.running import Examined, Report, examined, examined_part
from xregit.rules.standing import Standing, State, Tracing, WholeError
from xregit.rules.suppressing import UNUSED
from xregit.source import yaml
from xregit.source.remembered import Remembered, blob_id

if TYPE_CHECKING:
    from xregit.catalog.reading import Parse
    from xregit.catalog.registry import Registry

Former = Callable[[Mapping[str, str]], State]

ENDPOINTS, ENDPOINT_FILE = "/endpoints/", "/endpoint.yaml"
MESSAGES, SCHEMAGROUPS = "messages", "/schemagroups/"


@record
class Again:
    """The report on a whole registry, and the part of the registry that was read for it.

    If a former state was asked for, the part has all that differs from it, and all that it takes to compare the two;
    ``before`` are the files of the same groups in that state.
    """

    report: Report
    reread: Reread
    before: Mapping[str, bytes]


@record
class Reread:
    """The ``part`` of a registry that was read again, and what later runs can build on.

    ``concerned`` are the groups for which a change may make a difference, those included that are gone. ``doubted`` is
    the number of files that were read because they may have changed. ``folders`` are the files as they are now, and
    ``held`` counts the resources of each group.
    """

    part: Registry
    kept: Kept
    concerned: frozenset[str]
    doubted: int
    folders: Folders
    held: Held


def whole(now: Standing, today: date, parse: Parse = yaml.parse) -> tuple[Registry, Report, Kept | None]:
    """Return a registry, what is wrong with it, and what later checks can build on; None instead if they can't.

    Raises:
        WholeError: a file can't be read.
    """
    tracing = Tracing(parse, now.terms(parse))
    registry = now.registry(tracing.parse)
    with uncollected():
        found = examined(registry, RULES, today)
    report = Report(found.diagnostics)
    try:
        _refuse_faulty(registry)
        folders = tracing.present(now, {})
    except WholeError:
        return registry, report, None
    made = by_group(found.diagnostics, now.prefix)
    kept = Kept(
        folders, held_by(registry), made, found.faulty, today, now.context, tracing.terms, faultless.remembered()
    )
    return registry, report, kept


def again(
    now: Standing, kept: Kept, today: date, former: Former | None = None, more: Collection[str] = frozenset()
) -> Again:
    """Return what is wrong with a registry, given what an earlier check has ``kept``.

    With ``former``, what it takes to compare the registry with another state is read as well; the function returns that
    state, given Git's ids of the present files by their paths. So is what it takes to see ``more`` groups.

    Raises:
        WholeError: only a check of everything can tell.
    """
    seen = _look(now, kept, former, _parse(kept, more) if former is None else Remembered().parse)
    checked = _checked(kept, seen, today)
    groups = _read(seen, checked, more)
    part = _part(now, seen, groups)
    found = Examined((), frozenset())
    faultless.remember(kept.faultless)
    if checked:
        with uncollected():
            found = examined_part(part, RULES, today, checked, sound=kept.faulty <= checked)
    result = _joined(now, kept, checked, found)
    paths = [path for group in groups if group in seen.other for path in seen.other[group].files]
    contents = {path: seen.before.read(path) for path in paths} if seen.before else {}
    held = _held(kept, seen, part)
    new = replace(result, folders=seen.folders, held=held, day=today, faultless=faultless.remembered())
    return Again(Report(ordered(new.diagnostics)), _reread(seen, part, new, held), contents)


def reread(now: Standing, kept: Kept, more: Collection[str] = frozenset()) -> Reread:
    """Read the groups that changes since an earlier check concern, and ``more``, with what they need; check nothing.

    Raises:
        WholeError: only the whole registry can tell.
    """
    seen = _look(now, kept, None, _parse(kept, more))
    part = _part(now, seen, {"", *seen.known.surroundings({*seen.concerned, *more})})
    held = _held(kept, seen, part)
    if not seen.new:
        kept = replace(kept, folders=seen.folders, held=held)
    return _reread(seen, part, kept, held)


def _reread(seen: _Seen, part: Registry, kept: Kept, held: Held) -> Reread:
    return Reread(part, kept, seen.concerned, seen.doubted, seen.folders, held)


def _held(kept: Kept, seen: _Seen, part: Registry) -> Held:
    """Return the counts of all groups, those of changed groups counted anew."""
    changed = {change.group for change in seen.new}
    rest = {group: counts for group, counts in kept.held.items() if group not in changed}
    return {**rest, **{group: counts for group, counts in held_by(part).items() if group in changed}}


@record
class _Seen:
    """The files as they are now and in an ``other`` state, what is ``new`` since they were kept, and what differs."""

    folders: Folders
    doubted: int
    before: State | None
    other: Folders
    new: Sequence[Change]
    old: Sequence[Change]
    known: Web
    parse: Parse

    @property
    def concerned(self) -> frozenset[str]:
        """The groups that are different because of what is new, or may be seen differently."""
        leading, meant = concerned(self.new, self.folders, self.known)
        return frozenset(leading | meant)


def _parse(kept: Kept, more: Collection[str]) -> Parse:
    """Return a way to parse files, where those that may have changed are parsed twice, and all others once."""
    return Remembered().parse if 2 * len(more) < len(kept.folders) else yaml.parse


def _look(now: Standing, kept: Kept, former: Former | None, parse: Parse) -> _Seen:
    tracing = Tracing(parse, kept.terms)
    folders = tracing.present(now, kept.folders)
    doubted = len(now.contents)
    before = former(_blobs(folders)) if former else None
    other = tracing.former(before, folders) if before else {}
    new, old = [*differing(kept.folders, folders)], [*differing(folders, other)] if before else []
    # These count for every group.
    if any(not change.group for change in new) or any(change.path in {SETTINGS_FILE, MODEL_FILE} for change in old):
        raise WholeError
    return _Seen(folders, doubted, before, other, new, old, web(kept.folders, folders, other), parse)


def _blobs(folders: Folders) -> dict[str, str]:
    return {path: file.blob for folder in folders.values() for path, file in folder.files.items()}


def _joined(now: Standing, kept: Kept, checked: set[str], found: Examined) -> Kept:
    """Return the findings in the groups that were checked, with those kept of the others."""
    faulty = found.faulty | (kept.faulty - checked)
    rest = {group: items for group, items in kept.found.items() if group not in checked}
    _refuse_unsound(rest, kept.faulty, faulty)
    made = {group: items for group, items in by_group(found.diagnostics, now.prefix).items() if group in checked}
    return replace(kept, found={**rest, **made}, faulty=faulty)


def _checked(kept: Kept, seen: _Seen, today: date) -> set[str]:
    """Return the groups whose findings may be others than before."""
    known, folders = seen.known, seen.folders
    leading, meant = concerned(seen.new, folders, known)
    if today != kept.day:
        dated = {group for group, folder in folders.items() if group and folder.outline.dated}
        leading |= known.leading_to(dated)
    # The messages that an endpoint carries are compared with each other.
    endpoints = (state[group].files for state in (kept.folders, folders) for group in leading if group in state)
    carrying = (file for paths in endpoints for path, file in paths.items() if path.endswith(ENDPOINT_FILE))
    return leading | meant | known.meant(carrying)


def _read(seen: _Seen, checked: set[str], more: Collection[str]) -> set[str]:
    """Return the groups that must be read to check some, to compare two states, and to see ``more``."""
    known, folders = seen.known, seen.folders
    there = {group for group, folder in folders.items() if folder.outline.stated}
    # A hint on a name that is nearly right looks at all groups.
    if len({group.lower() for group in there}) < len(there) or known.mention(checked) - there:
        raise WholeError
    leading, meant = concerned(seen.old, folders, known)
    found = known.surroundings({*checked, *leading, *meant, *more})
    if checked:
        found |= _examples(folders, found, checked)
    return {"", *found}


def _examples(folders: Folders, read: set[str], checked: set[str]) -> set[str]:
    """Return one endpoint and one group with messages that must be read too: some rules ask whether there is any."""
    endpoints = {group for group in folders if group.startswith(ENDPOINTS)}
    messages = {group for group, folder in folders.items() if MESSAGES in folder.outline.folders}
    if not messages and any(group.startswith(SCHEMAGROUPS) for group in checked):
        raise WholeError
    return {min(groups) for groups in (endpoints, messages) if groups and not groups & read}


def _part(now: Standing, seen: _Seen, groups: Iterable[str]) -> Registry:
    """Return the part of a registry that consists of some groups; refuse if a file has changed meanwhile."""
    chosen = (seen.folders[group] for group in groups if group in seen.folders)
    paths = {path: file.blob for folder in chosen for path, file in folder.files.items()}
    if any(blob_id(now.read(path)).decode() != blob for path, blob in paths.items()):
        raise WholeError
    part = now.registry(seen.parse, paths)
    _refuse_faulty(part)
    # A pattern of the settings may fit what came, or only what is gone.
    if part.settings.paths and any(change.is_retied for change in seen.new):
        raise WholeError
    return part


def _refuse_faulty(registry: Registry) -> None:
    """Refuse a part with faults because of which findings depend on more than what files mention."""
    own = len(registry.problems) > len(registry.owners.problems) or registry.broken or registry.doubts
    alike = len({group.xid.lower() for group in registry.all_groups}) < len(registry.all_groups)
    if own or alike:
        raise WholeError


def _refuse_unsound(rest: Found, before: frozenset[str], after: frozenset[str]) -> None:
    """Refuse to keep findings where rules for sound registries apply that did not before, or the other way round."""
    if bool(before) == bool(after):
        return
    silent = {UNUSED.name, *(item.name for item in RULES if item.about == SOUND)}
    if before or any(item.rule in silent for items in rest.values() for item in items):
        raise WholeError
