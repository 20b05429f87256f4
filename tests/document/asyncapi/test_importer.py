"""AsyncAPI documents as registries: small cases, the way back from what we export, and updates."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import xregit
from xregit.diagnostics import Severity
from xregit.document.asyncapi import asyncapi_files
from xregit.document.foreign import load_foreign
from xregit.document.importer import settle_conflicts

CASES = Path(__file__).parents[2] / "cases" / "document" / "asyncapi_import"


@pytest.mark.parametrize("path", sorted(CASES.glob("*.yaml")), ids=lambda path: path.stem)
def test_case(path: Path, tmp_path: Path) -> None:
    """A document becomes the entities of the case, and says what it leaves out and what is wrong with it."""
    case = yaml.safe_load(path.read_text())
    source = tmp_path / "asyncapi.yaml"
    source.write_text(case["source"])
    options = case.get("options", {})
    foreign = load_foreign(source, **options)
    assert foreign is not None
    notes = [f"{item.line} {item.severity} {item.message}" for item in foreign.loaded.registry.problems]
    assert sorted(notes) == sorted(case["notes"]), notes
    if "document" in case:
        assert foreign.value == case["document"]
        assert _errors(xregit.import_documents(source, tmp_path / "registry", **options)) == []
        report = xregit.check(xregit.load(tmp_path / "registry"))
        assert _errors(report) == []
        assert "misspelled-name" not in {item.rule for item in report.diagnostics}


def _errors(report: xregit.Report | xregit.ImportReport) -> list[str]:
    return [item.message for item in report.diagnostics if item.severity is Severity.ERROR]


def test_missing_protocol_is_told_once(tmp_path: Path) -> None:
    """Of a document that names no server, one line says so; with a protocol none does."""
    source = tmp_path / "asyncapi.yaml"
    messages = "{oneOf: [{name: a}, {name: b}]}"
    source.write_text(f"asyncapi: 2.0.0\ninfo: {{title: T}}\nchannels: {{c: {{publish: {{message: {messages}}}}}}}\n")
    plain, named = (xregit.import_documents(source, tmp_path / name, protocol=name) for name in ("", "KAFKA"))
    assert [item.message for item in plain.diagnostics] == [
        "No server or channel names a protocol for 2 of 2 messages."
    ]
    assert named.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.avsc", {"protocol": "KAFKA"}, '"--protocol" does not apply to'),
        ("a.yaml", {"protocol": "KAFAK"}, 'not a protocol; did you mean "KAFKA"'),
        ("a.json", {"group": "shop"}, '"--group" does not apply to'),
        ("a.yaml", {"group": "a b"}, '"a b" is not a valid group id'),
        ("a.ndjson", {}, "holds neither records of a schema registry nor messages"),
        ("a.jsonl", {}, "holds neither records of a schema registry nor messages"),
    ],
)
def test_options_that_do_not_fit_are_refused(name: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    """What an option can't change is told before anything is written."""
    text = {".yaml": "asyncapi: 3.0.0", ".jsonl": '{"a": 1}\n\n{"a": 2}\n'}.get(Path(name).suffix, "{}")
    (tmp_path / name).write_text(text)
    with pytest.raises(xregit.XregitError, match=message):
        xregit.import_documents(tmp_path / name, tmp_path / "registry", **options)
    assert not (tmp_path / "registry").exists()


def test_group_is_for_one_source(tmp_path: Path) -> None:
    """Two sources in one group would take each other's place."""
    with pytest.raises(xregit.XregitError, match="one group is for one source"):
        xregit.import_documents([tmp_path / "a", tmp_path / "b"], tmp_path / "registry", group="shop")


def test_exported_documents_come_back(root: Path, tmp_path: Path) -> None:
    """What is exported and imported again recognises the messages of each endpoint as the catalog itself does."""
    registry = xregit.load(root / "registry")
    sources = _write(tmp_path / "exported", asyncapi_files(registry))
    assert _errors(xregit.import_documents(sources, tmp_path / "registry")) == []
    again = xregit.load(tmp_path / "registry")
    assert {endpoint.xid for endpoint in again.endpoints} == {endpoint.xid for endpoint in registry.endpoints}
    for endpoint in again.endpoints:
        matchers = [xregit.Matcher(each, endpoint=endpoint.xid) for each in (registry, again)]
        for entry in endpoint.contract:
            wire = xregit.new(entry.message, example=True, protocol=endpoint.protocol)
            before, after = ({item.xid.rpartition("/")[2] for item in each.match(wire).matches} for each in matchers)
            assert entry.message.id in after, entry.message.xid
            assert after == before, entry.message.xid


