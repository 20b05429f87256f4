"""What Git says of a folder in a few fast questions; None where Git gives no answer.

`source.history` asks the same with GitPython, which takes longer to import, and says why there is no answer.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from xregit.source.asking import answer, objects
from xregit.source.commits import LOG, Commit, commits

_ANSWERS = 3
FEW = 50  # commits
_LINK = "120000 "  # how Git writes the mode of a symbolic link


def head_of(folder: Path) -> tuple[str, str, str] | None:
    """Return the commit checked out, the repository's folder, and Git's own, which may be relative to ``folder``."""
    found = answer(folder, "rev-parse", "HEAD", "--show-toplevel", "--git-common-dir")
    lines = os.fsdecode(found or b"").splitlines()
    return (lines[0], lines[1], lines[2]) if len(lines) == _ANSWERS else None


def commits_between(folder: Path, old: str, new: str) -> tuple[Commit, ...] | None:
    """Return the commits after an old one, the newest first; None where a merge is among them.

    To tell what thousands of commits changed takes long, so where there are many, merges are asked for before.
    """
    log = answer(folder, *LOG, "--no-relative", f"--max-count={FEW}", f"{old}..{new}", "--")
    found = tuple(commits(log or b""))
    if len(found) == FEW:
        merges = answer(folder, "rev-list", "--merges", "--max-count=1", f"{old}..{new}")
        log = answer(folder, *LOG, "--no-relative", f"{old}..{new}", "--") if merges == b"" else b""
        found = tuple(commits(log or b""))
    expected = [(new,), *(commit.parents for commit in found)]
    return found if found and expected == [*((commit.sha,) for commit in found), (old,)] else None


def merge_base(folder: Path, ref: str) -> str | None:
    """Return the commit at which the branch of the folder left another."""
    found = answer(folder, "merge-base", "HEAD", ref) if not ref.startswith("-") else None
    return found.decode().strip() if found else None


def files_of_branch(folder: Path, ref: str) -> frozenset[str]:
    """Return the files that differ since the folder's branch left another, by their paths in the repository.

    It is empty where Git gives no answer, such as for a ``ref`` that it does not know. Only commits are compared.
    """
    base = merge_base(folder, ref)
    question = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-relative")
    listed = answer(folder, *question, base, "HEAD") if base else None
    return frozenset(os.fsdecode(listed or b"").split("\0")) - {""}


def blobs(folder: Path, commit: str) -> Mapping[str, str] | None:
    """Return Git's ids of the files that a folder had at a commit, by their paths relative to it.

    None where symbolic links are among them. In a repository with SHA-256, ids differ from those of
    `remembered.blob_id`.
    """
    listed = answer(folder, "ls-tree", "-r", "-z", commit)
    entries = os.fsdecode(listed or b"").split("\0")
    if listed is None or any(entry.startswith(_LINK) for entry in entries):
        return None
    parts = ((head.split(" "), path) for head, tab, path in (entry.partition("\t") for entry in entries) if tab)
    return {path: name for (_, kind, name), path in parts if kind == "blob"}


def contents(folder: Path, ids: Sequence[str]) -> Sequence[bytes] | None:
    """Return the bytes that Git keeps under some ids, in their order."""
    output = answer(folder, "cat-file", "--batch", given="".join(f"{name}\n" for name in ids).encode()) if ids else b""
    if output is None:
        return None
    found = [data for data in objects(output) if data is not None]
    return found if len(found) == len(ids) else None
