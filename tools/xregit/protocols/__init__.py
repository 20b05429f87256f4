"""Messages of each protocol on the wire, and the CloudEvents that they carry."""

from __future__ import annotations

from xregit.protocols.binding import bind, bind_batch
from xregit.protocols.carrying import extract
from xregit.protocols.events import event_json, event_problems, read_event
from xregit.protocols.flattening import assemble, flatten
from xregit.protocols.reading import read_wire
from xregit.protocols.shapes import key_of
from xregit.protocols.texts import from_text, to_text
from xregit.protocols.wire import Extraction, Event, Wire, WireError
from xregit.protocols.writing import wire_json

__all__ = [
    "Extraction",
    "Event",
    "Wire",
    "WireError",
    "assemble",
    "bind",
    "bind_batch",
    "extract",
    "event_json",
    "event_problems",
    "flatten",
    "from_text",
    "key_of",
    "read_event",
    "read_wire",
    "to_text",
    "wire_json",
]
