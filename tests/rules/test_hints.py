"""What a finding says to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.folders import folder, registry_of
from xregit.catalog import read_folder
from xregit.rules import check

GROUP = "description: Doors.\nenvelope: CloudEvents/1.0\n"
FILES = {
    "messagegroups/doors/messagegroup.yaml": GROUP,
    "messagegroups/doors/messages/opened.yaml": "description: Opened.\nenvelopemetadata: {}\n",
    "schemagroups/doors/schemagroup.yaml": "description: Doors.\n",
    "schemagroups/doors/schemas/opened/schema.yaml": "description: Opened.\nformat: JsonSchema/draft-07\n",
    "schemagroups/doors/schemas/opened/versions/1.json": "{}\n",
}
SCHEMAS = "schemagroups/doors/schemas/opened"
WRITE_FORMAT = 'Write "dataschemaformat: JsonSchema/draft-07"'
NEW = "messagegroups/doors/messages/closed.yaml"


@pytest.mark.parametrize(
    ("said", "rule", "help_"),
    [
        ("basemessage: /messagegroups/doors/messages/opend", "basemessage-not-found", 'Did you mean "opened"?'),
        (
            "basemessage: /messagegroups/doors/messages/closd",
            "basemessage-not-found",
            "Add the message, or correct the reference.",
        ),
        (
            "basemessage: /messagegroups/dors/messages/closed",
            "basemessage-not-found",
            "Add the message, or correct the reference.",
        ),
        ("basemessage: /messagegroups/dors/messages/opened", "basemessage-not-found", 'Did you mean "doors"?'),
        (
            "deprecated: {alternative: /messagegroups/doors/messages/closd}",
            "alternative-not-found",
            "Add the alternative, or correct the reference.",
        ),
        ("dataschemauri: /schemagroups/doors/schemas/opend", "dataschemauri-not-found", 'Did you mean "opened"?'),
        ('dataschemauri: "#/schemagroups/dors/schemas/opened"', "dataschemauri-not-found", 'Did you mean "doors"?'),
        (
            "dataschemaxid: /schemagroups/doors/schemas/other",
            "dataschemaxid-not-found",
            "Add the schema, or correct the reference.",
        ),
        (
            "dataschemauri: /schemagroups/doors/schemas/opened/versions/2",
            "dataschemauri-not-found",
            "Add the version, or correct the reference. Its only version is 1.",
        ),
        (
            "dataschemauri: /schemagroups/doors/schemas/opened/1",
            "dataschemauri-not-found",
            'Write "dataschemauri: /schemagroups/doors/schemas/opened/versions/1".',
        ),
        (
            "dataschemauri: schemagroups/doors/schemas/opened",
            "dataschemauri-not-found",
            'Write "dataschemauri: /schemagroups/doors/schemas/opened".',
        ),
        (
            "dataschemauri: ../../../schemagroups/doors/schemas/opened/versions/1.json",
            "dataschemauri-not-found",
            'Write "dataschemauri: /schemagroups/doors/schemas/opened/versions/1".',
        ),
        (
            "dataschemauri: registry/schemagroups/doors/schemas/opened/schema.yaml",
            "dataschemauri-not-found",
            'Write "dataschemauri: /schemagroups/doors/schemas/opened".',
        ),
        (
            "dataschemauri: schemas/opened.json",
            "dataschemauri-not-found",
            "Write the xid of a schema, such as /schemagroups/<id>/schemas/<id>, or an absolute URI.",
        ),
        (
            "dataschemauri: /schemagroups/doors/schemas/opened\ndataschemaformat: Protobuf/3",
            "dataschemaformat-differs-from-schema",
            f'{WRITE_FORMAT}; or, if the schema is written in Protobuf/3, correct its "format".',
        ),
        ("dataschemauri: /schemagroup/doors/schemas/a", "dataschemauri-not-found", 'Did you mean "schemagroups"?'),
        ("dataschemauri: /schemagroups/doors/schema/a", "dataschemauri-not-found", 'Did you mean "schemas"?'),
        (
            "protocol: MQTT/5.0\nprotocoloptions: {topic: doors}",
            "unknown-attribute",
            'Did you mean "topic_name"?',
        ),
        (
            "protocol: HTTP\nprotocoloptions: {headers: {X-Signature: {required: true}}}",
            "invalid-attribute",
            'Write a list, each item behind a hyphen on a line of its own, such as "- name: X-Signature".',
        ),
        (
            "protocol: HTTP\nprotocoloptions: {headers: [{X-Signature: {required: true}}]}",
            "unknown-attribute",
            'Write "- name: X-Signature", and what it must be on lines of its own below.',
        ),
    ],
)
def test_references_to_nothing_come_with_the_likely_target(tmp_path: Path, said: str, rule: str, help_: str) -> None:
    """A name that is nearly right is told; otherwise the ways out are."""
    format_ = "" if "dataschemaformat" in said else "dataschemaformat: JsonSchema/draft-07\n"
    text = f"description: Closed.\nenvelopemetadata: {{}}\n{format_}{said}\n"
    diagnostics = check(read_folder(folder(tmp_path, {**FILES, NEW: text}))).diagnostics
    assert [item.help for item in diagnostics if item.rule == rule] == [help_]


def test_what_the_group_makes_necessary_is_said_to_be_so(tmp_path: Path) -> None:
    """The envelope that asks for "envelopemetadata" stands in another file, so that the message names it."""
    diagnostics = check(read_folder(folder(tmp_path, {**FILES, NEW: "description: Closed.\n"}))).diagnostics
    assert [item.message for item in diagnostics if item.rule == "required-attribute-missing"] == [
        '"envelopemetadata" is missing, which goes with the inherited "envelope".'
    ]


INLINE = """
usage: producer
protocol: HTTP/1.1
protocoloptions: {method: POST}
messages:
  myevent:
    envelope: CloudEvents/1.0
    envelopemetadata: {attributes: {type: {value: myevent}}}
