"""A check of what has changed since an earlier one, which finds what a check of everything would find.

Where that is not sure, it refuses: after a change of settings, owners or the registry's own file, with a file that
can't be read as a whole, or when the last error goes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE, SETTINGS_FILE
from xregit.catalog.parts import Change, Files, Traced, Web, concerned, differing, web
from xregit.collecting import uncollected
from xregit.diagnostics import ordered
from xregit.model import builtin
from xregit.rules.kept import Found, Kept, by_group
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
MESSAGES, SCHEMAGROUPS = ["messages"], "/schemagroups/"
MOST = 0.5  # of the files; with more of them, all together are read sooner


@dataclass(frozen=True, slots=True)
class Again:
    """What was found in ``part`` of a registry, and kept of the rest.

    All that differs from the former state that was asked for is in the part, and all that it takes to compare the two;
    ``before`` are the files of the same groups in that state. ``changed`` is how many are not as they were kept.
    """

    report: Report
    part: Registry
    before: Mapping[str, bytes]
    kept: Kept
    changed: int


def whole(now: Standing, today: date, parse: Parse = yaml.parse) -> tuple[Registry, Report, Kept | None]:
    """Return a registry, what is wrong with it, and what later checks can build on, if they can.

    Raises:
        WholeError: a file can't be read.
    """
    tracing = Tracing(parse, now.baseurl(parse))
    registry = now.registry(tracing.parse)
    with uncollected():
        found = examined(registry, RULES, today)
    report = Report(found.diagnostics)
    try:
        _refuse_faulty(registry)
        files = tracing.present(now, {}, 0)
    except WholeError:
        return registry, report, None
    made = by_group(found.diagnostics, now.prefix)
    return registry, report, Kept(files, made, found.faulty, today, now.since, now.context, tracing.baseurl)


def again(now: Standing, kept: Kept, today: date, former: Former | None = None) -> Again:
    """Return what is wrong with a registry of which an earlier state was checked.

    What it takes to compare it with a former state is read as well; ``former`` returns that one, if it is given Git's
    ids of the present files by their paths.

    Raises:
        WholeError: nothing less than a check of everything can tell.
    """
    seen = _look(now, kept, former)
    checked = _checked(kept, seen, today)
    groups = {"", *_read(seen, checked)}
    part = _part(now, seen, groups)
    with uncollected():
        found = examined_part(part, RULES, today, checked, sound=kept.faulty <= checked)
    result = _joined(now, kept, checked, found)
    paths = [path for group in groups for path in seen.other.get(group, ())]
    contents = {path: seen.before.read(path) for path in paths} if seen.before else {}
    new = replace(result, files=seen.files, day=today, since=now.since)
    return Again(Report(ordered(new.diagnostics)), part, contents, new, len(seen.new))


@dataclass(frozen=True, slots=True)
class _Seen:
    """The files as they are now and in an ``other`` state, what is ``new`` since they were kept, and what differs."""

    files: Files
    before: State | None
    other: Files
    new: Sequence[Change]
    old: Sequence[Change]
    known: Web
    parse: Parse


def _look(now: Standing, kept: Kept, former: Former | None) -> _Seen:
    parse = Remembered().parse
    tracing = Tracing(parse, kept.baseurl)
    files = tracing.present(now, kept.files, kept.since)
    before = former({path: file.blob for paths in files.values() for path, file in paths.items()}) if former else None
    other = tracing.former(before, files) if before else {}
    new, old = [*differing(kept.files, files)], [*differing(files, other)] if before else []
    # These count for every group.
    if any(not change.group for change in new) or any(change.path in {SETTINGS_FILE, MODEL_FILE} for change in old):
        raise WholeError
    return _Seen(files, before, other, new, old, web(kept.files, _after(new), _after(old)), parse)


def _joined(now: Standing, kept: Kept, checked: set[str], found: Examined) -> Kept:
    """Return what was found in the groups that were checked, and kept of the others."""
    faulty = found.faulty | (kept.faulty - checked)
    rest = {group: items for group, items in kept.found.items() if group not in checked}
    _refuse_unsound(rest, kept.faulty, faulty)
    made = {group: items for group, items in by_group(found.diagnostics, now.prefix).items() if group in checked}
    return replace(kept, found={**rest, **made}, faulty=faulty)


def _after(changes: Iterable[Change]) -> Files:
    found: defaultdict[str, dict[str, Traced]] = defaultdict(dict)
    for change in changes:
        if change.after:
            found[change.group][change.path] = change.after
    return found


def _checked(kept: Kept, seen: _Seen, today: date) -> set[str]:
    """Return the groups of which something else may be found than before."""
    known, files = seen.known, seen.files
    leading, meant = concerned(seen.new, files, known)
    if today != kept.day:
        dated = {group for group, paths in files.items() if group and any(file.dated for file in paths.values())}
        leading |= known.leading_to(dated)
    # What an endpoint carries is compared with each other.
    endpoints = (state.get(group, {}) for state in (kept.files, files) for group in leading)
    carrying = (file for paths in endpoints for path, file in paths.items() if path.endswith(ENDPOINT_FILE))
    return leading | meant | known.meant(carrying)


def _read(seen: _Seen, checked: set[str]) -> set[str]:
    """Return the groups that must be read to check some, and to compare two states."""
    known, files = seen.known, seen.files
    there = {group for group, paths in files.items() if any(file.ties is not None for file in paths.values())}
    # Names that are nearly alike are looked for among all groups.
    if len({group.lower() for group in there}) < len(there) or known.mention(checked) - there:
        raise WholeError
    leading, meant = concerned(seen.old, files, known)
    found = known.surroundings(checked | leading | meant)
    if checked:
        found |= _examples(files, found, checked)
    if sum(len(files.get(group, ())) for group in found) > MOST * sum(map(len, files.values())):
        raise WholeError
    return found


def _examples(files: Files, read: set[str], checked: set[str]) -> set[str]:
    """Return an endpoint and a group with messages, if the registry has any: some rules ask whether it has."""
    endpoints = {group for group in files if group.startswith(ENDPOINTS)}
    messages = {group for group, paths in files.items() if any(path.split("/")[2:3] == MESSAGES for path in paths)}
    if not messages and any(group.startswith(SCHEMAGROUPS) for group in checked):
        raise WholeError
    return {min(groups) for groups in (endpoints, messages) if groups and not groups & read}


def _part(now: Standing, seen: _Seen, groups: Iterable[str]) -> Registry:
    """Return the part of a registry that is made of some groups, as long as its files stay as they are."""
    paths = {path: file.blob for group in groups for path, file in seen.files.get(group, {}).items()}
    if any(blob_id(now.read(path)).decode() != blob for path, blob in paths.items()):
        raise WholeError
    part = now.registry(seen.parse, paths)
    _refuse_faulty(part)
    # A pattern of the settings may fit what came, or only what is gone.
    if part.settings.paths and any(change.is_retied for change in seen.new):
        raise WholeError
    return part


def _refuse_faulty(registry: Registry) -> None:
    """Refuse what makes findings depend on more than what files say of each other."""
    own = len(registry.problems) > len(registry.owners.problems) or registry.broken or registry.doubts
    alike = len({group.xid.lower() for group in registry.all_groups}) < len(registry.all_groups)
    if own or alike or registry.model is not builtin():
        raise WholeError


def _refuse_unsound(rest: Found, before: frozenset[str], after: frozenset[str]) -> None:
    """Refuse to keep findings of rules that now ask for more, or say less: those that look at sound registries only."""
    if bool(before) == bool(after):
        return
    silent = {UNUSED.name, *(item.name for item in RULES if item.about == SOUND)}
    if before or any(item.rule in silent for items in rest.values() for item in items):
        raise WholeError
