"""An entity's life in words, and the registry as it was."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.source.repositories import Repository, new_repository
from xregit.catalog import read_commit, read_folder
from xregit.changes.commit_changes import history
from xregit.cli.runner import run
from xregit.document import compile_document
from xregit.errors import XregitError

GROUP = "registry__messagegroups__ships__"
BASE, SHIP = f"{GROUP}messages__base.yaml", f"{GROUP}messages__ship.yaml"
VESSEL = "/messagegroups/fleet/messages/vessel"
SHIP_TEXT = """\
description: Where a ship is.
basemessage: /messagegroups/ships/messages/base
dataschemaformat: JsonSchema/draft-07
dataschemauri: /schemagroups/ships/schemas/position
envelopemetadata:
  type:
    value: ship
"""
SCHEMA = "registry__schemagroups__ships__schemas__position__"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository in which a message was added, changed, reached by others' changes, and renamed."""
    result = new_repository(tmp_path / "repository")
    files = {
        "registry__registry.yaml": "registryid: test\n",
        f"{GROUP}messagegroup.yaml": "description: Ships.\n",
        "registry__schemagroups__ships__schemagroup.yaml": "description: Ships.\n",
        f"{SCHEMA}schema.yaml": "format: JsonSchema/draft-07\n",
        f"{SCHEMA}versions__1.json": '{"type": "object"}\n',
        BASE: "envelope: CloudEvents/1.0\nenvelopemetadata:\n  source:\n    value: /ships\n",
    }
    result.commit("Begin", **files)
    result.commit("Add the ship", **{SHIP: SHIP_TEXT})
    result.commit("Move all sources", **{BASE: files[BASE].replace("/ships", "/vessels")})
    result.commit("Something else", other="1")
    result.commit("Another schema", **{f"{SCHEMA}versions__1.json": '{"type": "array"}\n'})
    (result.root / "registry/messagegroups/fleet/messages").mkdir(parents=True)
    result.git(
        "mv", "registry/messagegroups/ships/messages/ship.yaml", "registry/messagegroups/fleet/messages/vessel.yaml"
    )
    result.write({"registry__messagegroups__fleet__messagegroup.yaml": "description: Fleet.\n"})
    result.commit("Call it a vessel")
    result.commit(
        "Say so",
        **{"registry__messagegroups__fleet__messages__vessel.yaml": SHIP_TEXT.replace("value: ship", "value: vessel")},
    )
    return result


def entries(root: Path, xid: str) -> list[tuple[str, str, list[str]]]:
    """Return each commit's subject, the entity's name since then, and the rules of what changed."""
    moments = history(read_folder(root / "registry"), xid)
    return [(item.commit.subject, item.xid, [change.rule for change in item.changes]) for item in moments]


def test_a_life_is_told_through_renames_bases_and_schemas(repository: Repository) -> None:
    """Each commit that did something to the message, whichever file it touched."""
    ship = "/messagegroups/ships/messages/ship"
    assert entries(repository.root, VESSEL) == [
        ("Say so", VESSEL, ["value-changed"]),
        ("Call it a vessel", VESSEL, ["definition-renamed"]),
        ("Another schema", ship, ["payload-changed"]),
        ("Move all sources", ship, ["value-changed"]),
        ("Add the ship", ship, ["definition-added"]),
    ]


def test_what_is_gone_has_a_life_too(repository: Repository) -> None:
    """It may be named by the last xid that it had."""
    repository.git("rm", "-q", "registry/messagegroups/fleet/messages/vessel.yaml")
    repository.commit("Scrap it")
    assert entries(repository.root, VESSEL)[:2] == [
        ("Scrap it", VESSEL, ["definition-removed"]),
        ("Say so", VESSEL, ["value-changed"]),
    ]


