"""A registry as one document, in each view and profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from tests.catalog.folders import folder
from xregit.catalog import Registry, read_folder
from xregit.cli.exchange import compile_
from xregit.diagnostics import Severity
from xregit.document import compile_document, read_document, to_bytes
from xregit.document.profiles import profiles
from xregit.errors import XregitError
from xregit.model import builtin
from xregit.rules import check


def entities(value: dict[str, Any], address: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every entity of a document with its address."""
    for key, inner in value.items():
        if key == "meta":
            yield f"{address}/meta", inner
        elif isinstance(inner, dict) and f"{key}url" in value:
            yield from members(address, key, inner)


def members(address: str, key: str, collection: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every entity of a collection with its address."""
    for name, entity in collection.items():
        here = f"{address}/{key}/{name.replace('~', '~0')}"
        yield here, entity
        yield from entities(entity, here)


def pointed(document: dict[str, Any], pointer: str) -> Any:
    """Return what a pointer leads to."""
    value: Any = document
    for part in pointer.removeprefix("#/").split("/"):
        value = value[part.replace("~1", "/").replace("~0", "~")]
    return value


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("document", {}),
        ("short", {"view": "short"}),
        ("resolved", {"resolved": True}),
        ("1.0-rc4", {"profile": "1.0-rc4"}),
    ],
)
def test_document_is_the_same_to_the_byte(
    small: Registry, golden: Callable[[str, str | bytes], None], name: str, options: dict[str, Any]
) -> None:
    """The small registry gives the documents that were reviewed."""
    document = compile_document(small, **options)
    document.pop("modelsource", None)
    golden(f"document/{name}.json", to_bytes(document))


def test_small_registry_is_right(small: Registry) -> None:
    """Nothing is wrong with the registry of the golden files, though it leaves out what these are not about."""
    assert [item for item in check(small).diagnostics if item.severity is Severity.ERROR] == []


def test_every_entity_says_where_it_is(small: Registry) -> None:
    """`self` points at the entity inside the document, `xid` is its path in the registry, and keys are ids."""
    document = compile_document(small)
    result = dict(entities(document))
    assert len(result) > 20
    for address, entity in result.items():
        assert entity["self"] == address
        assert pointed(document, entity["self"]) is entity
        assert entity["xid"] == address.removeprefix("#").replace("~0", "~")


def test_every_url_inside_leads_somewhere(small: Registry) -> None:
    """All addresses of collections, meta entities and default versions lead to what is in the document."""
    document = compile_document(small)
    for _, entity in [("", document), *entities(document)]:
        for name, value in entity.items():
            if name.endswith("url") and isinstance(value, str) and value.startswith("#"):
                assert pointed(document, value) is not None
            if name.endswith("count"):
                assert value == len(entity[name.removesuffix("count")])


def test_resource_has_no_attributes_of_its_version(small: Registry) -> None:
    """A resource holds what identifies it, its meta entity and its versions; an alias not even versions."""
    document = compile_document(small)
    messages = document["messagegroups"]["bags"]["messages"]
    identity = ["messageid", "self", "xid", "metaurl", "meta"]
    assert list(messages["bag.seen"]) == [*identity, "versionsurl", "versionscount", "versions"]
    assert list(messages["bag.alias"]) == identity
    assert list(messages["bag.alias"]["meta"]) == ["messageid", "self", "xid", "xref"]


def test_served_defaults_are_stated(small: Registry) -> None:
    """A default of a required attribute is stated, but not over what a base message states, known or not."""
    messages = compile_document(small)["messagegroups"]["bags"]["messages"]
    stated = {name: messages[name].get("versions", {}).get("1", {}).get("sensitivity") for name in messages}
    assert stated == {"bag.alias": None, "bag.lost": None, "bag.seen": "internal", "bag.seen.twice": "public"}


def test_types_of_the_registrys_own_model_are_there(small: Registry) -> None:
    """A group type of model.yaml is compiled like any other, and its definition stands in the model."""
    document = compile_document(small)
    assert document["glossaries"]["hall"]["terms"]["bag~tag"]["versions"]["1"]["meaning"] == "The number on a bag."
    assert "glossaries" in document["modelsource"]["groups"]


def test_document_read_back_gives_the_same_document(small: Registry, tmp_path: Path) -> None:
    """Compiling what was read from a compiled document gives that document."""
    text = to_bytes(compile_document(small))
    (tmp_path / "small.json").write_bytes(text)
    registry = read_document(tmp_path / "small.json")
    assert registry.problems == ()
    assert to_bytes(compile_document(registry)) == text


def test_options_that_an_author_nests_are_written_flat(tmp_path: Path) -> None:
    """What endpoints are tolerantly read with is written in the one form (K36, K38)."""
    registry = folder(
        tmp_path,
        {
            "endpoints/e/endpoint.yaml": """
                usage: [producer]
                protocol: AMQP/1.0
                protocoloptions:
                  options: {node: q, link_properties: {a: b}}
            """
        },
    )
    document = compile_document(read_folder(registry))
    assert document["endpoints"]["e"]["protocoloptions"] == {
        "node": "q",
        "deployed": False,
        "link-properties": {"a": "b"},
    }


def test_json_is_strict(small: Registry) -> None:
    """The bytes are JSON with a final newline."""
    text = to_bytes(compile_document(small))
    assert text.endswith(b"}\n")
    assert orjson.loads(text)["registryid"] == "small"


def test_renamed_attributes_are_renamed_in_the_model_too(small: Registry) -> None:
    """In the profile 1.0-rc4 the model knows the names that the document uses, and no others."""
    source = compile_document(small, profile="1.0-rc4")["modelsource"]
    message = source["groups"]["messagegroups"]["resources"]["messages"]
    assert "basemessageuri" in message["attributes"]
    assert "basemessage" not in message["attributes"]
    assert "setdefaultversionsticky" not in message
    clauses = message["attributes"]["protocol"]["ifvalues"]
    options = {name: clauses[name]["siblingattributes"]["protocoloptions"]["attributes"] for name in clauses}
    assert "payload_format_indicator" in options["MQTT/5.0"]
    assert "reply" in options["NATS"]
    assert "reply-to" in options["AMQP/1.0"]["properties"]["attributes"]


def test_empty_registry_has_all_collections(tmp_path: Path) -> None:
    """A registry without groups still lists every group type."""
    (tmp_path / "registry.yaml").write_text("registryid: empty\n", encoding="utf-8")
    document = compile_document(read_folder(tmp_path))
    assert {document[plural] == {} for plural in builtin().groups} == {True}


@pytest.mark.parametrize("options", [{"profile": "1.1"}, {"view": "long"}])
def test_unknown_options_name_the_known_ones(small: Registry, options: dict[str, Any]) -> None:
    """A profile or view that there is not ends in a line that names those there are."""
    with pytest.raises(XregitError, match="known: "):
        compile_document(small, **options)


@pytest.mark.requirement("MSG-40")
def test_each_profile_may_be_chosen() -> None:
    """A profile is a file; the setting and the command's help name those that there are."""
    assert set(builtin().settings["profile"].enum) == set(profiles())
    shown = CliRunner().invoke(compile_, ["--help"]).output
    assert [name for name in profiles() if name not in shown] == []


def test_short_form_says_the_format_of_a_schema(tmp_path: Path) -> None:
    """Where a message leaves out the format of its schema, and its base does too, it is that of the schema."""
    files = {
        "schemagroups/g/schemas/s/schema.yaml": "format: avro/1.11.0",
        "schemagroups/g/schemas/s/versions/1.avsc": '"string"',
        "messagegroups/g/messages/left.yaml": "dataschemauri: /schemagroups/g/schemas/s",
        "messagegroups/g/messages/said.yaml": "{dataschemauri: /schemagroups/g/schemas/s, "
        "dataschemaformat: Avro/1.12.0}",
        "messagegroups/g/messages/base.yaml": "{basemessage: /messagegroups/g/messages/said, "
        "dataschemauri: /schemagroups/g/schemas/s}",
        "messagegroups/g/messages/none.yaml": "dataschemauri: /schemagroups/g/schemas/other",
    }
    registry = read_folder(folder(tmp_path, files))
    messages = compile_document(registry, view="short")["messagegroups"]["g"]["messages"]
    result = {name: message.get("dataschemaformat") for name, message in messages.items()}
    assert result == {"left": "Avro/1.11.0", "said": "Avro/1.12.0", "base": None, "none": None}


@pytest.mark.parametrize(
    ("endpoint", "expected"),
    [
        (
            "{protocol: KAFKA, protocoloptions: {topic: t, key: '{id}', endpoints: [{uri: 'SSL://b:9093'}]}}",
            {"endpoints": [{"uri": "SSL://b:9093"}], "deployed": False, "options": {"topic": "t", "key": "{id}"}},
        ),
        (
            "{protocol: MQTT/5.0, protocoloptions: {topic: t, deployed: true, endpoints: [{uri: 'mqtts://b'}]}}",
            {"endpoints": [{"uri": "mqtts://b"}], "deployed": True, "options": None},
        ),
        ("{protocol: KAFKA}", {"endpoints": None, "deployed": None, "options": None}),
    ],
)
def test_short_form_states_options_where_generators_look(
    tmp_path: Path, endpoint: str, expected: dict[str, Any]
) -> None:
    """Addresses stand on the endpoint too, and the topic and key of Kafka in "options"; both are read back as one."""
    files = {"endpoints/e/endpoint.yaml": endpoint, "messagegroups/g/messagegroup.yaml": "{}"}
    registry = read_folder(folder(tmp_path, files))
    short = compile_document(registry, view="short")
    result = short["endpoints"]["e"]
    options = result.get("protocoloptions", {})
    assert {**{name: result.get(name) for name in ("endpoints", "deployed")}, "options": options.get("options")} == (
        expected
    )
    (tmp_path / "short.json").write_bytes(to_bytes(short))
    again = read_document(tmp_path / "short.json")
    assert [item for item in again.problems if item.severity is not Severity.INFO] == []
    names = ("protocol", "protocoloptions")
    before, after = (compile_document(each)["endpoints"]["e"] for each in (registry, again))
    assert [after.get(name) for name in names] == [before.get(name) for name in names]


def test_short_form_tells_what_aliases_stand_for(small: Registry) -> None:
    """With base messages merged in, an alias says what its target says, under its own id."""
    messages = compile_document(small, view="short", resolved=True)["messagegroups"]["bags"]["messages"]
    assert messages["bag.alias"] == {**messages["bag.seen"], "messageid": "bag.alias"}
    assert "xref" in compile_document(small, view="short")["messagegroups"]["bags"]["messages"]["bag.alias"]


def test_versions_of_the_short_form_say_who_they_are(small: Registry) -> None:
    """A version has its id and a pointer to itself, by which generators name what they make of it."""
    document = compile_document(small, view="short")
    schemas = document["schemagroups"]["hall"]["schemas"]
    for schema in schemas.values():
        for vid, version in schema["versions"].items():
            assert version["versionid"] == vid
            assert pointed(document, version["self"]) is version