def test_references_may_lead_to_other_files(tmp_path: Path) -> None:
    """A document may be divided; a payload's schema is whole all the same."""
    (tmp_path / ".git").mkdir()
    _write(
        tmp_path,
        {
            "api/asyncapi.yaml": b"asyncapi: 3.0.0\ninfo: {title: Parts}\nchannels:\n  a: {address: a, messages: {m: "
            b"{$ref: ../common/messages.yaml#/m}}}\n"
            b"operations:\n  o: {action: send, channel: {$ref: '#/channels/a'}}\n",
            "common/messages.yaml": b"m: {payload: {$ref: schemas.json#/whole}}\n",
            "common/schemas.json": b'{"whole": {"properties": {"p": {"$ref": "#/part"}}}, "part": {"type": "string"}}',
        },
    )
    foreign = load_foreign(tmp_path / "api/asyncapi.yaml")
    assert foreign is not None
    assert foreign.value["schemagroups"]["parts"]["schemas"]["m"]["schema"] == {
        "properties": {"p": {"$ref": "#/definitions/part"}},
        "definitions": {"part": {"type": "string"}},
    }


def test_channel_of_another_file_is_imported(tmp_path: Path) -> None:
    """What an operation uses belongs to the document, wherever its channel is."""
    text = "asyncapi: 3.0.0\ninfo: {title: T}\nservers: {s: {host: a.example.com, protocol: mqtt}}\n"
    _write(
        tmp_path,
        {
            "a.yaml": f"{text}operations: {{o: {{action: receive, channel: {{$ref: 'b.yaml#/c'}}}}}}\n".encode(),
            "b.yaml": b"c: {address: a/b, messages: {opened: {payload: {type: object}}}}\n",
        },
    )
    foreign = load_foreign(tmp_path / "a.yaml")
    assert foreign is not None
    assert foreign.value["messagegroups"]["t"]["messages"]["opened"]["protocoloptions"] == {"topic_name": "a/b"}
    assert foreign.value["endpoints"]["t"]["usage"] == ["consumer"]


def test_examples_of_schemas_hold_no_references(tmp_path: Path) -> None:
    """What stands under a keyword for values is data; a property may have the name of such a keyword."""
    data = {"$ref": "../missing.yaml"}
    schema = {"properties": {"default": {"$ref": "#/x/part"}, "a": {"example": data, "enum": [data], "default": data}}}
    message = {"channels": {"c": {"subscribe": {"message": {"name": "m", "payload": schema}}}}}
    document = {"asyncapi": "2.6.0", "info": {"title": "T"}, "x": {"part": {"type": "string"}}, **message}
    source = _write(tmp_path, {"a.json": json.dumps(document).encode()})[0]
    foreign = load_foreign(source)
    assert foreign is not None
    properties = foreign.value["schemagroups"]["t"]["schemas"]["m"]["schema"]["properties"]
    assert properties["a"] == schema["properties"]["a"]
    assert properties["default"] == {"$ref": "#/definitions/part"}


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("../secret.json", "leads out of the repository, or folder, of the document"),
        ("link.json", "leads out of the repository, or folder, of the document"),
        ("pipe.json", "can't be read: this is a device, pipe or socket, not a file"),
        ("a%00.json", "is no path of a file"),
        (f"#/list/{'9' * 5000}", "leads nowhere"),
    ],
)
def test_references_stay_with_the_document(reference: str, message: str, tmp_path: Path) -> None:
    """Nothing outside is read, and nothing waits for the other end of a pipe."""
    channel = f"m: {{payload: {{$ref: '{reference}'}}}}"
    text = f"asyncapi: 3.0.0\ninfo: {{title: a}}\nlist: [1]\nchannels: {{c: {{messages: {{{channel}}}}}}}\n"
    text += "operations: {o: {action: send, channel: {$ref: '#/channels/c'}}}\n"
    _write(tmp_path, {"api/a.yaml": text.encode(), "secret.json": b'{"type": "secret"}'})
    (tmp_path / "api/link.json").symlink_to("../secret.json")
    os.mkfifo(tmp_path / "api/pipe.json")
    foreign = load_foreign(tmp_path / "api/a.yaml")
    assert foreign is not None
    assert any(message in item.message for item in foreign.loaded.registry.problems)
    assert "secret" not in json.dumps({**foreign.value, "messagegroups": {}})


