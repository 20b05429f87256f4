"""CloudEvents onto messages of any protocol: one implementation over the table of facts.

Source: cloudevents/bindings/*-protocol-binding.md (1.0.2); for MQTT, facts.md part 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xregit.model.names import BATCH_JSON, EVENT_JSON
from xregit.model.quoting import shown
from xregit.protocols import percent
from xregit.protocols.carriers import BATCH, BINARY, Carrier, carrier
from xregit.protocols.events import announces_event, event_json, event_problems
from xregit.protocols.flattening import assemble
from xregit.protocols.json import json_bytes
from xregit.protocols.shapes import key_of, protocol_name
from xregit.protocols.texts import to_text
from xregit.protocols.wire import Event, Wire, WireError

CONTENTTYPE = "datacontenttype"

Fields = Mapping[str, Sequence[Any]]


def bind(event: Event, protocol: str, mode: str = "", fields: Fields | None = None) -> Wire:
    """Return the message that carries an event; ``fields``, by the keys of ``flatten``, go before what is implied.

    Without a mode it is the protocol's usual one; without a protocol the event stays as it is.

    Raises:
        WireError: the event is not valid, the protocol doesn't carry it in that mode, or a field does not fit.
    """
    problems = event_problems(event.attributes)
    if problems:
        raise WireError(problems)
    if not protocol:
        return Wire("", event.attributes, event.data)
    known, mode = _choose_mode(protocol, mode)
    if mode == BATCH:
        return bind_batch([event], protocol, fields)
    given = fields or {}
    if mode == BINARY:
        stated = event.attributes.get(CONTENTTYPE, "")
        if known.contenttype and announces_event(stated):
            raise WireError((f'"{CONTENTTYPE}" must not be {shown(stated)}, which would announce another event.',))
        return assemble(known.protocol, {**missing_fields(known, _headers(known, event, given), given), **given}, event.data)
    implied = {known.contenttype: [EVENT_JSON]} if known.contenttype else {}
    return assemble(known.protocol, {**missing_fields(known, implied, given), **given}, json_bytes(event_json(event)))


def bind_batch(events: Sequence[Event], protocol: str, fields: Fields | None = None) -> Wire:
    """Return the message that carries many events at once.

    Raises:
        WireError: an event is not valid, the protocol has no batches, or a field does not fit.
    """
    problems = tuple(problem for event in events for problem in event_problems(event.attributes))
    if problems:
        raise WireError(problems)
    known, _ = _choose_mode(protocol, BATCH)
    body = json_bytes([event_json(event) for event in events])
    given = fields or {}
    return assemble(known.protocol, {**missing_fields(known, {known.contenttype: [BATCH_JSON]}, given), **given}, body)


def _choose_mode(protocol: str, mode: str) -> tuple[Carrier, str]:
    name = protocol_name(protocol)
    known = carrier(name)
    if known is None:
        raise WireError((f"There is no CloudEvents binding for the protocol {shown(name)}.",))
    chosen = mode.casefold() or known.modes[0]
    if chosen not in known.modes:
        raise WireError((f"{name} has no mode {shown(mode)} for CloudEvents; it has {', '.join(known.modes)}.",))
    return known, chosen


def _headers(known: Carrier, event: Event, given: Fields) -> dict[str, list[Any]]:
    """Return the fields that the attributes become in binary mode."""
    prefix = _header_prefix(known, given)
    fields: dict[str, list[Any]] = {}
    for name, value in event.attributes.items():
        if name == CONTENTTYPE:
            fields[known.contenttype] = [value]
        else:
            fields[f"{known.attributes}/{prefix}{name}"] = [_header_value(known, value)]
    return fields


def _header_prefix(known: Carrier, given: Fields) -> str:
    """Return the prefix that given fields use already, as a message must not mix prefixes, or else the one we write."""
    stated = (prefix for prefix in known.prefixes for key in given if key.startswith(f"{known.attributes}/{prefix}"))
    return next(stated, known.prefixes[0])


def _header_value(known: Carrier, value: Any) -> Any:
    if known.native and not isinstance(value, str):
        return value
    text = to_text("string", value)
    return percent.percent_encode(text) if known.percent else text


def missing_fields(known: Carrier, implied: Fields, given: Fields) -> dict[str, Sequence[Any]]:
    """Return the implied fields that are not given, in whatever case their names are written."""
    stated = {_fold(known, key) for key in given}
    return {key: values for key, values in implied.items() if _fold(known, key) not in stated}


def _fold(known: Carrier, key: str) -> str:
    """Return a key as it compares: a header that receivers read in any case is stated once."""
    section, slash, name = key.partition("/")
    folded = key_of(known.protocol, section, name) if slash else key
    return folded.lower() if known.anycase else folded
