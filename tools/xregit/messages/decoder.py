"""The decoder of received messages, and the CloudEvent that a definition describes for one that carries none.

Source: message/spec.md "Context Attributes": placeholders that the protocol options bind fill the envelope's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

import orjson

from xregit.messages.constraints import Constraint, text_or_none
from xregit.messages.definition import Definition
from xregit.model.language import NOTHING
from xregit.protocols import (
    Event,
    Extraction,
    Wire,
    WireError,
    event_json,
    event_problems,
    extract,
    flatten,
    from_text,
    read_wire,
)
from xregit.protocols.binding import BATCH, STRUCTURED, event_binding
from xregit.protocols.cloudevents import OPTIONAL, SPECVERSION
from xregit.protocols.json import json_value

Input = Wire | Mapping[str, Any] | str | bytes | bytearray
Fields = Mapping[str, tuple[Any, ...]]
_JSON, _IN_JSON = "application/json", frozenset({STRUCTURED, BATCH})
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
    ``attributes`` those of an event that is not valid too. ``mode`` is how it travels, as `protocols.extract` names
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
        """The payload: the data of the event where there is one, or else that of the message.

        Raises:
            WireError: the data of the event nests so deep that it can't be written.
        """
        if self.wire is not None:
            return self.data
        return read_wire(self.event).body if self.event is not None else None

    @property
    def outer_type(self) -> str:
        """The media type that the message itself states, or an empty string."""
        binding = event_binding(self.protocol)
        values = self.fields.get(binding.contenttype, ()) if binding else ()
        return str(values[0]) if values else ""

    @property
    def contenttype(self) -> str:
        """The media type of the payload, or an empty string; ``data`` in JSON is JSON where the event states none."""
        if self.event is not None:
            implied = _JSON if self.mode in _IN_JSON and "data" in self.event else ""
            return str(self.event.get("datacontenttype") or implied)
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
    """Return whether an object is a valid CloudEvent beyond doubt, by fast tests that most events of a stream pass.

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
    """Return whether names one after the other have lower-case letters and digits only."""
    return text.isascii() and text.isalnum() and text.islower()


def _from_wire(wire: Wire) -> tuple[IncomingMessage, ...]:
    extraction = extract(wire)
    fields = flatten(wire) if wire.protocol else NOTHING
    if extraction.mode == BATCH and not extraction.problems and extraction.events:
        return tuple(_incoming(wire, fields, extraction, event) for event in extraction.events)
    return (_incoming(wire, fields, extraction, extraction.events[0] if extraction.events else None),)


def _incoming(wire: Wire, fields: Fields, extraction: Extraction, event: Event | None) -> IncomingMessage:
    attributes = event.attributes if event is not None else NOTHING
    valid = event is not None and not extraction.problems
    inner = event.data if event is not None else wire.body
    value = event_json(event) if event is not None and valid else None
    return IncomingMessage(value, attributes, wire.protocol, fields, extraction.mode, extraction.problems, wire, inner)


_JSON_TYPES = frozenset({"boolean", "integer"})
#: The attributes of the CloudEvents specification are texts, even where a definition narrows them to numbers.
_TEXTS = frozenset({"specversion", "id", "source", "type", "subject", "time", "dataschema", "datacontenttype"})


def map_event(definition: Definition, context: Mapping[str, str], message: IncomingMessage) -> dict[str, Any] | None:
    """Return the event in the JSON event format, None where the message does not say enough for one.

    The same message has the same ``id`` each time, as no clock and no chance is at work here; for that reason there is
    no ``time`` either, unless the message says it.
    """
    if not definition.enveloped:
        return None
    attributes: dict[str, Any] = {"specversion": SPECVERSION, "id": _event_id(definition, message)}
    for item in definition.envelope:
        value = _mapped_value(item, context)
        if value is not None:
            attributes[item.key] = value
    contenttype = attributes.get("datacontenttype") or message.outer_type or definition.contenttype
    if contenttype and message.body is not None:
        attributes["datacontenttype"] = contenttype
    return event_json(Event(attributes, message.body)) if not event_problems(attributes) else None


def _mapped_value(item: Constraint, context: Mapping[str, str]) -> Any:
    if item.template is not None:
        complete = all(name in context for name in item.template.placeholders)
        return attribute_value(item, item.template.expand(context)) if complete else None
    if item.constant is None:
        return None
    return attribute_value(item, item.constant)


def attribute_value(item: Constraint, text: str) -> Any:
    """Return the value of an attribute as JSON has it: whole numbers and truth values of extensions as such."""
    native = item.type in _JSON_TYPES and item.key not in _TEXTS and text_or_none(item.type, text) is not None
    return from_text(item.type, text) if native else text


def _event_id(definition: Definition, message: IncomingMessage) -> str:
    content = message.wire.as_json() if message.wire is not None else {}
    name = definition.xid.encode() + orjson.dumps(content, option=orjson.OPT_SORT_KEYS)
    return str(uuid5(NAMESPACE_URL, name.decode()))
