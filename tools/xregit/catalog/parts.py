"""The files of a registry to the groups that a change of some may concern, and those that must be read to tell.

Groups hang together by what their files mention (`catalog.traces`). What is found in a group depends on what the group
mentions, directly or not, and on what mentions it. So a change concerns the groups that it happens in, those that lead
to them, and those that the changed files themselves point to. To see these as they are in the whole registry, whatever
leads to them is read, and whatever all of these lead to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xregit.catalog.resolving import BASE
from xregit.catalog.traces import ANY, Tie, schema_of

Names = Mapping[str, Collection[str]]

_RESOURCE_SLASHES = 3  # <type>/<id>/<type>/<id>.yaml


class Traced(NamedTuple):
    """A file: the id that Git gives its bytes, its size and times as the system has them, and its trace.

    It is a tuple, and so is its trace, because a large registry has many of them.
    """

    blob: str
    status: Sequence[int]
    mentions: Sequence[str]
    shows: Sequence[str]
    ties: Sequence[Tie] | None
    dated: bool


# By the xid of their group, which is empty for those of the registry itself, and by path.
Files = Mapping[str, Mapping[str, Traced]]


class Change(NamedTuple):
    """A file that is not the same in two states; None where there is none."""

    group: str
    path: str
    before: Traced | None
    after: Traced | None

    @property
    def is_retied(self) -> bool:
        """Whether references and ids in it are others than before, or it came or went."""
        return not self.before or not self.after or bool(self.moved)

    @property
    def moved(self) -> set[tuple[str, ...]]:
        """The references and ids that came or went."""
        one, other = ({tuple(tie) for tie in file.ties or ()} if file else set() for file in (self.before, self.after))
        return one ^ other


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

    def meant(self, files: Iterable[Traced | None]) -> set[str]:
        """Return the groups that files mention themselves."""
        return {group for file in files if file for name in file.mentions for group in self.shown.get(name, ())}

    def mention(self, groups: Iterable[str]) -> set[str]:
        """Return the xids of groups, which may not be there, that some groups mention themselves."""
        names = (name for group in groups for name in self.mentions.get(group, ()))
        return {name for name in names if name.startswith("/")}


def web(*states: Files) -> Web:
    """Return how groups hang together in any of some states of a registry; files may be in several of them."""
    mentions: defaultdict[str, set[str]] = defaultdict(set)
    shows: defaultdict[str, set[str]] = defaultdict(set)
    for group, files in (item for state in states for item in state.items() if item[0]):
        for path, file in files.items():
            if file.ties is not None:
                mentions[group].update(file.mentions)
                shows[group].update((group, *file.shows), _schema_names(path))
    return Web(_turned(mentions), _turned(shows), mentions, shows)


def _schema_names(path: str) -> tuple[str, ...]:
    schema = schema_of(path)
    return (f"id:{schema}", ANY) if schema else ()


def _turned(names: Mapping[str, Iterable[str]]) -> Names:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for group, of_group in names.items():
        for name in of_group:
            found[name].append(group)
    return found


def differing(before: Files, after: Files) -> Iterator[Change]:
    """Give the files that came, went or have other bytes."""
    for group in {**before, **after}:
        old, new = before.get(group, {}), after.get(group, {})
        for path in {**old, **new}:
            one, other = old.get(path), new.get(path)
            if one is not other and (one is None or other is None or one.blob != other.blob):
                yield Change(group, path, one, other)


def concerned(changes: Sequence[Change], after: Files, known: Web) -> tuple[set[str], set[str]]:
    """Return the groups that lead to changed files, and those that the files point to where that changed as well.

    Nothing changes for a base message by one more or less that derives from it, as long as one stays as it is.
    """
    moved = {tie for change in changes for tie in change.moved}
    bases = {tie for tie in moved if tie[1] == BASE}
    stay = _staying(bases, after, {change.path for change in changes}) if bases else set()
    pointing = {group for name, *_ in moved - stay for group in known.shown.get(name, ())}
    return known.leading_to(change.group for change in changes if change.group), pointing


def _staying(ties: Collection[tuple[str, ...]], after: Files, changed: Collection[str]) -> set[tuple[str, ...]]:
    """Return those of some ties that a resource has whose file is none of the changed ones."""
    files = (item for paths in after.values() for item in paths.items() if item[1].ties)
    resources = (file for path, file in files if path.count("/") == _RESOURCE_SLASHES and path not in changed)
    return {own for file in resources for tie in file.ties or () if (own := tuple(tie)) in ties}


def _closure(groups: Iterable[str], names: Names, others: Names) -> set[str]:
    found = set(groups)
    pending = list(found)
    while pending:
        new = {other for name in names.get(pending.pop(), ()) for other in others.get(name, ())} - found
        found |= new
        pending += new
    return found
