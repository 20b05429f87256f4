"""Documents as YAML files: what is written, what is kept, and what stops an import."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.document.small import small_folder, tree
from xregit.catalog import read_folder
from xregit.diagnostics import Severity
from xregit.document import compile_document, import_documents, load, to_bytes
from xregit.document.foreign import load_foreign
from xregit.document.importer import ImportReport, update_registry
from xregit.errors import XregitError


def write_document(path: Path, value: Any) -> Path:
    """Write a document."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def compiled(registry: Path, to: Path, **options: Any) -> Path:
    """Compile a registry to a file."""
    to.write_bytes(to_bytes(compile_document(load(registry), **options)))
    return to


def rules(report: ImportReport) -> list[str]:
    """Return the rules of a report's errors."""
    return [item.rule for item in report.diagnostics if item.severity is Severity.ERROR]


def one_message(attributes: dict[str, Any], **group: Any) -> dict[str, Any]:
    """Return a document with one message."""
    return {"messagegroups": {"g": {**group, "messages": {"m": attributes}}}}


def test_small_registry_reads_as_if_written_by_a_person(tmp_path: Path, golden: Any) -> None:
    """The files that an import writes are those that were reviewed."""
    document = compiled(small_folder(tmp_path), tmp_path / "small.json")
    import_documents([str(document)], str(tmp_path / "new"))
    texts = tree(tmp_path / "new")
    golden("document/imported.txt", "".join(f"==> {path} <==\n{text}\n" for path, text in texts.items()))


@pytest.mark.parametrize("options", [{}, {"view": "short"}])
def test_import_of_what_was_compiled_gives_the_same_files(tmp_path: Path, options: dict[str, str]) -> None:
    """Import, compile and import again gives the same files, from both views."""
    first = compiled(small_folder(tmp_path), tmp_path / "first.json")
    import_documents([first], tmp_path / "one" / "registry")
    second = compiled(tmp_path / "one" / "registry", tmp_path / "second.json", **options)
    import_documents([second], tmp_path / "two" / "registry")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert (
        second.read_bytes() == compiled(tmp_path / "two" / "registry", tmp_path / "third.json", **options).read_bytes()
    )


def test_what_is_resolved_says_the_same_after_an_import(tmp_path: Path) -> None:
    """A document with base messages merged in is the document of the registry that an import makes of it."""
    first = compiled(small_folder(tmp_path), tmp_path / "first.json", resolved=True)
    import_documents([first], tmp_path / "one" / "registry")
    assert first.read_bytes() == compiled(tmp_path / "one" / "registry", tmp_path / "second.json").read_bytes()


def test_endpoints_of_a_later_release_come_back_as_they_were(tmp_path: Path) -> None:
    """What release 1.0-rc4 calls servers and filters are the addresses, topics and subjects that they were made of."""
    usual = {"name": "N", "usage": ["subscriber"]}
    options = {
        "KAFKA": {"deployed": True, "endpoints": [{"uri": "SSL://a:1"}, {"uri": "SSL://b:2", "site": "north"}]},
        "MQTT/5.0": {"deployed": True, "topic": "a/+", "cleansession": False},
        "NATS": {"deployed": True, "subject": "a.*"},
    }
    endpoints = {
        f"e{n}": {**usual, "protocol": name, "protocoloptions": said} for n, (name, said) in enumerate(options.items())
    }
    import_documents([write_document(tmp_path / "one.json", {"endpoints": endpoints})], tmp_path / "one" / "registry")
    published = compiled(tmp_path / "one" / "registry", tmp_path / "two.json", profile="1.0-rc4")
    assert {"topicfilter", "subjectfilter", "bootstrap.servers"} <= {*re.findall(r'"([^"]+)":', published.read_text())}
    assert not import_documents([published], tmp_path / "two" / "registry").failed
    assert tree(tmp_path / "one" / "registry" / "endpoints") == tree(tmp_path / "two" / "registry" / "endpoints")


def test_second_import_changes_nothing(tmp_path: Path) -> None:
    """Importing a document again keeps every file, though people have added comments and another layout."""
    registry = small_folder(tmp_path)
    document = compiled(registry, tmp_path / "small.json")
    before = tree(registry)
    report = import_documents([document], registry)
    assert not report.failed
    assert report.files == ()
    assert len(report.kept) == len(load(registry))
    assert tree(registry) == before


