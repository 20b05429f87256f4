"""A registry as it was at a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.folders import folder
from tests.source.repositories import Repository, new_repository
from xregit.catalog import Place, read_commit, read_contents, read_folder
from xregit.errors import XregitError
from xregit.source.file_tree import MAX_FILE_BYTES, list_contents, list_files

MESSAGE = "messagegroups/g/messages/m.yaml"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository with a registry that changed since its first commit, which is tagged v1."""
    result = new_repository(tmp_path / "repository")
    folder(result.root, {MESSAGE: "\nname: old\n"})
    result.commit("one")
    result.git("tag", "v1")
    folder(result.root, {MESSAGE: "name: new\n"})
    result.commit("two")
    return result


def test_a_registry_is_read_as_it_was(repository: Repository) -> None:
    """Attributes, places and history are those of the commit, whatever the folder holds now."""
    registry = read_commit(repository.root / "registry", "v1")
    message = registry.resource("/messagegroups/g/messages/m")
    assert message is not None
    assert (message.attributes["name"], message.place) == ("old", Place(f"registry/{MESSAGE}"))
    assert registry.origin.span(message.place, ("name",), on_key=True).line == 1
    assert len(registry.origin.history.commits) == 1
    assert registry.origin.span(Place("registry/gone.yaml")).line == 0


def test_a_registry_may_be_the_top_of_its_repository(tmp_path: Path) -> None:
    """Its files have their history, and the places of a commit are those of the folder."""
    top = new_repository(tmp_path / "repository")
    folder(tmp_path, {MESSAGE: "name: new\n"})
    (tmp_path / "registry").rename(tmp_path / "files")
    for path in (tmp_path / "files").iterdir():
        path.rename(top.root / path.name)
    top.commit("one")
    now, then = read_folder(top.root), read_commit(top.root, "HEAD")
    for registry in (now, then):
        message = registry.resource("/messagegroups/g/messages/m")
        assert message is not None
        assert (message.place, registry.problems) == (Place(MESSAGE), ())
        assert len(registry.facts(message.place).commits) == 1
        assert registry.origin.span(message.place, ("name",)).line == 1


def test_a_commit_reads_as_its_checkout(repository: Repository) -> None:
    """From memory and from disk the same comes out."""
    now = read_commit(repository.root / "registry", "HEAD")
    on_disk = read_folder(repository.root / "registry")
    assert list(now) == list(on_disk)
    assert now.problems == on_disk.problems
    assert [item.definition for item in now.all_resources] == [item.definition for item in on_disk.all_resources]
    assert now.origin.history == on_disk.origin.history


def test_a_commit_without_the_registry_is_said(repository: Repository) -> None:
    """A folder that was no registry then, and a commit that is none, each in one line."""
    repository.git("rm", "-r", "-q", "registry")
    repository.commit("three")
    (repository.root / "registry").mkdir()
    with pytest.raises(XregitError, match=r'not a registry at "HEAD": it had no registry\.yaml then'):
        read_commit(repository.root / "registry", "HEAD")
    with pytest.raises(XregitError, match='no commit "v9"; name a branch, tag or commit'):
        read_commit(repository.root / "registry", "v9")


def test_files_in_memory_are_listed_as_those_of_a_folder(tmp_path: Path) -> None:
    """Hidden files and backups are passed over, odd names and large files are problems."""
    contents = {"a/b.yaml": b"", ".git/x": b"", "a/.hidden": b"", "c.yaml~": b"", "\u2028": b""}
    contents["large"] = bytes(MAX_FILE_BYTES + 1)
    for path, data in contents.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    assert list_contents(contents) == list_files(tmp_path)
    assert {problem.rule for problem in list_contents(contents).problems} == {"file-name", "file-size"}
    registry = read_contents(tmp_path, {"registry.yaml": b"registryid: r\n", **contents})
    assert {problem.rule for problem in registry.problems} == {"file-name", "file-size", "misplaced-file"}
