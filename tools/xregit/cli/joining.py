"""What a folder has already that ``init`` would write, and what has to be said of the repository around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.owners import PLACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# What hosts and pre-commit look for at the top of a repository alone.
_AT_THE_TOP = ".github and .pre-commit-config.yaml"
#: The branch whose commits are built, as the template's workflow and README name it.
PUBLISHED = "main"
_BRANCH = "refs/heads/"


def standing(folder: Path, path: str) -> str:
    """Return the file of a folder that keeps one of the template from being written, or nothing.

    Hosts read one CODEOWNERS alone, so that another one in a place that counts before would undo it.
    """
    places = PLACES if path in PLACES else (path,)
    return next((place for place in places if (folder / place).exists()), "")


def notes(folder: Path, kept: Iterable[str]) -> Iterator[str]:
    """Give what somebody has to do by hand after a registry was written into a folder that was not empty."""
    names = ", ".join(kept)
    if names:
        yield f'Note: kept as it was: {names}; "xregit init" in an empty folder shows what init would have written.'
    top = top_of_repository(folder)
    if top and top != folder.resolve():
        below = folder.resolve().relative_to(top).as_posix()
        yield (
            f'Note: "{below}" is a folder of a repository, at whose top alone {_AT_THE_TOP} are read; move them there, '
            f'let their paths begin with {below}/, and run the workflows\' steps with "working-directory: {below}".'
        )
    branch = _branch(top) if top else ""
    if branch not in {"", PUBLISHED}:
        yield (
            f'Note: publish.yml builds what is merged into "{PUBLISHED}"; if the branch for that is "{branch}" here, '
            "name it there, and as branch in registry/xregit.yaml."
        )


def top_of_repository(folder: Path) -> Path | None:
    """Return the top of the repository that a folder is in, if it is in one."""
    here = folder.resolve()
    return next((place for place in (here, *here.parents) if (place / ".git").exists()), None)


def _branch(repository: Path) -> str:
    """Return the branch that is checked out, even one without commits; nothing where Git knows none."""
    from os import fsdecode

    from xregit.source.asking import answer

    found = answer(repository, "symbolic-ref", "-q", "HEAD") or b""
    return fsdecode(found).strip().removeprefix(_BRANCH)
