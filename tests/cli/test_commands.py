from __future__ import annotations

import json
import shutil
import sys
from datetime import date
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

import xregit
from xregit.cli.build import entity_counts
from xregit.cli.init import FROM_HERE
from xregit.cli.runner import run
from xregit.installed import install_command, installation_record, is_local, pip_command, source_address

MESSAGE = "/messagegroups/orders/messages/order.placed"
ENDPOINT = "/endpoints/orders.webhook"
ENDPOINT_FILE = "registry/endpoints/orders.webhook/endpoint.yaml"
FILE = "registry/messagegroups/orders/messages/order.placed.yaml"


@pytest.fixture
def broken(here: Path) -> Path:
    """Make an attribute's name wrong, which is one error."""
    message = here / FILE
    message.write_text(message.read_text(encoding="utf-8").replace("description:", "descripton:"), encoding="utf-8")
    return here


def test_new_registry_is_right(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ``init`` writes has nothing wrong with it, and lies beside all that a repository needs."""
    assert run(["check"]) == 0
    assert capsys.readouterr().out == "No findings.\n"
    assert all((here / name).exists() for name in (".github", ".vscode", "registry", "site", "README.md"))


def test_init_overwrites_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is a registry, ``init`` writes nothing and says so."""
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    assert run(["init"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("broken")
def test_finding_is_reported_at_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    """A finding makes the exit code 1 and names file, line, column and rule."""
    assert run(["check"]) == 1
    assert capsys.readouterr().out.startswith(f"{FILE}:2:1: error unknown-attribute: ")


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("path", "code"), [(FILE, 1), ("registry", 1), ("registry/endpoints", 0), ("registry/registry.yaml", 0)]
)
def test_paths_narrow_the_report(path: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """With a path, only what concerns it is reported, and the exit code is about that alone."""
    assert run(["check", path, "--format", "json"]) == code
    report = json.loads(capsys.readouterr().out)
    assert report["counts"]["error"] == code
    assert [item["rule"] for item in report["diagnostics"]] == ["unknown-attribute"] * code


def test_errors_are_listed_alone(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a severity, and where a build ends, milder findings are counted and not listed; the exit code stays."""
    settings = broken / "registry/xregit.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("rules:\n", "rules:\n  unknown-attribute: warning\n"), encoding="utf-8")
    assert run(["check", "--severity", "error"]) == 0
    assert capsys.readouterr() == ("No findings.\n", "Not shown: 1 warning.\n")
    (broken / ENDPOINT_FILE).write_text("name: {}\n", encoding="utf-8")
    assert run(["check", "--severity", "error", "--format", "json"]) == 1
    captured = capsys.readouterr()
    assert {item["severity"] for item in json.loads(captured.out)["diagnostics"]} == {"error"}
    assert captured.err.startswith("Not shown: 2 warnings")
    assert run(["build"]) == 1
    output = capsys.readouterr().err
    assert "unknown-attribute" not in output
    assert '"xregit check" lists them. Nothing was written.' in output
    assert output.endswith('"xregit build --skip check" builds it as it is.\n')


@pytest.mark.usefixtures("here")
def test_compile_writes_the_same_to_file_and_output(capsys: pytest.CaptureFixture[str]) -> None:
    """The document goes to standard output, or the same bytes to a file."""
    assert run(["compile"]) == 0
    printed = capsys.readouterr().out
    assert run(["compile", "-o", "build/registry.json"]) == 0
    written = capsys.readouterr()
    with open("build/registry.json", encoding="utf-8") as file:  # noqa: PTH123 - relative to the working directory
        assert file.read() == printed
    assert written.out == ""
    assert written.err.startswith("Wrote build/registry.json, ")
    assert json.loads(printed)["messagegroups"]["orders"]["messages"]["order.placed"]["xid"] == MESSAGE


def test_compile_writes_the_profile_of_the_settings(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As build does, unless an option names another one; so it is in each view, and after a check that was kept."""
    with (here / "registry/xregit.yaml").open("a", encoding="utf-8") as file:
        file.write("profile: 1.0-rc4\n")
    stated = {}
    for options in ("", "--view short", "--profile 1.0-rc2", "-o one.json", "-o one.json --profile 1.0-rc2"):
        assert run(["check"]) == run(["compile", *options.split()]) == 0
        printed = capsys.readouterr().out.removeprefix("No findings.\n")
        stated[options] = json.loads(printed or (here / "one.json").read_bytes())["specversion"]
    assert stated == {options: "1.0-rc2" if "rc2" in options else "1.0-rc4" for options in stated}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "command",
    [
        "compile -o one.json",
        "import one.json --into again",
        "export --to asyncapi",
        "schema",
        "site --pages pages",
        "init elsewhere",
        f"deprecate {MESSAGE}",
        f"rename {MESSAGE} order.sent",
    ],
)
def test_what_was_written_is_no_result(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands that write files print nothing on standard output, and say on standard error what they wrote."""
    run(["compile", "-o", "one.json"])
    capsys.readouterr()
    assert run(command.split()) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err != ""


@pytest.mark.usefixtures("here")
def test_compiled_document_can_stand_for_the_registry(capsys: pytest.CaptureFixture[str]) -> None:
    """``--registry`` takes a document, ours too, and compiling it again changes nothing."""
    run(["compile", "-o", "one.json"])
    run(["--registry", "one.json", "compile", "-o", "two.json"])
    run(["--registry", "two.json", "check"])
    assert "No findings." in capsys.readouterr().out
    run(["--registry", "one.json", "compile"])
    again = capsys.readouterr().out
    run(["compile"])
    assert capsys.readouterr().out == again


def test_import_of_our_document_gives_our_registry_back(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A compiled registry, imported elsewhere, is a registry that compiles to the same entities."""
    run(["compile", "-o", "one.json"])
    assert run(["import", "one.json", "--into", "again/registry"]) == 0
    assert "files to again/registry" in capsys.readouterr().err
    assert run(["--registry", "again/registry", "check"]) == 0
    assert (here / "again" / FILE).is_file()


def test_import_says_how_a_document_is_written(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """People are told each kind of change with its lines, machines every change."""
    (here / "old.json").write_text('{"groups": {"g": {"definitions": {}}}}', encoding="utf-8")
    assert run(["import", "old.json", "--into", "text"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("old.json: detected format 0.5-wip.\n")
    assert '"groups" is read as "messagegroups".' in captured.err
    assert captured.err.endswith("\nWrote 2 files to text.\n")
    assert run(["import", "old.json", "--into", "json", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["documents"] == [{"path": "old.json", "dialect": "0.5-wip"}]
    assert said["files"] == ["registry.yaml", "messagegroups/g/messagegroup.yaml"]
    assert [item["line"] for item in said["changes"]] == [1, 1, 1]


def test_import_that_fails_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A document that can't be read is reported, and no file is written."""
    (here / "bad.json").write_text('{"messagegroups": [', encoding="utf-8")
    assert run(["import", "bad.json", "--into", "again"]) == 1
    captured = capsys.readouterr()
    assert "bad.json:1:" in captured.err
    assert captured.err.endswith("\nNothing was imported.\n")
    assert not (here / "again").exists()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("xid", [MESSAGE, ENDPOINT, "/schemagroups/orders/schemas/order"])
def test_show_gives_what_the_file_says(xid: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An entity is shown with its file and attributes, the same in YAML and JSON."""
    assert run(["show", xid, "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["xid"] == xid
    assert run(["show", xid]) == 0
    assert yaml.safe_load(capsys.readouterr().out) == shown
    with open(shown["file"], encoding="utf-8") as file:  # noqa: PTH123 - relative to the working directory
        assert yaml.safe_load(file) == shown["attributes"]


@pytest.mark.usefixtures("here")
def test_show_resolved_says_where_attributes_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    """Resolved, a message has its group's envelope, and that is said to come from the group."""
    assert run(["show", MESSAGE, "--resolved", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["attributes"]["envelope"] == "CloudEvents/1.0"
    assert shown["origins"]["envelope"] == "/messagegroups/orders"
    assert shown["origins"]["name"] == MESSAGE


@pytest.mark.usefixtures("here")
def test_contract_lists_messages_and_their_way(capsys: pytest.CaptureFixture[str]) -> None:
    """An endpoint's contract names each message and what it comes through, for people and machines."""
    assert run(["contract", ENDPOINT]) == 0
    assert capsys.readouterr().out == f"{MESSAGE}\t/messagegroups/orders\n"
    assert run(["contract", ENDPOINT, "--format", "json"]) == 0
    messages = [{"xid": MESSAGE, "via": "/messagegroups/orders"}]
    assert json.loads(capsys.readouterr().out) == {"endpoint": ENDPOINT, "messages": messages}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["show", "order.placed"], "did you mean /messagegroups/orders/messages/order.placed?"),
        (["show", "/messagegroups/order"], "did you mean /messagegroups/orders"),
        (["contract", "/endpoints/orders"], "did you mean /endpoints/orders.webhook"),
        (["explain", "unknown-atribute"], "did you mean unknown-attribute"),
    ],
)
def test_unknown_name_is_wrong_usage_with_a_hint(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that isn't there is answered by those that are like it."""
    assert run(arguments) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_nothing_is_said_to_take_its_own_place(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the name of what takes an entity's place is wrong, that entity itself isn't what was meant."""
    assert run(["deprecate", MESSAGE, "--by", f"{MESSAGE}s"]) == 2
    assert f"{MESSAGE}?" not in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_registry_itself_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The xid / names the registry: what it says of itself, and its groups."""
    assert run(["show", "/", "--format", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["file"] == "registry/registry.yaml"
    assert shown["messagegroups"] == ["/messagegroups/orders"]


def test_file_of_the_registry_is_no_output(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What people have written is not replaced by a document."""
    before = (here / FILE).read_bytes()
    assert run(["compile", "-o", FILE]) == 2
    assert "is a file of the registry itself" in capsys.readouterr().err
    assert (here / FILE).read_bytes() == before


def test_path_outside_of_the_registry_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A path that no finding can concern is no reason to believe that all is well there."""
    (here / "other").mkdir()
    assert run(["check", "other", FILE]) == 0
    assert capsys.readouterr().err == 'Note: "other" is not part of the registry "registry".\n'
    assert run(["check", "."]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("here")
def test_build_without_steps_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """A build that has nothing to do says so."""
    assert run(["build", "--only", "check", "--skip", "check"]) == 2
    assert "leave no step" in capsys.readouterr().err


def test_init_says_what_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever makes a registry elsewhere is told to go there first."""
    monkeypatch.chdir(tmp_path)
    assert run(["init", "mine"]) == 0
    output = capsys.readouterr().err
    steps = "cd mine, then git init -b main, then xregit check, then xregit build"
    assert output.endswith(f"Next: {steps}; README.md says more.\n")
    assert (FROM_HERE in output) is is_local(installation_record())


ASYNCAPI = (
    "asyncapi: 3.0.0\ninfo: {title: Shop}\nchannels: {c: {address: a, messages: {m: {payload: {type: object}}}}}\n"
    "operations: {o: {action: send, channel: {$ref: '#/channels/c'}}}\nservers: {s: {host: h, protocol: mqtt}}\n"
)


def test_init_begins_with_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The new registry holds what the source has in place of the examples, and its schemas for editors know that."""
    monkeypatch.chdir(tmp_path)
    Path("shop.yaml").write_text(ASYNCAPI, encoding="utf-8-sig")
    assert run(["init", "mine", "--from", "shop.yaml"]) == 0
    assert "shop.yaml: detected format AsyncAPI." in capsys.readouterr().err
    assert {path.name for path in Path("mine/registry/messagegroups").iterdir()} == {"shop"}
    assert "\nname: Shop\n" in Path("mine/registry/registry.yaml").read_text(encoding="utf-8")
    assert Path("mine/README.md").exists()
    assert "orders" not in Path("mine/.github/CODEOWNERS").read_text(encoding="utf-8")
    monkeypatch.chdir("mine")
    assert run(["check"]) == 0
    assert run(["fmt", "--check"]) == 0
    assert run(["import", "../shop.yaml"]) == 0
    assert "Wrote 0 files" in capsys.readouterr().err


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_conflict_of_an_import_is_settled(
    side: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check reports what an import and people changed differently, until one side is chosen."""
    monkeypatch.chdir(tmp_path)
    path = Path("registry/messagegroups/shop/messagegroup.yaml")
    for title in ("Shop", "Mine", "SHOP"):
        if title == "Mine":
            path.write_text(path.read_text(encoding="utf-8").replace("Shop", "Mine"), encoding="utf-8")
            continue
        Path("shop.yaml").write_text(ASYNCAPI.replace("Shop", title), encoding="utf-8")
        assert run(["import", "shop.yaml"]) == 0
    assert run(["check"]) == 0
    assert "warning edited-here-and-there: " in capsys.readouterr().out
    assert run(["import", f"--{side}", "/messagegroups/other"]) == 2
    assert run(["import", f"--{side}", "/messagegroups/shop"]) == 0
    assert run(["check"]) == 0
    assert "edited-here-and-there" not in capsys.readouterr().out
    assert f"name: {'Mine' if side == 'ours' else 'SHOP'}\n" in path.read_text(encoding="utf-8")
    assert run(["import"]) == 2


def test_conflict_is_settled_in_files_of_the_registry_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A link, or a path out of the registry, in the list of conflicts is not followed."""
    monkeypatch.chdir(tmp_path)
    outside, link = Path("outside.yaml"), Path("registry/messagegroups/shop/messagegroup.yaml")
    outside.write_text("name: Mine\n", encoding="utf-8")
    link.parent.mkdir(parents=True)
    Path("registry/registry.yaml").write_text("name: Shop\n", encoding="utf-8")
    link.symlink_to(outside.resolve())
    Path("registry/imports").mkdir()
    names = ("messagegroups/shop/messagegroup.yaml", "../outside.yaml", str(outside.resolve()))
    values = {"/name": {"ours": "Mine", "theirs": "Shop"}}
    Path("registry/imports/conflicts.yaml").write_text(json.dumps(dict.fromkeys(names, values)), encoding="utf-8")
    assert run(["import", "--theirs", "/messagegroups/shop"]) == 2
    assert "has no conflict\n" in capsys.readouterr().err
    assert outside.read_text(encoding="utf-8") == "name: Mine\n"


def test_init_writes_nothing_if_the_import_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A source with an error leaves no half of a repository behind."""
    monkeypatch.chdir(tmp_path)
    Path("shop.yaml").write_text(ASYNCAPI.replace("#/channels/c", "#/channels/d"), encoding="utf-8")
    assert run(["init", "mine", "--from", "shop.yaml"]) == 1
    assert "Nothing was written." in capsys.readouterr().err
    assert not Path("mine").exists()


def test_init_takes_the_options_of_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Group and protocol may be named; what is no source is told, and each advice is given once."""
    monkeypatch.chdir(tmp_path)
    source = ASYNCAPI.partition("servers:")[0] + "components: {messages: {a: {}}, schemas: {b: {type: string}}}\n"
    Path("shop.yaml").write_text(source, encoding="utf-8")
    assert run(["init", "mine", "--from", "shop.yaml", "--group", "orders", "--protocol", "kafka"]) == 0
    assert capsys.readouterr().err.count("help:") == 1
    assert "protocol: KAFKA" in Path("mine/registry/messagegroups/orders/messagegroup.yaml").read_text(encoding="utf-8")
    again = ["import", "shop.yaml", "--into", "mine/registry", "--group", "orders", "--protocol", "kafka"]
    assert run(again) == 0  # it is the same source as that of init
    assert "Wrote 0 files" in capsys.readouterr().err
    Path("lines.jsonl").write_text('{"a": 1}\n{"a": 2}\n', encoding="utf-8")
    assert run(["init", "other", "--from", "lines.jsonl"]) == 2
    assert "neither records of a schema registry nor messages" in capsys.readouterr().err
    assert not Path("other").exists()


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [("schemas", "a.json", 0), ("asyncapi", "a.json", 2), ("eventcatalog", "a.json", 2), ("schemas", "page.json", 2)],
)
def test_kind_of_a_source_may_be_named(
    kind: str, name: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A JSON file may be a schema, which only its author knows; what is of another kind is refused."""
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text('{"type": "object", "properties": {}}', encoding="utf-8")
    Path("page.json").write_text("<html>", encoding="utf-8")
    assert run(["import", "--from", kind, name]) == code
    assert Path("registry").exists() is (code == 0)


def test_init_names_where_xregit_is_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Workflows, hooks and README install what --source names, and nothing else."""
    monkeypatch.chdir(tmp_path)
    source = f"git+https://git.example.com/xregit@{'0123abcdef' * 4}#subdirectory=a"
    assert run(["init", "--source", source, "mine"]) == 0
    assert FROM_HERE not in capsys.readouterr().err
    files = [path for path in Path("mine").rglob("*") if path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in files if "schemas" not in path.parts]
    assert sum(text.count(f" @ {source}") for text in texts) == 6
    assert [text for text in texts if "SOURCE" in text] == []


COMMIT = "0123abcdef" * 4


@pytest.mark.parametrize(
    ("record", "due"),
    [
        ({}, "==1.2.3"),
        ({"url": "file:///home/me/xregit", "dir_info": {}}, " @ git+https://source-of-xregit.invalid/xregit@COMMIT"),
        (
            {"url": "https://git.example.com/x", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            f" @ git+https://git.example.com/x@{COMMIT}",
        ),
        (
            {"url": "https://files.example.com/x.whl", "archive_info": {"hashes": {"sha256": "0" * 64}}},
            f" @ https://files.example.com/x.whl#sha256={'0' * 64}",
        ),
        (
            {"url": "https://files.example.com/x.whl", "archive_info": {}},
            " @ git+https://source-of-xregit.invalid/xregit@COMMIT",
        ),
    ],
    ids=["index", "folder", "repository", "wheel", "wheel without a hash"],
)
def test_init_pins_where_xregit_is_from(
    record: dict[str, Any], due: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is installed is the same program on every day; no name is asked of an index that may not have it."""
    monkeypatch.setattr("xregit.cli.init.installation_record", lambda: record)
    monkeypatch.setattr("xregit.cli.init.version", lambda _: "1.2.3")
    monkeypatch.chdir(tmp_path)
    assert run(["init"]) == 0
    assert f"'xregit{due}'" in Path(".github/workflows/check.yml").read_text(encoding="utf-8")
    assert f'["xregit{due}"]' in Path(".pre-commit-config.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("source", ["git+https://h/x", "git+https://h/x@main", "git+https://h/x@v1", "https://h/x.whl"])
def test_init_takes_a_pinned_address_alone(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A branch, a tag and a file without a hash are not pinned to a version."""
    assert run(["init", "--source", source]) == 2
    assert "is not pinned to a version" in capsys.readouterr().err


@pytest.mark.parametrize("source", ["xregit==1", "https://a b", "https://host/'; rm -rf x", "git+https://h/${{ x }}"])
def test_init_takes_an_address_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    """What is no address would be read as something else in a workflow; nothing is written then."""
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--source", source]) == 2
    assert "pip can't install on every machine" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("note", "source"),
    [
        ({}, ""),
        ({"url": "file:///home/me/xregit", "dir_info": {"editable": True}}, ""),
        ({"url": "file://host/share/xregit", "dir_info": {}}, ""),
        ({"url": "https://files.example.com/it's ours/xregit-1.whl", "archive_info": {}}, ""),
        ({"url": "file:///home/me/xregit", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}}, ""),
        (
            {"url": "https://git.example.com/x.git", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}},
            "git+https://git.example.com/x.git@0a1b",
        ),
        ({"url": "ssh://git@git.example.com/x", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}}, "git+ssh://git@git.example.com/x@0a1b"),
        ({"url": "https://files.example.com/xregit-1.whl", "archive_info": {}}, "https://files.example.com/xregit-1.whl"),
        (
            {"url": "https://files.example.com/xregit-1.whl", "archive_info": {"hashes": {"sha256": "0a1b"}}},
            "https://files.example.com/xregit-1.whl#sha256=0a1b",
        ),
        ({"url": "https://${TOKEN}@git.example.com/x", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}}, ""),
    ],
)  # fmt: skip
def test_installer_s_note_tells_the_source(note: dict[str, Any], source: str) -> None:
    """What others can reach is named with its commit; what only this machine has is not."""
    assert source_address(note) == source


def test_explain_lists_all_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a rule, there is one line for each."""
    assert run(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(xregit.RULES)
    assert lines[0].split()[1] == "error"
    assert run(["explain", "nothing-like-it"]) == 2
    assert '"xregit explain" lists all rules' in capsys.readouterr().err


def test_explain_prints_the_rule(capsys: pytest.CaptureFixture[str]) -> None:
    """A rule's page has a bad and a good example."""
    assert run(["explain", "unknown-attribute"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# unknown-attribute\n")
    assert page.index("## Bad") < page.index("## Good")


def test_schemas_are_one_for_each_kind_of_file(here: Path) -> None:
    """Editors get a JSON Schema for registries, groups and resources."""
    assert run(["schema", "-o", "schemas"]) == 0
    names = {path.name.removesuffix(".schema.json") for path in (here / "schemas").iterdir()}
    assert names >= {"registry", "messagegroup", "message", "endpoint", "schemagroup", "schema"}


@pytest.mark.parametrize("place", [("rules",), ("paths", "registry")])
def test_schema_of_the_settings_knows_the_rules(place: tuple[str, ...], here: Path) -> None:
    """An editor refuses the names of rules that the check refuses, wherever settings have them."""

    def settings(*names: str) -> dict[str, Any]:
        levels: dict[str, Any] = dict.fromkeys(names, "error")
        return reduce(lambda inner, key: {key: inner}, reversed(place), levels)

    assert run(["schema"]) == 0
    editor = Draft202012Validator(json.loads((here / "build/schemas/xregit.schema.json").read_bytes()))
    names = [*(rule.name for rule in xregit.RULES), "unknown-atribute"]
    refused = {name for name in names if not editor.is_valid(settings(name))}
    (here / "registry/xregit.yaml").write_text(yaml.safe_dump(settings(*names)), encoding="utf-8")
    diagnostics = xregit.check(xregit.read(here / "registry")).diagnostics
    assert refused == {item.message.split('"')[1] for item in diagnostics if item.path == "registry/xregit.yaml"}
    assert "unknown-atribute" in refused


def test_schema_of_waivers_knows_the_rules(here: Path) -> None:
    """An editor refuses the names of rules that no change can break."""

    def waiver(rule: str) -> dict[str, str]:
        return {"xid": "/endpoints/e", "rule": rule, "reason": "So be it.", "approvedby": "Me", "until": "2999-12-31"}

    assert run(["schema"]) == 0
    editor = Draft202012Validator(json.loads((here / "build/schemas/waivers.schema.json").read_bytes()))
    names = [*(rule.name for rule in xregit.RULES), "value-chnged"]
    refused = {name for name in names if not editor.is_valid({"waivers": [waiver(name)]})}
    text = yaml.safe_dump({"waivers": [waiver(name) for name in names]})
    (here / "registry/waivers.yaml").write_text(text, encoding="utf-8")
    diagnostics = xregit.check(xregit.read(here / "registry")).diagnostics
    assert refused == {item.message.split('"')[1] for item in diagnostics if item.rule == "unknown-rule-waived"}
    assert "value-chnged" in refused


def test_schemas_know_what_all_messages_have(here: Path) -> None:
    """The one envelope of a registry holds in files that state none; of two, none does."""
    message = {"envelopemetadata": {"subject": {"required": "ja"}}}

    def refused() -> bool:
        assert run(["schema", "-o", "schemas"]) == 0
        schema = json.loads((here / "schemas" / "message.schema.json").read_bytes())
        return not Draft202012Validator(schema).is_valid(message)

    assert refused()
    other = here / "registry" / "messagegroups" / "own" / "messagegroup.yaml"
    other.parent.mkdir()
    other.write_text("envelope: Acme/2\nmessages:\n  a: {envelopemetadata: {}}\n", encoding="utf-8")
    assert not refused()


def test_build_takes_its_steps_in_order(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever order they are asked for in, the steps say one after the other what they have done."""
    assert run(["build", "--only", "api,document,check"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["check", "document", "api"]
    assert sorted(path.name for path in (here / "build").iterdir()) == ["api", "registry.json"]


def test_counts_of_one_are_singular(here: Path) -> None:
    """One group is no "1 message groups"."""
    catalog = xregit.load(here / "registry")
    assert entity_counts(catalog) == "1 message group, 1 endpoint, 1 schema group, 1 message, 1 schema"


@pytest.mark.parametrize(
    ("settings", "options", "base"),
    [
        ("title: A\n", [], "http://localhost:8000"),
        ("baseurl: https://a.example/b\n", [], "https://a.example/b"),
        ("baseurl: https://a.example/b\n", ["--baseurl", "http://localhost:8000/"], "http://localhost:8000"),
    ],
)
def test_build_says_where_its_api_works(
    here: Path, capsys: pytest.CaptureFixture[str], settings: str, options: list[str], base: str
) -> None:
    """The links of the static API lead to where the command says that it will be, else the settings, else here."""
    (here / "registry" / "xregit.yaml").write_text(settings, encoding="utf-8")
    assert run(["build", "--only", "api", *options]) == 0
    local = base == "http://localhost:8000"
    hint = "python3 -m http.server -d build/api\n" if local else f"serve build/api at {base}, where"
    assert hint in capsys.readouterr().err
    root = json.loads((here / "build" / "api" / "index.html").read_bytes())
    assert (root["self"], root["messagegroupsurl"]) == (f"{base}/", f"{base}/messagegroups")


def test_build_takes_web_addresses_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is no address is wrong usage, and nothing is written."""
    assert run(["build", "--only", "api", "--baseurl", "localhost:8000"]) == 2
    assert "begins with https:// or http://" in capsys.readouterr().err
    assert not (here / "build").exists()


def test_build_replaces_no_file_that_a_link_leads_to(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A link may have come with a clone; what it leads to stays as it was."""
    (here / "mine").write_text("mine", encoding="utf-8")
    (here / "build").mkdir()
    (here / "build" / "registry.json").symlink_to("../mine")
    (here / "out").symlink_to("../elsewhere")
    for command in (["build"], ["build", "-o", "out"], ["site", "-o", "out/site"], ["compile", "-o", "out"]):
        assert run(command) == 2
        assert "is a symbolic link; remove it, or name another place with -o" in capsys.readouterr().err
    assert (here / "mine").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("link", ["site", "site/mkdocs.yml", "site/theme/main.html"])
def test_site_has_no_link(here: Path, capsys: pytest.CaptureFixture[str], link: str) -> None:
    """A link may have come with a pull request, and would show a file of the machine that builds the site."""
    (here / link).parent.mkdir(parents=True, exist_ok=True)
    if (here / link).exists():
        (here / link).rename(here / "moved")
    (here / link).symlink_to(here / "moved")
    assert run(["site"]) == 2
    assert f'{link}" is a symbolic link' in capsys.readouterr().err
    assert not (here / "build").exists()


def test_build_writes_the_version_that_is_set(here: Path) -> None:
    """Document and static API are written in the specification version that the registry's settings name."""
    (here / "registry" / "xregit.yaml").write_text("profile: 1.0-rc4\n", encoding="utf-8")
    assert run(["build", "--only", "check,document,api"]) == 0
    for name in ("registry.json", "api/index.html", "api/export"):
        assert json.loads((here / "build" / name).read_bytes())["specversion"] == "1.0-rc4"


@pytest.mark.usefixtures("broken")
def test_failing_check_leaves_the_last_build_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If the check fails, the exit code is 1, the findings are on standard error and no output changes."""
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "registry.json").write_text("before", encoding="utf-8")
    assert run(["build"]) == 1
    captured = capsys.readouterr()
    assert f"{FILE}:2:1: error unknown-attribute: " in captured.err
    assert captured.out == ""
    assert (tmp_path / "build" / "registry.json").read_text(encoding="utf-8") == "before"
    assert sorted(path.name for path in (tmp_path / "build").iterdir()) == ["registry.json"]


def test_broken_file_stops_every_command_that_writes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that isn't YAML is reported at its place, and nothing is written without it."""
    before = {path for path in here.rglob("*") if path.is_file()}
    (here / FILE).write_text("name: [", encoding="utf-8")
    for arguments in (["compile", "-o", "out.json"], ["build", "--only", "document"], ["site", "-o", "out"], ["check"]):
        assert run(arguments) == 1
        captured = capsys.readouterr()
        assert f"{FILE}:" in captured.out + captured.err
    assert {path for path in here.rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "packages", "remedy"),
    [
        (["build"], ["mkdocs"], ("site", ", or build with --skip site")),
        (["build"], ["mkdocs", "pyspark"], ("site,spark", ", or build with --skip site,tables")),
        (["site"], ["mkdocs"], ("site", "")),
        (["publish"], ["pyspark"], ("spark", "")),
    ],
)
def test_missing_extra_is_named(
    arguments: list[str],
    packages: list[str],
    remedy: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What needs packages that aren't installed says which extra brings them, before anything is written."""
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)
    assert run(arguments) == 2
    extras, others = remedy
    assert f"{install_command(extras)}{others}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("note", "due"),
    [
        ({}, "pip install 'xregit[site]'"),
        ({"url": "file:///home/me/my%20clone", "dir_info": {}}, "pip install '/home/me/my clone[site]'"),
        ({"url": "file:///home/me/xregit", "dir_info": {"editable": True}}, "pip install -e '/home/me/xregit[site]'"),
        ({"url": "file:///wheels/x.whl", "archive_info": {}}, "pip install '/wheels/x.whl[site]'"),
        (
            {"url": "https://git.example.com/x", "vcs_info": {"vcs": "git", "commit_id": "0123abc"}},
            "pip install 'xregit[site] @ git+https://git.example.com/x@0123abc'",
        ),
    ],
    ids=["index", "folder", "editable", "wheel", "repository"],
)
def test_extras_come_from_where_xregit_came_from(note: dict[str, Any], due: str) -> None:
    """A command that is advised works for who has a clone as well, and no index has anything."""
    assert pip_command("site", note) == due


def test_example_registry_passes_its_own_check(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The registry of this repository has no findings, not even remarks, before what is deprecated is to be removed."""
    monkeypatch.setattr("xregit.cli.check.today", lambda: date(2026, 6, 1))
    assert run(["--registry", str(root / "registry"), "check"]) == 0
    assert capsys.readouterr().out == "No findings.\n"


def test_copy_of_the_template_needs_no_git(here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A registry outside any Git repository is checked and compiled too, to the same bytes wherever it lies."""
    run(["compile"])
    document = capsys.readouterr().out
    shutil.move(here / "registry", tmp_path / "elsewhere" / "registry")
    assert run(["--registry", "elsewhere/registry", "compile"]) == 0
    assert capsys.readouterr().out == document


@pytest.mark.usefixtures("here")
def test_statements_of_tables_are_text_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The statements that make the tables are one text, or a list of them for machines."""
    assert run(["tables"]) == 0
    output = capsys.readouterr().out
    assert run(["tables", "--format", "json"]) == 0
    statements = json.loads(capsys.readouterr().out)["statements"]
    assert output.rstrip("\n") == "\n\n".join(statements).rstrip("\n")
    assert all(each.startswith("CREATE TABLE") for each in statements)