def test_anchors_are_followed(tmp_path: Path) -> None:
    """Other tools' YAML has anchors and merge keys; dates and "no" are texts there as everywhere."""
    (tmp_path / "a.yaml").write_text(
        "asyncapi: 3.0.0\ninfo: &i {title: no, version: 2024-01-01}\nx-info: {<<: *i}\nchannels: {}\n"
    )
    foreign = load_foreign(tmp_path / "a.yaml")
    assert foreign is not None
    assert foreign.name == "no"


@pytest.mark.parametrize(
    ("level", "count"), [("[*{0}, *{0}, *{0}]", 30), ("{{<<: [*{0}, *{0}]}}", 40), ("[*{0}]", 900), ("[*{1}]", 1)]
)
def test_aliases_do_not_explode(level: str, count: int, tmp_path: Path) -> None:
    """A small file can't become a large one, a deep one, or one that holds itself."""
    levels = "".join(f"l{n}: &l{n} {level.format(f'l{n - 1}', f'l{n}')}\n" for n in range(1, count + 1))
    (tmp_path / "a.yaml").write_text(f"asyncapi: 3.0.0\nl0: &l0 {{a: b}}\n{levels}")
    foreign = load_foreign(tmp_path / "a.yaml")
    assert foreign is not None
    assert [item.rule for item in foreign.loaded.registry.problems] == ["yaml-alias"]


@pytest.mark.parametrize("version", ["1.2.0", "4.0.0"])
def test_other_versions_are_refused(version: str, tmp_path: Path) -> None:
    """A version that isn't read stops the import, and says so at its line."""
    (tmp_path / "a.yaml").write_text(f"asyncapi: {version}\ninfo: {{title: a}}\n")
    report = xregit.import_documents(tmp_path / "a.yaml", tmp_path / "registry")
    assert _errors(report) == [f"AsyncAPI {version} is not read; versions 2.0 to 3.1 are."]
    assert not (tmp_path / "registry").exists()


SOURCE = """\
asyncapi: 3.0.0
info: {title: Shop}
channels:
  a: {address: a, messages: {m: {title: First, description: One.}, n: {title: Second}}}
operations:
  o: {action: send, channel: {$ref: '#/channels/a'}}
"""
MESSAGE = "registry/messagegroups/shop/messages/m.yaml"


@pytest.fixture
def shop(tmp_path: Path) -> Callable[..., xregit.ImportReport]:
    """Return what imports a source into one registry, after its first import."""

    def again(text: str, **options: Any) -> xregit.ImportReport:
        (tmp_path / "shop.yaml").write_text(text)
        return xregit.import_documents(tmp_path / "shop.yaml", tmp_path / "registry", protocol="KAFKA", **options)

    assert not again(SOURCE).failed
    return again


def test_same_source_again_changes_nothing(shop: Callable[..., xregit.ImportReport], tmp_path: Path) -> None:
    """A second import writes no file, whatever was edited since."""
    (tmp_path / MESSAGE).write_text("name: Edited\n")
    report = shop(SOURCE)
    assert (report.files, report.diagnostics) == ((), ())
    assert (tmp_path / MESSAGE).read_text() == "name: Edited\n"


def test_update_keeps_what_was_edited(shop: Callable[..., xregit.ImportReport], tmp_path: Path) -> None:
    """What the source changed is taken over; comments and lines of people stay."""
    edited = (tmp_path / MESSAGE).read_text().replace("name: First", "# ours\nname: Ours")
    (tmp_path / MESSAGE).write_text(edited + "labels: {team: a}\n")
    report = shop(SOURCE.replace("Second", "Changed"))
    assert (tmp_path / MESSAGE).read_text() == edited + "labels: {team: a}\n"
    assert "name: Changed" in (tmp_path / MESSAGE.replace("m.yaml", "n.yaml")).read_text()
    assert report.diagnostics == ()


