"""A message in its JSON shape to a `Wire`, with all that is wrong with it.

Shape: the protocol options' own names, ``protocol``, and the payload as ``body`` or ``body_base64``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xregit.model.quoting import shown
from xregit.protocols.events import from_base64, payload_bytes, read_event
from xregit.protocols.fields import FieldReader, unknown_field
from xregit.protocols.shapes import Shape, protocol_name, shape
from xregit.protocols.wire import Wire, WireError

MAX_PROTOCOL_CHARS = 128
_BODY = frozenset({"protocol", "body", "body_base64"})


def read_wire(value: object) -> Wire:
    """Return the message that a JSON value stands for; an object without protocol is a CloudEvent.

    Raises:
        WireError: it is no such object; all that is wrong with it is listed.
    """
    if not isinstance(value, Mapping):
        raise WireError((f"A message must be a JSON object, but is {shown(value)}.",))
    if "protocol" not in value and value.get("specversion") is None:
        raise WireError(('A message has "protocol", or "specversion" if it is a CloudEvent; this has neither.',))
    if "protocol" not in value:
        event = read_event(value)
        return Wire("", event.attributes, event.data)
    protocol = value["protocol"]
    if not isinstance(protocol, str) or not 0 < len(protocol) <= MAX_PROTOCOL_CHARS:
        raise WireError((f'"protocol" must be the name of a protocol, but is {shown(protocol)}.',))
    name = protocol_name(protocol)
    problems: list[str] = []
    body = _body(value, problems)
    given = {key: item for key, item in value.items() if key not in _BODY}
    fields = _fields(shape(name), given, problems)
    if problems:
        raise WireError(tuple(problems))
    return Wire(name, fields, body)


def read_fields(known: Shape | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a message as a `Wire` has them.

    Raises:
        WireError: there is no such field, or a value does not fit; all that is wrong is listed.
    """
    problems: list[str] = []
    fields = _fields(known, given, problems)
    if problems:
        raise WireError(tuple(problems))
    return fields


def _body(value: Mapping[str, Any], problems: list[str]) -> bytes | None:
    if "body" in value and "body_base64" in value:
        problems.append('A message has "body" or "body_base64", not both.')
        return None
    try:
        if "body_base64" in value:
            return from_base64(value["body_base64"])
        if "body" not in value:
            return None
        return payload_bytes(value["body"])
    except ValueError as error:
        named = "body_base64" if "body_base64" in value else "body"
        problems.append(f'"{named}" {error}.')
        return None


def _fields(known: Shape | None, given: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    # As everywhere in xRegistry, null is the same as leaving it out.
    present = {key: value for key, value in given.items() if value is not None}
    if known is not None:
        return _known_fields(known, present, problems)
    reading = FieldReader(None, problems)
    return {key: reading.of_unknown(key, value) for key, value in present.items()}


def _known_fields(known: Shape, given: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    reading = FieldReader(known.forbidden, problems)
    fields: dict[str, Any] = {}
    for key, value in given.items():
        field = known.fields.get(known.aliases.get(key, key))
        if field is None:
            problems.append(unknown_field(key, f"A message of {known.protocol}", known.fields))
        elif field.name in fields:
            problems.append(f'"{field.name}" and {shown(key)} are the same; leave one out.')
        else:
            fields[field.name] = reading.field(field, value)
    for name, twin in known.twins.items():
        if name in fields and twin in fields:
            problems.append(f'A message of {known.protocol} has "{twin}" or "{name}", not both.')
    return fields
