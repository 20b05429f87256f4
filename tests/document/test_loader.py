"""Documents as registries: what is read, what is refused and where the reason stands."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from xregit.catalog import Registry
from xregit.diagnostics import Diagnostic, Severity
from xregit.document import compile_document, load, read, read_document
from xregit.errors import CatalogError, XregitError
from xregit.rules import check

MESSAGE = {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "t"}}}


def document_of(folder: Path, value: Any, name: str = "document.json") -> Path:
    """Write a document."""
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1), encoding="utf-8")
    return path


def registry_of(folder: Path, value: Any) -> Registry:
    """Write a document and read it."""
    return read_document(document_of(folder, value))


def errors(registry: Registry) -> list[Diagnostic]:
    """Return the errors among what was found while reading."""
    return [problem for problem in registry.problems if problem.severity is Severity.ERROR]


def test_short_and_export_form_say_the_same(tmp_path: Path) -> None:
    """Attributes on the message and attributes of its only version are read alike."""
    version = {"versionid": "1", "messageid": "m", "isdefault": True, "self": "#/x", "xid": "/x", **MESSAGE}
    export = {"messageid": "m", "metaurl": "#/x", "meta": {"readonly": False}, "versions": {"1": version}}
    short = registry_of(tmp_path, {"messagegroups": {"g": {"messages": {"m": MESSAGE}}}})
    long = registry_of(tmp_path, {"messagegroups": {"g": {"messages": {"m": export}, "messagesurl": "x"}}})
    assert compile_document(short) == compile_document(long)
    assert short.problems == long.problems == ()


def test_versions_count_before_what_repeats_them(tmp_path: Path) -> None:
    """In an API view the resource repeats its default version; what the versions say counts."""
    schema = {
        "schemaid": "s",
        "versionid": "2",
        "isdefault": True,
        "description": "Repeated.",
        "meta": {"defaultversionid": "2"},
        "versions": {"1": {"schema": {"a": 1}}, "2": {"schema": {"a": 2}, "description": "The second."}},
    }
    registry = registry_of(tmp_path, {"schemagroups": {"g": {"schemas": {"s": schema}}}})
    stated = compile_document(registry)["schemagroups"]["g"]["schemas"]["s"]["versions"]
    assert [stated[vid].get("description") for vid in stated] == [None, "The second."]


def test_what_stands_beside_versions_counts_for_each(tmp_path: Path) -> None:
    """In a document that people wrote, a name beside the versions is the name of each."""
    schema = {"name": "S", "versions": {"1": {"schema": "a"}, "2": {"schema": "b", "name": "T"}}}
    registry = registry_of(tmp_path, {"schemagroups": {"g": {"schemas": {"s": schema}}}})
    stated = compile_document(registry)["schemagroups"]["g"]["schemas"]["s"]["versions"]
    assert [stated[vid]["name"] for vid in stated] == ["S", "T"]


def test_deprecation_of_a_version_is_that_of_the_message(tmp_path: Path) -> None:
    """Release candidate 1 deprecates a message at its version; later ones do so in the meta entity."""
    message = {"versions": {"1": {**MESSAGE, "deprecated": {"documentation": "https://example.com"}}}}
    registry = registry_of(tmp_path, {"messagegroups": {"g": {"messages": {"m": message}}}})
    stated = compile_document(registry)["messagegroups"]["g"]["messages"]["m"]
    assert stated["meta"]["deprecated"] == {"docs": "https://example.com"}
    assert "deprecated" not in stated["versions"]["1"]


def test_yaml_is_read_like_json(tmp_path: Path) -> None:
    """A YAML document is read by its content, whatever it is called."""
    text = "messagegroups:\n  g:\n    messages:\n      m: {protocol: HTTP, protocoloptions: {method: POST}}\n"
    registry = read_document(document_of(tmp_path, text, "document.cereg"))
    assert list(registry) == ["/messagegroups/g", "/messagegroups/g/messages/m"]


def test_protocol_of_a_base_decides_names(tmp_path: Path) -> None:
    """Names that depend on the protocol follow the group's or the base message's where the message has none."""
    base = {"protocol": "MQTT", "protocoloptions": {"topic": "a"}}
    derived = {"basemessageurl": "#/messagegroups/g/messages/base", "protocoloptions": {"topic": "b"}}
    groups = {
        "g": {"messages": {"base": base, "derived": derived}},
        "h": {"protocol": "MQTT/3.1.1", "messages": {"m": {"protocoloptions": {"topic": "c"}}}},
    }
    registry = registry_of(tmp_path, {"messagegroups": groups})
    topics = {message.id: message.entity.attributes["protocoloptions"] for message in registry.messages}
    assert topics == {"base": {"topic_name": "a"}, "derived": {"topic_name": "b"}, "m": {"topic_name": "c"}}


def test_endless_bases_end(tmp_path: Path) -> None:
    """A message whose bases lead back to it is read."""
    message = {"basemessage": "/messagegroups/g/messages/m"}
    registry = registry_of(tmp_path, {"messagegroups": {"g": {"messages": {"m": message}}}})
    assert errors(registry) == []


def test_changes_are_noted_once_each(tmp_path: Path) -> None:
    """Each kind of change is one note, with its first place and the number of places."""
    messages = {name: {"basemessageuri": "/messagegroups/g/messages/a"} for name in "abc"}
    registry = registry_of(tmp_path, {"messagegroups": {"g": {"messages": messages}}})
    (note,) = registry.problems
    assert note.severity is Severity.INFO
    assert note.message == '"basemessageuri" is read as "basemessage" (here and in lines 9, 12).'
    assert note.line == 6


def test_model_of_the_document_counts(tmp_path: Path) -> None:
    """Group types and attributes that the document's own model adds are known."""
    value = {
        "modelsource": {
            "groups": {
                "messagegroups": {"resources": {"messages": {"attributes": {"owner": {"type": "string"}}}}},
                "dirs": {"singular": "dir", "resources": {"files": {"singular": "file"}}},
            }
        },
        "dirs": {"d": {"files": {"f": {"file": {"a": 1}}, "g": {"filebase64": "//4="}}}},
    }
    registry = registry_of(tmp_path, value)
    assert registry.problems == ()
    files = compile_document(registry)["dirs"]["d"]["files"]
    assert files["f"]["versions"]["1"]["file"] == {"a": 1}
    assert files["g"]["versions"]["1"]["filebase64"] == "//4="


