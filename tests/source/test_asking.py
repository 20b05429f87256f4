"""Git answers for the folder that it is asked about, and starts nothing that the repository names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.source.repositories import Repository, new_repository
from xregit.errors import XregitError
from xregit.source import history, plumbing
from xregit.source.worktrees import worktree

if TYPE_CHECKING:
    from pathlib import Path

WAY_OUT = "git fetch --refetch --no-filter"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository with two commits, the last on a branch."""
    made = new_repository(tmp_path / "repository")
    made.commit("One", folder__a="a\n")
    made.git("checkout", "-q", "-b", "branch")
    made.commit("Two", folder__a="A\n")
    return made


def program(place: Path, trace: Path) -> str:
    """Write a program that leaves a trace when it is started, and return its path."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\ntouch '{trace}'\n", encoding="utf-8")
    place.chmod(0o755)
    return str(place)


def test_hook_of_another_repository_changes_no_answer(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Git tells a hook of its repository and index is not what the folder's own are."""
    folder = repository.root / "folder"
    before = (history.read(folder), plumbing.merge_base(folder, "main"))
    other = new_repository(tmp_path / "other")
    other.commit("Other", x="x\n")
    index = (other.root / ".git/index").read_bytes()
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    assert (history.read(folder), plumbing.merge_base(folder, "main")) == before
    (place := tmp_path / "place").mkdir()
    with worktree(folder, "main", place) as inside:
        assert (inside / "a").read_text(encoding="utf-8") == "a\n"
    assert (other.root / ".git/index").read_bytes() == index


def test_no_hook_and_no_watcher_is_started(repository: Repository, tmp_path: Path) -> None:
    """A checkout that nobody works in runs no program that the repository brings along."""
    trace = tmp_path / "trace"
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        program(repository.root / ".git/hooks" / name, trace)
    repository.git("config", "core.fsmonitor", program(tmp_path / "watcher", trace))
    trace.unlink(missing_ok=True)
    (place := tmp_path / "place").mkdir()
    with worktree(repository.root / "folder", "main", place) as inside:
        assert (inside / "a").exists()
    assert not place.joinpath("repository").exists()
    assert not trace.exists()


def test_partial_clone_fetches_nothing(repository: Repository, tmp_path: Path) -> None:
    """What a partial clone lacks stays away, and is said to be missing; its remote may be a program."""
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", "--filter=blob:none", f"file://{repository.root}", "../partial")
    clone = Repository(tmp_path / "partial")
    trace = tmp_path / "trace"
    clone.git("config", "remote.origin.url", f"ext::{program(tmp_path / 'remote', trace)}")
    clone.git("config", "protocol.ext.allow", "always")
    with pytest.raises(XregitError, match=WAY_OUT):
        history.read_at(clone.root / "folder", "origin/main")
    assert not trace.exists()
