"""The files below a folder that a registry may consist of, read safely, and the file names that ids have."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from xregit.errors import XregitError
from xregit.source.parse_result import Problem

MAX_FILE_BYTES = 8 * 1024 * 1024

_EXTENSION = ".yaml"
_BACKUP_ENDINGS = ("~", ".bak", ".orig", ".rej", ".swp", ".tmp")
_SYSTEM_FILES = frozenset({"thumbs.db", "desktop.ini"})
# What Git takes a folder for a repository by: without a worktree, or with one.
_BARE = frozenset({"HEAD", "objects", "refs"})
_GIT = ".git"
_UNPRINTABLE = "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"  # compiled for a name that may be so
_SAFE_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~@")
# Windows reserves these names, whatever extension follows.
_DEVICE = r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)"

# Commits have the pointer alone, with which documents are compared; in a checkout it is a mistake.
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"

_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


class FileError(XregitError):
    """A file that can't be read."""

    def __init__(self, problem: Problem) -> None:
        """Keep the problem, so that it can become a diagnostic."""
        self.problem = problem
        super().__init__(f"{problem.path}: {problem.message}; {problem.help}")


@dataclass(frozen=True, slots=True)
class Listing:
    """The files below a folder, as sorted relative paths with ``/``, and what was left out."""

    files: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def list_files(root: Path) -> Listing:
    """Return the regular files below the folder.

    Hidden files and folders and editors' backups are left out. Symbolic links, devices, pipes, files over
    MAX_FILE_BYTES and Git repositories are problems.
    """
    walk = _Walk(Path(os.path.realpath(root)))
    while walk.pending:
        walk.scan(walk.pending.pop())
    problems = sorted(walk.problems, key=lambda problem: problem.path)
    return Listing(tuple(sorted(walk.files)), tuple(problems))


def list_contents(contents: Mapping[str, bytes]) -> Listing:
    """Return the `Listing` of files that are held in memory by their relative paths, such as those of a commit."""
    files: list[str] = []
    problems: list[Problem] = []
    nested = _nested_repositories(contents)
    inside = tuple(filter(None, nested))
    for path in sorted(contents):
        *folders, name = path.split("/")
        if path.startswith(inside) or any(part.startswith(".") for part in (*folders, name)) or _is_backup(name):
            continue
        unprintable = not path.isprintable() and re.search(_UNPRINTABLE, path)
        problem = _name_problem(path) if unprintable else _size_problem(path, len(contents[path]))
        if problem:
            problems.append(problem)
        else:
            files.append(path)
    problems += map(_nested_problem, nested)
    return Listing(tuple(files), tuple(sorted(problems, key=lambda problem: problem.path)))


