"""One entity's history: each commit that touched its file or what it builds on, and what changed for it.

The states of these few files at each commit are read as small registries, and compared like any others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, Kind, path_of, spot, xid_of
from xregit.catalog.reading import read_contents
from xregit.changes.comparing import diff
from xregit.changes.stubs import stubs
from xregit.changes.tracks import Tracks
from xregit.errors import XregitError
from xregit.records import record
from xregit.source import history

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.catalog.registry import Registry
    from xregit.changes.change import Change
    from xregit.changes.tracks import Step
    from xregit.source.commits import Commit

# What one file may name that it builds on: the xid of a message or of a schema, however it is written.
_ID = rb"[A-Za-z0-9_.\-~:@]+"
_REFERENCE = re.compile(rb"/[a-z0-9_]+/" + _ID + rb"/[a-z0-9_]+/" + _ID)
MAX_FILES = 500


@record
class Moment:
    """One commit and what it did to an entity; ``xid`` is the xid that the entity had from then on.

    If it is not ``readable``, some file can't be read at that commit; its changes are told with the next readable one.
    """

    commit: Commit
    xid: str
    changes: tuple[Change, ...]
    readable: bool = True


def life(registry: Registry, xid: str) -> tuple[Moment, ...]:
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
    path = entity.place.path if entity is not None else f"{_prefix(registry)}{relative}"
    tracks = Tracks.of(known.commits)
    if not relative or not tracks.touched.get(path):
        raise XregitError(_nothing(registry, xid))
    return tuple(reversed(list(_Following(registry, tracks, path).moments())))


def _nothing(registry: Registry, xid: str) -> str:
    """Return why nothing is known of an entity, and what helps."""
    if registry.origin.history.shallow:
        return f'this clone is shallow and knows nothing of "{xid}"; "git fetch --unshallow" brings the rest'
    if registry.entity(xid) is not None:
        return f'the file of "{xid}" has not been committed yet'
    return f'the history knows no "{xid}"; name a group or resource, such as /messagegroups/GROUP/messages/MESSAGE'


def _prefix(registry: Registry) -> str:
    return registry.place.path.removesuffix(REGISTRY_FILE)


@dataclass
class _Following:
    """The files that an entity's life depends on; ``bytes_of`` holds what each had at each commit that touched it."""

    registry: Registry
    tracks: Tracks
    path: str
    steps: dict[str, list[Step]] = field(default_factory=dict)
    bytes_of: dict[tuple[int, str], bytes | None] = field(default_factory=dict)

    def moments(self) -> Iterator[Moment]:
        self.follow([self.path, *self.group_files(self.path)])
        commits = self.registry.origin.history.commits
        own = {step.index: step for step in self.steps[self.path]}
        files: dict[str, bytes] = {}
        old = name = ""
        always = self.always()
        state = self.state(files, always)
        for index, steps in sorted(self.by_commit().items(), reverse=True):
            self.apply(steps, files)
            step = own.get(index)
            name = self.xid(step.path) if step else name
            now = self.state(files, always)
            if now.broken:
                yield Moment(commits[index], name, (), readable=False)
                continue
            renamed = {old: name} if old and old != name else {}
            changes = tuple(item for item in diff(state, now, renamed) if _concerns(item, {old, name} - {""}))
            state, old = now, name
            if step or changes:
                yield Moment(commits[index], name or self.xid(self.path), changes)

    def follow(self, paths: Iterable[str]) -> None:
        """Note the history of files, then of those that any version of these refers to, until none is new."""
        pending = [path for path in dict.fromkeys(paths) if path not in self.steps]
        while pending and len(self.steps) < MAX_FILES:
            asked: list[tuple[int, str]] = []
            for path in pending:
                self.steps[path] = self.tracks.back(path)
                asked += [(step.index, step.path) for step in self.steps[path] if not step.gone]
            commits = self.registry.origin.history.commits
            found = history.read_versions(
                self.registry.origin.root, [(commits[index].sha, path) for index, path in asked]
            )
            self.bytes_of.update(zip(asked, found, strict=True))
            texts = [data for key in asked if (data := self.bytes_of[key]) is not None]
            pending = [path for path in dict.fromkeys(self.referred(texts)) if path not in self.steps]

    def referred(self, texts: Iterable[bytes]) -> Iterator[str]:
        """Give the files of what texts refer to, and of the groups around it."""
        for reference in dict.fromkeys(found for text in texts for found in _REFERENCE.findall(text)):
            xid = reference.decode().rstrip(":.")
            for name in (xid, xid.rpartition(":")[0]):
                path = _prefix(self.registry) + path_of(self.registry.model, name) if name else ""
                if path in self.tracks.touched:
                    yield path
                    yield from self.group_files(path)

    def group_files(self, path: str) -> Iterator[str]:
        """Give the file of the group around a file, and for a schema all its documents."""
        found = spot(self.registry.model, path.removeprefix(_prefix(self.registry)))
        if found.group is not None:
            xid = f"/{found.group.plural}/{found.gid}"
            yield _prefix(self.registry) + path_of(self.registry.model, xid)
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

    def apply(self, steps: Iterable[tuple[str, Step]], files: dict[str, bytes]) -> None:
        """Change the files, by their path below the registry, as one commit did."""
        for path, step in steps:
            files.pop(self.below(step.oldpath or step.path, path), None)
            data = None if step.gone else self.bytes_of.get((step.index, step.path))
            if data is not None:
                files[self.below(step.path, path)] = data

    def below(self, then: str, now: str) -> str:
        """Return an older path relative to the registry's folder, wherever that was then."""
        prefix = _prefix(self.registry)
        if then.startswith(prefix):
            return then.removeprefix(prefix)
        depth = now.removeprefix(prefix).count("/") + 1
        return "/".join(then.split("/")[-depth:])

    def xid(self, path: str) -> str:
        """Return the xid that a file's place gives its entity."""
        return xid_of(spot(self.registry.model, self.below(path, self.path)))

    def always(self) -> Mapping[str, bytes]:
        """Return the files that every state has: the registry's model as it is now, and the groups around others."""
        head = self.registry.origin.history.head
        (data,) = history.read_versions(self.registry.origin.root, [(head, _prefix(self.registry) + MODEL_FILE)])
        names = {self.below(step.path, path) for path, steps in self.steps.items() for step in steps}
        own = {self.xid(step.path) for step in self.steps[self.path]}
        return stubs(self.registry.model, names, own) | ({MODEL_FILE: data} if data is not None else {})

    def state(self, files: Mapping[str, bytes], always: Mapping[str, bytes]) -> Registry:
        """Return the registry that a few files make."""
        return read_contents(self.registry.origin.root, {**always, **files})


def _concerns(change: Change, xids: set[str]) -> bool:
    """Tell whether a change is one of the entity's, or reaches it."""
    touched = {change.xid, *change.reaches}
    below = tuple(f"{xid}/versions/" for xid in xids)
    return bool(xids & touched) or change.xid.startswith(below)