@pytest.mark.parametrize(
    ("value", "rule", "line"),
    [
        ('{"messagegroups": {\n "g": }}', "json-syntax", 2),
        ("", "yaml-empty", 1),
        ("messagegroups: {\n", "yaml-syntax", 1),
        ("[1]", "not-a-mapping", 1),
        ({"groups": {"dirs": {"singular": "dir"}}}, "not-a-registry", 4),
        ({"usage": "producer", "protocol": "HTTP"}, "not-a-registry", 2),
        ({"envelope": "CloudEvents/1.0", "envelopemetadata": {}}, "not-a-registry", 3),
        ({"openapi": "3.1.0", "paths": {}}, "not-a-registry", 2),
        ({"asyncapi": "3.0.0", "channels": {}}, "not-a-registry", 2),
        ({"type": "object", "properties": {}}, "not-a-registry", 3),
        ({"type": "record", "fields": []}, "not-a-registry", 3),
        ({"type": "https://example.com/#not_found", "title": "Not found", "subject": "/x"}, "not-a-registry", 3),
        ({"error": {"code": 404}}, "not-a-registry", 2),
        ({"answer": 42, "question": None}, "not-a-registry", 2),
        ({"definitionGroups": {"g": {"definitions": {"a/b": {}}}}}, "malformed-id", 5),
        ({"groups": {"g": {}}, "definitionGroups": {"g": {"format": "HTTP"}}}, "conflicting-names", 6),
        ({"dirs": {"d": {}}}, "unknown-group-type", 2),
        ({"messagegroups": {"g": 1}}, "not-a-mapping", 3),
        ({"messagegroups": []}, "not-a-mapping", 2),
        ({"messagegroups": {"g": {"messagegroupid": "h"}}}, "mismatched-id", 4),
        ({"messagegroups": {"g": {"messages": {"m": {"id": "h"}}}}}, "mismatched-id", 5),
        ({"messagegroups": {"a/b": {}}}, "malformed-id", 3),
        ({"messagegroups": {"": {}}}, "malformed-id", 3),
        ({"messagegroups": {"g": {"messages": {"": {}}}}}, "malformed-id", 5),
        ({"schemagroups": {"g": {"schemas": {"s": {"versions": {"": {}}}}}}}, "malformed-id", 7),
        (
            {"schemagroups": {"g": {"schemas": {"s": {"versions": {"1": {"schema": {}, "schemaurl": "x"}}}}}}},
            "two-documents",
            9,
        ),
        ({"schemagroups": {"g": {"schemas": {"s": {"schemabase64": "%"}}}}}, "invalid-attribute", 6),
        (
            {"messagegroups": {"g": {"messages": {"m": {"basemessage": "/a", "basemessageuri": "/b"}}}}},
            "conflicting-names",
            7,
        ),
        ({"modelsource": {"groups": {"dirs": {"singular": 5}}}}, "model-error", 5),
    ],
)
def test_faults_stand_at_their_line(tmp_path: Path, value: Any, rule: str, line: int) -> None:
    """Every fault of a document is one error at its line, and `load` raises it."""
    path = document_of(tmp_path, value)
    assert [(problem.rule, problem.line) for problem in errors(read(path))] == [(rule, line)]
    with pytest.raises(CatalogError):
        load(path)


