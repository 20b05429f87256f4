"""Git's short answers, and where it has none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.source.repositories import new_repository
from xregit.source import history, plumbing
from xregit.source.remembered import blob_id

if TYPE_CHECKING:
    from tests.source.repositories import Repository


@pytest.fixture(params=["sha1", "sha256"])
def repository(tmp_path: Path, request: pytest.FixtureRequest) -> Repository:
    """Return a repository with a branch, and a folder in it."""
    made = new_repository(tmp_path / "repository", request.param)
    made.commit("One", folder__a="a\n", folder__inside__b="b\n", other="o\n")
    made.git("checkout", "-q", "-b", "branch")
    made.commit("Two", folder__a="A\n")
    return made


def test_answers_are_those_of_the_history(repository: Repository) -> None:
    """The commit that the branch left, the files at it, and their bytes are what the thorough way finds."""
    folder = repository.root / "folder"
    base = plumbing.merge_base(folder, "main")
    assert base == history.merge_base(folder, "main")
    assert base
    found = plumbing.blobs(folder, base)
    assert found
    assert found == {path: repository.git("rev-parse", f"{base}:folder/{path}") for path in ("a", "inside/b")}
    assert plumbing.contents(folder, [*found.values()]) == [b"a\n", b"b\n"]
    assert plumbing.contents(folder, []) == []


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


def test_head_comes_with_the_folders_of_its_repository(repository: Repository, tmp_path: Path) -> None:
    """From any folder in it; outside of a repository, or before the first commit, there is no answer."""
    commit = repository.git("rev-parse", "HEAD")
    folder = repository.root / "folder"
    found = plumbing.head_of(folder)
    assert found is not None
    assert (found[0], Path(found[1]).resolve()) == (commit, repository.root.resolve())
    assert (folder / found[2]).resolve() == (repository.root / ".git").resolve()
    assert plumbing.head_of(tmp_path) is None
    assert plumbing.head_of(new_repository(tmp_path / "empty").root) is None


def test_ids_are_those_of_the_cache(tmp_path: Path) -> None:
    """Git's ids of files are those that are worked out without it."""
    made = new_repository(tmp_path / "repository")
    commit = made.commit("One", folder__a="a\n", folder__inside__b="")
    files = history.read_at(made.root, commit)
    assert plumbing.blobs(made.root, commit) == {path: blob_id(data).decode() for path, data in files.items()}


def test_no_answer(repository: Repository, tmp_path: Path) -> None:
    """Unknown names, options instead of names, links, and folders outside of any repository have no answer."""
    folder = repository.root / "folder"
    assert plumbing.merge_base(folder, "nowhere") is None
    assert plumbing.merge_base(folder, "--all") is None
    assert plumbing.files_of_branch(folder, "nowhere") == frozenset()
    assert plumbing.contents(folder, ["0" * len(repository.git("rev-parse", "HEAD"))]) is None
    assert plumbing.blobs(folder, "nowhere") is None
    assert plumbing.merge_base(tmp_path, "main") is None
    (folder / "link").symlink_to("a")
    assert plumbing.blobs(folder, repository.commit("Link")) is None


@pytest.mark.parametrize("few", [plumbing.FEW, 2])
def test_commits_in_one_line_are_those_of_the_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """However many they are; a merge among them, or an old commit that none of them builds on, is no such line."""
    monkeypatch.setattr(plumbing, "FEW", few)
    made = new_repository(tmp_path / "repository")
    hashes = []
    for number in range(5):
        made.write({"a.yaml": f"name: {number}\n"})
        hashes.append(made.commit(str(number)))
    known = history.read(made.root).commits
    for old, behind in zip(hashes[:-1], (4, 3, 2, 1), strict=True):
        assert plumbing.commits_between(made.root, old, hashes[-1]) == known[:behind]
    assert plumbing.commits_between(made.root, hashes[-1], hashes[-1]) is None
    assert plumbing.commits_between(made.root, hashes[-1], hashes[0]) is None
    assert plumbing.commits_between(made.root, "0" * 40, hashes[-1]) is None
    made.git("checkout", "-q", "-b", "other", hashes[1])
    made.write({"b.yaml": "name: b\n"})
    made.commit("Beside")
    made.git("merge", "-q", "-m", "Merged", hashes[-1])
    for old in hashes:
        assert plumbing.commits_between(made.root, old, made.git("rev-parse", "HEAD").strip()) is None
