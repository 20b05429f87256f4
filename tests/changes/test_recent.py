"""The last commits of a registry, each with what it changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.source.repositories import Repository, new_repository
from xregit.catalog import read_folder
from xregit.changes.commit_changes import MAX_COMMITS, recent_commits

GROUP = "registry__messagegroups__ships__"
BASE, SHIP = f"{GROUP}messages__base.yaml", f"{GROUP}messages__ship.yaml"
BASE_XID, SHIP_XID = "/messagegroups/ships/messages/base", "/messagegroups/ships/messages/ship"
BASE_TEXT = "envelope: CloudEvents/1.0\nowner: us\n"
MODEL = "groups: {messagegroups: {singular: messagegroup, resources: {messages: {singular: message, attributes: "
MODEL += "{owner: {type: string}}}}}}\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository in which a base message was changed, and what is based on it removed and put back."""
    result = new_repository(tmp_path / "repository")
    files = {
        "registry__registry.yaml": "registryid: test\n",
        "registry__model.yaml": MODEL,
        f"{GROUP}messagegroup.yaml": "description: Ships.\n",
        BASE: BASE_TEXT,
        SHIP: f"envelope: CloudEvents/1.0\nbasemessage: {BASE_XID}\n",
    }
    result.commit("Begin", **files)
    result.commit("Give the ships away", **{BASE: BASE_TEXT.replace("us", "them")})
    result.commit("Something else", other="1")
    return result


def test_change_of_a_base_reaches_what_is_based_on_it(repository: Repository) -> None:
    """A commit has its changes in words, with all entities that they reach; those beside the registry are left out."""
    result = recent_commits(read_folder(repository.root / "registry"))
    assert [past.commit.subject for past in result] == ["Give the ships away", "Begin"]
    (change,) = result[0].changes
    assert (change.xid, change.reaches) == (BASE_XID, (SHIP_XID,))
    assert "owner" in change.message
    assert {change.change for change in result[1].changes} == {"added"}
    assert [past.touched for past in result] == [1, 4]


def test_what_is_gone_is_told(repository: Repository) -> None:
    """An entity that a commit removed is named by the xid that it had."""
    repository.git("rm", "registry/messagegroups/ships/messages/ship.yaml")
    repository.commit("Scrap it")
    change = recent_commits(read_folder(repository.root / "registry"))[0].changes[0]
    assert (change.xid, change.change) == (SHIP_XID, "removed")


SCHEMAS = "registry__schemagroups__ships__"
SCHEMA_FILES = {
    f"{SCHEMAS}schemagroup.yaml": "description: Ships.\n",
    f"{SCHEMAS}schemas__ship__schema.yaml": "format: JsonSchema/draft-07\n",
    f"{SCHEMAS}schemas__ship__versions__1.json": "{}\n",
}
SCHEMA_XID = "/schemagroups/ships/schemas/ship"


@pytest.mark.parametrize(
    ("removed", "xid"),
    [
        ("versions/1.json", f"{SCHEMA_XID}/versions/1"),
        ("versions/2.json", f"{SCHEMA_XID}/versions/2"),
        ("", SCHEMA_XID),
    ],
)
def test_version_that_comes_and_goes_is_told(repository: Repository, removed: str, xid: str) -> None:
    """A commit that adds or removes versions of a schema is told as that, whichever versions stay."""
    repository.commit("Describe", **SCHEMA_FILES)
    repository.commit("Renew", **{f"{SCHEMAS}schemas__ship__versions__2.json": '{"type": "object"}\n'})
    repository.git("rm", "-r", f"registry/schemagroups/ships/schemas/ship/{removed}")
    repository.commit("Forget")
    forgotten, renewed, *_ = recent_commits(read_folder(repository.root / "registry"))
    default = {(SCHEMA_XID, "changed")}  # where another version is the default from then on
    assert {(change.xid, change.change) for change in forgotten.changes} - default == {(xid, "removed")}
    assert {(change.xid, change.change) for change in renewed.changes} - default == {
        (f"{SCHEMA_XID}/versions/2", "added")
    }


def test_renamed_entity_is_the_same(repository: Repository) -> None:
    """A message that got another name is no new one."""
    repository.git("mv", f"registry{BASE_XID}.yaml", "registry/messagegroups/ships/messages/root.yaml")
    repository.commit("Rename")
    changes = recent_commits(read_folder(repository.root / "registry"))[0].changes
    assert "added" not in {change.change for change in changes}


def test_commit_that_touches_much_is_only_counted(repository: Repository) -> None:
    """An import of many files is not compared, and says how many entities it touched."""
    many = {f"{GROUP}messages__m{number}.yaml": "envelope: CloudEvents/1.0\n" for number in range(70)}
    repository.commit("Import", **many)
    past = recent_commits(read_folder(repository.root / "registry"))[0]
    assert (past.touched, past.changes, past.compared) == (70, (), False)


def test_number_of_commits_is_bounded(repository: Repository) -> None:
    """Only the last commits are compared."""
    for number in range(MAX_COMMITS + 3):
        repository.commit(f"Change {number}", **{BASE: f"{BASE_TEXT}name: n{number}\n"})
    assert len(recent_commits(read_folder(repository.root / "registry"))) == MAX_COMMITS


def test_without_git_there_is_nothing(tmp_path: Path) -> None:
    """A folder in no repository has no history."""
    (tmp_path / "registry.yaml").write_text("registryid: test\n")
    assert recent_commits(read_folder(tmp_path)) == ()
