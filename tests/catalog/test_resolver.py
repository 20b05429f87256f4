"""Base messages: what is inherited, what is replaced, and who said it (message specification, "basemessage")."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.folders import registry_of
from xregit.catalog import Registry, Resolved

A = "/messagegroups/g/messages/a"
B = "/messagegroups/g/messages/b"
C = "/messagegroups/g/messages/c"

CHAIN = {
    "messagegroups/g/messages/a.yaml": """
        name: A
        description: The base.
        labels: {team: red, tier: gold}
        envelope: CloudEvents/1.0
        envelopemetadata:
          type: {value: a}
          subject: {type: uritemplate, value: "{vin}", description: The car.}
    """,
    "messagegroups/g/messages/b.yaml": """
        basemessage: /messagegroups/g/messages/a
        labels: {tier: silver}
        envelopemetadata:
          subject: {value: "cars/{vin}"}
        protocol: MQTT/5.0
        protocoloptions: {topic_name: "cars/{vin}", qos: 1}
    """,
    "messagegroups/g/messages/c.yaml": """
        basemessage: /messagegroups/g/messages/b
        protocol: KAFKA
        protocoloptions: {topic: cars}
    """,
}


def resolved(registry: Registry, xid: str) -> Resolved:
    """Resolve one message."""
    return registry.resolved(xid)


@pytest.mark.requirement("MSG-1", "MSG-29")
def test_maps_merge_deeply_and_scalars_replace(tmp_path: Path) -> None:
    """A derived message changes one member of an inherited map and keeps the others."""
    result = resolved(registry_of(tmp_path, CHAIN), B)
    assert result.attributes["envelopemetadata"] == {
        "type": {"value": "a"},
        "subject": {"type": "uritemplate", "value": "cars/{vin}", "description": "The car."},
    }
    assert result.attributes["labels"] == {"team": "red", "tier": "silver"}
    assert result.attributes["envelope"] == "CloudEvents/1.0"


def test_names_are_not_inherited_but_descriptions_are(tmp_path: Path) -> None:
    """A name belongs to one message; a description holds for its variants too."""
    result = resolved(registry_of(tmp_path, CHAIN), B)
    assert "name" not in result.attributes
    assert result.attributes["description"] == "The base."


def test_each_value_knows_who_wrote_it(tmp_path: Path) -> None:
    """The origin of a path is the message on which it, or its nearest ancestor, was written."""
    result = resolved(registry_of(tmp_path, CHAIN), B)
    assert result.origin(("envelopemetadata", "subject", "value")) == B
    assert result.origin(("envelopemetadata", "subject", "type")) == A
    assert result.origin(("envelopemetadata", "type", "value")) == A
    assert result.origin(("labels", "tier")) == B
    assert result.origin(("labels", "team")) == A
    assert result.origin(("protocoloptions", "qos")) == B


def test_a_value_of_another_kind_replaces_the_whole(tmp_path: Path) -> None:
    """Nothing of a base's map is left, nor of who wrote its parts, and selectors that are no texts are compared too."""
    files = {
        "messagegroups/g/messages/a.yaml": "labels: {team: red}\nprotocol: 5\nprotocoloptions: {qos: 1}\n",
        "messagegroups/g/messages/b.yaml": f"basemessage: {A}\nlabels: none\nprotocol: MQTT/5.0\n",
    }
    result = resolved(registry_of(tmp_path, files), B)
    assert (result.attributes["labels"], result.origin(("labels", "team"))) == ("none", B)
    assert "protocoloptions" not in result.attributes
    assert result.origin(("absent",)) == ""


@pytest.mark.requirement("MSG-1")
def test_chains_are_followed_to_their_end(tmp_path: Path) -> None:
    """A message two steps from its base has what the base says."""
    result = resolved(registry_of(tmp_path, CHAIN), C)
    assert result.chain == (B, A)
    assert result.origin(("envelopemetadata", "type")) == A
    assert result.origin(("envelopemetadata", "subject", "value")) == B


