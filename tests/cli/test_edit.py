"""Commands that edit YAML as a person would."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import xregit
from tests.catalog.folders import folder
from xregit.changes import Impact, diff
from xregit.cli.runner import run

FILES = {
    "messagegroups/ships/messagegroup.yaml": """\
        # Ships, and what they say.
        description: Ships.
        messages:
          ship.sunk:  # rarely
            basemessage: /messagegroups/ships/messages/ship.position
        """,
    "messagegroups/ships/messages/ship.position.yaml": """\
        messageid: ship.position  # as its type
        description: >-
          See /messagegroups/ships/messages/ship.position, which is this one,
          in prose.
        envelope: CloudEvents/1.0
        envelopemetadata:
          type: {value: ship.position}
        dataschemaformat: JsonSchema/draft-07
        dataschemauri: "/schemagroups/ships/schemas/position:Place"
        """,
    "messagegroups/ships/messages/ship.position.old.yaml": """\
        description: Another one.
        deprecated: {alternative: /messagegroups/ships/messages/ship.position}
        """,
    "messagegroups/boats/messages/boat.yaml": """\
        xref: /messagegroups/ships/messages/ship.position   # the same
        """,
    "endpoints/quay/endpoint.yaml": """\
        usage: [producer]
        messagegroups:
          # all ships
          - '/messagegroups/ships'
        """,
    "endpoints/quay/messages/quay.reached.yaml": """\
        dataschemaformat: JsonSchema/draft-07
        dataschemauri: /schemagroups/ships/schemas/positions:Place
        """,
    "schemagroups/ships/schemas/positions/schema.yaml": "format: JsonSchema/draft-07\n",
    "schemagroups/ships/schemas/positions/versions/1.json": '{"definitions": {"Place": {}}}',
    "schemagroups/ships/schemas/position/schema.yaml": "format: JsonSchema/draft-07\n",
    "schemagroups/ships/schemas/position/versions/1.json": '{"definitions": {"Place": {}}}',
    "waivers.yaml": """\
        waivers:
          - xid: /messagegroups/ships/messages/ship.position
            rule: value-changed
            reason: A trial.
            approvedby: Harbour office
            until: 2999-12-31
        """,
}


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a registry, in whose folder the test runs."""
    root = folder(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return root


def texts(root: Path) -> dict[str, str]:
    """Return all files below a folder."""
    result = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*")) if path.is_file()}
    return {path.relative_to(root).as_posix(): text for path, text in result.items()}


def test_a_message_gets_another_id(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its file moves, references follow, comments and prose stay; on the wire nothing changes."""
    before, old = texts(registry), xregit.load(registry)
    assert run(["rename", "/messagegroups/ships/messages/ship.position", "ship.place"]) == 0
    assert "4 references follow" in capsys.readouterr().err
    now = texts(registry)
    moved = "messagegroups/ships/messages/ship.place.yaml"
    expected = before.pop("messagegroups/ships/messages/ship.position.yaml")
    assert now.pop(moved) == expected.replace("messageid: ship.position", "messageid: ship.place")
    assert now == {
        path: text.replace("ships/messages/ship.position", "ships/messages/ship.place") for path, text in before.items()
    }
    impacts = {change.impact for change in diff(old, xregit.load(registry))}
    assert Impact.BREAKING not in impacts


def test_the_new_id_may_be_written_as_the_new_xid(registry: Path) -> None:
    """Who names the one by its xid names the other so, too."""
    assert run(["rename", "/messagegroups/ships/messages/ship.sunk", "/messagegroups/ships/messages/ship.lost"]) == 0
    assert "  ship.lost:  # rarely\n" in texts(registry)["messagegroups/ships/messagegroup.yaml"]


def test_a_group_gets_another_id(registry: Path) -> None:
    """All that it holds moves with it."""
    assert run(["rename", "/messagegroups/ships", "vessels"]) == 0
    now = texts(registry)
    assert "messagegroups/vessels/messages/ship.position.yaml" in now
    assert "  - '/messagegroups/vessels'\n" in now["endpoints/quay/endpoint.yaml"]
    assert "See /messagegroups/ships/messages" in now["messagegroups/vessels/messages/ship.position.yaml"]
    assert not (registry / "messagegroups/ships").exists()
    assert xregit.load(registry).resource("/messagegroups/vessels/messages/ship.sunk") is not None


def test_a_schema_gets_another_id(registry: Path) -> None:
    """A type behind a reference stays, and so does a schema whose id begins as this one's."""
    before = texts(registry)
    assert run(["rename", "/schemagroups/ships/schemas/position", "place"]) == 0
    now = texts(registry)
    assert "schemagroups/ships/schemas/place/versions/1.json" in now
    message = now["messagegroups/ships/messages/ship.position.yaml"]
    assert 'dataschemauri: "/schemagroups/ships/schemas/place:Place"' in message
    kept = [path for path in before if "positions" in path or "endpoints" in path]
    assert len(kept) == 4
    assert {path: now[path] for path in kept} == {path: before[path] for path in kept}


def test_an_inline_message_gets_another_id(registry: Path) -> None:
    """Its key changes, and its comment stays."""
    assert run(["rename", "/messagegroups/ships/messages/ship.sunk", "ship.lost"]) == 0
    assert "  ship.lost:  # rarely\n" in texts(registry)["messagegroups/ships/messagegroup.yaml"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rename", "/messagegroups/ships/messages/none", "a"], "did you mean|there is no entity"),
        (["rename", "/messagegroups/ships/messages/ship.sunk", "SHIP.position"], "already"),
        (["rename", "/messagegroups/ships/messages/ship.sunk", "ship.sunk"], "already"),
        (["rename", "/messagegroups/ships/messages/ship.position", "ship.position.old"], "already"),
        (["rename", "/messagegroups/ships/messages/ship.position", "ship.sunk"], "already"),
        (["rename", "/messagegroups/boats", "ships"], "already"),
        (["rename", "/messagegroups/ships/messages/ship.sunk", "a/b"], "can't be an id"),
        (["rename", "/messagegroups/ships/messages/ship.sunk", "/messagegroups/cars/messages/a"], "can't be an id"),
        (["rename", "/schemagroups/ships/schemas/position/versions/1", "2"], "no group or resource"),
        (["deprecate", "/messagegroups/ships/messages/none"], "there is no entity"),
        (["deprecate", "/messagegroups/ships", "--by", "/messagegroups/none"], "there is no entity"),
        (["deprecate", "/messagegroups/ships", "--by", "/messagegroups/ships"], "can't take its own place"),
        (["deprecate", "/messagegroups/ships", "--removal", "soon"], "is not a time"),
        (["deprecate", "/schemagroups/ships/schemas/position/versions/1"], "no group or resource"),
    ],
)
def test_what_cannot_be_edited_is_said(
    registry: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, and nothing is written."""
    before = texts(registry)
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert any(part in error for part in said.split("|"))
    assert texts(registry) == before


@pytest.mark.parametrize("written", [">-\n  {}", '"\\\n  {}"'])
def test_references_over_several_lines_are_named(
    registry: Path, written: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a reference hides between the lines, its place is told, and nothing is written."""
    xid = "/messagegroups/ships/messages/ship.more"
    (registry / "messagegroups/ships/messages/ship.more.yaml").write_text("description: More.\n", encoding="utf-8")
    other = registry / "messagegroups/boats/messages/boat.yaml"
    other.write_text(f"basemessage: {written.format(xid)}\n", encoding="utf-8")
    before = texts(registry)
    assert run(["rename", xid, "ship.less"]) == 2
    assert "messagegroups/boats/messages/boat.yaml:1: " in capsys.readouterr().err
    assert texts(registry) == before


def test_what_is_deprecated_takes_the_place_of_nothing_that_replaces_it(
    registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who looks for what to use would be sent round in a circle."""
    old, new = (f"/messagegroups/ships/messages/ship.{name}" for name in ("position", "sunk"))
    assert run(["deprecate", old, "--by", new]) == 0
    before = texts(registry)
    assert run(["deprecate", new, "--by", old]) == 2
    assert "as its own place is taken by that one" in capsys.readouterr().err
    assert texts(registry) == before


def test_a_message_is_deprecated(registry: Path) -> None:
    """Below its description; all else stays, comments too."""
    old = "/messagegroups/ships/messages/ship.position"
    new = "/messagegroups/ships/messages/ship.sunk"
    before = texts(registry)["messagegroups/ships/messages/ship.position.yaml"]
    assert run(["deprecate", old, "--by", new, "--removal", "2030-12-31"]) == 0
    added = f'deprecated:\n  removal: "2030-12-31T00:00:00Z"\n  alternative: {new}\n'
    expected = before.replace("envelope: Cloud", f"{added}envelope: Cloud").replace('"/schema', "/schema")
    expected = expected.replace(':Place"', ":Place")  # quotes that are not needed go, as in every canonical file
    assert texts(registry)["messagegroups/ships/messages/ship.position.yaml"] == expected
    assert run(["deprecate", old, "--effective", "2030-01-01"]) == 0
    assert xregit.load(registry)[old].deprecated == {
        "removal": "2030-12-31T00:00:00Z",
        "alternative": new,
        "effective": "2030-01-01T00:00:00Z",
    }


@pytest.mark.parametrize(
    "xid", ["/messagegroups/ships/messages/ship.sunk", "/endpoints/quay", "/schemagroups/ships/schemas/position"]
)
def test_anything_can_be_deprecated(registry: Path, xid: str) -> None:
    """An inline message in its group's file; without terms, it is so from now on."""
    assert run(["deprecate", xid]) == 0
    entity = xregit.load(registry).entity(xid)
    stated = entity.meta if xid.count("/") > 2 else entity.attributes  # type: ignore[union-attr]
    assert stated["deprecated"] == {}
    assert "# rarely" in texts(registry)["messagegroups/ships/messagegroup.yaml"]


def test_a_deprecation_stays_where_it_stands(registry: Path) -> None:
    """Where authors wrote it below ``meta``, more is said there."""
    old = "/messagegroups/ships/messages/ship.position.old"
    path = registry / "messagegroups/ships/messages/ship.position.old.yaml"
    path.write_text("meta:\n  deprecated: {docs: https://example.com/why}\n", encoding="utf-8")
    assert run(["deprecate", old, "--removal", "2030-12-31"]) == 0
    assert path.read_text(encoding="utf-8").splitlines()[0] == "meta:"
    said = {"docs": "https://example.com/why", "removal": "2030-12-31T00:00:00Z"}
    assert xregit.load(registry)[old].deprecated == said


def test_files_are_formatted(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only those that need it are written, all or none of them."""
    before = texts(registry)
    assert run(["fmt", "--check"]) == 1
    named = {path.removeprefix("registry/") for path in capsys.readouterr().out.split()}
    assert texts(registry) == before
    assert run(["fmt"]) == 0
    assert {path for path, text in texts(registry).items() if before[path] != text} == named
    assert run(["fmt", "--check"]) == 0
    assert "- /messagegroups/ships" in texts(registry)["endpoints/quay/endpoint.yaml"]


def test_what_formatting_would_change_is_annotated(
    registry: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """At the first line that differs, or where a file can't be read; its way out is told too."""
    assert run(["fmt"]) == 0
    (registry / "endpoints/quay/endpoint.yaml").write_text("a: [\n", encoding="utf-8")
    path = registry / "registry.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "\n\n", encoding="utf-8")
    last = len(path.read_text(encoding="utf-8").splitlines()) - 2
    capsys.readouterr()
    assert run(["fmt", "--check", "--format", "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("::error file=registry/endpoints/quay/endpoint.yaml,line=1,endLine=1,col=4,")
    assert lines[0].split("::")[2].startswith("The bracket that opens here is not closed.")
    assert lines[1] == (
        f"::error file=registry/registry.yaml,line={last},title=fmt::The file is not in its canonical form."
        '%0ARun "xregit fmt registry/registry.yaml".'
    )
    assert run(["fmt", "--check", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["counts"] == {"error": 2, "warning": 0, "info": 0}
    before = texts(tmp_path)
    assert run(["fmt", "--format", "github"]) == 2
    assert "add --check" in capsys.readouterr().err
    assert texts(tmp_path) == before


def test_a_document_is_not_edited(registry: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Only files of a registry folder are."""
    document = tmp_path / "registry.json"
    assert run(["compile", "-o", str(document)]) == 0
    before = texts(tmp_path)
    for command in (["fmt"], ["rename", "/messagegroups/ships", "x"], ["deprecate", "/messagegroups/ships"]):
        assert run(["--registry", str(document), *command]) == 2
        assert "error:" in capsys.readouterr().err
    assert registry.is_dir()
    assert texts(tmp_path) == before


def test_only_what_is_named_is_formatted(registry: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A path elsewhere is refused, a file that can't be read is named."""
    assert run(["fmt", "registry/endpoints"]) == 0
    assert capsys.readouterr().out == "registry/endpoints/quay/endpoint.yaml\n"
    (registry / "endpoints/quay/endpoint.yaml").write_text("a: [\n", encoding="utf-8")
    assert run(["fmt", "registry/endpoints"]) == 1
    assert "registry/endpoints/quay/endpoint.yaml:1:4: " in capsys.readouterr().err
    shutil.copy(registry / "registry.yaml", tmp_path / "other.yaml")
    assert run(["fmt", "other.yaml"]) == 2