"""
BASES = "\n  mine: {protocol: HTTP}\n  derived: {basemessage: /endpoints/e/messages/mine}\n"


@pytest.mark.requirement("MSG-35", "EP-39")
def test_protocol_of_the_group_alone_asks_for_no_options(tmp_path: Path) -> None:
    """The example of endpoint/spec.md has none; a protocol of the message's own, or of its base, asks for them."""
    files = {"registry.yaml": "registryid: r\n", "endpoints/e/endpoint.yaml": INLINE.rstrip() + BASES}
    diagnostics = check(read_folder(folder(tmp_path, files))).diagnostics
    assert {item.xid for item in diagnostics if item.rule == "required-attribute-missing"} == {
        "/endpoints/e/messages/derived",
        "/endpoints/e/messages/mine",
    }


@pytest.mark.parametrize(
    ("format_", "name", "text", "line"),
    [
        ("Protobuf/3", "1.proto", 'syntax = "proto3";\n<<<<<<< HEAD\nmessage A {}\n=======\n>>>>>>> b\n', 2),
        ("XSD/1.0", "1.xsd", "<schema>\r\n>>>>>>> b\r\n</schema>\r\n", 2),
        ("Avro/1.11.0", "1.avsc", '{"type":\n||||||| base\n"int"}\n', 2),
    ],
)
def test_conflict_in_a_schema_is_told_as_one(tmp_path: Path, format_: str, name: str, text: str, line: int) -> None:
    """What a merge left in a document of whichever language is no fault of its language."""
    files = {
        "schemagroups/a/schemagroup.yaml": "description: A.\n",
        "schemagroups/a/schemas/a/schema.yaml": f"description: A.\nformat: {format_}\n",
        f"schemagroups/a/schemas/a/versions/{name}": text,
    }
    (result,) = [item for item in check(read_folder(folder(tmp_path, files))).diagnostics if item.path.endswith(name)]
    assert (result.line, result.message) == (line, "A merge left both sides of a conflict here.")


@pytest.mark.parametrize(
    ("address", "meant"),
    [
        ("broker.example.com:9093", "broker.example.com:9093"),
        ("localhost:9092", "localhost:9092"),
        ("broker.example.com:80/a", "broker.example.com:80/a"),
        ("mailto:ada", "host.example.com"),
    ],
)
def test_host_without_scheme_is_completed(tmp_path: Path, address: str, meant: str) -> None:
    """An address as clients' configurations have it comes back with a scheme."""
    stated = f"usage: [producer]\nprotocol: KAFKA\nprotocoloptions: {{endpoints: [{{uri: '{address}'}}]}}\n"
    diagnostics = check(read_folder(folder(tmp_path, {"endpoints/e/endpoint.yaml": stated}))).diagnostics
    helps = [item.help for item in diagnostics if item.rule == "address-without-host"]
    assert helps == [f'Use "plaintext://{meant}".']


