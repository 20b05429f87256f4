"""What is told of commits on parallel branches, and of the merges that join them."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from tests.source.repositories import Repository, new_repository
from xregit.catalog import read_folder
from xregit.changes.commit_changes import history, recent_commits
from xregit.errors import XregitError

FOLDER = "registry/messagegroups/ships/messages"
SHIP, BOAT = "/messagegroups/ships/messages/ship", "/messagegroups/ships/messages/boat"
BASE = "/messagegroups/ships/messages/base"
SCHEMA = "registry/schemagroups/ships/schemas/ship/versions/1.json"
PROPERTY = '    "%s": {"type": "%s"}'


def ship(a: str = "0", b: str = "0") -> str:
    """Return a message's file, of which Git can merge changes of the two labels."""
    between = "".join(f"  between{number}: x\n" for number in range(6))
    return f"envelope: CloudEvents/1.0\nbasemessage: {BASE}\nlabels:\n  a: v{a}\n{between}  b: v{b}\n"


def document(a: str = "string", b: str = "string") -> str:
    """Return a schema, of which Git can merge changes of the two types."""
    between = [PROPERTY % (f"between{number}", "string") for number in range(6)]
    lines = [PROPERTY % ("a", a), *between, PROPERTY % ("b", b)]
    return '{\n  "type": "object",\n  "properties": {\n' + ",\n".join(lines) + "\n  }\n}\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Return a repository with a message and its base, and the branch ``side`` beside ``main``."""
    result = new_repository(tmp_path / "repository")
    write(result, "Begin", "registry/registry.yaml", "registryid: test\n")
    write(result, "Group", "registry/messagegroups/ships/messagegroup.yaml", "description: Ships.\n")
    write(result, "Base", f"{FOLDER}/base.yaml", "envelope: CloudEvents/1.0\n")
    write(result, "Ship", f"{FOLDER}/ship.yaml", ship())
    result.git("branch", "side")
    return result


def write(repository: Repository, subject: str, file: str, text: str) -> None:
    """Commit a file."""
    repository.commit(subject, **{file.replace("/", "__"): text})


def rename(repository: Repository, subject: str) -> None:
    """Commit a new name for the message."""
    repository.git("mv", f"{FOLDER}/ship.yaml", f"{FOLDER}/boat.yaml")
    repository.commit(subject)


def merge(repository: Repository, subject: str = "Merge") -> None:
    """Merge ``side`` into ``main``."""
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", subject, "side")
    repository.commits += 1


def resolve(repository: Repository, subject: str, file: str, text: str) -> None:
    """Merge ``side``, with which there is a conflict, and commit what a file shall be."""
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-commit", "-s", "ours", "side")
    write(repository, subject, file, text)


def entries(root: Path, xid: str = SHIP) -> list[tuple[str, list[str]]]:
    """Return the subject of each commit of a life, with the attributes that changed, or what became of the entity."""
    moments = history(read_folder(root / "registry"), xid)
    return [
        (item.commit.subject, [change.attribute or change.rule for change in item.changes if change.xid == item.xid])
        for item in moments
    ]


def recently(root: Path) -> dict[str, list[str]]:
    """Return the same of the last commits, of all entities."""
    return {
        past.commit.subject: [change.attribute or change.rule for change in past.changes]
        for past in recent_commits(read_folder(root / "registry"))
    }


def test_a_commit_is_told_what_it_did_itself(repository: Repository) -> None:
    """Not what was done meanwhile on another branch; a clean merge says nothing."""
    write(repository, "Main 1", f"{FOLDER}/ship.yaml", ship(a="1"))
    repository.git("checkout", "-q", "side")
    write(repository, "Side 1", f"{FOLDER}/ship.yaml", ship(b="1"))
    repository.git("checkout", "-q", "main")
    write(repository, "Main 2", f"{FOLDER}/ship.yaml", ship(a="2"))
    repository.git("checkout", "-q", "side")
    write(repository, "Side 2", f"{FOLDER}/ship.yaml", ship(b="2"))
    merge(repository)
    write(repository, "After", f"{FOLDER}/ship.yaml", ship(a="3", b="2"))
    branches = [("Side 2", ["labels.b"]), ("Main 2", ["labels.a"]), ("Side 1", ["labels.b"]), ("Main 1", ["labels.a"])]
    assert entries(repository.root) == [("After", ["labels.a"]), *branches, ("Ship", ["definition-added"])]
    assert recently(repository.root)["Merge"] == []


def test_a_merge_is_told_what_it_says_of_its_own(repository: Repository) -> None:
    """A conflict resolved with a value that no branch had; what only one branch had changed is not the merge's."""
    write(repository, "Main", f"{FOLDER}/ship.yaml", ship(a="1"))
    repository.git("checkout", "-q", "side")
    write(repository, "Side", f"{FOLDER}/ship.yaml", ship(a="2", b="2"))
    resolve(repository, "Merge", f"{FOLDER}/ship.yaml", ship(a="3", b="2"))
    assert entries(repository.root) == [
        ("Merge", ["labels.a"]),
        ("Side", ["labels.a", "labels.b"]),
        ("Main", ["labels.a"]),
        ("Ship", ["definition-added"]),
    ]
    assert recently(repository.root)["Merge"] == ["labels.a"]


def test_a_conflict_resolved_as_one_branch_had_it_says_nothing(repository: Repository) -> None:
    """Nothing of it is the merge's own."""
    write(repository, "Main", f"{FOLDER}/ship.yaml", ship(a="1"))
    repository.git("checkout", "-q", "side")
    write(repository, "Side", f"{FOLDER}/ship.yaml", ship(a="2", b="2"))
    resolve(repository, "Merge", f"{FOLDER}/ship.yaml", ship(a="1", b="2"))
    assert [subject for subject, _ in entries(repository.root)] == ["Side", "Main", "Ship"]
    assert recently(repository.root)["Merge"] == []


