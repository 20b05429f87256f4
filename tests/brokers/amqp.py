"""AMQP 1.0 messages through a broker, with Qpid Proton."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from proton import Message, symbol
from proton.utils import BlockingConnection

from tests.brokers.transport import Carry, Wire, body_json, body_of, from_bytes, to_bytes
from tests.ports import HOST
from tests.waiting import PATIENCE_SECONDS
from xregit.protocols import to_text

QUEUE = "carried"
# The names that Proton has for the properties and the header of a message.
TEXTS = {
    "message-id": "id",
    "to": "address",
    "subject": "subject",
    "reply-to": "reply_to",
    "correlation-id": "correlation_id",
    "content-type": "content_type",
    "content-encoding": "content_encoding",
    "group-id": "group_id",
    "group-sequence": "group_sequence",
    "reply-to-group-id": "reply_to_group_id",
}
TIMES = {"absolute-expiry-time": "expiry_time", "creation-time": "creation_time"}
HEADER = {
    "durable": "durable",
    "priority": "priority",
    "first-acquirer": "first_acquirer",
    "delivery-count": "delivery_count",
}


@contextmanager
def carrier(port: int, queue: str = QUEUE) -> Iterator[Carry]:
    """Give a function that sends a message to a queue and returns what is taken from there."""
    connection = BlockingConnection(f"{HOST}:{port}", timeout=PATIENCE_SECONDS, allowed_mechs="ANONYMOUS")
    receiver, sender = connection.create_receiver(queue), connection.create_sender(QUEUE)

    def carry(wire: Wire, send: Callable[[], object] | None = None) -> dict[str, Any]:
        _ = send() if send else sender.send(_message(wire))
        message = receiver.receive(timeout=PATIENCE_SECONDS)
        receiver.accept()
        return _wire(message)

    try:
        yield carry
    finally:
        connection.close()


def _message(wire: Wire) -> Any:
    properties, header = wire.get("properties", {}), wire.get("header", {})
    # Proton's types are those of what it returns, not of what it takes.
    message: Any = Message(body=body_of(wire), inferred=True)
    for name, value in properties.items():
        if name in TEXTS:
            setattr(message, TEXTS[name], value)
        elif name in TIMES:
            setattr(message, TIMES[name], datetime.fromisoformat(value).timestamp())
        else:
            message.user_id = to_bytes(value)
    for name, value in header.items():
        if name in HEADER:
            setattr(message, HEADER[name], value)
    if "ttl" in header:
        message.ttl = header["ttl"] / 1000
    message.properties = dict(wire.get("application-properties", {})) or None
    message.annotations = {symbol(name): value for name, value in wire.get("message-annotations", {}).items()} or None
    message.instructions = {symbol(name): value for name, value in wire.get("delivery-annotations", {}).items()} or None
    return message


def _wire(message: Any) -> dict[str, Any]:
    texts = {name: getattr(message, there) for name, there in TEXTS.items()}
    times = {name: getattr(message, there) for name, there in TIMES.items()}
    stamps = {name: to_text("timestamp", datetime.fromtimestamp(time, UTC)) for name, time in times.items() if time}
    properties = {name: _plain(value) for name, value in texts.items() if value not in {None, ""}} | stamps
    if message.user_id:
        properties["user-id"] = from_bytes(bytes(message.user_id))
    return {
        "protocol": "AMQP/1.0",
        "properties": properties,
        "application-properties": {name: _plain(value) for name, value in (message.properties or {}).items()},
        "message-annotations": {str(name): _plain(value) for name, value in (message.annotations or {}).items()},
        "header": {name: getattr(message, there) for name, there in HEADER.items()},
        **body_json(bytes(message.body) if message.body is not None else None),
    }


def _plain(value: Any) -> Any:
    """Return a value of AMQP as JSON has it; a UUID or symbol is its text."""
    if isinstance(value, memoryview | bytes):
        return from_bytes(bytes(value))
    return value if isinstance(value, bool | int | float) else str(value)
