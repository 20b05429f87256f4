"""The example catalog has what readers and tools are to be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from xregit.catalog import Message, Registry, read_folder
from xregit.model import builtin
from xregit.rules import check

PROTOCOLS = {"HTTP", "AMQP/1.0", "MQTT/3.1.1", "MQTT/5.0", "KAFKA", "NATS"}
MODES = {"binary", "structured"}


@pytest.fixture(scope="module")
def example(root: Path) -> Registry:
    """Return the example catalog."""
    return read_folder(root / "registry")


def mode(message: Message) -> object:
    """Return the CloudEvents mode that a message asks for."""
    options = message.resolved.attributes.get("envelopeoptions")
    return options.get("mode") if isinstance(options, dict) else None


def shared(message: Message) -> Iterator[str]:
    """Give the placeholders that stand in more than one property of a message."""
    result = Counter(name for item in message.properties for name in item.placeholders)
    yield from (name for name, count in result.items() if count > 1)


def test_nothing_is_wrong_with_it(example: Registry) -> None:
    """Check has nothing to report, not even a remark."""
    assert check(example).diagnostics == ()


def test_it_is_large_enough(example: Registry) -> None:
    """There are at least 60 messages in 12 groups that hold some."""
    holding = [group for group in example.messagegroups if group.messages]
    assert len(example.messages) >= 60
    assert len(holding) >= 12


def test_messages_and_endpoints_speak_every_protocol(example: Registry) -> None:
    """Each protocol is there for messages and endpoints, and each is one that the model knows."""
    assert {message.protocol for message in example.messages} >= PROTOCOLS
    assert {endpoint.protocol for endpoint in example.endpoints} >= PROTOCOLS


def test_events_travel_in_both_modes(example: Registry) -> None:
    """There are CloudEvents in binary and in structured mode."""
    events = [message for message in example.messages if message.envelope == "CloudEvents/1.0"]
    assert {mode(message) for message in events} >= MODES


def test_base_messages_are_two_deep(example: Registry) -> None:
    """Some message derives from one that derives from another, and each base is there."""
    assert max(len(message.resolved.chain) for message in example.messages) >= 2
    assert not any(message.resolved.missing or message.resolved.cycle for message in example.messages)


def test_a_message_is_an_alias_of_another(example: Registry) -> None:
    """An ``xref`` leads to a message of another group."""
    aliases = [message for message in example.messages if message.alias_of]
    assert aliases
    assert all(message.alias_of in example for message in aliases)


def test_placeholders_are_shared_across_properties(example: Registry) -> None:
    """One name stands in several properties of a message, so that their values go together."""
    assert any(list(shared(message)) for message in example.messages)


def test_deprecations_name_what_to_use_instead(example: Registry) -> None:
    """What is deprecated has an alternative in the catalog, messages and endpoints alike."""
    for entities in (example.messages, example.endpoints):
        results = [item.deprecated for item in entities if item.deprecated is not None]
        assert results
        assert all(deprecated["alternative"] in example for deprecated in results)


def test_extension_attributes_are_used(example: Registry) -> None:
    """The registry's own model adds attributes and a group type, and entities have them."""
    known = builtin().groups["messagegroups"].resources["messages"].attributes
    assert any(not message.attributes.keys() <= known.keys() for message in example.messages)
    assert any(example.groups[plural] for plural in example.model.groups.keys() - builtin().groups.keys())


@pytest.mark.parametrize("language", ["JsonSchema", "Avro", "Protobuf", "XSD"])
def test_payload_schemas_have_versions(language: str, example: Registry) -> None:
    """Each schema language is there, with documents, in more than one version, and describes some message."""
    schemas = [schema for schema in example.schemas if schema.format.startswith(f"{language}/")]
    assert any(len(schema.versions) > 1 for schema in schemas)
    assert all(version.document and version.document.data for schema in schemas for version in schema.versions)
    assert any(schema.users for schema in schemas)


@pytest.mark.parametrize("usage", ["producer", "consumer", "subscriber"])
def test_every_usage_of_endpoints_is_there(usage: str, example: Registry) -> None:
    """Endpoints of each usage carry messages."""
    assert any(usage in endpoint.usage and endpoint.contract for endpoint in example.endpoints)


def test_channels_pair_producers_with_consumers(example: Registry) -> None:
    """A channel leads from where messages are produced to where they are taken."""
    usages: dict[str, set[str]] = {}
    for endpoint in example.endpoints:
        if endpoint.channel:
            usages.setdefault(endpoint.channel, set()).update(endpoint.usage)
    assert usages
    assert all("producer" in found and found & {"consumer", "subscriber"} for found in usages.values())