def test_group_in_the_registry_s_own_file_is_sent_to_its_own(tmp_path: Path) -> None:
    """Documents have groups in one piece, folders have a file for each."""
    registry = registry_of(tmp_path, {"registry.yaml": "registryid: r\nendpoints: {}\n"})
    (finding,) = check(registry).diagnostics
    assert "endpoints/<id>/endpoint.yaml" in finding.help


def test_schema_in_yaml_is_told_as_that(tmp_path: Path) -> None:
    """A JSON Schema whose file says that it is YAML is no text with a fault at its first word; one in JSON is fine."""
    told = {}
    for text in ("type: object\n", '{"type": "object"}\n'):
        registry = registry_of(tmp_path / str(len(text)), {**FILES, f"{SCHEMAS}/versions/2.yaml": text})
        told[text[0]] = [item.message for item in check(registry).diagnostics if item.path.endswith("2.yaml")]
    assert told == {"t": ["The file's name says that it is YAML, but JsonSchema is read as JSON here."], "{": []}


@pytest.mark.parametrize(
    ("path", "said", "meant"),
    [
        ("registry.yaml", "registryid: doors\nrules: {description-missing: off}\n", "xregit.yaml"),
        ("xregit.yaml", "description: Doors.\n", "registry.yaml"),
        ("xregit.yaml", "waivers: []\n", "waivers.yaml"),
    ],
    ids=["settings", "registry", "waivers"],
)
def test_an_attribute_in_the_wrong_file_is_told_the_right_one(tmp_path: Path, path: str, said: str, meant: str) -> None:
    """Three files of the registry itself stand side by side."""
    report = check(registry_of(tmp_path, {**FILES, path: said}))
    results = [(item.rule, item.help) for item in report.diagnostics if item.path.endswith(path)]
    assert results == [("unknown-attribute", f"Move it to {meant}, beside this file.")]


def test_a_version_with_a_space_in_its_id_is_told_that_alone(tmp_path: Path) -> None:
    """No reference of its schema is at fault."""
    files = {**FILES, f"{SCHEMAS}/versions/second one.json": '{"type": "object"}\n'}
    results = {item.rule for item in check(registry_of(tmp_path, files)).diagnostics if SCHEMAS in item.path}
    assert results == {"malformed-id", "unused-schema"}


def test_a_format_that_nobody_knows_is_not_proposed(tmp_path: Path) -> None:
    """The message has the right one, and would be wrong without its version."""
    message = f"{FILES['messagegroups/doors/messages/opened.yaml']}dataschemaformat: JsonSchema/draft-07\n"
    files = {
        **FILES,
        f"{SCHEMAS}/schema.yaml": "description: Opened.\nformat: parcels\n",
        "messagegroups/doors/messages/opened.yaml": f"{message}dataschemauri: /{SCHEMAS}\n",
    }
    result = {item.rule: item.help for item in check(registry_of(tmp_path, files)).diagnostics}
    text = 'Write "format: JsonSchema/draft-07" in the schema, if that is its language; its current format is unknown'
    assert result["dataschemaformat-differs-from-schema"].startswith(text)


@pytest.mark.parametrize(
    ("line", "help_"),
    [
        ("payload: {type: object}", 'Write "dataschema" for a schema that stands here'),
        ("bindings: {kafka: {}}", 'State "protocol"'),
        ("tags: [doors]", 'Write "labels"'),
        ("owner: Doors", 'Write it under "labels"'),
        ("$ref: opened.yaml", 'Write "basemessage"'),
    ],
)
def test_names_of_other_languages_are_told_by_ours(line: str, help_: str, tmp_path: Path) -> None:
    """What AsyncAPI, OpenAPI and others call an attribute is told by its name here, and not to be removed."""
    registry = registry_of(tmp_path, {**FILES, NEW: f"description: Closed.\nenvelopemetadata: {{}}\n{line}\n"})
    (finding,) = (item for item in check(registry).diagnostics if item.rule == "unknown-attribute")
    assert finding.help.startswith(help_)


def test_usage_of_other_languages_is_told_by_ours(tmp_path: Path) -> None:
    """Who sends is a producer."""
    endpoint = "description: Doors.\nusage: [send]\nmessagegroups: [/messagegroups/doors]\n"
    registry = registry_of(tmp_path, {**FILES, "endpoints/doors/endpoint.yaml": endpoint})
    (finding,) = (item for item in check(registry).diagnostics if item.rule == "invalid-attribute")
    assert finding.help == 'Write "producer".'
