"""MQTT messages through a broker, with Eclipse Paho."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Queue
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.brokers.transport import Carry, Wire, body_of, name_values, to_bytes
from tests.ports import HOST
from tests.waiting import PATIENCE_SECONDS
from xregit.document.learner.brokers import MQTT_PROPERTIES, mqtt_wire

VERSIONS = {"MQTT/3.1.1": paho.MQTTv311, "MQTT/5.0": paho.MQTTv5}


@contextmanager
def carrier(port: int, protocol: str) -> Iterator[Carry]:
    """Give a function that publishes a message and returns what the subscriber to everything receives."""
    arrived: Queue[paho.MQTTMessage] = Queue()
    subscribed: Queue[bool] = Queue()
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=VERSIONS[protocol])
    client.on_message = lambda _client, _data, message: arrived.put(message)
    client.on_subscribe = lambda *_: subscribed.put(item=True)
    client.connect(HOST, port)
    client.loop_start()
    client.subscribe("#", qos=2)
    subscribed.get(timeout=PATIENCE_SECONDS)

    def carry(wire: Wire, send: Callable[[], object] | None = None) -> dict[str, Any]:
        if send:
            send()
        else:
            client.publish(
                wire.get("topic_name", "no/topic/declared"),
                body_of(wire),
                qos=wire.get("qos", 0),
                retain=wire.get("retain", False),
                properties=_properties(wire) if protocol == "MQTT/5.0" else None,
            )
        return mqtt_wire(protocol, arrived.get(timeout=PATIENCE_SECONDS))

    try:
        yield carry
    finally:
        client.disconnect()
        client.loop_stop()


def _properties(wire: Wire) -> Properties:
    result = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    for name, property_name in MQTT_PROPERTIES.items():
        if name in wire:
            setattr(result, property_name, wire[name])
    if "correlation_data" in wire:
        result.CorrelationData = to_bytes(wire["correlation_data"])
    if "user_properties" in wire:
        result.UserProperty = name_values(wire["user_properties"])
    return result
