"""The state of a registry at a commit, of which no more is read than differs from the present one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog import read_contents
from xregit.catalog.traces import group_of
from xregit.rules.standing import State, WholeError
from xregit.source import files, history

if TYPE_CHECKING:
    from collections.abc import Collection

    from xregit.catalog.registry import Registry
    from xregit.rules.standing import Standing


def state_at(now: Standing, commit: str) -> State:
    """Return the files that a registry's folder had at a commit; only those that differ now are read from Git.

    Raises:
        XregitError: there is no such commit.
        WholeError: the folder had links or odd names then.
    """
    blobs = history.blobs_at(now.root, commit)
    if blobs is None:
        raise WholeError
    present = now.state.blobs
    gone = files.listing_of({path: b"" for path in blobs if path not in present})
    if gone.problems:
        raise WholeError
    kept = {path: blob for path, blob in blobs.items() if path in present or path in gone.files}
    other = [path for path, blob in kept.items() if present.get(path) != blob]
    contents = _contents(now, commit, other)
    return State(kept, lambda path: contents[path] if path in contents else now.contents[path])


def part_of(now: Standing, commit: str, state: State, groups: Collection[str]) -> Registry:
    """Return the part of a former state that is made of some groups.

    Raises:
        WholeError: something in it can't be read as a whole.
    """
    paths = [path for path in state.blobs if group_of(path) in {"", *groups}]
    found = read_contents(now.root, {path: state.read(path) for path in paths}, commit)
    if found.problems or found.broken:
        raise WholeError
    return found


def _contents(now: Standing, commit: str, paths: list[str]) -> dict[str, bytes]:
    asked = [(commit, now.prefix + path) for path in paths]
    found = dict(zip(paths, history.read_versions(now.root, asked), strict=True)) if asked else {}
    if None in found.values():
        raise WholeError
    return {path: data for path, data in found.items() if data is not None}