@pytest.mark.parametrize("first", ["main", "side"])
@pytest.mark.parametrize("renamed", ["main", "side"])
def test_a_rename_on_one_branch_is_told_once(repository: Repository, renamed: str, first: str) -> None:
    """What the other branch did to the old name, before or after that, is part of the same life."""
    for branch in (first, "side" if first == "main" else "main"):
        repository.git("checkout", "-q", branch)
        if branch == renamed:
            rename(repository, "Rename")
        else:
            write(repository, "Change", f"{FOLDER}/ship.yaml", ship(b="1"))
    merge(repository)
    write(repository, "After", f"{FOLDER}/boat.yaml", ship(a="1", b="1"))
    both = [("Change", ["labels.b"]), ("Rename", ["definition-renamed"])]
    expected = both if renamed == first else both[::-1]
    assert entries(repository.root, BOAT) == [("After", ["labels.a"]), *expected, ("Ship", ["definition-added"])]
    assert recently(repository.root).get("Merge", []) == []


def test_a_merge_of_a_renamed_file_is_told_what_it_says_of_its_own(repository: Repository) -> None:
    """A value that no branch had, under the new name."""
    rename(repository, "Rename")
    write(repository, "Main", f"{FOLDER}/boat.yaml", ship(a="1"))
    repository.git("checkout", "-q", "side")
    write(repository, "Side", f"{FOLDER}/ship.yaml", ship(a="2", b="2"))
    resolve(repository, "Merge", f"{FOLDER}/boat.yaml", ship(a="3", b="2"))
    assert entries(repository.root, BOAT)[:3] == [
        ("Merge", ["labels.a"]),
        ("Side", ["labels.a", "labels.b"]),
        ("Main", ["labels.a"]),
    ]


def test_what_branches_did_to_a_message_and_its_base_is_told_once(repository: Repository) -> None:
    """Neither commit is told what the other did, and the merge nothing."""
    write(repository, "Main", f"{FOLDER}/base.yaml", "envelope: CloudEvents/1.0\ndescription: All.\n")
    repository.git("checkout", "-q", "side")
    write(repository, "Side", f"{FOLDER}/ship.yaml", ship(b="2"))
    merge(repository)
    subjects = [subject for subject, _ in entries(repository.root)]
    assert "Merge" not in subjects
    assert entries(repository.root)[0] == ("Side", ["labels.b"])


def test_a_schema_merged_cleanly_says_nothing(repository: Repository) -> None:
    """Though the document is that of no branch."""
    write(repository, "Group", "registry/schemagroups/ships/schemagroup.yaml", "description: Ships.\n")
    schema = f"{Path(SCHEMA).parents[1]}/schema.yaml"
    write(repository, "Schema", schema, "format: JsonSchema/draft-07\n")
    write(repository, "Document", SCHEMA, document())
    repository.git("branch", "-f", "side")
    write(repository, "Main", SCHEMA, document(a="integer"))
    repository.git("checkout", "-q", "side")
    write(repository, "Side", SCHEMA, document(b="integer"))
    merge(repository)
    subjects = [subject for subject, _ in entries(repository.root, "/schemagroups/ships/schemas/ship")]
    assert subjects[:3] == ["Side", "Main", "Document"]
    assert recently(repository.root)["Merge"] == []


def test_what_a_shallow_clone_begins_with_is_compared_with(repository: Repository, tmp_path: Path) -> None:
    """A commit after those whose parents are missing has not added what they have already."""
    write(repository, "Main", f"{FOLDER}/ship.yaml", ship(a="1"))
    repository.git("checkout", "-q", "side")
    write(repository, "Side", f"{FOLDER}/ship.yaml", ship(b="2"))
    merge(repository)
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{repository.root}", tmp_path / "merge"], check=True)
    with pytest.raises(XregitError, match="git fetch --unshallow"):
        entries(tmp_path / "merge")
    write(repository, "After", f"{FOLDER}/ship.yaml", ship(a="2", b="2"))
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{repository.root}", tmp_path / "two"], check=True)
    assert entries(tmp_path / "two") == [("After", ["labels.a"])]
    subprocess.run(["git", "clone", "-q", "--depth=3", f"file://{repository.root}", tmp_path / "three"], check=True)
    assert entries(tmp_path / "three") == [("After", ["labels.a"])]


@pytest.mark.parametrize("seed", range(4))
def test_in_a_linear_history_each_commit_is_compared_with_the_one_before(repository: Repository, seed: int) -> None:
    """Whatever was changed, renamed, removed and put back."""
    chosen = random.Random(seed)  # noqa: S311 - the same history each time
    name, values, expected = "ship", ["0", "0"], [("Ship", ["definition-added"])]
    for number in range(12):
        match chosen.randrange(4):
            case 0:
                other = f"ship{number}"
                repository.git("mv", f"{FOLDER}/{name}.yaml", f"{FOLDER}/{other}.yaml")
                repository.commit(str(number))
                name, did = other, "definition-renamed"
            case 1:
                repository.git("rm", "-q", f"{FOLDER}/{name}.yaml")
                repository.commit(f"Remove {number}")
                expected.insert(0, (f"Remove {number}", ["definition-removed"]))
                write(repository, str(number), f"{FOLDER}/{name}.yaml", ship(*values))
                did = "definition-added"
            case label:
                values[label - 2] = f"x{number}"
                write(repository, str(number), f"{FOLDER}/{name}.yaml", ship(*values))
                did = f"labels.{'ab'[label - 2]}"
        expected.insert(0, (str(number), [did]))
    assert entries(repository.root, f"/messagegroups/ships/messages/{name}") == expected
