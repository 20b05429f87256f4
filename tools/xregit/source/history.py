"""The Git repository around a folder to the history of all files, in one pass, and to the files of one commit."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.source.asking import NOTHING_FETCHED, asked, objects
from xregit.source.commits import (
    LOG,
    WHOLE_HISTORY,
    Commit,
    FileChange,
    FileHistory,
    History,
    commits,
    file_histories,
)

if TYPE_CHECKING:
    from git import Repo

__all__ = ["Commit", "FileChange", "FileHistory", "History", "commit_of", "merge_base", "read", "read_at"]

_NOT_INSTALLED = "Git is not installed, or not on PATH"
_WAY_TO_REF = "name a branch, tag or commit that it has"
_OTHER_OWNER = "dubious ownership"
_SYMBOLIC_LINK = "120000"  # how Git writes the mode of one


class _RefusedError(Exception):
    """Git gives no answer; its reason is the text."""


def read(folder: Path, commit: str = "HEAD") -> History:
    """Return what Git knows of the repository that the folder is in, up to a commit; it never raises.

    Git is asked directly: importing GitPython would take a third of the time of compiling a small catalog.
    """
    try:
        return _history(folder, commit)
    except FileNotFoundError:
        return History(reason=_NOT_INSTALLED)
    except _RefusedError as error:
        return History(reason=_reason_there(folder, str(error)))
    except (OSError, ValueError) as error:
        return History(reason=f"the Git repository can't be read: {str(error).partition(chr(10))[0]}")


def commit_of(folder: Path, ref: str) -> str:
    """Return the hash of the commit that a branch, tag or other name stands for.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    with _opened(folder) as repo:
        return _commit(repo, folder, ref)


def merge_base(folder: Path, ref: str) -> str:
    """Return the last commit that HEAD and ``ref`` have in common; the commit of ``ref`` if they have none.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit; or a shallow clone hides it.
    """
    with _opened(folder) as repo:
        commit = _commit(repo, folder, ref)
        status, found, _ = repo.git.merge_base("HEAD", commit, with_extended_output=True, with_exceptions=False)
        if status and _boundary(Path(repo.common_dir)):
            message = f'this clone is too shallow to know where the branch left "{ref}"; {WHOLE_HISTORY}'
            raise XregitError(message)
        return str(found) if status == 0 else commit


def read_at(folder: Path, ref: str) -> Mapping[str, bytes]:
    """Return the files that the folder has at a commit, by their paths relative to it.

    A symbolic link to a file in the folder has that file's bytes; other links and submodules are left out.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    with _opened(folder) as repo:
        prefix = Path(folder).resolve().relative_to(Path(str(repo.working_tree_dir)).resolve()).as_posix()
        return _tree(repo, _commit(repo, folder, ref), "" if prefix == "." else prefix + "/")


def read_before_move(folder: Path, commit: str, name: str) -> tuple[str, Mapping[str, bytes]]:
    """Return what a folder was called at a commit, before a later one moved it, and the files that it had then.

    The folder is followed by its file ``name``. Paths are relative to the folder. Both results are empty if no commit
    since then moved the folder.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    known = read(folder)
    if known.repository is None or known.reason:
        return "", {}
    path = (folder.resolve().relative_to(known.repository.resolve()) / name).as_posix()
    with _opened(folder) as repo:
        for old in _names(known, path):
            found = _tree(repo, commit, old.removesuffix(name))
            if name in found:
                return old.removesuffix(name).rstrip("/") or ".", found
    return "", {}


def _names(known: History, path: str) -> Iterator[str]:
    """Give the earlier names of a file that ended alike, the latest first."""
    end = path.rpartition("/")[2]
    for change in (change for commit in known.commits for change in commit.files):
        if change.status == "R" and change.path == path and f"/{change.oldpath}".endswith(f"/{end}"):
            path = change.oldpath
            yield path


