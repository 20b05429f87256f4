"""Some files of a registry to stand-ins for those without which they can't be read as a registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.catalog.layout import MODEL_FILE, REGISTRY_FILE, VERSIONS, path_of, spot, xid_of
from xregit.catalog.loader import read_contents
from xregit.changes.differ import diff
from xregit.changes.merge_commits import changes_in_all, has_own_changes
from xregit.source import repository

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from xregit.catalog.registry import Registry
    from xregit.changes.change import Change
    from xregit.model.language import Model
    from xregit.source.commit_log import Commit


_REGISTRY, _GROUP = b"registryid: then\n", b"description: A group.\n"


def stub_files(model: Model, paths: Iterable[str], own: Collection[str] = ()) -> dict[str, bytes]:
    """Return stand-ins by path for the registry's file, and for the files of groups that hold the resources of paths.

    Paths are relative to the registry's folder. The groups with the xids ``own`` have none.
    """
    spots = [spot(model, path) for path in paths]
    groups = {f"/{found.group.plural}/{found.gid}" for found in spots if found.group and found.resource}
    return {REGISTRY_FILE: _REGISTRY, **{path_of(model, xid): _GROUP for xid in sorted(groups.difference(own))}}


# Commits are compared back to this one; one that touches more files, such as an import, is only counted.
MAX_COMMITS, MAX_FILES, MAX_RELATED = 30, 60, 120
Files = Mapping[str, bytes]
_VERSIONS = f"/{VERSIONS}/"
_AROUND = frozenset({REGISTRY_FILE, MODEL_FILE})


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """One commit: how many entities it touched, and what it changed; ``told`` is false where that was too much."""

    commit: Commit
    touched: int
    changes: tuple[Change, ...] = ()
    told: bool = True


def recent_commits(registry: Registry) -> tuple[CommitSummary, ...]:
    """Return the last commits that touched the registry, the newest first; nothing where Git knows nothing."""
    known = registry.origin.history
    prefix = registry.place.path.removesuffix(REGISTRY_FILE)
    if known.reason or registry.origin.root.is_file():
        return ()
    touching = ((commit, _registry_paths(commit, prefix)) for commit in known.commits)
    last = [found for found in touching if found[1]][:MAX_COMMITS]
    versions = _version_documents(known.commits, prefix)
    related = [
        _related_files(registry, prefix, paths, versions) if len(paths) <= MAX_FILES else () for _, paths in last
    ]
    read = iter(
        _read_contents(registry, prefix, [(commit, paths) for (commit, _), paths in zip(last, related, strict=True)])
    )
    return tuple(
        CommitSummary(
            commit,
            _touched_entities(registry, paths),
            _commit_changes(registry, commit, prefix, *next(read)) if names else (),
            told=bool(names),
        )
        for (commit, paths), names in zip(last, related, strict=True)
    )


def _registry_paths(commit: Commit, prefix: str) -> tuple[str, ...]:
    """Return the files of the registry that a commit touched, below its folder, under both names where it renamed."""
    named = (name for change in commit.files for name in (change.path, change.oldpath) if name)
    return tuple(dict.fromkeys(name.removeprefix(prefix) for name in named if name.startswith(prefix)))


def _version_documents(commits: Iterable[Commit], prefix: str) -> Mapping[str, Mapping[str, None]]:
    """Return the documents that each folder of versions ever had: without any of them, a schema has one named "1"."""
    found: dict[str, dict[str, None]] = {}
    for commit in commits:
        for path in _registry_paths(commit, prefix):
            if _VERSIONS in path:
                found.setdefault(path.rpartition("/")[0], {})[path] = None
    return found


def _touched_entities(registry: Registry, paths: Iterable[str]) -> int:
    return len({xid for path in paths if (xid := xid_of(spot(registry.model, path)))})


def _related_files(
    registry: Registry, prefix: str, paths: tuple[str, ...], versions: Mapping[str, Iterable[str]]
) -> tuple[str, ...]:
    """Return the files that tell what a few files mean: their groups, bases, derived messages, endpoints, schemas."""
    xids = [xid for path in paths if (xid := xid_of(spot(registry.model, path)))]
    found = dict.fromkeys(paths)
    for xid in xids:
        for other in _neighbours(registry, xid):
            found |= dict.fromkeys(path.removeprefix(prefix) for path in _entity_files(registry, other) if path)
    for folder in dict.fromkeys(path.rpartition("/")[0] for path in found if _VERSIONS in path):
        found |= dict.fromkeys(versions.get(folder, ()))
    return tuple(found)[: max(MAX_RELATED, len(paths))]


def _entity_files(registry: Registry, xid: str) -> Iterator[str]:
    """Give the files that describe an entity and its group; a version is described by its schema's."""
    entity, parts = registry.entity(xid), xid.split("/")
    yield entity.place.path if entity else path_of(registry.model, "/".join(parts[:5]))
    yield path_of(registry.model, "/".join(parts[:3]))


def _neighbours(registry: Registry, xid: str) -> Iterator[str]:
    yield xid
    indexes = registry.indexes
    pending, seen = [xid], {xid}
    while pending and len(seen) < MAX_RELATED:
        for other in indexes.derived.get(pending.pop(), ()):
            if other not in seen:
                seen.add(other)
                pending.append(other)
                yield other
    if "/messages/" in xid and registry.entity(xid) is not None:
        yield from registry.resolved(xid).chain
        yield from (endpoint for endpoint, _ in indexes.carriers.get(xid, ()))


def _read_contents(
    registry: Registry, prefix: str, asked: list[tuple[Commit, tuple[str, ...]]]
) -> Iterator[tuple[Sequence[Files], Files]]:
    """Give what the files held at the parents of each commit, and after it, in one run of Git."""
    sides = [((*paths, MODEL_FILE), (*commit.parents, commit.sha)) for commit, paths in asked if paths]
    pairs = [(sha, prefix + path) for paths, hashes in sides for path in paths for sha in hashes]
    read = iter(repository.read_versions(registry.origin.root, pairs)) if pairs else iter(())
    for paths, hashes in sides:
        found: list[dict[str, bytes]] = [{} for _ in hashes]
        for path in paths:
            for files in found:
                data = next(read)
                if data is not None:
                    files[path] = data
        yield found[:-1] or [{}], found[-1]


def _commit_changes(
    registry: Registry, commit: Commit, prefix: str, befores: Sequence[Files], after: Files
) -> tuple[Change, ...]:
    if len(befores) > 1 and not has_own_changes(after, befores):
        return ()
    first, *others = (_diff_commit(registry, commit, prefix, before, after) for before in befores)
    return changes_in_all(first, others)


def _diff_commit(registry: Registry, commit: Commit, prefix: str, before: Files, after: Files) -> tuple[Change, ...]:
    model = registry.model
    renamed = {
        xid_of(spot(model, change.oldpath.removeprefix(prefix))): xid_of(spot(model, change.path.removeprefix(prefix)))
        for change in commit.files
        if change.status == "R" and change.path.startswith(prefix)
    }
    same = {old: new for old, new in renamed.items() if old and new and old != new}
    # What is around the entities is the same on both sides where one of them has not got it.
    around = {name: data for files in (before, after) for name, data in files.items() if name in _AROUND}
    sides = ({**stub_files(model, (*around, *files)), **around, **files} for files in (before, after))
    then, now = (read_contents(registry.origin.root, files) for files in sides)
    return diff(then, now, same)
