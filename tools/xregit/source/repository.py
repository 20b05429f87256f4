"""A folder to the Git repository that it is in, which is asked at the top of its work tree and says why it refuses."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from xregit.errors import XregitError
from xregit.source import asking

_NO_REPOSITORY = ("not a git repository", "cannot change to")
# What Git says, and what to say of it.
_REASONS = {
    "must be run in a work tree": "the Git repository is bare, it has no files to read",
    "bad revision": "the Git repository has no commits yet",
    "does not have any commits": "the Git repository has no commits yet",
    "dubious ownership": "the Git repository belongs to another user; Git's setting safe.directory can allow it",
    "promisor": 'this clone is partial, and nothing is fetched; "git fetch --refetch --no-filter" brings what it lacks',
}


class GitError(XregitError):
    """Why there is no answer from Git, in one line."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository: the top of its work tree, and the folder that all of its work trees share."""

    root: Path
    common: Path

    def asked(self, *question: str, given: bytes = b"") -> bytes:
        """Return what a command of Git prints.

        Raises:
            GitError: Git refuses, or can't be run.
        """
        return _asked(self.root, *question, given=given)

    def line(self, *question: str) -> str:
        """Return the line that a command of Git prints, an empty one where it refuses."""
        try:
            return os.fsdecode(self.asked(*question)).strip()
        except GitError:
            return ""

    @property
    def boundary(self) -> frozenset[str]:
        """The commits whose parents a shallow clone leaves out; they seem to add every file."""
        shallow = self.common / "shallow"
        return frozenset(shallow.read_text("ascii").split()) if shallow.is_file() else frozenset()


def repository_at(folder: Path) -> Repository:
    """Return the repository that a folder is in.

    Raises:
        GitError: it is in none, or in one that Git can't read, or there is no Git.
    """
    found = _asked(folder, "rev-parse", "--show-toplevel", "--git-common-dir")
    root, _, common = os.fsdecode(found.removesuffix(b"\n")).rpartition("\n")
    return Repository(Path(root), folder / common)


def _asked(folder: Path, *question: str, given: bytes = b"") -> bytes:
    try:
        done = asking.asked(folder, *question, given=given)
    except FileNotFoundError as error:
        message = "Git is not installed, or not on PATH"
        raise GitError(message) from error
    except (OSError, ValueError) as error:
        message = f"Git can't be run: {error}"
        raise GitError(message) from error
    if done.returncode:
        raise GitError(_reason(folder, done.stderr.decode(errors="replace")))
    return done.stdout


def _reason(folder: Path, words: str) -> str:
    if any(sign in words for sign in _NO_REPOSITORY):
        return f'"{folder}" is in no Git repository'
    known = next((reason for sign, reason in _REASONS.items() if sign in words), "")
    fatal = next((line for line in words.splitlines() if "fatal: " in line), "fatal: it gave no reason")
    return known or f"Git failed: {fatal.partition('fatal: ')[2]}"
