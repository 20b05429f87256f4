"""What commits say of the files of a registry, as JSON for later runs, which ask Git only for the commits after them.

Where it isn't sure that Git would say the same, nothing is known: in shallow clones, with replaced commits or grafts,
where a later commit renames or merges, and when commits that were there are gone.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from xregit.catalog.traces import group_of
from xregit.records import record, replace
from xregit.source.commits import FileHistory, History
from xregit.source.plumbing import commits_between, head_of

if TYPE_CHECKING:
    from xregit.source.commits import Commit

MAX_RENAMES = 10_000
_RENAMED, _KEEPING_NAMES = "R", frozenset("ADMT")
# What makes Git tell another history of the same commit.
_ALTERING = ("shallow", "info/grafts", "reftable")
_REPLACED = "refs/replace"


class Standpoint(NamedTuple):
    """What a history depends on: the commit ``head``, and ``around`` it the repository and Git's settings."""

    head: str
    around: str


class SharedHistory(NamedTuple):
    """The history of one file, or of several with the same commits: their times, and the hashes, newest first."""

    createdat: str
    modifiedat: str
    commits: Sequence[str]

    def after(self, newer: Sequence[Commit]) -> SharedHistory:
        """Return the same after some more commits, the newest first."""
        times = [*(commit.time for commit in newer), *([self.createdat, self.modifiedat] if self.commits else [])]
        return SharedHistory(min(times), max(times), (*(commit.sha for commit in newer), *self.commits))


NO_COMMITS = SharedHistory("", "", ())


@record
class Dated:
    """The history of a registry's files, as of a standpoint.

    ``time`` is that of the last commit, and ``renamed`` are the names that files of the repository had before.
    ``histories`` are the different histories. ``rows`` has for each group a JSON object of its files, from the path in
    the repository to an index of ``histories``; it is parsed when it is asked for, as a run needs few of many groups.
    """

    standpoint: Standpoint
    time: str
    renamed: Sequence[str]
    histories: Sequence[SharedHistory]
    rows: Mapping[str, bytes | memoryview]

    def history(self, groups: Iterable[str]) -> History:
        """Return the history of the files of some groups."""
        files = {path: self._history(number) for group in groups for path, number in self._numbers(group).items()}
        return History(head=self.standpoint.head, head_time=self.time, files=files)

    def _history(self, number: int) -> FileHistory:
        created, modified, commits = self.histories[number]
        return FileHistory(len(commits), created, modified, tuple(commits))

    def _numbers(self, group: str) -> dict[str, int]:
        found: dict[str, int] = orjson.loads(self.rows.get(group, b"{}"))
        return found


def standpoint(root: Path) -> Standpoint | None:
    """Return the present standpoint of a registry folder; None where more than that decides what Git tells."""
    found = head_of(root)
    if found is None:
        return None
    head, folder, common = found
    git = root / common
    packed = git / "packed-refs"
    altered = any((git / name).exists() for name in _ALTERING) or any((git / _REPLACED).glob("*"))
    if altered or (packed.is_file() and _REPLACED.encode() in packed.read_bytes()):
        return None
    settings = sorted(item for item in os.environ.items() if item[0].startswith("GIT_"))
    return Standpoint(head, repr((folder, common, settings)))


def dated(history: History, seen: Standpoint, prefix: str) -> Dated | None:
    """Return the history of a registry's files, whose paths in the repository begin with ``prefix``."""
    if history.reason or history.shallow or history.head != seen.head:
        return None
    changes = (change for commit in history.commits for change in commit.files)
    renamed = sorted({change.oldpath for change in changes if change.status == _RENAMED})
    if len(renamed) > MAX_RENAMES:
        return None
    numbers: dict[int, int] = {}  # files with the same commits share one history
    histories: list[SharedHistory] = []
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for path, known in history.files.items():
        if path.startswith(prefix):
            if id(known) not in numbers:
                numbers[id(known)] = len(histories)
                histories.append(SharedHistory(known.createdat, known.modifiedat, known.commits))
            found[group_of(path[len(prefix) :])][path] = numbers[id(known)]
    try:
        rows = {group: orjson.dumps(paths) for group, paths in found.items()}
    except orjson.JSONEncodeError:  # a name that isn't UTF-8
        return None
    return Dated(seen, history.head_time, renamed, histories, rows)


def moved(known: Dated, root: Path, seen: Standpoint, prefix: str) -> tuple[Dated, frozenset[str]] | None:
    """Return the history as of a later standpoint, and the groups of files that changed; None if Git must be asked."""
    if seen == known.standpoint:
        return known, frozenset()
    if seen.around != known.standpoint.around:
        return None
    newer = commits_between(root, known.standpoint.head, seen.head)
    changes = [change for commit in newer or () for change in commit.files]
    renamed = frozenset(known.renamed)
    # A name that a file has given away may be another file's; what is said of both then depends on all commits.
    if not newer or any(change.status not in _KEEPING_NAMES or change.path in renamed for change in changes):
        return None
    touching: defaultdict[str, list[Commit]] = defaultdict(list)
    for commit in newer:
        for change in commit.files:
            if change.path.startswith(prefix):
                touching[change.path].append(commit)
    try:
        return _after(known, touching, prefix, newer[0].time, seen)
    except orjson.JSONEncodeError:  # a name that isn't UTF-8
        return None


def _after(
    known: Dated, touching: Mapping[str, Sequence[Commit]], prefix: str, time: str, seen: Standpoint
) -> tuple[Dated, frozenset[str]]:
    of_group: defaultdict[str, list[str]] = defaultdict(list)
    for path in touching:
        of_group[group_of(path[len(prefix) :])].append(path)
    histories, rows = [*known.histories], dict(known.rows)
    for group, paths in of_group.items():
        numbers = orjson.loads(rows.get(group, b"{}"))
        for path in paths:
            histories.append((histories[numbers[path]] if path in numbers else NO_COMMITS).after(touching[path]))
            numbers[path] = len(histories) - 1
        rows[group] = orjson.dumps(numbers)
    return replace(known, standpoint=seen, time=time, histories=histories, rows=rows), frozenset(of_group)
