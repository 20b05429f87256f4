"""A change of some files to the groups that it may concern, and to those that must be read to check these.

Groups depend on each other by what their files mention (`catalog.traces`). The findings of a group depend on what it
mentions, directly or not, and on what mentions it. So a change concerns the groups of the changed files, the groups
that lead to them, and those that the changed files themselves point to. To check these as if the whole registry were
there, all groups that lead to them are read as well, and all that any of these mention.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import orjson

from xregit.catalog.resolving import BASE
from xregit.catalog.traces import ANY, Tie, schema_of
from xregit.records import record

Names = Mapping[str, Collection[str]]

_RESOURCE_SLASHES = 3  # <type>/<id>/<type>/<id>.yaml
_FOLDER_PARTS = 3  # <type>/<id>/<type>


class Traced(NamedTuple):
    """A file: Git's id of its bytes, and the members of its trace; a tuple, because a large registry has many."""

    blob: str
    shows: Sequence[str]
    ties: Sequence[Tie] | None
    dated: bool

    @property
    def mentions(self) -> set[str]:
        """The names in it."""
        return {name for name, *_ in self.ties or () if name}


class Outline(NamedTuple):
    """The files of a group together: the types of the resources in it, and their traces joined in one.

    ``stated`` says that at least one of the files is about an entity.
    """

    folders: Sequence[str]
    mentions: Sequence[str]
    shows: Sequence[str]
    stated: bool
    dated: bool


@record
class Folder:
    """The files of a group; ``rows`` is JSON that is parsed when it is asked for, as a run needs few of many groups.

    ``mark`` is the digest of the files' status (`mark_of`): while it is the same, so are they. It is empty where that
    is not certain.
    """

    outline: Outline
    mark: str
    rows: bytes | memoryview

    @cached_property
    def files(self) -> Mapping[str, Traced]:
        """The files by their paths."""
        return {path: Traced._make(row) for path, row in orjson.loads(self.rows).items()}


# By the xid of their group, which is empty for those of the registry itself.
Folders = Mapping[str, Folder]


def folder(group: str, files: Mapping[str, Traced], mark: str = "") -> Folder:
    """Return the files of a group as a folder."""
    stated = {path: file for path, file in files.items() if file.ties is not None}
    deep = [path for path in files if path.count("/") >= _FOLDER_PARTS]
    named = (name for path in stated if path.count("/") > _RESOURCE_SLASHES for name in _schema_names(path))
    outline = Outline(
        sorted({path.split("/", _FOLDER_PARTS)[-2] for path in deep}),
        sorted({tie[0] for file in stated.values() for tie in file.ties or () if tie[0]}),
        sorted({group, *named}.union(*[file.shows for file in stated.values()])) if stated else [],
        stated=bool(stated),
        dated=any(file.dated for file in files.values()),
    )
    return Folder(outline, mark, orjson.dumps({path: tuple(file) for path, file in files.items()}))


def mark_of(statuses: Mapping[str, Sequence[int]]) -> str:
    """Return a digest of what the system says of files, by their paths: their numbers, sizes and times."""
    return sha256(orjson.dumps(statuses)).hexdigest()


class Change(NamedTuple):
    """A file that is not the same in two states; None where there is none."""

    group: str
    path: str
    before: Traced | None
    after: Traced | None

    @property
    def is_retied(self) -> bool:
        """Whether its references or ids changed, or the file itself came or went."""
        return not self.before or not self.after or bool(self.moved)

    @property
    def moved(self) -> set[tuple[str, ...]]:
        """The references and ids that came or went."""
        one, other = ({tuple(tie) for tie in file.ties or ()} if file else set() for file in (self.before, self.after))
        return one ^ other


@record
class Web:
    """Groups by the names in them: the names that each mentions, and those that stand for it."""

    mentions: Names
    shows: Names

    @cached_property
    def mentioned(self) -> Names:
        """The groups that mention a name."""
        return _turned(self.mentions)

    @cached_property
    def shown(self) -> Names:
        """The groups that a name stands for."""
        return _turned(self.shows)

    def leading_to(self, groups: Iterable[str]) -> set[str]:
        """Return groups and all that mention them, directly or not."""
        found = set(groups)
        return _closure(found, self.shows, self.mentioned) if found else found

    def reached_from(self, groups: Iterable[str]) -> set[str]:
        """Return groups and all that they mention, directly or not."""
        found = set(groups)
        return _closure(found, self.mentions, self.shown) if found else found

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


def web(*states: Folders) -> Web:
    """Return the names of groups in some states of a registry, joined; states may share folders."""
    mentions: dict[str, Collection[str]] = {}
    shows: dict[str, Collection[str]] = {}
    for group in dict.fromkeys(group for state in states for group in state if group):
        one, *others = {id(found): found.outline for state in states if (found := state.get(group))}.values()
        mentions[group] = {*one.mentions}.union(*(other.mentions for other in others)) if others else one.mentions
        shows[group] = {*one.shows}.union(*(other.shows for other in others)) if others else one.shows
    return Web(mentions, shows)


def _schema_names(path: str) -> tuple[str, ...]:
    schema = schema_of(path)
    return (f"id:{schema}", ANY) if schema else ()


def _turned(names: Mapping[str, Iterable[str]]) -> Names:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for group, of_group in names.items():
        for name in of_group:
            found[name].append(group)
    return found


def differing(before: Folders, after: Folders) -> Iterator[Change]:
    """Give the files that came, went or have other bytes."""
    for group in {**before, **after}:
        one, other = before.get(group), after.get(group)
        if one is not other:
            yield from _differing(group, one.files if one else {}, other.files if other else {})


def _differing(group: str, old: Mapping[str, Traced], new: Mapping[str, Traced]) -> Iterator[Change]:
    for path in {**old, **new}:
        one, other = old.get(path), new.get(path)
        if one is None or other is None or one.blob != other.blob:
            yield Change(group, path, one, other)


def concerned(changes: Sequence[Change], after: Folders, known: Web) -> tuple[set[str], set[str]]:
    """Return the groups that lead to changed files, and those to which references of these came or went.

    For a base message, one derived message more or less changes nothing, as long as another one stays as it is.
    """
    moved = {tie for change in changes for tie in change.moved}
    bases = {tie for tie in moved if tie[1] == BASE}
    groups = {group for name, *_ in bases for group in known.mentioned.get(name, ())}
    folders = [after[group] for group in groups if group in after]
    stay = _staying(bases, folders, {change.path for change in changes})
    pointing = {group for name, *_ in moved - stay for group in known.shown.get(name, ())}
    return known.leading_to(change.group for change in changes if change.group), pointing


def _staying(
    ties: Collection[tuple[str, ...]], folders: Iterable[Folder], changed: Collection[str]
) -> set[tuple[str, ...]]:
    """Return those of some ties that a resource has whose file is none of the changed ones."""
    files = (item for folder in folders for item in folder.files.items() if item[1].ties)
    resources = (file for path, file in files if path.count("/") == _RESOURCE_SLASHES and path not in changed)
    return {own for file in resources for tie in file.ties or () if (own := tuple(tie)) in ties}


def _closure(found: set[str], names: Names, others: Names) -> set[str]:
    pending = list(found)
    while pending:
        new = {other for name in names.get(pending.pop(), ()) for other in others.get(name, ())} - found
        found |= new
        pending += new
    return found
