"""The registry's history to rows: the commits, and which entities each of them touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.layout import spot, xid_of
from xregit.model.times import moment
from xregit.spark.cells import Row, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog.registry import Registry
    from xregit.source.commits import Commit

ADDED, CHANGED, REMOVED = "added", "changed", "removed"
# Git's letters for what became of a file; any other means that it changed.
_LETTERS = {"A": ADDED, "D": REMOVED, "R": ADDED, "C": ADDED}
# Where a commit touches several files of one entity, the first of these says what became of it.
_WEIGHT = (ADDED, REMOVED, CHANGED)


def commit_rows(registry: Registry) -> Iterator[Row]:
    """Give one row per commit of the repository."""
    for commit in registry.origin.history.commits:
        yield {
            "commit": commit.sha,
            "time": moment(commit.time),
            "author": text_of(commit.author),
            "subject": text_of(commit.subject),
        }


def change_rows(registry: Registry) -> Iterator[Row]:
    """Give one row per commit and entity whose file it touched; entities that are gone are named by their path."""
    present = _entities_by_file(registry)
    for commit in registry.origin.history.commits:
        changes: dict[str, str] = {}
        for path, change in _files(commit):
            for xid in present.get(path) or _former(registry, path):
                changes[xid] = min(change, changes.get(xid, CHANGED), key=_WEIGHT.index)
        time = moment(commit.time)
        yield from (
            {"xid": xid, "commit": commit.sha, "change": change, "time": time} for xid, change in changes.items()
        )


def _files(commit: Commit) -> Iterator[tuple[str, str]]:
    for file in commit.files:
        yield file.path, _LETTERS.get(file.status, CHANGED)
        if file.status == "R":
            yield file.oldpath, REMOVED


def _entities_by_file(registry: Registry) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {registry.place.path: ["/"]}
    for group in registry.all_groups:
        found.setdefault(group.place.path, []).append(group.xid)
    for resource in registry.all_resources:
        found.setdefault(resource.place.path, []).append(resource.xid)
        for version in resource.versions.values():
            if version.document and version.document.data is not None:
                found.setdefault(version.document.place.path, []).append(version.xid)
    return found


def _former(registry: Registry, path: str) -> list[str]:
    """Return the xid that a file of that path had, by the layout of the folder as it is today."""
    folder = registry.place.path.rpartition("/")[0]
    if folder and not path.startswith(folder + "/"):
        return []
    found = spot(registry.model, path.removeprefix(folder + "/") if folder else path)
    return [xid] if (xid := xid_of(found)) else []
