"""The state of a registry at a commit, of which no more is read than differs from the present one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from xregit.catalog import read_contents
from xregit.catalog.layout import REGISTRY_FILE
from xregit.rules.standing import State, WholeError
from xregit.source import files, plumbing
from xregit.source.remembered import Remembered, blob_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.registry import Registry
    from xregit.rules.standing import Standing

Answer = TypeVar("Answer")


def base_of(now: Standing, ref: str) -> str:
    """Return the commit at which the branch left another one.

    Raises:
        WholeError: that is not so plain.
    """
    return _told(plumbing.merge_base(now.root, ref))


def state_at(now: Standing, commit: str, present: Mapping[str, str]) -> State:
    """Return the files that a registry's folder had at a commit; those that are ``present`` are read where they are.

    Raises:
        WholeError: there was no registry, or one with links or odd names.
    """
    blobs = _told(plumbing.blobs(now.root, commit))
    gone = files.listing_of({path: b"" for path in blobs if path not in present})
    if gone.problems or REGISTRY_FILE not in blobs:
        raise WholeError
    passed_over = blobs.keys() - present.keys() - {*gone.files}
    other = [path for path, blob in blobs.items() if present.get(path) != blob and path not in passed_over]
    contents = dict(zip(other, _told(plumbing.contents(now.root, [blobs[path] for path in other])), strict=True))
    # A repository may have ids of another kind than ours (SHA-256), so that every file seemed to differ.
    own = {path: blob_id(data).decode() for path, data in contents.items()}
    kept = {path: own.get(path, blob) for path, blob in blobs.items() if path not in passed_over}
    return State(kept, lambda path: contents[path] if path in contents else now.read(path))


def part_at(now: Standing, commit: str, contents: Mapping[str, bytes]) -> Registry:
    """Return the part of a former state that some of its files are.

    Raises:
        WholeError: something in it can't be read as a whole.
    """
    registry = read_contents(now.root, contents, commit, Remembered().parse)
    if registry.problems or registry.broken:
        raise WholeError
    return registry


def _told(answer: Answer | None) -> Answer:
    if answer is None:
        raise WholeError
    return answer
