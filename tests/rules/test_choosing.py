"""Which rules are asked about an entity: those about what it states, and about its envelope and protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.catalog.folders import registry_of
from xregit.rules.registry import RULES
from xregit.rules.runner import Runner

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog import Registry

MESSAGES = {
    "messagegroups/g/messages/bare.yaml": "description: Says nothing of itself.",
    "messagegroups/g/messages/based.yaml": "basemessage: /messagegroups/g/messages/mqtt",
    "messagegroups/g/messages/kafka.yaml": "{protocol: kafka/2.0, protocoloptions: {topic: cars}}",
    "messagegroups/g/messages/mqtt.yaml": "{protocol: MQTT/5.0, protocoloptions: {topic_name: cars}}",
}


def rules_for(registry: Registry, name: str) -> set[str]:
    """Return the names of the rules about messages that are asked about one."""
    resource = registry.resource(f"/messagegroups/g/messages/{name}")
    assert resource is not None
    return {item.name for item in Runner(registry, RULES).rules_for(resource, ("message",))}


def test_rules_are_asked_about_entities_that_state_what_they_look_at(tmp_path: Path) -> None:
    """A rule about base messages is asked about those that name one, and other rules about all."""
    registry = registry_of(tmp_path, MESSAGES)
    assert "basemessage-not-found" in rules_for(registry, "based")
    assert "basemessage-not-found" not in rules_for(registry, "bare")
    assert "underived-base-message" in rules_for(registry, "bare")


def test_rules_are_asked_about_messages_of_their_protocol(tmp_path: Path) -> None:
    """A rule about records of Kafka is asked about messages of that protocol, however it is spelled."""
    registry = registry_of(tmp_path, MESSAGES)
    assert "key-and-key-base64" in rules_for(registry, "kafka")
    assert "key-and-key-base64" not in rules_for(registry, "mqtt")
