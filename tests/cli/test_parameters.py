from __future__ import annotations

from pathlib import Path

import pytest

from xregit.cli.parameters import find_registry, unknown_name
from xregit.document import read
from xregit.errors import XregitError


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a repository with an empty registry."""
    (tmp_path / "registry" / "messagegroups").mkdir(parents=True)
    (tmp_path / "registry" / "registry.yaml").touch()
    (tmp_path / "tools").mkdir()
    return tmp_path


@pytest.mark.parametrize("here", [".", "registry", "registry/messagegroups", "tools"])
def test_registry_is_found_upwards(here: str, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the repository, from inside the registry and from beside it, the registry is the same."""
    monkeypatch.chdir(repository / here)
    assert find_registry(None).resolve() == repository / "registry"


def test_registry_is_named_as_one_sees_it(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the repository, the registry's path is the short one."""
    monkeypatch.chdir(repository)
    assert find_registry(None) == Path("registry")


def test_registry_of_another_user_is_not_found_above(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder for everybody, somebody else's site configuration would run their code; whoever names it wants it."""
    monkeypatch.setattr("os.geteuid", lambda: (repository / "registry").stat().st_uid + 1)
    monkeypatch.setenv("SUDO_UID", "4711")
    monkeypatch.chdir(repository / "tools")
    with pytest.raises(XregitError, match="belongs to another user; name it with --registry"):
        find_registry(None)
    assert find_registry(repository / "registry") == repository / "registry"
    monkeypatch.chdir(repository)
    assert find_registry(None) == Path("registry")


def test_given_path_is_taken(repository: Path) -> None:
    """A path that the user names is used as it is, a document as well as a folder."""
    document = repository / "exported.json"
    document.touch()
    assert find_registry(document) == document


def test_registry_file_means_its_folder(repository: Path, tmp_path: Path) -> None:
    """Who completes a path in a shell ends at the file; alone in a folder it is a document."""
    assert find_registry(repository / "registry/registry.yaml") == repository / "registry"
    assert read(repository / "registry/registry.yaml").groups == read(repository / "registry").groups
    document = tmp_path / "registry.yaml"
    document.write_text("registryid: own\n")
    assert find_registry(document) == document


def test_missing_registry_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a registry, the error names the option and the command that help."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(XregitError, match=r"--registry.*xregit init"):
        find_registry(None)


def test_missing_given_path_is_an_error(tmp_path: Path) -> None:
    """A path at which there is nothing is said to be the option's."""
    with pytest.raises(XregitError, match="--registry names"):
        find_registry(tmp_path / "nothing")


def test_unknown_name_suggests_like_ones() -> None:
    """What doesn't exist is named, with those that are written almost like it."""
    error = unknown_name("/messagegroups/fleat", ["/messagegroups/fleet", "/endpoints/x"], what="entity")
    assert str(error) == 'there is no entity "/messagegroups/fleat"; did you mean /messagegroups/fleet?'


@pytest.mark.parametrize("name", ["a.b", "/messagegroups/g", "b.opened"])
def test_part_of_a_name_suggests_what_has_it(name: str) -> None:
    """An id, a group and the end of an id lead to the messages that they may mean."""
    xids = ["/messagegroups/g/messages/a.b.opened", "/messagegroups/other/messages/z"]
    assert str(unknown_name(name, xids, what="message")).endswith(
        "; did you mean /messagegroups/g/messages/a.b.opened?"
    )


@pytest.mark.parametrize("name", ["", "zzz"])
def test_name_like_none_suggests_nothing(name: str) -> None:
    """Where nothing is alike, nothing is guessed."""
    error = unknown_name(name, ["/messagegroups/g"], what="entity", others="these are all")
    assert str(error) == f'there is no entity "{name}"; these are all'
