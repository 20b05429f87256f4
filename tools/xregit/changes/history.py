"""The history of one entity: each commit that touched its file or what it builds on, and what changed for it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, Kind, path_of, spot, xid_of
from xregit.catalog.loader import read_contents
from xregit.changes.differ import diff
from xregit.changes.merge_commits import changes_in_all, has_own_changes
from xregit.changes.recent import stub_files
from xregit.errors import XregitError
from xregit.model.language import NOTHING
from xregit.source import repository as source_history
from xregit.source.repository import WHOLE_HISTORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from xregit.catalog.registry import Registry
    from xregit.changes.change import Change
    from xregit.source.commit_log import Commit, FileChange


@dataclass(frozen=True, slots=True)
class FileStep:
    """One commit that touched a file: ``index`` counts commits from the newest, ``path`` is the name since then.

    ``oldpath`` is the name before, where the commit changed it; ``gone`` says that the commit removed the file.
    """

    index: int
    path: str
    oldpath: str = ""
    gone: bool = False


@dataclass(frozen=True, slots=True)
class FileTracks:
    """What commits, newest first, did to each path; ``parents`` has the indexes of each commit's parents."""

    touched: Mapping[str, Sequence[tuple[int, FileChange]]]
    parents: Sequence[tuple[int, ...]]

    @classmethod
    def of(cls, commits: Sequence[Commit]) -> FileTracks:
        """Return the tracks of all files, in one pass over the log."""
        touched: dict[str, list[tuple[int, FileChange]]] = defaultdict(list)
        for index, commit in enumerate(commits):
            for change in commit.files:
                touched[change.path].append((index, change))
        numbers = {commit.sha: index for index, commit in enumerate(commits)}
        parents = [tuple(numbers[sha] for sha in commit.parents if sha in numbers) for commit in commits]
        return cls(touched, parents)

    def back(self, path: str) -> list[FileStep]:
        """Return what happened to a file, back to where it was added under its first name.

        What a parallel branch did to an older name is among it.
        """
        steps: list[FileStep] = []
        since = -1
        while True:
            changes = self.touched.get(path, ())
            steps += self._parallel([found for found in changes if found[0] < since], path, since)
            renamed = False
            for index, change in changes:
                if index <= since:
                    continue
                old = change.oldpath if change.status == "R" else ""
                steps.append(FileStep(index, path, old, gone=change.status == "D"))
                since = index
                if old:
                    path, renamed = old, True
                    break
            if not renamed:
                return steps

    def _parallel(self, changes: Sequence[tuple[int, FileChange]], path: str, since: int) -> Iterator[FileStep]:
        """Give what was done to an older name after a commit changed it, on branches that did not know."""
        heirs = {since}
        if changes:
            for newer in range(since - 1, -1, -1):
                if not heirs.isdisjoint(self.parents[newer]):
                    heirs.add(newer)
        for index, change in changes:
            if index not in heirs and change.status != "R":
                yield FileStep(index, path, gone=change.status == "D")


# What one file may name that it builds on: the xid of a message or of a schema, however it is written.
_ID = rb"[A-Za-z0-9_.\-~:@]+"
_REFERENCE = re.compile(rb"/[a-z0-9_]+/" + _ID + rb"/[a-z0-9_]+/" + _ID)
MAX_FILES = 500
Key = tuple[int, str]  # the index of a commit, and the path of a file at it