def test_new_entities_join_those_that_are_there(tmp_path: Path) -> None:
    """A document adds its messages to a group that is there, and leaves other files alone."""
    registry = small_folder(tmp_path)
    before = tree(registry)
    document = write_document(
        tmp_path / "new.json",
        {
            "messagegroups": {
                "bags": {
                    "name": "Bags",
                    "envelope": "CloudEvents/1.0",
                    "messages": {
                        "bag.new": {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "new"}}}
                    },
                }
            }
        },
    )
    report = import_documents([document], registry)
    assert report.files == ("messagegroups/bags/messages/bag.new.yaml",)
    assert report.kept == ("/messagegroups/bags",)
    after = tree(registry)
    assert after.pop("messagegroups/bags/messages/bag.new.yaml") == "envelopemetadata:\n  type: {value: new}\n"
    assert after == before


def test_other_content_stops_everything(tmp_path: Path) -> None:
    """An entity that is there with other content is an error that names both places, and nothing is written."""
    registry = small_folder(tmp_path)
    before = tree(registry)
    value = {"messagegroups": {"bags": {"messages": {"bag.seen": {"description": "Other."}}}, "new": {}}}
    report = import_documents([write_document(tmp_path / "new.json", value)], registry)
    assert sorted(rules(report)) == ["different-entity", "different-entity"]
    messages = [item.message for item in report.diagnostics]
    assert any("registry/messagegroups/bags/messages/bag.seen.yaml" in message for message in messages)
    assert tree(registry) == before


def test_file_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    """A document may be larger than a file; what would be too large is named, and nothing is written."""
    document = write_document(tmp_path / "a.json", one_message({"description": "x" * 9_000_000}))
    report = import_documents(document, tmp_path / "registry")
    assert report.failed
    assert rules(report) == ["file-size"]
    assert not (tmp_path / "registry").exists() or not any((tmp_path / "registry").rglob("*.yaml"))


def test_documents_may_repeat_each_other(tmp_path: Path) -> None:
    """The same entity in two documents is written once, however it is spelled."""
    one = write_document(
        tmp_path / "1.json", one_message({"protocol": "Kafka", "basemessageuri": "#/messagegroups/g/messages/b"})
    )
    other = write_document(
        tmp_path / "2.json", one_message({"basemessage": "/messagegroups/g/messages/b", "protocol": "KAFKA"})
    )
    report = import_documents([one, other], tmp_path / "registry")
    assert not report.failed
    assert report.files == ("registry.yaml", "messagegroups/g/messagegroup.yaml", "messagegroups/g/messages/m.yaml")


@pytest.mark.parametrize(
    ("second", "rule"),
    [
        (one_message({"protocol": "HTTP"}), "different-entity"),
        (one_message({}, description="Other."), "different-entity"),
        ({"messagegroups": {"G": {}}}, "ids-differ-only-in-case"),
        ({"modelsource": {"attributes": {"team": {"type": "uri"}}}}, "different-model"),
        ({"envelopemetadata": {}}, "not-a-registry"),
        ({"type": "about:blank", "title": "Not Found", "status": 404}, "not-a-registry"),
    ],
)
def test_documents_that_do_not_go_together_stop_the_import(tmp_path: Path, second: dict[str, Any], rule: str) -> None:
    """Two documents that contradict each other, or one that can't be read, leave nothing behind."""
    first = one_message({"protocol": "KAFKA"}) | {"modelsource": {"attributes": {"team": {"type": "string"}}}}
    documents = [write_document(tmp_path / "1.json", first), write_document(tmp_path / "2.json", second)]
    report = import_documents(documents, tmp_path / "registry")
    assert rule in rules(report)
    assert not (tmp_path / "registry").exists()


def test_models_that_differ_are_told_by_the_first_difference(tmp_path: Path) -> None:
    """The path leads to it, and is the same in each run."""
    names = [f"a{number}" for number in range(20)]
    documents = []
    for kind in ("string", "uri"):
        attributes = {"same": {"type": "string"}, **{name: {"type": kind} for name in names}}
        documents.append(write_document(tmp_path / f"{kind}.json", {"modelsource": {"attributes": attributes}}))
    (problem,) = import_documents(documents, tmp_path / "registry").diagnostics
    assert problem.message.startswith('The model defines "attributes.a0.type" differently')


def test_attributes_of_several_documents_are_left_out_and_said(tmp_path: Path) -> None:
    """What each of several documents says of itself has no place in their common registry."""
    documents = [write_document(tmp_path / f"{name}.json", {"description": name}) for name in "ab"]
    report = import_documents(documents, tmp_path / "registry")
    assert [item.rule for item in report.diagnostics] == ["left-out", "left-out"]
    assert tree(tmp_path / "registry") == {"registry.yaml": "registryid: registry\n"}


