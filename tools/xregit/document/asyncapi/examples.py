"""Examples of AsyncAPI messages: the message that ``xregit new --example`` makes, as its headers and payload."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xregit.errors import XregitError
from xregit.messages.encoder import new
from xregit.messages.example import EXAMPLE_ID, EXAMPLE_TIME
from xregit.protocols.binding import BINARY, STRUCTURED

if TYPE_CHECKING:
    from xregit.catalog import Endpoint, Message


# Types of headers whose example is what the header's text says, since a schema says no more than that.
_TYPED = frozenset({"integer", "number", "boolean"})


def examples(
    endpoint: Endpoint, message: Message, headers: Mapping[str, Any], *, structured: bool, payload: bool
) -> dict[str, Any]:
    """Return the member ``examples`` of a message, or nothing where no message can be made.

    ``headers`` are the schemas of its headers by name; ``payload`` says that its payload is described by JSON Schema.
    """
    mode = "" if not message.envelope else STRUCTURED if structured else BINARY
    protocol = message.protocol or endpoint.protocol
    try:
        wire = new(message, example=True, now=EXAMPLE_TIME, new_id=EXAMPLE_ID, mode=mode, protocol=protocol).as_json()
    except XregitError:
        return {}
    values = _header_values(wire, headers)
    # Without a protocol, the message is the event itself.
    body = wire.get("body") if "protocol" in wire else wire
    described = {"payload": body} if payload and isinstance(body, Mapping | list) else {}
    example = {**({"headers": values} if values else {}), **described}
    return {"examples": [example]} if example else {}


def _header_values(wire: Mapping[str, Any], headers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of headers, of whatever section of the message, by the names that the schema has."""
    texts: dict[str, Any] = {}
    for section in wire.values():
        if isinstance(section, list):
            texts |= {item["name"].lower(): item.get("value") for item in section if isinstance(item, Mapping)}
        elif isinstance(section, Mapping):
            texts |= {name.lower(): value for name, value in section.items()}
    return {name: _typed(texts[name.lower()], schema) for name, schema in headers.items() if name.lower() in texts}


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    if schema.get("type") in _TYPED and isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