def test_update_says_where_both_changed(shop: Callable[..., xregit.ImportReport], tmp_path: Path) -> None:
    """What both changed stays as people have it, and is told until it is settled: by a side, or an edit."""
    registry, rule, xid = tmp_path / "registry", "edited-here-and-there", f"/{MESSAGE[9:-5]}"
    edited = (tmp_path / MESSAGE).read_text().replace("First", "Ours")

    def told() -> int:
        return sum(item.rule == rule for item in xregit.check(xregit.load(registry)).diagnostics)

    for step, other in enumerate(("Theirs", "Theirs", "Others")):
        (tmp_path / MESSAGE).write_text(edited if step != 1 else f"# note\n{edited}")
        report = shop(SOURCE.replace("First", other))
        assert (tmp_path / MESSAGE).read_text().endswith(edited)
        assert [(item.rule, item.path) for item in report.diagnostics] == [(rule, (tmp_path / MESSAGE).as_posix())]
        assert told() == 1
    with pytest.raises(xregit.XregitError, match=f"has no conflict; these entities have one: {xid}"):
        settle_conflicts(registry, {"/messagegroups/other": True})
    state = {path: path.read_bytes() for path in registry.rglob("*") if path.is_file()}
    for name in ("Others", "Ours", "Third"):
        for path, data in state.items():
            path.write_bytes(data)
        if name == "Third":
            (tmp_path / MESSAGE).write_text(edited.replace("Ours", "Third"))
        else:
            settle_conflicts(registry, {xid: name == "Others"})
        assert told() == 0
        assert shop(SOURCE.replace("First", "Others")).diagnostics == ()
        assert not (registry / "imports/conflicts.yaml").exists()
        assert f"name: {name}\n" in (tmp_path / MESSAGE).read_text()


def test_source_of_the_same_name_leaves_the_first_alone(tmp_path: Path) -> None:
    """A file elsewhere, or of another name, is another source; a new version beside it is the same."""
    first = _write(tmp_path, {"a/events-1.0.yaml": SOURCE.encode()})[0]
    assert not xregit.import_documents(first, tmp_path / "registry").failed
    gone = SOURCE.replace(", n: {title: Second}", "").encode()
    names = ("b/events-1.0.yaml", "a/others.yaml", "a/events-1.yaml", "a/events2.yaml")
    others = _write(tmp_path, dict.fromkeys(names, gone))
    for name, other in zip(names, others, strict=True):
        advice = f'choose another one with --group; if the source has moved, set "importedfrom" in .* to "../{name}"'
        with pytest.raises(xregit.XregitError, match=f'belongs to "../a/events-1.0.yaml"; {advice}'):
            xregit.import_documents(other, tmp_path / "registry")
        assert not xregit.import_documents(other, tmp_path / "registry", group=f"g{others.index(other)}").failed
    assert (tmp_path / MESSAGE).exists()
    newer = _write(tmp_path, {"a/events-1.1.yaml": SOURCE.replace("First", "Changed").encode()})[0]
    assert not xregit.import_documents(newer, tmp_path / "registry").failed
    assert "name: Changed" in (tmp_path / MESSAGE).read_text()


def test_mixed_kinds_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    """A fault in one source keeps the others from being written, and so do two that want the same file."""
    source, good = _write(tmp_path, {"shop.yaml": SOURCE.encode(), "good.json": b'{"messagegroups": {"other": {}}}'})
    [group] = load_foreign(source).value["messagegroups"]  # type: ignore[union-attr]
    same = json.dumps({"messagegroups": {group: {"name": "Mine"}}}).encode()
    for bad in _write(tmp_path, {"bad.json": b"{", "same.json": same}):
        report = xregit.import_documents([source, bad], tmp_path / "registry")
        assert (report.failed, report.files, (tmp_path / "registry").exists()) == (True, (), False)
    report = xregit.import_documents([source, good], tmp_path / "registry")
    assert not report.failed
    registry = xregit.load(tmp_path / "registry")
    assert {item.id for item in registry.messagegroups} == {group, "other"}