def _nested_repositories(contents: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return the folders, each with a slash, that Git would take for repositories without a worktree.

    The folder of all contents is the empty text.
    """
    heads = (path for path in contents if f"/{path}".endswith("/HEAD"))
    names: dict[str, set[str]] = {path.removesuffix("HEAD"): set() for path in heads}
    for path in contents if names else ():
        for start in (0, *(match.end() for match in re.finditer("/", path))):
            if path[:start] in names:
                names[path[:start]].add(path[start:].partition("/")[0])
    return tuple(prefix for prefix, inside in names.items() if inside >= _BARE)


def read(root: Path | str, relative: str) -> bytes:
    """Return the bytes of a file that `list_files` lists.

    Raises:
        FileError: it isn't a readable regular file below the folder, or it is larger than MAX_FILE_BYTES.
    """
    try:
        descriptor = _open(root, relative)
        try:
            problem = _status_problem(relative, os.fstat(descriptor))
            if problem:
                raise FileError(problem)
            with open(descriptor, "rb", buffering=0, closefd=False) as file:
                data = file.readall()
            if problem := _pointer_problem(relative, data):
                raise FileError(problem)
            return data
        finally:
            os.close(descriptor)
    except OSError as error:
        raise FileError(_unreadable(relative, error)) from error


def id_to_filename(name: str) -> str:
    """Return the id as a file name without extension; what some file system may refuse is percent-encoded."""
    filename = "".join(char if char in _SAFE_CHARACTERS else _encode(char) for char in name)
    if filename.startswith(".") or re.match(_DEVICE, filename):
        filename = _encode(filename[0]) + filename[1:]
    return f"{filename[:-1]}{_encode('.')}" if filename.endswith(".") else filename


def filename_to_id(name: str) -> str:
    """Return the id that a file name without its extension stands for."""
    return unquote(name)


def _encode(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode(errors="surrogatepass"))


def _open(root: Path | str, relative: str) -> int:
    if relative.startswith("/") or "\0" in relative or (".." in relative and ".." in relative.split("/")):
        raise FileError(Problem("file-link", "this leads out of the folder", "name a file inside", path=relative))
    try:
        return os.open(f"{root}/{relative}", _FLAGS)
    except OSError as error:
        if error.errno not in {errno.ELOOP, errno.EMLINK}:
            raise
        raise FileError(_link_problem(relative)) from error


def link_on_the_way(top: Path, path: Path) -> Path | None:
    """Return a symbolic link inside the folder ``top`` that a path is or leads through, or None."""
    places = (path.absolute(), *path.absolute().parents)
    return next((each for each in places if each.is_symlink() and _is_inside(each, top)), None)


def _is_inside(path: Path, top: Path) -> bool:
    return path.parent.resolve().is_relative_to(top.resolve())


def _is_backup(name: str) -> bool:
    """Return whether a file's name is one that an editor or a system chose, and no author."""
    small = name.lower()
    return small.endswith(_BACKUP_ENDINGS) or small in _SYSTEM_FILES or (small[0] == small[-1] == "#" and small != "#")


def _status_problem(path: str, status: os.stat_result) -> Problem | None:
    if stat.S_ISREG(status.st_mode):
        return _size_problem(path, status.st_size)
    if stat.S_ISDIR(status.st_mode):
        return Problem("file-kind", "this is a folder, but a file is expected", "rename it", path=path)
    return Problem("file-kind", "this is a device, pipe or socket, not a file", "remove it", path=path)


def _size_problem(path: str, size: int) -> Problem | None:
    if size <= MAX_FILE_BYTES:
        return None
    message = f"the file has about {-(-size // 2**20)} MiB, but at most {MAX_FILE_BYTES // 2**20} MiB are read"
    return Problem("file-size", message, "split it, or keep it elsewhere and refer to it by URL", path=path)


def _pointer_problem(path: str, data: bytes) -> Problem | None:
    """Return what is wrong with a file that Git LFS keeps, where only its pointer is there."""
    if not data.startswith(_LFS_POINTER):
        return None
    advice = '"git lfs pull" fetches the file, in a workflow "lfs: true" for actions/checkout'
    return Problem("file-unreadable", "this is a pointer of Git LFS, not the file itself", advice, path=path)


def _nested_problem(prefix: str) -> Problem:
    if not prefix:
        message = "with this folder, refs and HEAD, Git may take the registry itself for a repository"
        return Problem("nested-repository", message, "remove them", path="objects/")
    message = "this folder is a Git repository of its own, such as a submodule, so nothing in it is read"
    return Problem("nested-repository", message, "keep its files in the repository of the registry", path=prefix)


def _name_problem(path: str) -> Problem:
    message = "the name has control characters, or bytes that are not UTF-8"
    return Problem("file-name", message, "rename it", path=path.encode("unicode_escape").decode())


def _link_problem(path: str) -> Problem:
    return Problem("file-link", "this is a symbolic link, which is not followed", "copy its target", path=path)


def _unreadable(path: str, error: OSError) -> Problem:
    message = f"this can't be read: {error.strerror}"
    return Problem("file-unreadable", message, "check that it exists and who may read it", path=path)


class _Walk:
    """A walk through a folder; ``pending`` holds the subfolders still to read, each ending in ``/``."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.pending = [""]
        self.files: list[str] = []
        self.problems: list[Problem] = []

    def scan(self, prefix: str) -> None:
        """Add all entries of one folder."""
        try:
            with os.scandir(f"{self.top}/{prefix}") as scan:
                entries = list(scan)
        except OSError as error:
            self.problems.append(_unreadable(prefix or ".", error))
            return
        names = {entry.name for entry in entries}
        if names >= _BARE or (prefix and _GIT in names):
            self.problems.append(_nested_problem(prefix))
            if prefix:
                return
        for entry in entries:
            self._add(prefix + entry.name, entry)

    def _add(self, path: str, entry: os.DirEntry[str]) -> None:
        name = entry.name
        if name.startswith("."):
            return
        if not name.isprintable() and re.search(_UNPRINTABLE, name):
            self.problems.append(_name_problem(path))
        elif entry.is_dir(follow_symlinks=False):
            self.pending.append(path + "/")
        elif name.endswith(_EXTENSION) or not _is_backup(name):
            try:
                status = entry.stat()
            except OSError as error:
                self.problems.append(_unreadable(path, error))
                return
            problem = _link_problem(path) if entry.is_symlink() else _status_problem(path, status)
            if problem:
                self.problems.append(problem)
            else:
                self.files.append(path)
