"""The commit log: the commits of a repository, and the history of each file, its earlier names included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from xregit.source.repository import GitFailureError, RepositoryError, open_repository, shallow_commits

# No status begins with the byte that marks a commit; everything else ends with NUL.
LOG_FORMAT = "%x01%H%x00%P%x00%ct%x00%aN%x00%s"
# Whatever a user's Git configuration could change is set here, so that the same commit gives the same facts everywhere.
_MAILMAP = ("mailmap.file=/dev/null", "mailmap.blob=")  # the repository's own .mailmap counts
# A list of files that differ comes with each commit: GitPython's `iter_commits` would run Git once for each of them.
LOG = (
    "-z",
    "--date-order",
    "--name-status",
    "-c",  # of a merge, what differs from all that it joins
    "-M50%",
    "-l1000",
    "--no-show-signature",
    "--no-relative",
    "--root",
    "-O/dev/null",
    "--encoding=UTF-8",
    f"--format={LOG_FORMAT}",
)

NO_TIME = "1970-01-01T00:00:00Z"
_LAST_SECOND = 253_402_300_799  # of the year 9999, the last that RFC 3339 can write
_RENAMED = frozenset({"R", "C"})
_MOVED = "="


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one commit did to one file; ``status`` is Git's letter, ``oldpath`` is set where it was renamed."""

    status: str
    path: str
    oldpath: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit; a merge lists only the files that differ from those of all its parents.

    A commit whose parents a shallow clone leaves out lists none. ``parents`` are hashes, too.
    """

    sha: str
    time: str
    author: str
    subject: str
    files: tuple[FileChange, ...] = ()
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileHistory:
    """What Git knows of one file; ``commits`` holds their hashes, newest first.

    Where ``complete`` is false, a shallow clone hides older commits: ``epoch`` may be too low, ``createdat`` too late.
    """

    epoch: int
    createdat: str
    modifiedat: str
    commits: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class History:
    """What Git knows of a repository, commits newest first; ``reason`` says why it knows nothing."""

    repository: Path | None = None
    head: str = ""
    head_time: str = ""
    shallow: bool = False
    commits: tuple[Commit, ...] = ()
    files: Mapping[str, FileHistory] = field(default_factory=lambda: MappingProxyType({}))
    reason: str = ""

    def of(self, path: str) -> FileHistory:
        """Return the history of the file at a path relative to the repository; one never committed has HEAD's time."""
        time = self.head_time or NO_TIME
        return self.files.get(path) or FileHistory(1, time, time)


def read(folder: Path, commit: str = "HEAD") -> History:
    """Return what Git knows of the repository that the folder is in, up to a commit.

    Where there is none, or Git can't look into it, the reason is in what is returned.

    Raises:
        GitFailureError: Git broke off, or its output is not what was expected.
    """
    try:
        with open_repository(folder) as repo:
            boundary = shallow_commits(repo)
            output = repo.git(c=_MAILMAP).log(*LOG, commit, "--", stdout_as_string=False)
            log = tuple(parse(output))
            head, top = log[0], repo.top
    except GitFailureError:
        raise
    except RepositoryError as error:
        return History(reason=error.reason)
    return History(
        repository=top,
        head=head.sha,
        head_time=head.time,
        shallow=bool(boundary),
        commits=tuple(replace(item, files=()) if item.sha in boundary else item for item in log),
        files=MappingProxyType(file_histories(log, boundary)),
    )


def parse(log: bytes) -> Iterator[Commit]:
    """Yield the commits that ``git log -z --name-status`` printed in LOG_FORMAT."""
    words = log.decode(errors="surrogateescape").split("\0")
    index = 0
    while words[index].startswith("\x01"):
        sha, parents, time, author, subject = words[index : index + 5]
        index += 5
        files = []
        while index < len(words) - 1 and not words[index].startswith("\x01"):
            status = _status(words[index].lstrip("\n"))
            if status in _RENAMED:
                files.append(FileChange(status, words[index + 2], oldpath=words[index + 1]))
                index += 3
            elif status:
                files += [FileChange(status, words[index + 1])] if status != _MOVED else []
                index += 2
            else:
                index += 1
        seconds = min(max(int(time), 0), _LAST_SECOND)
        utc = datetime.fromtimestamp(seconds, UTC).isoformat()[:19] + "Z"
        yield Commit(sha[1:], utc, _readable(author), _readable(subject), tuple(files), tuple(parents.split()))


def _status(word: str) -> str:
    """Return Git's letter for what was done to a file; a merge has one letter for each parent, and no old name.

    A file that is new to all parents is added by the merge. One that only some of the parents had under another name
    was renamed on their branches, not here.
    """
    if len(word) == 1 or not word.isalpha():
        return word[:1]
    letters = {*word}
    if letters <= {"A", *_RENAMED}:
        return "A"
    return "D" if letters == {"D"} else _MOVED if letters & _RENAMED else "M"


def file_histories(log: Sequence[Commit], boundary: frozenset[str]) -> dict[str, FileHistory]:
    """Return what commits, newest first, say about each file under its latest name.

    ``boundary`` holds the commits whose parents a shallow clone leaves out.
    """
    tracker = _RenameTracker()
    for index, commit in enumerate(log):
        tracker.add_commit(index, commit.files)
    histories = {}
    for path, indexes in tracker.commits.items():
        times = [log[index].time for index in indexes]
        hashes = tuple(log[index].sha for index in indexes)
        complete = hashes[-1] not in boundary
        histories[path] = FileHistory(len(hashes), min(times), max(times), hashes, complete=complete)
    return histories


def _readable(text: str) -> str:
    """Return the text with bytes replaced that aren't UTF-8, which no output could encode."""
    return text if text.isascii() else text.encode(errors="surrogateescape").decode(errors="replace")


@dataclass(slots=True)
class _RenameTracker:
    """The ``commits`` that touched each file, as indexes; ``latest`` maps an older name to the latest one.

    ``added`` are the names of files whose addition was seen already: what is older is another file's.
    """

    commits: dict[str, list[int]] = field(default_factory=dict)
    latest: dict[str, str] = field(default_factory=dict)
    added: set[str] = field(default_factory=set)

    def add_commit(self, index: int, changes: tuple[FileChange, ...]) -> None:
        """Add one commit, which is older than all before."""
        names = [self.latest.get(change.path, change.path) for change in changes]
        for change, name in zip(changes, names, strict=True):
            indexes = self.commits.setdefault(name, [])
            if not indexes or indexes[-1] != index:
                indexes.append(index)
            if change.status == "A":
                self.added.add(name)
                self.latest.pop(change.path, None)
        for change, name in zip(changes, names, strict=True):
            if change.status == "R":
                self._follow_rename(change.oldpath, name)

    def _follow_rename(self, old: str, name: str) -> None:
        """Count for the new name what is older than a rename, and what a parallel branch did to the old name."""
        self.latest[old] = name
        if old in self.commits and old != name and old not in self.added:
            self.commits[name] = sorted({*self.commits[name], *self.commits.pop(old)})
