"""A commit's files in a folder of their own, with the repository's history, beside whatever is checked out."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.source.asking import asked
from xregit.source.history import commit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# Hooks and file watchers are for checkouts that somebody works in.
_UNWATCHED = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")


@contextmanager
def worktree(folder: Path, ref: str, place: Path) -> Iterator[Path]:
    """Check a commit out below an empty place, and give where the folder is in it; it is removed afterwards.

    Raises:
        XregitError: the folder is in no repository, there is no such commit, or Git can't write there.
    """
    commit = commit_of(folder, ref)
    top = Path(os.fsdecode(asked(folder, "rev-parse", "--show-toplevel").stdout.removesuffix(b"\n")))
    root = place / top.name
    made = asked(folder, *_UNWATCHED, "worktree", "add", "--detach", "--quiet", str(root), commit)
    if made.returncode:
        reason = os.fsdecode(made.stderr).strip().rpartition("\n")[2].removeprefix("fatal: ")
        message = f'Git can\'t check out "{ref}": {reason}'
        raise XregitError(message)
    try:
        yield root / folder.resolve().relative_to(top.resolve())
    finally:
        asked(folder, *_UNWATCHED, "worktree", "remove", "--force", str(root))
