"""The model files: complete, described, cited, and of the shape that the design promises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from xregit.errors import XregitError
from xregit.model import builtin, canonical, export_source, files, find_name, names
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, SYNTAXES
from xregit.model.files import SPECVERSION, content
from xregit.model.language import AttributeModel
from xregit.model.protocols import protocols

MODEL = builtin()
MESSAGE = MODEL.groups["messagegroups"].resources["messages"]
ENDPOINT = MODEL.groups["endpoints"]
PROTOCOLS = ["AMQP/1.0", "MQTT/3.1.1", "MQTT/5.0", "KAFKA", "HTTP", "NATS"]


def walk(attributes: Mapping[str, AttributeModel], path: str = "") -> Iterator[tuple[str, AttributeModel]]:
    """Yield every attribute below, with the path that leads to it."""
    for name, attribute in attributes.items():
        here = f"{path}.{name}" if path else name
        yield here, attribute
        yield from walk(attribute.attributes, here)
        if attribute.item is not None:
            yield from walk({"[]": attribute.item}, here)
        for key, clause in attribute.ifvalues.items():
            yield from walk(clause, f"{here}={key}")


def everything() -> Iterator[tuple[str, AttributeModel]]:
    """Yield every attribute of the model."""
    yield from walk(MODEL.attributes, "registry")
    yield from walk(MODEL.settings, "settings")
    for group in MODEL.groups.values():
        yield from walk(group.attributes, group.singular)
        for kind in group.resources.values():
            for part in (kind.attributes, kind.metaattributes, kind.resourceattributes):
                yield from walk(part, kind.singular)


def test_every_attribute_is_described() -> None:
    """Docs and editors have something to say of each attribute, in whole sentences."""
    bare = [
        path
        for path, item in everything()
        if not item.description and item.type != "any" and not path.endswith("[]")
    ]  # fmt: skip
    assert bare == []
    assert [
        path for path, item in everything() if item.description and not item.description.endswith((".", "=1"))
    ] == []


def test_every_name_of_the_files_exists() -> None:
    """Types, forms and tables of names that the files mention are there."""
    for path, item in everything():
        assert item.type in {*DATATYPES, "object", "map", "array"}, path
        assert not item.property or item.property in PROPERTY_TYPES, path
        assert not item.syntax or item.syntax in SYNTAXES, path
        assert not item.keys or item.keys in SYNTAXES, path
        assert not item.names or names(item.names), path
        assert item.fold in {"", "item", "pairs"}, path


def test_every_requirement_cited_exists(shared: Path) -> None:
    """The files cite requirements that the table lists."""
    listed = set(re.findall(r"^\| ([A-Z0-9]+-[0-9]+) \|", (shared / "spec/requirements.md").read_text(), re.MULTILINE))
    assert {name for _, item in everything() for name in item.requirements} - listed == set()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_is_there(protocol: str) -> None:
    """Messages and endpoints have options of their own for each of the six protocols."""
    assert MESSAGE.attributes["protocol"].ifvalues[protocol]["protocoloptions"].attributes
    assert ENDPOINT.attributes["protocol"].ifvalues[protocol]["protocoloptions"].attributes


def described() -> dict[str, set[str]]:
    """Return the parts that a protocol may have, and the facts in each, as the comments of protocols.yaml list them."""
    parts: dict[str, set[str]] = {}
    text = (Path(files.__file__).parent / SPECVERSION / "protocols.yaml").read_text(encoding="utf-8")
    for names_, fact in re.findall(r"^# (?:([a-z]+(?:, [a-z]+)*)|  ([a-z]+)): ", text, re.MULTILINE):
        for part in names_.split(", ") if names_ else ():
            parts[part] = set()
        if fact:
            parts[part].add(fact)
    return parts


def test_nothing_is_said_of_a_protocol_that_nobody_reads() -> None:
    """Each part and fact in the files of protocols is one that is described, and each of those is used."""
    known, said = described(), protocols()
    assert {part for parts in said.values() for part in parts} == known.keys()
    for part in ("wire", "cloudevents", "matching", "client", "asyncapi", "sending", "printed", "skeleton"):
        assert {fact for parts in said.values() for fact in parts.get(part, {})} == known[part], part


def test_every_protocol_has_a_place_in_the_order() -> None:
    """The names that come first are names of protocols."""
    assert content(SPECVERSION)["protocols.yaml"]["order"] == list(protocols())


def test_delivery_is_marked() -> None:
    """What delivery sets, and matching does not compare, is what the design lists."""
    marked = {
        f"{protocol} {path}"
        for protocol in PROTOCOLS
        for path, item in walk(MESSAGE.attributes["protocol"].ifvalues[protocol]["protocoloptions"].attributes)
        if item.delivery
    }
    assert marked == {
        "AMQP/1.0 header",
        "AMQP/1.0 delivery-annotations",
        "MQTT/3.1.1 qos",
        "MQTT/3.1.1 retain",
        "MQTT/5.0 qos",
        "MQTT/5.0 retain",
        "MQTT/5.0 message_expiry_interval",
        "KAFKA partition",
    }


def test_shared_types_are_one_type() -> None:
    """Endpoints hold the very messages that message groups hold, and references may lead to either."""
    assert ENDPOINT.resources["messages"] is MESSAGE
    expected = ("/messagegroups/messages[/versions]", "/endpoints/messages[/versions]")
    assert MESSAGE.attributes["basemessage"].targets == expected


@pytest.mark.requirement("MSG-6")
def test_messages_have_one_version_and_no_document() -> None:
    """The message type says so in the model."""
    assert (MESSAGE.maxversions, MESSAGE.hasdocument, MESSAGE.setdefaultversionsticky) == (1, False, False)


@pytest.mark.parametrize(
    ("protocol", "option", "default"),
    [
        pytest.param("HTTP", "method", "POST", marks=pytest.mark.requirement("EP-43")),
        pytest.param("AMQP/1.0", "durable", False, marks=pytest.mark.requirement("EP-49")),
        pytest.param("AMQP/1.0", "distribution-mode", "move", marks=pytest.mark.requirement("EP-51")),
        pytest.param("MQTT/5.0", "qos", 0, marks=pytest.mark.requirement("EP-55")),
        pytest.param("MQTT/5.0", "retain", False, marks=pytest.mark.requirement("EP-56")),
        pytest.param("MQTT/5.0", "cleansession", True, marks=pytest.mark.requirement("EP-57")),
        pytest.param("KAFKA", "acks", 1, marks=pytest.mark.requirement("EP-63")),
        pytest.param("NATS", "deployed", False, marks=pytest.mark.requirement("EP-34")),
    ],
)
def test_options_of_endpoints_have_their_defaults(protocol: str, option: str, default: object) -> None:
    """What an option means that an endpoint does not state."""
    options = ENDPOINT.attributes["protocol"].ifvalues[protocol]["protocoloptions"].attributes
    assert options[option].default == default


@pytest.mark.requirement("MSG-54")
def test_properties_are_not_required_unless_they_say_so() -> None:
    """The model's definition of a property has that default, but for what CloudEvents requires of every event."""
    attributes = MESSAGE.attributes["envelope"].ifvalues["CloudEvents/1.0"]["envelopemetadata"].attributes
    required = {name for name, attribute in attributes.items() if attribute.attributes["required"].default}
    assert required == {"specversion", "id", "type", "source"}


