"""Checkouts that leave files out, which are there for Git alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.source.repositories import Repository, new_repository
from xregit.cli.runner import run
from xregit.source.sparse import left_out

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository with a registry of two groups."""
    made = new_repository(tmp_path / "repository")
    group = "description: A group.\n"
    made.commit(
        "one",
        **{"registry/registry.yaml": "registryid: x\n", "README.md": "x", "site/a b.md": "x"},
        **{f"registry/messagegroups/{name}/messagegroup.yaml": group for name in ("a", "ü")},
    )
    return made


def test_files_that_are_not_checked_out_are_counted(repository: Repository) -> None:
    """Those of the folder alone, and none where all of them are there again."""
    registry = repository.root / "registry"
    assert left_out(registry) == 0
    repository.git("sparse-checkout", "set", "registry/messagegroups/a")
    assert (left_out(registry), left_out(registry / "messagegroups" / "a"), left_out(repository.root)) == (1, 0, 2)
    repository.git("sparse-checkout", "disable")
    assert left_out(registry) == 0


def test_each_worktree_has_its_own_files(repository: Repository, tmp_path: Path) -> None:
    """Git keeps what is sparse in a folder that the worktree names."""
    repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    other = Repository(tmp_path / "other")
    other.git("sparse-checkout", "set", "registry/messagegroups/a")
    assert (left_out(other.root / "registry"), left_out(repository.root / "registry")) == (1, 0)


def test_a_folder_in_no_repository_lacks_nothing(tmp_path: Path) -> None:
    """Nobody knows of more files there."""
    assert left_out(tmp_path) == 0


def test_commands_say_what_a_checkout_lacks(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """Its files count as removed, which would be taken for what somebody did."""
    repository.git("sparse-checkout", "set", "registry/messagegroups/a")
    run(["--registry", str(repository.root / "registry"), "diff", "HEAD"])
    told = capsys.readouterr()
    assert "Note: 1 file of the registry counts as gone, since this checkout is sparse" in told.err
    assert "/messagegroups/ü" in told.out
