"""A message on the wire to its JSON shape; the inverse of reading."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from xregit.protocols.events import event_json
from xregit.protocols.fields import BASE64
from xregit.protocols.json import json_bytes, json_value
from xregit.protocols.shapes import shape
from xregit.protocols.wire import Event, Wire

_OBJECTS = (b"{", b"[")


def wire_json(wire: Wire) -> dict[str, Any]:
    """Return the message in its JSON shape; a bare CloudEvent in the JSON event format."""
    if not wire.protocol:
        return event_json(Event(wire.fields, wire.body))
    known = shape(wire.protocol)
    twins = known.twins if known else {}
    value: dict[str, Any] = {"protocol": wire.protocol}
    for name, item in wire.fields.items():
        value[name] = b64encode(item).decode() if name in twins else _json_value(item)
    return value | body_json(wire.body)


def body_json(body: bytes | None) -> dict[str, Any]:
    """Return a payload as the members that stand for it: ``body``, or ``body_base64`` where it is no text.

    JSON objects and arrays stand as themselves where that loses nothing.
    """
    if body is None:
        return {}
    if body.startswith(_OBJECTS):
        try:
            value = json_value(body)
            if json_bytes(value) == body:
                return {"body": value}
        except ValueError:
            pass
    try:
        return {"body": body.decode()}
    except UnicodeDecodeError:
        return {"body_base64": b64encode(body).decode()}


def _json_value(value: Any) -> Any:
    if isinstance(value, bytes):
        return {BASE64: b64encode(value).decode()}
    if isinstance(value, Mapping):
        return {name: _json_value(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_json_pair(item) for item in value]
    return [_json_value(item) for item in value] if isinstance(value, list) else value


def _json_pair(item: Any) -> Any:
    if isinstance(item, tuple):
        return {"name": item[0], "value": item[1]}
    return _json_value(item)