@pytest.mark.parametrize(("second", "severity"), [("1", Severity.WARNING), ("2", Severity.ERROR)])
def test_key_twice_matters_where_values_differ(tmp_path: Path, second: str, severity: Severity) -> None:
    """A key that stands twice with the same value is a warning, with another value an error."""
    path = document_of(tmp_path, f'{{"name": "1",\n"name": "{second}"}}')
    assert [(item.rule, item.severity, item.line) for item in read(path).problems] == [
        ("json-duplicate-key", severity, 2)
    ]


def test_finding_keeps_the_severity_it_was_found_with(tmp_path: Path) -> None:
    """A key that stands twice with one value stays a warning in the check, though the rule's severity is error."""
    path = document_of(tmp_path, '{"registryid": "r", "name": "1",\n"name": "1"}')
    assert [(item.rule, item.severity) for item in check(read(path)).diagnostics] == [
        ("json-duplicate-key", Severity.WARNING)
    ]
    load(path)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"definitionGroups": {"g": {"definitions": {"m": {"format": "CloudEvents/1.0", "metadata": {"attributes": {
            "subject": {"type": "odd"}}}}}}}}, 10),
        ({"messagegroups": {"g": {"messages": {"m": {"protocol": "MQTT", "protocoloptions": {"properties": {
            "topic": "a", "qos": {"value": 7}}}}}}}}, 10),
        ({"endpoints": {"e": {"usage": "producer", "config": {"protocol": "AMQP", "options": {
            "node": 5, "distribution_mode": "odd"}}}}}, 9),
        ({"schemagroups": {"g": {"schemas": {"s": {"versions": {"1": {"ancestorid": "odd"}}}}}}}, 8),
    ],
)  # fmt: skip
def test_check_finds_faults_where_they_were_written(tmp_path: Path, value: Any, line: int) -> None:
    """What a check finds under our names is told at the line of the document, whatever was moved and renamed."""
    diagnostics = check(registry_of(tmp_path, value | {"registryid": "r"})).diagnostics
    rules = {"invalid-attribute", "ancestor-not-found"}
    assert [item.line for item in diagnostics if item.rule in rules and item.severity is Severity.ERROR][-1:] == [line]


@pytest.mark.parametrize(
    "message",
    [
        {**MESSAGE, "envelopemetadata": True, "envelopeoptions": {"mode": {"name": 3}}},
        {**MESSAGE, "envelopemetadata": {"sequence": {"value": True, "type": {"value": {}}}}},
        {**MESSAGE, "protocol": "MQTT/5.0", "protocoloptions": {"user_properties": 5}},
        {**MESSAGE, "protocol": "MQTT/5.0", "protocoloptions": {"user_properties": [5, {"name": 3}, {"name": "type"}]}},
        {**MESSAGE, "protocol": "KAFKA", "protocoloptions": {"headers": {"ce_type": {"value": {"a": []}}}}},
        {**MESSAGE, "envelopeoptions": {"mode": []}, "protocol": "HTTP", "protocoloptions": [None]},
    ],
)
def test_values_of_any_other_type_are_findings(message: Any, tmp_path: Path) -> None:
    """Where a map or a text is due, whatever stands there is told, and nothing else goes wrong."""
    endpoint = {"usage": ["producer"], "envelopeoptions": {"mode": "binary"}, "messagegroups": ["/messagegroups/g"]}
    groups = {"g": {"messages": {"m": message}}}
    registry = registry_of(tmp_path, {"messagegroups": groups, "endpoints": {"e": endpoint}})
    assert "invalid-attribute" in {item.rule for item in check(registry).diagnostics}


def test_missing_file_is_one_line(tmp_path: Path) -> None:
    """A path with nothing there, and a folder that is no registry, end in one line."""
    for path in (tmp_path / "missing.json", tmp_path):
        with pytest.raises(XregitError):
            load(path)
    with pytest.raises(XregitError, match="is a folder, but a document"):
        read_document(tmp_path)
    with pytest.raises(XregitError, match="is no file"):
        read_document(tmp_path / "missing.json")


def test_large_document_is_not_read(tmp_path: Path) -> None:
    """A document of more than 1 GiB, such as a dump, is refused before it is read."""
    dump = tmp_path / "dump.json"
    dump.touch()
    os.truncate(dump, 2**30 + 1)
    with pytest.raises(XregitError, match="is larger than 1 GiB"):
        read_document(dump)
