"""Messages of each protocol on the wire, and the CloudEvents that they carry."""

from __future__ import annotations

from xregit.protocols.binding import Extraction, bind, bind_batch, extract
from xregit.protocols.canonical_text import from_text, to_text
from xregit.protocols.cloudevents import Event, WireError, event_json, event_problems, read_event
from xregit.protocols.message_layout import key_of
from xregit.protocols.wire_message import Wire, assemble, flatten, read_wire

__all__ = [
    "Event",
    "Extraction",
    "Wire",
    "WireError",
    "assemble",
    "bind",
    "bind_batch",
    "event_json",
    "event_problems",
    "extract",
    "flatten",
    "from_text",
    "key_of",
    "read_event",
    "read_wire",
    "to_text",
]