def commits_of(folder: Path, refs: str) -> tuple[str, ...]:
    """Return the commits of a branch that touched the folder, the oldest first, and the branch's last one in any case.

    ``refs`` names one commit, or two as in ``v1..main``: the commits after the first, up to the second. A merge stands
    for all commits that it brought.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    before, dots, last = refs.rpartition("..")
    with _opened(folder) as repo:
        end = _commit(repo, folder, last or "HEAD")
        start = [f"^{_commit(repo, folder, before)}"] if dots and before else []
        found = repo.git.rev_list("--first-parent", "--reverse", end, *start, "--", str(Path(folder).resolve())).split()
    return tuple(dict.fromkeys((*found, end)))


def ancestors(folder: Path, ref: str) -> tuple[str, ...]:
    """Return the hashes of a commit and of all before it, the newest first.

    Raises:
        XregitError: the folder is in no repository, or the repository has no such commit.
    """
    with _opened(folder) as repo:
        return tuple(repo.git.rev_list(_commit(repo, folder, ref)).split())


def read_versions(folder: Path, places: Sequence[tuple[str, str]]) -> Iterator[bytes | None]:
    """Give the bytes that files had at commits, in the order of the pairs of a commit and a path; None for no file.

    Paths are relative to the repository. It takes one run of Git.

    Raises:
        XregitError: the folder is in no repository.
    """
    with _opened(folder) as repo:
        found = _objects(repo, [f"{commit}:{path}" for commit, path in places if "\n" not in path])
    yield from (None if "\n" in path else next(found) for _, path in places)


@contextmanager
def _opened(folder: Path) -> Iterator[Repo]:
    git = _git()
    try:
        # The folders above a link are others than those above what it leads to, where its repository is.
        with git.Repo(folder.resolve(), search_parent_directories=True, expand_vars=False) as repo:
            repo.git.update_environment(**NOTHING_FETCHED)
            yield repo
    except (git.InvalidGitRepositoryError, git.NoSuchPathError) as error:
        message = f'"{folder}" is in no Git repository; "git init" makes one'
        raise XregitError(message) from error
    except git.GitError as error:
        message = f'the Git repository of "{folder}" can\'t be read: {_reason(str(getattr(error, "stderr", error)))}'
        raise XregitError(message) from error


def _commit(repo: Repo, folder: Path, ref: str) -> str:
    """Return a commit's hash; one that a shallow clone may hide is said to be so."""
    asked = ("--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    status, found, said = repo.git.rev_parse(*asked, with_extended_output=True, with_exceptions=False)
    if status == 0:
        return str(found)
    if _OTHER_OWNER in said:
        message = f'no commit "{ref}" can be read, since {_reason(said)}'
        raise XregitError(message)
    shallow = bool(_boundary(Path(repo.common_dir)))
    way = f"this clone is shallow and may lack it; {WHOLE_HISTORY}" if shallow else _WAY_TO_REF
    message = f'the Git repository of "{folder}" has no commit "{ref}"; {way}'
    raise XregitError(message)


def _git() -> ModuleType:
    try:
        import git
    except ImportError as error:
        raise XregitError(_NOT_INSTALLED) from error
    return git


def _reason(stderr: str) -> str:
    if "bad revision" in stderr or "does not have any commits" in stderr:
        return "the Git repository has no commits yet"
    if _OTHER_OWNER in stderr:
        return "the Git repository belongs to another user; Git's setting safe.directory can allow it"
    if "promisor" in stderr:
        return 'this clone is partial, and nothing is fetched; "git fetch --refetch --no-filter" brings what it lacks'
    fatal = next((line for line in stderr.splitlines() if "fatal: " in line), "fatal: it gave no reason")
    return f"Git failed: {fatal.partition('fatal: ')[2]}"


def _reason_there(folder: Path, stderr: str) -> str:
    if "not a git repository" in stderr or "cannot change to" in stderr:
        return f'"{folder}" is in no Git repository'
    if "must be run in a work tree" in stderr:
        return "the Git repository is bare, it has no files to read"
    return _reason(stderr)


def _history(folder: Path, commit: str) -> History:
    """Return what Git knows.

    Raises:
        FileNotFoundError: there is no Git.
        OSError: it can't be started, or what it keeps of a shallow clone can't be read.
        ValueError: what it keeps of that makes no sense.
        _RefusedError: it gives no answer.
    """
    found = os.fsdecode(_answer(folder, "rev-parse", "--git-common-dir", "--show-toplevel"))
    common, _, top = found.removesuffix("\n").partition("\n")
    boundary = _boundary(folder / common)
    log = tuple(commits(_answer(Path(top), *LOG, commit, "--")))
    return History(
        repository=Path(top),
        head=log[0].sha,
        head_time=log[0].time,
        shallow=bool(boundary),
        commits=tuple(_without_files(item) if item.sha in boundary else item for item in log),
        files=MappingProxyType(file_histories(log, boundary)),
    )


def _answer(folder: Path, *question: str) -> bytes:
    done = asked(folder, *question)
    if done.returncode != 0:
        raise _RefusedError(done.stderr.decode(errors="replace"))
    return done.stdout


def _boundary(git_folder: Path) -> frozenset[str]:
    """Return the commits whose parents a shallow clone leaves out; they seem to add every file."""
    shallow = git_folder / "shallow"
    return frozenset(shallow.read_text("ascii").split()) if shallow.is_file() else frozenset()


def _without_files(commit: Commit) -> Commit:
    return Commit(commit.sha, commit.time, commit.author, commit.subject, parents=commit.parents)


def _tree(repo: Repo, sha: str, prefix: str) -> dict[str, bytes]:
    paths = ["--", prefix] if prefix else []
    listed = repo.git.ls_tree("-r", "-z", "--full-tree", sha, *paths, stdout_as_string=False)
    entries = [(entry.split(" "), path) for entry, path in _entries(listed)]
    blobs = [(mode, blob, path) for (mode, kind, blob), path in entries if kind == "blob"]
    found = zip((path for _, _, path in blobs), _objects(repo, [blob for _, blob, _ in blobs]), strict=True)
    contents = {path: data for path, data in found if data is not None}
    links = {path: contents.pop(path) for mode, _, path in blobs if mode == _SYMBOLIC_LINK}
    targets = {path: posixpath.normpath(f"{posixpath.dirname(path)}/{os.fsdecode(to)}") for path, to in links.items()}
    linked = {path: contents[target] for path, target in targets.items() if target in contents}
    return {path[len(prefix) :]: data for path, data in sorted((contents | linked).items())}


def _objects(repo: Repo, names: Iterable[str]) -> Iterator[bytes | None]:
    """Yield the bytes of the objects that names stand for; None for no object."""
    import tempfile  # not for what most runs ask: the history

    with tempfile.TemporaryFile() as given:
        given.write("".join(f"{name}\n" for name in names).encode(errors="surrogateescape"))
        given.seek(0)
        output = repo.git.cat_file("--batch", istream=given, stdout_as_string=False, strip_newline_in_stdout=False)
    return objects(output)


def _entries(listed: bytes) -> Iterator[tuple[str, str]]:
    """Yield what ``git ls-tree`` says of each path, and the path."""
    for line in listed.decode(errors="surrogateescape").split("\0"):
        entry, tab, path = line.partition("\t")
        if tab:
            yield entry, path
