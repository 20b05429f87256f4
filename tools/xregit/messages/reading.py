"""Whatever a caller has of a message to what matching needs: values by key, the CloudEvent, and how it travels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from xregit.model.language import NOTHING
from xregit.protocols import Extraction, Event, Wire, WireError, extract, event_json, flatten, read_wire
from xregit.protocols.carriers import BATCH, STRUCTURED, carrier
from xregit.protocols.events import OPTIONAL, SPECVERSION
from xregit.protocols.json import json_value

Input = Wire | Mapping[str, Any] | str | bytes | bytearray
Fields = Mapping[str, tuple[Any, ...]]
_USUAL = frozenset({"specversion", "id", "source", "type", "subject", "time", "dataschema", "datacontenttype"})
# Texts that are times beyond doubt, as almost all are; `protocols` decides on the others.
SECOND = (
    r"(?:[0-9]{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"|[0-9]{2}(?:0[48]|[2468][048]|[13579][26])-02-29)"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
)
ZONE = r"(?:Z|[+\-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
TIME = rf"{SECOND}(?:\.[0-9]+)?{ZONE}"
is_time = re.compile(TIME).fullmatch


class IncomingMessage(NamedTuple):
    """A message as matching looks at it; a named tuple, as one is made for every message of a stream.

    ``fields`` are the protocol's own values by key, ``event`` is the valid CloudEvent in the JSON event format, with
    ``attributes`` those of an event that is not valid too. ``mode`` is how it travels, as `protocols.carried` names
    it. ``problems`` say why it is no valid event, or no message at all; there is no ``wire`` then.
    """

    event: Mapping[str, Any] | None = None
    attributes: Mapping[str, Any] = NOTHING
    protocol: str = ""
    fields: Fields = NOTHING
    mode: str = ""
    problems: tuple[str, ...] = ()
    wire: Wire | None = None
    data: bytes | None = None

    @property
    def body(self) -> bytes | None:
        """The payload: the data of the event where there is one, or else that of the message."""
        if self.wire is not None:
            return self.data
        return read_wire(self.event).body if self.event is not None else None

    @property
    def outer_type(self) -> str:
        """The media type that the message itself states, or an empty string."""
        known = carrier(self.protocol)
        values = self.fields.get(known.contenttype, ()) if known else ()
        return str(values[0]) if values else ""

    @property
    def contenttype(self) -> str:
        """The media type of the payload, or an empty string."""
        if self.event is not None:
            return str(self.event.get("datacontenttype", ""))
        return self.outer_type


def decode(message: Input) -> tuple[IncomingMessage, ...]:
    """Return what was received: one message, or one for each event of a batch; a bad one has problems."""
    try:
        text = _json_text(message)
        value = message if text is None else json_value(text)
        # Without escapes, no text in it has a character that an attribute may not have.
        plain = text is not None and b"\\" not in text and b"\x7f" not in text and text.isascii()
        if value.__class__ is dict and "protocol" not in value and _is_event(value, plain):
            return (IncomingMessage(value, value, "", NOTHING, STRUCTURED),)
        return _from_wire(value if isinstance(value, Wire) else read_wire(value))
    except WireError as error:
        return (IncomingMessage(problems=error.problems),)
    except ValueError as error:
        return (IncomingMessage(problems=(f"The message is not JSON: {error}.",)),)


def _json_text(message: Input) -> bytes | None:
    """Return a message that is still to be parsed, None for one that is parsed already."""
    if message.__class__ is bytes:
        return message
    if isinstance(message, str):
        return message.encode()
    return bytes(message) if isinstance(message, bytes | bytearray) else None


def _is_event(value: dict[str, Any], printable: bool) -> bool:
    """Tell whether an object is a valid CloudEvent beyond doubt, by fast tests that most events of a stream pass.

    Others go through `protocols.read_wire`, which knows all the rules and gives the reasons.
    """
    attributes = value.copy()
    attributes.pop("data", None)
    try:
        texts = "".join(attributes.values())
    except TypeError:
        return False
    return (
        attributes.get("specversion") == SPECVERSION
        and bool(attributes.get("id") and attributes.get("source") and attributes.get("type"))
        and "" not in map(attributes.get, OPTIONAL)
        and (printable or texts.isprintable())
        and (attributes.keys() <= _USUAL or _are_names("".join(attributes)))
        and ("time" not in attributes or is_time(attributes["time"]) is not None)
    )


def _are_names(text: str) -> bool:
    """Tell whether names one after the other have lower-case letters and digits only."""
    return text.isascii() and text.isalnum() and text.islower()


def _from_wire(wire: Wire) -> tuple[IncomingMessage, ...]:
    found = extract(wire)
    fields = flatten(wire) if wire.protocol else NOTHING
    if found.mode == BATCH and not found.problems and found.events:
        return tuple(_incoming(wire, fields, found, event) for event in found.events)
    return (_incoming(wire, fields, found, found.events[0] if found.events else None),)


def _incoming(wire: Wire, fields: Fields, found: Extraction, event: Event | None) -> IncomingMessage:
    attributes = event.attributes if event is not None else NOTHING
    valid = event is not None and not found.problems
    inner = event.data if event is not None else wire.body
    value = event_json(event) if event is not None and valid else None
    return IncomingMessage(value, attributes, wire.protocol, fields, found.mode, found.problems, wire, inner)
