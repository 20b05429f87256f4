"""The files of a registry to the groups that a change of some may concern, and those that must be read to tell.

Groups hang together by what their files mention (`catalog.traces`). What is found in a group depends on what the group
mentions, directly or not, and on what mentions it. So a change concerns the groups that it happens in, those that lead
to them, and those that the changed files themselves point to. To see these as they are in the whole registry, whatever
leads to them is read, and whatever all of these lead to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.catalog.traces import ANY, group_of, schema_of

if TYPE_CHECKING:
    from xregit.catalog.traces import Trace

Names = Mapping[str, set[str]]


@dataclass(frozen=True, slots=True)
class Traced:
    """A file: the id that Git gives its bytes, and what it has to do with others."""

    blob: str
    trace: Trace


Files = Mapping[str, Traced]


@dataclass(frozen=True, slots=True)
class Web:
    """Groups by the names in them: who mentions a name and whom it stands for, and the other way round."""

    mentioned: Names
    shown: Names
    mentions: Names
    shows: Names

    def leading_to(self, groups: Iterable[str]) -> set[str]:
        """Return groups and all that mention them, directly or not."""
        return _closure(groups, self.shows, self.mentioned)

    def reached_from(self, groups: Iterable[str]) -> set[str]:
        """Return groups and all that they mention, directly or not."""
        return _closure(groups, self.mentions, self.shown)

    def surroundings(self, groups: Iterable[str]) -> set[str]:
        """Return all that must be read to see groups as they are in the whole registry."""
        return self.reached_from(self.leading_to(groups))

    def meant(self, traces: Iterable[Trace]) -> set[str]:
        """Return the groups that files mention themselves."""
        return {group for trace in traces for name in trace.mentions for group in self.shown.get(name, ())}

    def mention(self, groups: Iterable[str]) -> set[str]:
        """Return the xids of groups, which may not be there, that some groups mention themselves."""
        names = (name for group in groups for name in self.mentions.get(group, ()))
        return {name for name in names if name.startswith("/")}


def web(*states: Files) -> Web:
    """Return how groups hang together in any of some states of a registry; files may be in several of them."""
    found = Web(*(defaultdict(set) for _ in range(4)))
    for path, file in (item for state in states for item in state.items()):
        group, schema = group_of(path), schema_of(path)
        if group and file.trace.ties:
            shown = (group, f"id:{schema}", ANY, *file.trace.shows) if schema else (group, *file.trace.shows)
            found.shows[group].update(shown)
            found.mentions[group].update(file.trace.mentions)
    for group, names in found.shows.items():
        for name in names:
            found.shown[name].add(group)
    for group, names in found.mentions.items():
        for name in names:
            found.mentioned[name].add(group)
    return found


def differing(before: Files, after: Files) -> tuple[str, ...]:
    """Return the paths whose files came, went or have other bytes."""
    blobs = {path: file.blob for path, file in before.items()}
    new = {path: file.blob for path, file in after.items()}
    return tuple(path for path, _ in blobs.items() ^ new.items())


def concerned(before: Files, after: Files, paths: Iterable[str], known: Web) -> tuple[set[str], set[str]]:
    """Return the groups that lead to changed files, and those that the files point to where that changed as well."""
    pairs = [(before.get(path), after.get(path)) for path in dict.fromkeys(paths)]
    retied = [pair for pair in pairs if len({file.trace.ties if file else None for file in pair}) > 1]
    pointing = [file.trace for pair in retied for file in pair if file]
    groups = known.leading_to(filter(None, map(group_of, paths)))
    return groups, known.meant(pointing)


def _closure(groups: Iterable[str], names: Names, others: Names) -> set[str]:
    found = set(groups)
    pending = list(found)
    while pending:
        new = {other for name in names.get(pending.pop(), ()) for other in others.get(name, ())} - found
        found |= new
        pending += new
    return found