@dataclass
class FileHistory:
    """Files of a registry, beginning with the one at ``path``.

    ``bytes_of`` holds what each had at each commit that touched it.
    """

    registry: Registry
    tracks: FileTracks
    path: str
    steps: dict[str, list[FileStep]] = field(default_factory=dict)
    bytes_of: dict[Key, bytes | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read them."""
        self.follow([self.path, *self.group_files(self.path)])

    @property
    def prefix(self) -> str:
        """What paths in the registry's folder begin with."""
        return self.registry.place.path.removesuffix(REGISTRY_FILE)

    def follow(self, paths: Iterable[str]) -> None:
        """Note the history of files, then of those that any version of these refers to, until none is new."""
        pending = [path for path in dict.fromkeys(paths) if path not in self.steps]
        while pending and len(self.steps) < MAX_FILES:
            asked: list[Key] = []
            for path in pending:
                self.steps[path] = self.tracks.back(path)
                asked += [(step.index, step.path) for step in self.steps[path] if not step.gone]
            self.read(asked)
            texts = [data for key in asked if (data := self.bytes_of[key]) is not None]
            pending = [path for path in dict.fromkeys(self.referred(texts)) if path not in self.steps]

    def referred(self, texts: Iterable[bytes]) -> Iterator[str]:
        """Give the files of what texts refer to, and of the groups around it."""
        for reference in dict.fromkeys(found for text in texts for found in _REFERENCE.findall(text)):
            xid = reference.decode().rstrip(":.")
            for name in (xid, xid.rpartition(":")[0]):
                path = self.prefix + path_of(self.registry.model, name) if name else ""
                if path in self.tracks.touched:
                    yield path
                    yield from self.group_files(path)

    def group_files(self, path: str) -> Iterator[str]:
        """Give the file of the group around a file, and for a schema all its documents."""
        found = spot(self.registry.model, path.removeprefix(self.prefix))
        if found.group is not None:
            xid = f"/{found.group.plural}/{found.gid}"
            yield self.prefix + path_of(self.registry.model, xid)
        if found.kind is Kind.RESOURCE and found.resource is not None and found.resource.hasdocument:
            folder = path.rpartition("/")[0] + "/"
            yield from (other for other in self.tracks.touched if other.startswith(folder))

    def by_commit(self) -> Mapping[int, list[tuple[str, FileStep]]]:
        """Return the steps of all files, each with the file's last name, by their commits."""
        found: dict[int, list[tuple[str, FileStep]]] = defaultdict(list)
        for path, steps in self.steps.items():
            for step in steps:
                found[step.index].append((path, step))
        return found

    def files_by_commit(self) -> Sequence[Mapping[str, Key]]:
        """Return the files after each commit, by their path below the registry; the newest commit first.

        Git is asked what a merge has where its parents differ, and what there was before a shallow clone begins.
        """
        by_commit = self.by_commit()
        found: list[Mapping[str, Key]] = [NOTHING] * len(self.tracks.parents)
        asked: list[Key] = []
        for index in range(len(found) - 1, -1, -1):
            before = [found[parent] for parent in self.tracks.parents[index]]
            if self.is_boundary(index):
                names = [(path, name) for path in self.steps for name in self.names(path)]
                found[index] = {self.below(name, path): (index, name) for path, name in names}
            elif before:
                found[index] = _merge_files(index, before, self.prefix)
            if len(before) != 1:
                asked += [key for key in found[index].values() if key[0] == index]
            if index in by_commit:
                files = dict(found[index])
                self.apply(by_commit[index], files)
                found[index] = files
        self.read([key for key in asked if key not in self.bytes_of])
        return found

    def read(self, keys: Sequence[Key]) -> None:
        """Let Git say what files had at commits."""
        commits = self.registry.origin.history.commits
        if keys:
            places = [(commits[index].sha, path) for index, path in keys]
            found = source_history.read_versions(self.registry.origin.root, places)
            self.bytes_of.update(zip(keys, found, strict=True))

    def data(self, files: Mapping[str, Key]) -> dict[str, bytes]:
        """Return what files hold, without those that aren't there."""
        return {name: data for name, key in files.items() if (data := self.bytes_of[key]) is not None}

    def apply(self, steps: Iterable[tuple[str, FileStep]], files: dict[str, Key]) -> None:
        """Change the files, by their path below the registry, as one commit did."""
        for path, step in steps:
            files.pop(self.below(step.oldpath or step.path, path), None)
            if not step.gone:
                files[self.below(step.path, path)] = (step.index, step.path)

    def names(self, path: str) -> Sequence[str]:
        """Return all paths that a file has had, the latest first."""
        return [*dict.fromkeys(name for step in self.steps[path] for name in (step.path, step.oldpath) if name)]

    @cached_property
    def other_names(self) -> Mapping[str, Sequence[str]]:
        """Return the other paths below the registry that files with several have had."""
        found = [[self.below(name, path) for name in self.names(path)] for path in self.steps]
        return {name: names for names in found for name in names if len(names) > 1}

    def below(self, then: str, now: str) -> str:
        """Return an older path relative to the registry's folder, wherever that was then."""
        prefix = self.prefix
        if then.startswith(prefix):
            return then.removeprefix(prefix)
        depth = now.removeprefix(prefix).count("/") + 1
        return "/".join(then.split("/")[-depth:])

    def xid(self, path: str) -> str:
        """Return the xid that a file's place gives its entity."""
        return xid_of(spot(self.registry.model, self.below(path, self.path)))

    def is_boundary(self, index: int) -> bool:
        """Tell whether a shallow clone leaves out the parents of a commit, so that nothing says what it did."""
        known = self.registry.origin.history
        return known.shallow and not (known.commits[index].parents or known.commits[index].files)


def _merge_files(index: int, before: Sequence[Mapping[str, Key]], prefix: str) -> Mapping[str, Key]:
    """Return the files of what parents have; a merge has its own of those in which they differ."""
    first, *others = before
    differing: dict[str, Key] = {}
    for files in others:
        for name in {**first, **files} if files is not first else ():
            keys = first.get(name), files.get(name)
            if keys[0] != keys[1]:
                paths = [key[1] for key in keys if key is not None]
                # Where a branch moved the registry, the merge has it in its new place.
                differing[name] = index, next((path for path in paths if path.startswith(prefix)), paths[0])
    return {**first, **differing} if differing else first


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One commit and what it did to an entity; ``xid`` is the xid that the entity had from then on.

    If it is not ``readable``, some file can't be read at that commit; its changes are told with the next readable one.
    With the one that ``begins`` it, the entity was there for the first time.
    """

    commit: Commit
    xid: str
    changes: tuple[Change, ...]
    readable: bool = True
    begins: bool = False


def history(registry: Registry, xid: str) -> tuple[HistoryEntry, ...]:
    """Return what happened to a group or resource, the newest first; one that is gone may be named by its last xid.

    Raises:
        XregitError: there is no Git history, or nothing in it of such an entity.
    """
    if registry.origin.root.is_file():
        name = registry.origin.root.name
        message = f'"{name}" is one document, whose entities have no history; name the registry folder by --registry'
        raise XregitError(message)
    known = registry.origin.history
    if known.reason:
        message = f"there is no history, since {known.reason}"
        raise XregitError(message)
    entity = registry.entity(xid)
    relative = path_of(registry.model, xid)
    path = entity.place.path if entity is not None else f"{_registry_prefix(registry)}{relative}"
    tracks = FileTracks.of(known.commits)
    if not relative or not tracks.touched.get(path):
        raise XregitError(_no_history(registry, xid))
    following = FileHistory(registry, tracks, path)
    moments = tuple(reversed(list(_EntityHistory(following, _constant_files(following)).moments())))
    if not moments and known.shallow:
        raise XregitError(_no_history(registry, xid))
    return moments


def _no_history(registry: Registry, xid: str) -> str:
    """Return why nothing is known of an entity, and what helps."""
    if registry.origin.history.shallow:
        return f'this clone is shallow and knows nothing of "{xid}"; {WHOLE_HISTORY}'
    if registry.entity(xid) is not None:
        return f'the file of "{xid}" has not been committed yet'
    return f'the history knows no "{xid}"; name a group or resource, such as /messagegroups/GROUP/messages/MESSAGE'


def _registry_prefix(registry: Registry) -> str:
    return registry.place.path.removesuffix(REGISTRY_FILE)


@dataclass(frozen=True, slots=True)
class _EntityState:
    """How an entity stood after a commit: its file, and the files around it by their path below the registry.

    ``state`` is the last registry that could be read of them, and ``old`` the name that the entity had in it.
    """

    files: Mapping[str, Key]
    state: Registry
    path: str = ""
    name: str = ""
    old: str = ""
    readable: bool = True


@dataclass(frozen=True, slots=True)
class _EntityHistory:
    """The files that an entity's life depends on, and what every state has besides them."""

    following: FileHistory
    always: Mapping[str, bytes]

    def moments(self) -> Iterator[HistoryEntry]:
        """Give what each commit did, compared with its parents; the oldest commit first."""
        following = self.following
        files, numbers = following.files_by_commit(), following.tracks.parents
        own = {step.index: step.path for step in following.steps[following.path]}
        nothing = _EntityState(NOTHING, self.state({}))
        children = Counter(parent for parents in numbers for parent in parents)
        found: dict[int, _EntityState] = {}
        for index in range(len(files) - 1, -1, -1):
            parents = [found[parent] for parent in numbers[index]] or [nothing]
            for parent in numbers[index]:
                children[parent] -= 1
                if not children[parent]:
                    del found[parent]
            if all(files[index] is parent.files for parent in parents):
                found[index] = parents[0]
            elif following.is_boundary(index):
                found[index] = self.standing(files[index], parents, following.names(following.path)[::-1])
            else:
                paths = [own[index]] if index in own else [parent.path for parent in parents]
                found[index] = self.standing(files[index], parents, paths)
                yield from self.told(index, found[index], parents, is_own=index in own)

    def standing(self, files: Mapping[str, Key], parents: Sequence[_EntityState], paths: Sequence[str]) -> _EntityState:
        """Return how the entity stands with files; its own has one of a few paths."""
        following = self.following
        data = following.data(files)
        if len(parents) > 1:
            for parent in parents:
                if data == following.data(parent.files):
                    return replace(parent, files=files)
        there = (path for path in paths if len(paths) == 1 or following.below(path, following.path) in data)
        path = next(there, "")
        name = following.xid(path) if path else ""
        now = self.state(data)
        if now.broken:
            return replace(parents[0], files=files, path=path, name=name, readable=False)
        return _EntityState(files, now, path, name, name)

    def told(
        self, index: int, now: _EntityState, parents: Sequence[_EntityState], *, is_own: bool
    ) -> Iterator[HistoryEntry]:
        """Give what a commit did, unless that is nothing; a merge did what comes from none of its parents."""
        following = self.following
        commit = following.registry.origin.history.commits[index]
        if len(parents) > 1:
            before = [following.data(parent.files) for parent in parents]
            if not has_own_changes(following.data(now.files), before, following.other_names):
                return
        if not now.readable:
            yield HistoryEntry(commit, now.name, (), readable=False)
            return
        first, *others = (_diff_states(parent, now) for parent in parents)
        changes = changes_in_all(first, others)
        if is_own or changes:
            begins = not any(parent.old for parent in parents)
            yield HistoryEntry(commit, now.name or following.xid(following.path), changes, begins=begins)

    def state(self, files: Mapping[str, bytes]) -> Registry:
        """Return the registry that a few files make."""
        return read_contents(self.following.registry.origin.root, {**self.always, **files})


def _constant_files(following: FileHistory) -> Mapping[str, bytes]:
    """Return the files that every state has: the registry's model as it is now, and the groups around others."""
    origin, model = following.registry.origin, following.registry.model
    (data,) = source_history.read_versions(origin.root, [(origin.history.head, following.prefix + MODEL_FILE)])
    names = {following.below(step.path, path) for path, steps in following.steps.items() for step in steps}
    own = {following.xid(step.path) for step in following.steps[following.path]}
    return stub_files(model, names, own) | ({MODEL_FILE: data} if data is not None else {})


def _diff_states(before: _EntityState, now: _EntityState) -> tuple[Change, ...]:
    old, name = before.old, now.name
    renamed = {old: name} if old and old != name else {}
    return tuple(item for item in diff(before.state, now.state, renamed) if _concerns_entity(item, {old, name} - {""}))


def _concerns_entity(change: Change, xids: set[str]) -> bool:
    """Tell whether a change is one of the entity's, or reaches it."""
    touched = {change.xid, *change.reaches}
    below = tuple(f"{xid}/versions/" for xid in xids)
    return bool(xids & touched) or change.xid.startswith(below)
