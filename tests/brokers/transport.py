"""What the adapters of all clients share: the payload of the JSON shape, and bytes where a text is due."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

from xregit.protocols import read_wire

Wire = Mapping[str, Any]
# Sends a message through a broker, or lets the function that comes second do so, and returns what has arrived.
Carry = Callable[..., dict[str, Any]]


def body_of(wire: Wire) -> bytes | None:
    """Return the payload of a message in its JSON shape."""
    return read_wire(wire).body


def body_json(body: bytes | bytearray | None) -> dict[str, str]:
    """Return the member that holds a payload; a client does not tell an empty one from none."""
    return {"body_base64": b64encode(body).decode()} if body else {}


def to_bytes(value: Any) -> bytes:
    """Return a text, or the bytes that stand for none, as bytes."""
    return b64decode(value["base64"]) if isinstance(value, Mapping) else str(value).encode()


def from_bytes(value: bytes) -> Any:
    """Return bytes as the text that they are, else as bytes."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(value).decode()}


def pairs(items: Any) -> list[dict[str, str]]:
    """Return pairs of a name and a text as the JSON shape has them."""
    return [{"name": name, "value": value} for name, value in items]


def name_values(items: Any) -> list[tuple[str, str]]:
    """Return the names and texts of a list of the JSON shape."""
    return [(item["name"], item["value"]) for item in items]
