"""How many files of a folder a sparse checkout leaves out: Git has them, but they are not on the disk."""

from __future__ import annotations

import os
from pathlib import Path

_LEFT_OUT = b"S "  # how Git lists what it doesn't check out
_LINK = "gitdir: "  # how a worktree, or a submodule, names the folder that Git keeps for it


def left_out(folder: Path) -> int:
    """Return how many files below a folder are not checked out; Git is asked only where a checkout was ever sparse."""
    place = folder.resolve()
    top = next((each for each in (place, *place.parents) if (each / ".git").exists()), None)
    if top is None or not (_kept(top) / "info" / "sparse-checkout").is_file():
        return 0
    from xregit.source.asking import answer  # each command comes here, and few checkouts are sparse

    listed = answer(folder, "ls-files", "-t", "-z", "--", ".") or b""
    names = (entry.removeprefix(_LEFT_OUT) for entry in listed.split(b"\0") if entry.startswith(_LEFT_OUT))
    return sum(not (folder / os.fsdecode(name)).exists() for name in names)


def _kept(top: Path) -> Path:
    """Return Git's own folder for this worktree."""
    own = top / ".git"
    if own.is_dir():
        return own
    text = own.read_text(encoding="utf-8", errors="surrogateescape")
    return top / text.strip().removeprefix(_LINK)
