"""Every message of the example catalog, through a real broker or server, with a real client."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import xregit
from tests.brokers.contexts import AWKWARD, new_message
from tests.brokers.transport import Carry
from xregit.catalog import Message, Registry
from xregit.protocols import flatten, read_wire
from xregit.source import yaml_loader

CARRIERS = {
    "MQTT/5.0": "mqtt5",
    "MQTT/3.1.1": "mqtt3",
    "NATS": "nats_server",
    "AMQP/1.0": "artemis",
    "KAFKA": "kafka_broker",
    "HTTP": "http_server",
}
CASES: list[dict[str, Any]] = yaml_loader.parse(
    (Path(__file__).parents[1] / "cases" / "brokers.yaml").read_bytes()
).value


@pytest.fixture(scope="module")
def catalog(root: Path) -> Registry:
    """Return the example catalog."""
    return xregit.load(root / "registry")


@pytest.fixture(scope="module")
def match(catalog: Registry) -> Callable[[Any], Any]:
    """Return what recognises the messages of the example catalog."""
    return xregit.Matcher(catalog).match


def bound(catalog: Registry) -> Iterator[Message]:
    """Give the messages that have a protocol; an alias is its target, which is given already."""
    return (message for message in catalog.messages if message.protocol and not message.alias_of)


def test_every_protocol_of_the_catalog_has_a_broker(catalog: Registry) -> None:
    """No message that has a protocol is left out below."""
    assert {message.protocol for message in bound(catalog)} == CARRIERS.keys()


@pytest.mark.requirement("MSG-63", "MSG-64", "MSG-65", "EP-70")
@pytest.mark.parametrize("texts", [("7",), AWKWARD], ids=["plain", "awkward"])
@pytest.mark.parametrize("protocol", CARRIERS)
def test_messages_are_recognised_after_their_journey(
    protocol: str,
    texts: tuple[str, ...],
    catalog: Registry,
    match: Callable[[Any], Any],
    request: pytest.FixtureRequest,
) -> None:
    """Each message is made, sent, received whole, and recognised as itself alone, with the context it was made from."""
    carry: Carry = request.getfixturevalue(CARRIERS[protocol])
    for message in bound(catalog):
        if message.protocol == protocol:
            sent, context = new_message(message, texts)
            arrived = carry(sent.as_json())
            result = match(arrived)
            assert [(item.xid, dict(item.context)) for item in result.matches] == [(message.xid, context)], arrived
            assert (read_wire(arrived).body or b"") == (sent.body or b""), message.xid


@pytest.mark.parametrize("sent", CASES, ids=[f"{number}-{case['protocol']}" for number, case in enumerate(CASES)])
def test_clients_carry_every_field(sent: Mapping[str, Any], request: pytest.FixtureRequest) -> None:
    """All that a message says of itself is what arrives; a client may add headers of its own."""
    carry: Carry = request.getfixturevalue(CARRIERS[sent["protocol"]])
    before, after = read_wire(sent), read_wire(carry(sent))
    expected, arrived = flatten(before), flatten(after)
    assert {key: arrived.get(key) for key in expected} == expected
    assert (after.body or b"") == (before.body or b"")
