"""A commit's files in a folder of their own, with the repository's history, beside whatever is checked out."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from xregit.errors import XregitError
from xregit.source.history import commit_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def worktree(folder: Path, ref: str, place: Path) -> Iterator[Path]:
    """Check a commit out below an empty place, and give where the folder is in it; it is removed afterwards.

    Raises:
        XregitError: the folder is in no repository, there is no such commit, or Git can't write there.
    """
    import git

    commit = commit_of(folder, ref)
    with git.Repo(folder, search_parent_directories=True, expand_vars=False) as repo:
        inside = folder.resolve().relative_to(Path(str(repo.working_tree_dir)).resolve())
        root = place / Path(str(repo.working_tree_dir)).name
        try:
            repo.git.worktree("add", "--detach", "--quiet", str(root), commit)
        except git.GitCommandError as error:
            message = f'Git can\'t check out "{ref}": {str(error.stderr).strip().splitlines()[-1]}'
            raise XregitError(message) from error
        try:
            yield root / inside
        finally:
            repo.git.worktree("remove", "--force", str(root))
