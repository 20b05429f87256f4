"""One entity's history: each commit that touched its file or what it builds on, and what changed for it.

The states of these few files at each commit are read as small registries, and compared like any others.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, path_of
from xregit.catalog.reading import read_contents
from xregit.changes.comparing import diff
from xregit.changes.following import Following
from xregit.changes.merging import in_all, says_something
from xregit.changes.stubs import stubs
from xregit.changes.tracks import Tracks
from xregit.errors import XregitError
from xregit.model.language import NOTHING
from xregit.records import record
from xregit.source import history
from xregit.source.commits import WHOLE_HISTORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xregit.catalog.registry import Registry
    from xregit.changes.change import Change
    from xregit.changes.following import Key
    from xregit.source.commits import Commit


@record
class Moment:
    """One commit and what it did to an entity; ``xid`` is the xid that the entity had from then on.

    If it is not ``readable``, some file can't be read at that commit; its changes are told with the next readable one.
    With the one that ``begins`` it, the entity was there for the first time.
    """

    commit: Commit
    xid: str
    changes: tuple[Change, ...]
    readable: bool = True
    begins: bool = False


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
    following = Following(registry, tracks, path)
    moments = tuple(reversed(list(_Life(following, _always(following)).moments())))
    if not moments and known.shallow:
        raise XregitError(_nothing(registry, xid))
    return moments


def _nothing(registry: Registry, xid: str) -> str:
    """Return why nothing is known of an entity, and what helps."""
    if registry.origin.history.shallow:
        return f'this clone is shallow and knows nothing of "{xid}"; {WHOLE_HISTORY}'
    if registry.entity(xid) is not None:
        return f'the file of "{xid}" has not been committed yet'
    return f'the history knows no "{xid}"; name a group or resource, such as /messagegroups/GROUP/messages/MESSAGE'


def _prefix(registry: Registry) -> str:
    return registry.place.path.removesuffix(REGISTRY_FILE)


@record
class _Standing:
    """How an entity stood after a commit: its file, and the files around it by their path below the registry.

    ``state`` is the last registry that could be read of them, and ``old`` the name that the entity had in it.
    """

    files: Mapping[str, Key]
    state: Registry
    path: str = ""
    name: str = ""
    old: str = ""
    readable: bool = True


@record
class _Life:
    """The files that an entity's life depends on, and what every state has besides them."""

    following: Following
    always: Mapping[str, bytes]

    def moments(self) -> Iterator[Moment]:
        """Give what each commit did, compared with its parents; the oldest commit first."""
        following = self.following
        files, numbers = following.files_by_commit(), following.tracks.parents
        own = {step.index: step.path for step in following.steps[following.path]}
        nothing = _Standing(NOTHING, self.state({}))
        children = Counter(parent for parents in numbers for parent in parents)
        found: dict[int, _Standing] = {}
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

    def standing(self, files: Mapping[str, Key], parents: Sequence[_Standing], paths: Sequence[str]) -> _Standing:
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
        return _Standing(files, now, path, name, name)

    def told(self, index: int, now: _Standing, parents: Sequence[_Standing], *, is_own: bool) -> Iterator[Moment]:
        """Give what a commit did, unless that is nothing; a merge did what comes from none of its parents."""
        following = self.following
        commit = following.registry.origin.history.commits[index]
        if len(parents) > 1:
            before = [following.data(parent.files) for parent in parents]
            if not says_something(following.data(now.files), before, following.other_names):
                return
        if not now.readable:
            yield Moment(commit, now.name, (), readable=False)
            return
        first, *others = (_changes(parent, now) for parent in parents)
        changes = in_all(first, others)
        if is_own or changes:
            begins = not any(parent.old for parent in parents)
            yield Moment(commit, now.name or following.xid(following.path), changes, begins=begins)

    def state(self, files: Mapping[str, bytes]) -> Registry:
        """Return the registry that a few files make."""
        return read_contents(self.following.registry.origin.root, {**self.always, **files})


def _always(following: Following) -> Mapping[str, bytes]:
    """Return the files that every state has: the registry's model as it is now, and the groups around others."""
    origin, model = following.registry.origin, following.registry.model
    (data,) = history.read_versions(origin.root, [(origin.history.head, following.prefix + MODEL_FILE)])
    names = {following.below(step.path, path) for path, steps in following.steps.items() for step in steps}
    own = {following.xid(step.path) for step in following.steps[following.path]}
    return stubs(model, names, own) | ({MODEL_FILE: data} if data is not None else {})


def _changes(before: _Standing, now: _Standing) -> tuple[Change, ...]:
    old, name = before.old, now.name
    renamed = {old: name} if old and old != name else {}
    return tuple(item for item in diff(before.state, now.state, renamed) if _concerns(item, {old, name} - {""}))


def _concerns(change: Change, xids: set[str]) -> bool:
    """Tell whether a change is one of the entity's, or reaches it."""
    touched = {change.xid, *change.reaches}
    below = tuple(f"{xid}/versions/" for xid in xids)
    return bool(xids & touched) or change.xid.startswith(below)