def test_a_model_is_read_once() -> None:
    """Whoever asks for the model gets the same one."""
    assert builtin("1.0-rc2") is builtin("1.0-rc2")


def test_an_unknown_specification_version_is_named() -> None:
    """The error says what there is."""
    with pytest.raises(XregitError, match=r"known: 1\.0-rc2"):
        builtin("2.0")


NAMES = {
    "protocol": {
        "MQTT/5.0": ["mqtt", "MQTT/5.0", "Mqtt/5"],
        "MQTT/3.1.1": ["mqtt/3.1.1"],
        "AMQP/1.0": ["AMQP", "amqp/1.0"],
        "KAFKA": ["Kafka", "kafka/2.0", "KAFKA/3.5", "Kafka/0.11"],
        "HTTP": ["http", "HTTP/1.1", "HTTP/2", "HTTP/3"],
        "NATS": ["nats", "NATS/1.0.0"],
        "BunnyMQ/0.9.1": ["BunnyMQ/0.9.1"],
        "AMQP/0.9": ["AMQP/0.9"],
        "MQTT/4": ["MQTT/4"],
    },
    "envelope": {"CloudEvents/1.0": ["cloudevents/1.0", "CLOUDEVENTS/1.0"], "Acme/2": ["Acme/2"], "": [""]},
    "format": {
        "JsonSchema/draft-07": ["JSONSchema/draft-07", "JSONSchema/Draft-07", "jsonschema/draft/07"],
        "JsonSchema/draft/2020-12": ["JSONSchema/Draft/2020-12", "JsonSchema/draft-2020-12"],
        "XSD/1.1": ["XMLSchema/1.1", "xsd/1.1"],
        "Avro/1.11.1": ["AVRO/1.11.1"],
        "Protobuf/3": ["Protobuf/3.0", "Proto/3", "protobuf/3"],
        "Protobuf/2": ["Protobuf/2.0"],
        "Ion/2": ["Ion/2"],
    },
}


