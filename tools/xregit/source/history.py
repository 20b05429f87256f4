"""The Git repository around a folder to what it says about every file, in one pass, and to the files of one commit."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from xregit.errors import XregitError
from xregit.source.commits import LOG_OPTIONS, Commit, FileChange, FileHistory, History, commits, file_histories
from xregit.source.repository import GitError, Repository, repository_at

__all__ = ["Commit", "FileChange", "FileHistory", "History", "commit_of", "merge_base", "read", "read_at"]

_WAY_TO_REF = "name a branch, tag or commit that it has"
_MISSING = b" missing"  # how Git says that there is no such object
_SYMBOLIC_LINK = "120000"  # how Git writes the mode of one


def read(folder: Path, commit: str = "HEAD") -> History:
    """Return what Git knows of the repository that the folder is in, up to a commit; it never raises."""
    try:
        return _history(repository_at(folder), commit)
    except GitError as error:
        return History(reason=str(error))
    except (OSError, ValueError) as error:
        return History(reason=f"the Git repository can't be read: {str(error).partition(chr(10))[0]}")


def commit_of(folder: Path, ref: str) -> str:
    """Return the hash of the commit that a branch, tag or other name stands for.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    return _commit(repository_at(folder), folder, ref)


def merge_base(folder: Path, ref: str) -> str:
    """Return the last commit that HEAD and another one have in common; that one itself where there is none.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit; or a shallow clone hides it.
    """
    repository = repository_at(folder)
    commit = _commit(repository, folder, ref)
    found = repository.line("merge-base", "HEAD", commit)
    if not found and repository.boundary:
        message = f'this clone is too shallow to know where the branch left "{ref}"; "git fetch --unshallow" helps'
        raise XregitError(message)
    return found or commit


def read_at(folder: Path, ref: str) -> Mapping[str, bytes]:
    """Return the files that the folder has at a commit, by their paths relative to it.

    A symbolic link to a file in the folder has that file's bytes; other links and submodules are left out.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    repository = repository_at(folder)
    prefix = folder.resolve().relative_to(repository.root.resolve()).as_posix()
    return _tree(repository, _commit(repository, folder, ref), "" if prefix == "." else prefix + "/")


def commits_of(folder: Path, refs: str) -> tuple[str, ...]:
    """Return the commits of a branch that touched the folder, the oldest first, and the last one in any case.

    ``refs`` is a commit's name, or two with two dots between them: those after the first, up to the second. Of a
    merge there is the merge itself, and not what it brought one by one.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    before, dots, last = refs.rpartition("..")
    repository = repository_at(folder)
    end = _commit(repository, folder, last or "HEAD")
    start = [f"^{_commit(repository, folder, before)}"] if dots and before else []
    found = repository.asked("rev-list", "--first-parent", "--reverse", end, *start, "--", str(folder.resolve()))
    return tuple(dict.fromkeys((*found.decode().split(), end)))


def ancestors(folder: Path, ref: str) -> tuple[str, ...]:
    """Return the hashes of a commit and of all before it, the newest first.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    repository = repository_at(folder)
    return tuple(repository.asked("rev-list", _commit(repository, folder, ref)).decode().split())


def read_versions(folder: Path, asked: Sequence[tuple[str, str]]) -> Iterator[bytes | None]:
    """Give the bytes that files had at commits, in the order of the pairs of a commit and a path; None for no file.

    Paths are relative to the repository. It takes one run of Git.

    Raises:
        XregitError: the folder is in no repository.
    """
    lines = (f"{commit}:{path}\n" for commit, path in asked if "\n" not in path)
    given = "".join(lines).encode(errors="surrogateescape")
    found = _contents(repository_at(folder).asked("cat-file", "--batch", given=given))
    yield from (None if "\n" in path else next(found) for _, path in asked)


def _commit(repository: Repository, folder: Path, ref: str) -> str:
    """Return a commit's hash; one that a shallow clone may hide is said to be so."""
    found = repository.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if found:
        return found
    way = 'this clone is shallow, so "git fetch --unshallow" may bring it' if repository.boundary else _WAY_TO_REF
    message = f'the Git repository of "{folder}" has no commit "{ref}"; {way}'
    raise XregitError(message)


def _history(repository: Repository, commit: str) -> History:
    boundary = repository.boundary
    log = tuple(commits(repository.asked("log", *LOG_OPTIONS, commit, "--")))
    return History(
        repository=repository.root,
        head=log[0].sha,
        head_time=log[0].time,
        shallow=bool(boundary),
        commits=tuple(_without_files(item) if item.sha in boundary else item for item in log),
        files=MappingProxyType(file_histories(log, boundary)),
    )


def _without_files(commit: Commit) -> Commit:
    return Commit(commit.sha, commit.time, commit.author, commit.subject)


def _tree(repository: Repository, sha: str, prefix: str) -> dict[str, bytes]:
    paths = ["--", prefix] if prefix else []
    listed = repository.asked("ls-tree", "-r", "-z", "--full-tree", sha, *paths)
    entries = [(entry.split(" "), path) for entry, path in _entries(listed)]
    blobs = [(mode, blob, path) for (mode, kind, blob), path in entries if kind == "blob"]
    output = repository.asked("cat-file", "--batch", given="".join(f"{blob}\n" for _, blob, _ in blobs).encode())
    found = zip((path for _, _, path in blobs), _contents(output), strict=True)
    contents = {path: data for path, data in found if data is not None}
    links = {path: contents.pop(path) for mode, _, path in blobs if mode == _SYMBOLIC_LINK}
    targets = {path: posixpath.normpath(f"{posixpath.dirname(path)}/{os.fsdecode(to)}") for path, to in links.items()}
    linked = {path: contents[target] for path, target in targets.items() if target in contents}
    return {path[len(prefix) :]: data for path, data in sorted((contents | linked).items())}


def _entries(listed: bytes) -> Iterator[tuple[str, str]]:
    """Yield what ``git ls-tree`` says of each path, and the path."""
    for line in listed.decode(errors="surrogateescape").split("\0"):
        entry, tab, path = line.partition("\t")
        if tab:
            yield entry, path


def _contents(output: bytes) -> Iterator[bytes | None]:
    """Yield the contents that ``git cat-file --batch`` printed, each after a line that ends with its size."""
    start = 0
    while start < len(output):
        line_end = output.index(b"\n", start)
        if output.endswith(_MISSING, start, line_end):
            yield None
            start = line_end + 1
            continue
        size = int(output[start:line_end].rsplit(b" ", 1)[1])
        yield output[line_end + 1 : line_end + 1 + size]
        start = line_end + size + 2
