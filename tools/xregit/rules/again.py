"""A check of what has changed since an earlier one, which finds what a check of everything would find.

Where that is not sure, it refuses: after a change of settings, owners or the registry's own file, with a file that
can't be read as a whole, or when the last error goes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE, SETTINGS_FILE
from xregit.catalog.parts import Files, Web, concerned, differing, web
from xregit.catalog.traces import group_of
from xregit.collecting import uncollected
from xregit.diagnostics import ordered
from xregit.model import builtin
from xregit.rules.kept import Found, Kept, by_group
from xregit.rules.listed import RULES
from xregit.rules.rule import SOUND
from xregit.rules.running import Report, examined, examined_part
from xregit.rules.standing import Standing, State, Tracing, WholeError
from xregit.rules.suppressing import UNUSED
from xregit.source import yaml

if TYPE_CHECKING:
    from xregit.catalog.reading import Parse
    from xregit.catalog.registry import Registry

ENDPOINTS, ENDPOINT_FILE = "/endpoints/", "/endpoint.yaml"
MESSAGES, SCHEMAGROUPS = "/messages/", "/schemagroups/"
MOST = 0.5  # of the files; with more of them, all together are read sooner


@dataclass(frozen=True, slots=True)
class Again:
    """What was found: ``part`` is the registry as far as it was read, which is its ``groups``; ``kept`` is for later.

    All that differs from the state that was asked for is in the part, and all that it takes to compare it.
    """

    report: Report
    part: Registry
    groups: frozenset[str]
    kept: Kept


def whole(now: Standing, today: date, parse: Parse = yaml.parse) -> tuple[Registry, Report, Kept | None]:
    """Return a registry, what is wrong with it, and what later checks can build on, if they can."""
    tracing = Tracing(parse, now.baseurl(parse))
    registry = now.registry(tracing.parse)
    with uncollected():
        found = examined(registry, RULES, today)
    report = Report(found.diagnostics)
    try:
        _refuse_faulty(registry)
        state = tracing.files(now.state, {})
    except WholeError:
        return registry, report, None
    made = by_group(found.diagnostics, now.prefix)
    return registry, report, Kept(state, made, found.faulty, today, now.context, tracing.baseurl)


def again(now: Standing, kept: Kept, today: date, before: State | None = None) -> Again:
    """Return what is wrong with a registry of which an earlier state was checked; ``before`` is yet another state.

    Raises:
        WholeError: nothing less than a check of everything can tell.
    """
    tracing = Tracing(yaml.parse, kept.baseurl)
    after = tracing.files(now.state, kept.files)
    other = tracing.files(before, after) if before else after
    if {SETTINGS_FILE, MODEL_FILE} & {*differing(after, other)}:
        raise WholeError
    known = _web(kept.files, after, other)
    checked = _checked(kept, after, known, today)
    groups = frozenset(_read(after, other, known, checked))
    part = now.registry(yaml.parse, groups)
    _refuse_faulty(part)
    if part.settings.paths and _retied(kept.files, after):  # a pattern may fit what is new, or only what is gone
        raise WholeError
    with uncollected():
        found = examined_part(part, RULES, today, checked, sound=kept.faulty <= checked)
    faulty = found.faulty | (kept.faulty - checked)
    rest = {group: items for group, items in kept.found.items() if group not in checked}
    _refuse_unsound(rest, kept.faulty, faulty)
    made = {group: items for group, items in by_group(found.diagnostics, now.prefix).items() if group in checked}
    new = replace(kept, files=after, found={**rest, **made}, faulty=faulty, day=today)
    return Again(Report(ordered(new.diagnostics)), part, groups, new)


def _web(earlier: Files, after: Files, other: Files) -> Web:
    """Return how groups hang together in any of the states."""
    new = {path: after[path] for path in differing(earlier, after) if path in after}
    old = {path: other[path] for path in differing(after, other) if path in other}
    return web(earlier, new, old)


def _checked(kept: Kept, after: Files, known: Web, today: date) -> set[str]:
    """Return the groups of which something else may be found than before."""
    paths = differing(kept.files, after)
    if not all(map(group_of, paths)):
        raise WholeError
    leading, meant = concerned(kept.files, after, paths, known)
    dated = {group_of(path) for path, file in after.items() if file.trace.dated} if today != kept.day else set()
    leading |= known.leading_to(dated)
    # What an endpoint carries is compared with each other.
    carrying = {path for path in (*kept.files, *after) if path.endswith(ENDPOINT_FILE) and group_of(path) in leading}
    carried = known.meant(state[path].trace for state in (kept.files, after) for path in carrying if path in state)
    return leading | meant | carried


def _read(after: Files, other: Files, known: Web, checked: set[str]) -> set[str]:
    """Return the groups that must be read to check some, and to compare two states."""
    there = {group_of(path) for path, file in after.items() if file.trace.ties}
    # Names that are nearly alike are looked for among all groups.
    if len({group.lower() for group in there}) < len(there) or known.mention(checked) - there:
        raise WholeError
    leading, meant = concerned(after, other, differing(after, other), known)
    found = known.surroundings(checked | leading | meant)
    if checked:
        found |= _examples(after, found, checked)
    if sum(group_of(path) in found for path in after) > MOST * len(after):
        raise WholeError
    return found


def _examples(after: Files, read: set[str], checked: set[str]) -> set[str]:
    """Return an endpoint and a group with messages, if the registry has any: some rules ask whether it has."""
    endpoints = (group_of(path) for path in after if path.endswith(ENDPOINT_FILE))
    messages = [group_of(path) for path in after if MESSAGES in path]
    if not messages and any(group.startswith(SCHEMAGROUPS) for group in checked):
        raise WholeError
    found = [next(iter(sorted(groups)), "") for groups in (set(endpoints), set(messages)) if not groups & read]
    return {group for group in found if group}


def _retied(before: Files, after: Files) -> bool:
    """Tell whether references or ids are not the same as before."""
    paths = differing(before, after)
    pairs = ((before.get(path), after.get(path)) for path in paths)
    return any(not one or not other or one.trace.ties != other.trace.ties for one, other in pairs)


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
