"""What Git says of a folder in a few fast questions; None where Git gives no answer.

`source.history` asks the same with GitPython, which takes longer to import, and says why there is no answer.
"""

from __future__ import annotations

import os
from pathlib import Path

from xregit.source.asking import answer


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