def test_attributes_of_one_document_are_the_registrys(tmp_path: Path) -> None:
    """What the only document says of itself, unknown attributes too, stands in registry.yaml."""
    document = write_document(tmp_path / "a.json", {"registryid": "r", "documentation": {"url": "x"}, "other": 1})
    import_documents([document], tmp_path / "registry")
    assert tree(tmp_path / "registry")["registry.yaml"] == "registryid: r\ndocumentation: {url: x}\nother: 1\n"


@pytest.mark.parametrize(("folder", "name"), [("my-catalog", "my-catalog"), ("my catalog", "registry")])
def test_registry_is_called_as_its_folder(tmp_path: Path, folder: str, name: str) -> None:
    """Unless the document has a name for it, or the folder's is no id."""
    import_documents([write_document(tmp_path / "a.json", {"messagegroups": {}})], tmp_path / folder)
    assert tree(tmp_path / folder)["registry.yaml"] == f"registryid: {name}\n"


def test_model_goes_into_its_file(tmp_path: Path) -> None:
    """What the document's model adds is written to model.yaml; one that is there must say it too."""
    value: dict[str, Any] = {"modelsource": {"groups": {"dirs": {"singular": "dir"}}}, "dirs": {"d": {}}}
    document = write_document(tmp_path / "a.json", value)
    import_documents([document], tmp_path / "registry")
    assert tree(tmp_path / "registry")["model.yaml"] == "groups:\n  dirs: {singular: dir}\n"
    assert not import_documents([document], tmp_path / "registry").failed
    (tmp_path / "registry" / "model.yaml").unlink()
    (tmp_path / "registry" / "dirs" / "d" / "dir.yaml").unlink()
    assert rules(import_documents([document], tmp_path / "registry")) == ["different-model"]


def test_import_says_how_documents_are_written_and_what_was_changed(tmp_path: Path) -> None:
    """The report names each document's release, and every single change at its line."""
    value = {"definitionGroups": {"g": {"definitions": {name: {"format": "CloudEvents/1.0"} for name in "ab"}}}}
    (tmp_path / "a.json").write_text(json.dumps(value, indent=1), encoding="utf-8")
    report = import_documents([tmp_path / "a.json"], tmp_path / "registry")
    assert report.writings == (("a.json", "0.5-wip"),)
    results = [(item.line, item.message) for item in report.changes]
    assert results == [
        (2, '"definitionGroups" is read as "messagegroups".'),
        (2, 'Detected format: 0.5-wip ("definitionGroups").'),
        (4, '"definitions" is read as "messages".'),
        (6, '"format" is read as "envelope".'),
        (9, '"format" is read as "envelope".'),
    ]
    assert '"format" is read as "envelope" (here and in line 9).' in [item.message for item in report.diagnostics]


def test_schema_beside_its_versions_is_left_out_and_said(tmp_path: Path) -> None:
    """What stands beside versions that all say otherwise says nothing."""
    schema = {"format": "Avro/1", "versions": {"1": {"format": "Avro/1.11.0", "schema": {"type": "null"}}}}
    value = {"schemagroups": {"g": {"schemas": {"s": schema}}}}
    report = import_documents([write_document(tmp_path / "a.json", value)], tmp_path / "registry")
    message = '"format" beside the versions is left out, since each version states another.'
    assert [(item.rule, item.message) for item in report.diagnostics] == [("left-out", message)]


def test_format_of_a_schema_is_filled_in(tmp_path: Path) -> None:
    """A message of an older document leaves it to the schema; a second import changes nothing."""
    schemas = {"s": {"format": "Avro/1.11.0", "schema": {"type": "null"}}, "bare": {"schema": "{}"}}
    uris = ("/schemagroups/g/schemas/s", "/schemagroups/g/schemas/bare", "/schemagroups/g/schemas/gone")
    messages = {f"m{number}": {"dataschemauri": uri} for number, uri in enumerate(uris)}
    messages["own"] = {"dataschemaformat": "Avro/1.9.0", "dataschemauri": uris[0]}
    messages["child"] = {"basemessage": "/messagegroups/g/messages/own", "dataschemauri": uris[0]}
    value = {"messagegroups": {"g": {"messages": messages}}, "schemagroups": {"g": {"schemas": schemas}}}
    document = write_document(tmp_path / "a.json", value)
    report = import_documents([document], tmp_path / "registry")
    files = {path.stem: path.read_text() for path in (tmp_path / "registry").glob("messagegroups/g/messages/*")}
    formats = {name: "Avro/1.11.0" in text for name, text in files.items()}
    assert formats == {"m0": True, "m1": False, "m2": False, "own": False, "child": False}
    assert [item.message for item in report.diagnostics if item.rule == "filled-in"] == [
        '"dataschemaformat" is added to 1 message, as the schema has it.'
    ]
    assert import_documents([document], tmp_path / "registry").files == ()