def test_channel_of_another_source_is_imported_once(tmp_path: Path) -> None:
    """Teams that share channels import the documents that use them beside the one that has them, in any order."""
    (tmp_path / ".git").mkdir()
    common = b"asyncapi: 3.0.0\ninfo: {title: Common}\nchannels: {gate: {address: gate, messages: {opened: {}}}}\n"
    using = (
        b"asyncapi: 3.0.0\ninfo: {title: Tug}\nservers: {s: {host: 'b.example.com:9092', protocol: kafka}}\n"
        b"operations: {listen: {action: receive, channel: {$ref: 'common.yaml#/channels/gate'}}}\n"
    )
    sources = _write(tmp_path, {"common.yaml": common, "tug.yaml": using})
    for number, paths in enumerate((sources, sources[::-1])):
        report = xregit.import_documents(paths, tmp_path / str(number) / "registry")
        assert [(item.path, item.rule) for item in report.diagnostics] == [("common.yaml", "left-out")]
        messages = xregit.load(tmp_path / str(number) / "registry").messages
        assert [item.xid for item in messages] == ["/messagegroups/tug/messages/opened"]


def test_files_of_several_repositories_are_told_apart(tmp_path: Path) -> None:
    """Where clones lie side by side, notes and their lines are those of the right one."""
    text = "asyncapi: 3.0.0\ninfo: {{title: {0}}}\nchannels:\n  c: {{messages: {{m: {{x-{0}: {{a: b}}}}}}}}\n"
    names = ("a/asyncapi.yaml", "b/asyncapi.yaml")
    sources = _write(tmp_path, {name: text.format(name[0]).encode() for name in names})
    report = xregit.import_documents(sources, tmp_path / "registry", protocol="KAFKA")
    left = [item for item in report.diagnostics if item.rule == "left-out"]
    assert [(item.path, report.lines(item.path, item.line)) for item in left] == [
        (name, f"  c: {{messages: {{m: {{x-{name[0]}: {{a: b}}}}}}}}") for name in names
    ]
    assert [path for path, _ in report.writings] == [*names]


def test_source_with_nothing_in_it_is_an_error(tmp_path: Path) -> None:
    """An import that would give an empty registry writes nothing."""
    source = _write(tmp_path, {"a.yaml": b"asyncapi: 3.0.0\ninfo: {title: T, version: 1.0.0}\n"})[0]
    report = xregit.import_documents(source, tmp_path / "registry")
    assert [item.rule for item in report.diagnostics] == ["empty-source", "left-out"]
    assert not (tmp_path / "registry").exists()
    with pytest.raises(xregit.XregitError, match="is an address, which only a schema registry may be"):
        xregit.import_documents("https://ann:secret@a.example.com", tmp_path / "registry", "xregistry")


def test_update_removes_what_is_gone(shop: Callable[..., xregit.ImportReport], tmp_path: Path) -> None:
    """What left the source goes here too, unless people edited it; what people deleted stays deleted."""
    (tmp_path / MESSAGE).unlink()
    other = tmp_path / MESSAGE.replace("m.yaml", "n.yaml")
    refused = shop(SOURCE.replace(", n: {title: Second}", ""))
    assert [(item.rule, item.path) for item in refused.diagnostics] == [("many-removals", other.as_posix())]
    assert other.exists()
    report = shop(SOURCE.replace(", n: {title: Second}", ""), prune=True)
    assert report.removed == (other.relative_to(tmp_path / "registry").as_posix(),)
    assert not other.exists()
    assert not (tmp_path / MESSAGE).exists()
    report = shop(SOURCE.replace("First", "Changed"))
    assert other.exists()
    assert [item.rule for item in report.diagnostics] == ["deleted-here"]
    other.write_text("name: Edited\n")
    report = shop(SOURCE.replace("First", "Changed").replace(", n: {title: Second}", ""))
    assert [item.rule for item in report.diagnostics] == ["gone-from-source"]
    assert other.exists()


def _write(folder: Path, files: dict[str, bytes]) -> list[Path]:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return [folder / name for name in files]