@pytest.mark.requirement("MSG-29")
def test_null_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    """It takes nothing away from what the base message says, or the group; the document doesn't have it."""
    empty = "protocol:\ndescription:\nlabels: {team: null}\nenvelopemetadata: {type: null, subject: {value: null}}\n"
    files = {**CHAIN, "messagegroups/g/messages/d.yaml": f"basemessage: {B}\n{empty}"}
    registry = registry_of(tmp_path, files)
    found, below = resolved(registry, "/messagegroups/g/messages/d").attributes, resolved(registry, B).attributes
    assert {**found, "basemessage": below["basemessage"]} == {**below}


def test_another_protocol_drops_the_options_of_the_old_one(tmp_path: Path) -> None:
    """MQTT options mean nothing to a message that is bound to KAFKA."""
    result = resolved(registry_of(tmp_path, CHAIN), C)
    assert result.attributes["protocoloptions"] == {"topic": "cars"}


def test_the_same_protocol_spelled_otherwise_keeps_the_options(tmp_path: Path) -> None:
    """Selectors compare without case and by alias."""
    files = {**CHAIN, "messagegroups/g/messages/c.yaml": f"basemessage: {B}\nprotocol: mqtt\n"}
    assert resolved(registry_of(tmp_path, files), C).attributes["protocoloptions"]["qos"] == 1


@pytest.mark.requirement("MSG-2", "MSG-28")
def test_a_cycle_ends_and_is_told(tmp_path: Path) -> None:
    """A message whose bases lead back to it resolves to what it says itself."""
    files = {
        "messagegroups/g/messages/a.yaml": f"basemessage: {B}\n",
        "messagegroups/g/messages/b.yaml": f"basemessage: {C}\n",
        "messagegroups/g/messages/c.yaml": f"basemessage: {B}\n",
    }
    registry = registry_of(tmp_path, files)
    assert resolved(registry, A).cycle == (B, C, B)
    assert resolved(registry, B).cycle


@pytest.mark.requirement("MSG-30", "MSG-31")
@pytest.mark.parametrize("base", ["/messagegroups/g/messages/none", "https://example.com/messages/m"])
def test_a_base_that_is_not_here_is_as_if_absent(tmp_path: Path, base: str) -> None:
    """A dangling or foreign base is no error; nothing is fetched."""
    result = resolved(registry_of(tmp_path, {"messagegroups/g/messages/a.yaml": f"basemessage: {base}\n"}), A)
    assert result.missing == base
    assert result.chain == ()


def test_ten_thousand_bases_deep_is_only_long(tmp_path: Path) -> None:
    """The depth of a chain is bounded by nothing but the number of messages."""
    lines = ["messages:"]
    for number in range(10_000):
        base = f", basemessage: /messagegroups/g/messages/m{number - 1}" if number else ""
        lines.append(f"  m{number}: {{labels: {{n: x{number}}}{base}}}")
    registry = registry_of(tmp_path, {"messagegroups/g/messagegroup.yaml": "\n".join(lines)})
    result = resolved(registry, "/messagegroups/g/messages/m9999")
    assert len(result.chain) == 9_999


def test_the_group_fills_in_envelope_and_protocol(tmp_path: Path) -> None:
    """A message may leave the envelope to its group, which is then where it comes from."""
    files = {
        "messagegroups/g/messagegroup.yaml": "envelope: CloudEvents/1.0\n",
        "messagegroups/g/messages/a.yaml": "envelopemetadata: {type: {value: a}}\n",
    }
    result = resolved(registry_of(tmp_path, files), A)
    assert result.attributes["envelope"] == "CloudEvents/1.0"
    assert result.origin(("envelope",)) == "/messagegroups/g"


def test_an_alias_resolves_as_its_target(tmp_path: Path) -> None:
    """A message with an xref is its target under another id."""
    files = {**CHAIN, "messagegroups/h/messages/x.yaml": f"xref: {A}\n"}
    registry = registry_of(tmp_path, files)
    alias = registry["/messagegroups/h/messages/x"]
    assert resolved(registry, "/messagegroups/h/messages/x").attributes["envelopemetadata"]["type"] == {"value": "a"}
    assert alias.alias_of == A
    assert [item.xid for item in registry[A].aliases] == [alias.xid]
