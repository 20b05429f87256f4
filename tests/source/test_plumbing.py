"""Git's short answers, and where it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.source.repositories import new_repository
from xregit.source import history, plumbing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.source.repositories import Repository


@pytest.fixture(params=["sha1", "sha256"])
def repository(tmp_path: Path, request: pytest.FixtureRequest) -> Repository:
    """Return a repository with a branch, and a folder in it."""
    made = new_repository(tmp_path / "repository", request.param)
    made.commit("One", folder__a="a\n", folder__inside__b="b\n", other="o\n")
    made.git("checkout", "-q", "-b", "branch")
    made.commit("Two", folder__a="A\n")
    return made


def test_answer_is_that_of_the_history(repository: Repository) -> None:
    """The commit that the branch left is what the thorough way finds."""
    folder = repository.root / "folder"
    assert plumbing.merge_base(folder, "main") == history.merge_base(folder, "main") != ""


def test_files_of_a_branch_are_those_that_its_commits_touched(repository: Repository) -> None:
    """What the other branch changed since then is not among them, nor what is not committed; names are as they are."""
    (repository.root / "other").unlink()
    repository.commit("Three", **{"folder__ä é": "x\n"})
    repository.git("checkout", "-q", "main")
    repository.commit("Meanwhile", folder__inside__b="B\n")
    repository.git("checkout", "-q", "branch")
    repository.git("config", "diff.relative", "true")
    (repository.root / "folder/inside/b").write_text("not committed\n", encoding="utf-8")
    assert plumbing.files_of_branch(repository.root / "folder", "main") == {"folder/a", "folder/ä é", "other"}


def test_no_answer(repository: Repository, tmp_path: Path) -> None:
    """Unknown names, options instead of names, and folders outside of any repository have no answer."""
    folder = repository.root / "folder"
    assert plumbing.merge_base(folder, "nowhere") is None
    assert plumbing.merge_base(folder, "--all") is None
    assert plumbing.files_of_branch(folder, "nowhere") == frozenset()
    assert plumbing.merge_base(tmp_path, "main") is None
