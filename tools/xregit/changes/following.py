"""The files that an entity's life depends on, as each commit left them, on all branches."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from xregit.catalog.layout import REGISTRY_FILE, Kind, path_of, spot, xid_of
from xregit.model.language import NOTHING
from xregit.source import history

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from xregit.catalog.registry import Registry
    from xregit.changes.tracks import Step, Tracks

# What one file may name that it builds on: the xid of a message or of a schema, however it is written.
_ID = rb"[A-Za-z0-9_.\-~:@]+"
_REFERENCE = re.compile(rb"/[a-z0-9_]+/" + _ID + rb"/[a-z0-9_]+/" + _ID)
MAX_FILES = 500
Key = tuple[int, str]  # the index of a commit, and the path of a file at it


@dataclass
class Following:
    """Files of a registry, beginning with the one at ``path``.

    ``bytes_of`` holds what each had at each commit that touched it.
    """

    registry: Registry
    tracks: Tracks
    path: str
    steps: dict[str, list[Step]] = field(default_factory=dict)
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

    def by_commit(self) -> Mapping[int, list[tuple[str, Step]]]:
        """Return the steps of all files, each with the file's last name, by their commits."""
        found: dict[int, list[tuple[str, Step]]] = defaultdict(list)
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
                found[index] = _joined(index, before, self.prefix)
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
            found = history.read_versions(self.registry.origin.root, places)
            self.bytes_of.update(zip(keys, found, strict=True))

    def data(self, files: Mapping[str, Key]) -> dict[str, bytes]:
        """Return what files hold, without those that aren't there."""
        return {name: data for name, key in files.items() if (data := self.bytes_of[key]) is not None}

    def apply(self, steps: Iterable[tuple[str, Step]], files: dict[str, Key]) -> None:
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


def _joined(index: int, before: Sequence[Mapping[str, Key]], prefix: str) -> Mapping[str, Key]:
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