def test_registry_without_entities_is_there_too(tmp_path: Path) -> None:
    """What the files of a registry say counts for an import, even if it has no entity yet."""
    root = tmp_path / "registry"
    root.mkdir()
    (root / "registry.yaml").write_text("registryid: r\ndescription: D.\n", encoding="utf-8")
    (root / "model.yaml").write_text("groups:\n  dirs: {singular: dir}\n", encoding="utf-8")
    document = write_document(tmp_path / "a.json", {"description": "D.", "dirs": {"d": {}}})
    report = import_documents([document], root)
    assert report.diagnostics == ()
    assert report.files == ("dirs/d/dir.yaml",)


def test_ids_that_file_systems_refuse_are_encoded(tmp_path: Path) -> None:
    """Ids become file names from which they can be read back."""
    value: dict[str, Any] = {"messagegroups": {"urn:a": {"messages": {"con": {}, "a.": {}, "b@c~d": {}}}}}
    import_documents([write_document(tmp_path / "a.json", value)], tmp_path / "registry")
    assert [xid.rsplit("/", 1)[1] for xid in read_folder(tmp_path / "registry")] == ["urn:a", "a.", "b@c~d", "con"]


def test_times_of_a_server_are_left_to_git(tmp_path: Path) -> None:
    """An entity with an epoch comes from a server, whose times are not kept; times that people state are."""
    served = {"epoch": 3, "createdat": "2020-01-01T00:00:00Z", "description": "a"}
    stated = {"createdat": "2020-01-01T00:00:00Z"}
    value: dict[str, Any] = {"messagegroups": {"g": {"messages": {"served": served, "stated": stated}}}}
    report = import_documents([write_document(tmp_path / "a.json", value)], tmp_path / "registry")
    files = tree(tmp_path / "registry" / "messagegroups" / "g" / "messages")
    assert files == {"served.yaml": "description: a\n", "stated.yaml": 'createdat: "2020-01-01T00:00:00Z"\n'}
    assert [item.message for item in report.diagnostics] == ["Epoch and times of an entity are left to Git."]


def test_file_in_the_way_stops_everything(tmp_path: Path) -> None:
    """A file that no entity is read from is not overwritten."""
    place = tmp_path / "registry" / "messagegroups" / "g"
    place.mkdir(parents=True)
    (place / "messagegroup.yaml").write_text("mine: true\n", encoding="utf-8")
    report = import_documents([write_document(tmp_path / "a.json", one_message({}))], tmp_path / "registry")
    assert rules(report) == ["different-entity"]
    assert tree(tmp_path / "registry") == {"messagegroups/g/messagegroup.yaml": "mine: true\n"}


def test_nothing_to_import(tmp_path: Path) -> None:
    """No documents, no files; a document that isn't there is one line."""
    assert import_documents([], tmp_path / "registry") == ImportReport((), (), ())
    with pytest.raises(XregitError):
        import_documents([tmp_path / "missing.json"], tmp_path / "registry")


ACCENTED = "asyncapi: 3.0.0\ninfo: {title: Comunicación}\nchannels: {a: {messages: {creación: {}}}}\n"


@pytest.mark.parametrize(
    ("path", "text", "before", "now"),
    [
        (
            "a.yaml",
            ACCENTED,
            "/messagegroups/comunicaci-n/messages/creaci-n",
            "/messagegroups/comunicacion/messages/creacion",
        ),
        ("Größe/länge.avsc", '"string"', "/schemagroups/gr-e/schemas/l-nge", "/schemagroups/gro-e/schemas/lange"),
    ],
)
def test_ids_have_no_accents(path: str, text: str, before: str, now: str, tmp_path: Path) -> None:
    """Letters with accents become plain ones; what was imported with hyphens for them keeps its ids."""
    source = tmp_path / path
    source.parent.mkdir(exist_ok=True)
    source.write_text(text, encoding="utf-8")
    source = source if source.parent == tmp_path else source.parent
    _, _, group, _, member = before.split("/")
    earlier = load_foreign(source, known=[group, member])
    assert earlier is not None
    assert not update_registry(earlier, tmp_path / "old").failed
    for folder, xid in (("old", before), ("new", now)):
        report = import_documents(source, tmp_path / folder)
        assert (not report.failed, report.removed, bool(report.files)) == (True, (), folder == "new")
        assert read_folder(tmp_path / folder).entity(xid) is not None
