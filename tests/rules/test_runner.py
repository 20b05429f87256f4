"""Which rules are asked about an entity: those about what it states, and about its envelope and protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.catalog.folders import registry_of
from xregit.rules.registry import RULES
from xregit.rules.runner import MOST_KINDS, Choosing

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog import Registry
    from xregit.rules.rule import Rule

MESSAGES = {
    "messagegroups/g/messages/bare.yaml": "description: Says nothing of itself.",
    "messagegroups/g/messages/based.yaml": "basemessage: /messagegroups/g/messages/mqtt",
    "messagegroups/g/messages/kafka.yaml": "{protocol: kafka/2.0, protocoloptions: {topic: cars}}",
    "messagegroups/g/messages/mqtt.yaml": "{protocol: MQTT/5.0, protocoloptions: {topic_name: cars}}",
}
ABOUT = ("message",)


def chosen(registry: Registry, name: str) -> set[str]:
    """Return the names of the rules about messages that are asked about one."""
    by_about = {"message": [item for item in RULES if item.about == "message"]}
    resource = registry.resource(f"/messagegroups/g/messages/{name}")
    assert resource is not None
    return {item.name for item in Choosing(by_about).of(registry, resource, ABOUT)}


def test_rules_are_asked_about_entities_that_state_what_they_look_at(tmp_path: Path) -> None:
    """A rule about base messages is asked about those that name one, and other rules about all."""
    registry = registry_of(tmp_path, MESSAGES)
    assert "basemessage-not-found" in chosen(registry, "based")
    assert "basemessage-not-found" not in chosen(registry, "bare")
    assert "underived-base-message" in chosen(registry, "bare")


def test_rules_are_asked_about_messages_of_their_protocol(tmp_path: Path) -> None:
    """A rule about records of Kafka is asked about messages of that protocol, however it is spelled."""
    registry = registry_of(tmp_path, MESSAGES)
    assert "key-and-key-base64" in chosen(registry, "kafka")
    assert "key-and-key-base64" not in chosen(registry, "mqtt")


def test_not_everything_that_was_chosen_is_kept(tmp_path: Path) -> None:
    """Entities that all state something else take a bounded amount of memory, and get the same rules."""
    registry = registry_of(tmp_path, MESSAGES)
    resource = registry.resource("/messagegroups/g/messages/based")
    assert resource is not None
    choosing = Choosing({"message": RULES[:1]})
    several: list[tuple[Rule, ...]] = [
        choosing.of(registry, resource, ("message", str(number))) for number in range(MOST_KINDS + 2)
    ]
    assert set(several) == {several[0]}