def test_a_commit_that_broke_a_file_hides_nothing(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """What it changed is told at the commit that mended it."""
    file = "registry__messagegroups__fleet__messages__vessel.yaml"
    repository.commit("Break it", **{file: "a: [\n"})
    repository.commit("Mend it", **{file: SHIP_TEXT.replace("value: ship", "value: boat")})
    assert entries(repository.root, VESSEL)[:2] == [("Mend it", VESSEL, ["value-changed"]), ("Break it", VESSEL, [])]
    assert run(["--registry", str(repository.root / "registry"), "log", VESSEL]) == 0
    assert "can't be read at this commit" in capsys.readouterr().out


def test_a_registry_that_moved_has_its_life_from_before(repository: Repository) -> None:
    """Its folder may have had another name and place."""
    (repository.root / "catalogs").mkdir()
    repository.git("mv", "registry", "catalogs/registry")
    repository.commit("Move all")
    moments = history(read_folder(repository.root / "catalogs/registry"), VESSEL)
    assert [item.commit.subject for item in moments][:2] == ["Move all", "Say so"]
    assert [item.commit.subject for item in moments][-1] == "Add the ship"


def test_groups_and_schemas_have_lives(repository: Repository) -> None:
    """A group's is that of its own file, a schema's that of its documents too."""
    assert entries(repository.root, "/messagegroups/fleet") == [
        ("Call it a vessel", "/messagegroups/fleet", ["definition-added"])
    ]
    assert entries(repository.root, "/schemagroups/ships/schemas/position") == [
        ("Another schema", "/schemagroups/ships/schemas/position", ["payload-changed"]),
        ("Begin", "/schemagroups/ships/schemas/position", ["definition-added"]),
    ]


def test_the_command_tells_it_in_words(
    repository: Repository,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    golden: Callable[[str, str], None],
) -> None:
    """When, who, what they said, and what it did; the same for machines."""
    monkeypatch.chdir(repository.root)
    assert run(["log", VESSEL]) == 0
    golden("changes/life.txt", capsys.readouterr().out)
    assert run(["log", VESSEL, "--format", "json"]) == 0
    assert [item["subject"] for item in json.loads(capsys.readouterr().out)][-1] == "Add the ship"


def test_no_commit_steers_a_terminal(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """What it says is shown in one line, with escapes for what can't be seen."""
    file = "registry__messagegroups__fleet__messages__vessel.yaml"
    repository.commit("Say \x1b]0;so\x07\u202e", **{file: SHIP_TEXT})
    assert run(["--registry", str(repository.root / "registry"), "log", VESSEL]) == 0
    assert r"Say \x1b]0;so\x07\u202e" in capsys.readouterr().out.splitlines()[0]


def test_the_registry_has_a_life_too(repository: Repository) -> None:
    """Its own file was written once; what happened to entities is told of them."""
    assert [(subject, xid) for subject, xid, _ in entries(repository.root, "/")] == [("Begin", "/")]


@pytest.mark.parametrize("xid", ["/messagegroups/ships/messages/nothing", "nothing", "/x/y"])
def test_what_never_was_has_no_life(repository: Repository, xid: str) -> None:
    """One line says so."""
    with pytest.raises(XregitError, match="the history knows no"):
        entries(repository.root, xid)


def test_a_shallow_clone_says_what_to_fetch(
    repository: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tells what it knows, or why it knows nothing."""
    url = f"file://{repository.root}"
    subprocess.run(["git", "clone", "-q", "--depth=1", url, tmp_path / "clone"], check=True)
    monkeypatch.chdir(tmp_path / "clone")
    assert run(["log", VESSEL]) == 2
    assert "git fetch --unshallow" in capsys.readouterr().err


def test_an_oldest_commit_that_a_shallow_clone_knows_is_no_beginning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A comment that it added says nothing, and the message was there before; the registry begins where it is new."""
    here = new_repository(tmp_path / "here")
    here.commit("Begin", **{"registry__registry.yaml": "{}\n", SHIP: SHIP_TEXT})
    here.commit("Think aloud", **{SHIP: f"# Or boat?\n{SHIP_TEXT}"})
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{here.root}", tmp_path / "clone"], check=True)
    said = {}
    for folder, xid in (("clone", "/messagegroups/ships/messages/ship"), ("here", "/")):
        monkeypatch.chdir(tmp_path / folder)
        assert run(["log", xid]) == 0
        said[folder] = capsys.readouterr().out.splitlines()[1:]
    assert said == {"clone": ["    No catalog changes."], "here": ["    Created."]}


def test_outside_of_git_there_is_no_life(repository: Repository, tmp_path: Path) -> None:
    """Neither is there for the entities of a document."""
    shutil.copytree(repository.root / "registry", tmp_path / "alone" / "registry")
    with pytest.raises(XregitError, match="there is no history"):
        entries(tmp_path / "alone", VESSEL)


def test_an_entity_is_shown_as_it_was(
    repository: Repository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By any name of a commit."""
    monkeypatch.chdir(repository.root)
    assert run(["show", "/messagegroups/ships/messages/ship", "--at", "HEAD~3"]) == 0
    assert "value: ship" in capsys.readouterr().out
    assert run(["show", VESSEL, "--at", "HEAD~3"]) == 2
    assert run(["show", VESSEL, "--at", "v9"]) == 2
    assert "no commit" in capsys.readouterr().err


def test_a_build_of_a_commit_is_that_of_its_checkout(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte for byte, times and epochs included; nothing of the checkout stays behind."""
    monkeypatch.chdir(repository.root)
    assert run(["build", "--at", "HEAD~1", "--only", "document", "-o", str(tmp_path / "at")]) == 0
    assert repository.git("worktree", "list").count("\n") == 0
    repository.git("checkout", "-q", "HEAD~1")
    assert run(["build", "--only", "document", "-o", str(tmp_path / "now")]) == 0
    assert (tmp_path / "at/registry.json").read_bytes() == (tmp_path / "now/registry.json").read_bytes()
    there = read_commit(repository.root / "registry", "HEAD")
    assert compile_document(there) == compile_document(read_folder(repository.root / "registry"))