@pytest.mark.parametrize(
    ("selector", "name", "spelling"),
    [(selector, name, one) for selector, table in NAMES.items() for name, all_ in table.items() for one in all_],
)
def test_names_have_one_spelling(selector: str, name: str, spelling: str) -> None:
    """Whatever the spelling, the name is the one that we write; unknown names stay as they are."""
    assert canonical(selector, spelling) == name
    assert canonical(selector, name) == name


def test_formats_tell_their_media_types() -> None:
    """A schema format says what its payloads and documents are, where that is certain."""
    json_schema, avro = find_name("format", "JSONSchema/draft-07"), find_name("format", "Avro/1.11")
    assert json_schema is not None
    assert avro is not None
    assert (json_schema.payload, json_schema.extensions) == ("application/json", ("json",))
    assert (avro.payload, avro.extensions) == ("", ("avsc",))
    assert find_name("format", "Ion/2") is None


def test_the_source_form_is_the_model_language(shared: Path) -> None:
    """What we serve as modelsource is valid by the schema that upstream publishes for it."""
    schema = json.loads((shared / "corpus/upstream/v1.0-rc2/core/model.schema.json").read_text())
    errors = Draft7Validator({**schema, "$schema": "http://json-schema.org/draft-07/schema#"}).iter_errors(
        export_source(MODEL)
    )
    assert [f"{list(error.absolute_path)}: {error.message}" for error in errors] == []


def test_the_source_form_has_no_words_of_ours() -> None:
    """Annotations, core attributes and clauses for unknown names stay with us."""
    source = export_source(MODEL)
    message: dict[str, Any] = source["groups"]["messagegroups"]["resources"]["messages"]
    assert "name" not in message["attributes"]
    assert list(message["attributes"]["protocol"]["ifvalues"]) == PROTOCOLS
    mqtt = message["attributes"]["protocol"]["ifvalues"]["MQTT/5.0"]["siblingattributes"]["protocoloptions"]
    assert mqtt["attributes"]["qos"]["type"] == "any"
    assert "required" not in mqtt
    assert "resources" not in source["groups"]["endpoints"]
    assert source["groups"]["endpoints"]["attributes"]["usage"]["enum"] == ["subscriber", "consumer", "producer"]


def _paths(attributes: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, attribute in attributes.items():
        yield path + name
        if set(attribute.get("attributes", {})) & {"value", "*"} and "value" in attribute.get("attributes", {}):
            continue
        yield from _paths(attribute.get("attributes", {}), f"{path}{name}.")
        for key, clause in attribute.get("ifvalues", {}).items():
            yield from _paths(clause["siblingattributes"], f"{key}.")
