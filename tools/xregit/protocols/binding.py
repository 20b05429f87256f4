"""The CloudEvents bindings of all protocols, in both directions: one implementation over a table of facts.

Source: cloudevents/bindings/*-protocol-binding.md (1.0.2), header values as in section 3.1.3.2 of that for HTTP; for
MQTT.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from xregit.model.aliases import BATCH_JSON, EVENT_JSON, EVENTS
from xregit.model.excerpts import quote
from xregit.model.language import NOTHING
from xregit.model.media_types import comparable, without_parameters
from xregit.model.protocols import facts
from xregit.protocols.canonical_text import to_text
from xregit.protocols.cloudevents import (
    DATA,
    REQUIRED,
    Event,
    WireError,
    announces_event,
    event_json,
    event_problems,
    read_event,
)
from xregit.protocols.json import json_bytes, json_value
from xregit.protocols.message_layout import key_of, protocol_name
from xregit.protocols.wire_message import Wire, assemble


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a message carries.

    ``mode`` is "binary", "structured" or "batch", "" where no CloudEvent is there, and "unknown-format" where one is
    that can't be read, to be passed on as it is. ``problems`` say why it is not a valid CloudEvent, each a sentence;
    ``events`` then has what could be read all the same.
    """

    mode: str
    events: tuple[Event, ...] = ()
    problems: tuple[str, ...] = ()


BINARY, STRUCTURED, BATCH = "binary", "structured", "batch"


@dataclass(frozen=True, slots=True)
class EventBinding:
    """The facts of one protocol's CloudEvents binding.

    ``modes`` can be written, the first where none is asked for. ``attributes`` is the section that has them in binary
    mode, named with one of ``prefixes``, of which we write the first. ``contenttype`` is the key of the payload's
    media type. ``percent`` says that values are percent-encoded, ``native`` that numbers stay numbers, ``anycase``
    that names compare without regard to case. ``implied`` is the mode of a message that states none. ``tolerant`` has
    other prefixes, with which a message is read if it has no attribute with these.
    """

    protocol: str
    modes: tuple[str, ...]
    attributes: str = ""
    prefixes: tuple[str, ...] = ()
    contenttype: str = ""
    percent: bool = False
    native: bool = False
    anycase: bool = False
    implied: str = ""
    tolerant: EventBinding | None = None


def event_binding(protocol: str) -> EventBinding | None:
    """Return how a protocol carries CloudEvents, None for one that has no binding."""
    return _event_bindings().get(protocol)


@cache
def _event_bindings() -> Mapping[str, EventBinding]:
    bindings = {}
    for protocol, data in facts("cloudevents").items():
        members: dict[str, Any] = {name: tuple(fact) if isinstance(fact, list) else fact for name, fact in data.items()}
        prefixes = members.pop("tolerated", ())
        binding = EventBinding(protocol, **members)
        bindings[protocol] = replace(binding, tolerant=replace(binding, prefixes=prefixes)) if prefixes else binding
    return bindings


CONTENTTYPE = "datacontenttype"

Fields = Mapping[str, Sequence[Any]]


def bind(event: Event, protocol: str, mode: str = "", fields: Fields = NOTHING) -> Wire:
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
    binding, mode = _choose_mode(protocol, mode)
    if mode == BATCH:
        return bind_batch([event], protocol, fields)
    if mode == BINARY:
        contenttype = event.attributes.get(CONTENTTYPE, "")
        if binding.contenttype and announces_event(contenttype):
            raise WireError((f'"{CONTENTTYPE}" must not be {quote(contenttype)}, which announces another event.',))
        implied, body = _headers(binding, event, fields), event.data
    else:
        implied = {binding.contenttype: [EVENT_JSON]} if binding.contenttype else {}
        body = json_bytes(event_json(event))
    return assemble(binding.protocol, {**missing_fields(binding, implied, fields), **fields}, body)


def bind_batch(events: Sequence[Event], protocol: str, fields: Fields = NOTHING) -> Wire:
    """Return the message that carries many events at once.

    Raises:
        WireError: an event is not valid, the protocol has no batches, or a field does not fit.
    """
    problems = tuple(problem for event in events for problem in event_problems(event.attributes))
    if problems:
        raise WireError(problems)
    binding, _ = _choose_mode(protocol, BATCH)
    body = json_bytes([event_json(event) for event in events])
    return assemble(
        binding.protocol, {**missing_fields(binding, {binding.contenttype: [BATCH_JSON]}, fields), **fields}, body
    )


def _choose_mode(protocol: str, mode: str) -> tuple[EventBinding, str]:
    name = protocol_name(protocol)
    binding = event_binding(name)
    if binding is None:
        raise WireError((f"There is no CloudEvents binding for the protocol {quote(name)}.",))
    chosen = mode.casefold() or binding.modes[0]
    if chosen not in binding.modes:
        raise WireError((f"{name} has no mode {quote(mode)} for CloudEvents; it has {', '.join(binding.modes)}.",))
    return binding, chosen


def _headers(binding: EventBinding, event: Event, fields: Fields) -> dict[str, list[Any]]:
    """Return the fields that the attributes become in binary mode.

    Their prefix is the one that ``fields`` use already, as a message must not mix prefixes, or else the one we write.
    """
    used = (prefix for prefix in binding.prefixes for key in fields if key.startswith(f"{binding.attributes}/{prefix}"))
    prefix = next(used, binding.prefixes[0])
    headers: dict[str, list[Any]] = {}
    for name, value in event.attributes.items():
        if name == CONTENTTYPE:
            headers[binding.contenttype] = [value]
            continue
        if not (binding.native and not isinstance(value, str)):
            text = to_text("string", value)
            value = percent_encode(text) if binding.percent else text  # noqa: PLW2901 - its form in the header
        headers[f"{binding.attributes}/{prefix}{name}"] = [value]
    return headers


def missing_fields(binding: EventBinding, implied: Fields, fields: Fields) -> dict[str, Sequence[Any]]:
    """Return the implied fields that ``fields`` lack, in whatever case their names are written."""

    def fold(key: str) -> str:
        section, slash, name = key.partition("/")
        folded = key_of(binding.protocol, section, name) if slash else key
        return folded.lower() if binding.anycase else folded

    present = {fold(key) for key in fields}
    return {key: values for key, values in implied.items() if fold(key) not in present}


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNKNOWN_FORMAT = "unknown-format"
_FORMATS = {EVENTS: STRUCTURED, EVENT_JSON: STRUCTURED, BATCH_JSON: BATCH}
_NOTHING = Extraction("")
_NAME = re.compile("[a-z0-9]+").fullmatch


def extract(wire: Wire) -> Extraction:
    """Return the CloudEvents that a message carries, by the CloudEvents binding of its protocol."""
    if not wire.protocol:
        return Extraction(STRUCTURED, (Event(wire.fields, wire.body),), event_problems(wire.fields))
    binding = event_binding(wire.protocol)
    if binding is None:
        return _NOTHING
    contenttype = _contenttype(binding, wire)
    if announces_event(contenttype):
        mode = _FORMATS.get(without_parameters(contenttype), UNKNOWN_FORMAT)
        if mode in binding.modes:
            return _from_body(wire.body) if mode == STRUCTURED else _from_batch(wire.body)
        return Extraction(UNKNOWN_FORMAT)
    extraction = _from_headers(binding, wire, contenttype) if binding.attributes else _NOTHING
    if binding.implied and extraction == _NOTHING and not contenttype:
        return _from_unlabelled_body(wire.body)
    return extraction


def _contenttype(binding: EventBinding, wire: Wire) -> str:
    section, slash, name = binding.contenttype.partition("/")
    if not slash:
        value = wire.fields.get(section, "")
        return value if isinstance(value, str) else ""
    values = (value for key, value in _entries(wire, section) if key.lower() == name and isinstance(value, str))
    return next(values, "")


def _entries(wire: Wire, section: str) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of a list or map, a name with several values several times."""
    entries = wire.fields.get(section, ())
    for name, value in entries.items() if isinstance(entries, Mapping) else entries:
        if type(value) is tuple:
            yield from ((name, each) for each in value)
        else:
            yield name, value


def _from_body(body: bytes | None) -> Extraction:
    try:
        event = read_event(_json(body))
    except WireError as error:
        return Extraction(STRUCTURED, (), error.problems)
    return Extraction(STRUCTURED, (event,), event_problems(event.attributes))


def _from_batch(body: bytes | None) -> Extraction:
    events: list[Event] = []
    problems: list[str] = []
    try:
        value = _json(body)
    except WireError as error:
        return Extraction(BATCH, (), error.problems)
    if not isinstance(value, list):
        return Extraction(BATCH, (), ("A batch of CloudEvents must be a JSON array.",))
    for number, item in enumerate(value, start=1):
        try:
            event = read_event(item)
        except WireError as error:
            problems += (f"Event {number}: {problem}" for problem in error.problems)
            continue
        events.append(event)
        problems += (f"Event {number}: {problem}" for problem in event_problems(event.attributes))
    return Extraction(BATCH, tuple(events), tuple(problems))


def _json(body: bytes | None) -> Any:
    # RFC 8259, section 8.1: nobody should write a byte order mark, but some do.
    try:
        return json_value((body or b"").removeprefix(BOM_UTF8))
    except ValueError as error:
        raise WireError((f"The payload is not a CloudEvent in JSON: {error}.",)) from None


def _from_unlabelled_body(body: bytes | None) -> Extraction:
    """Read a payload that may be an event; a JSON object without ``specversion`` is not meant to be one."""
    if not body or not body.removeprefix(BOM_UTF8).lstrip().startswith(b"{"):
        return _NOTHING
    try:
        value = _json(body)
    except WireError:
        return _NOTHING
    return _from_body(body) if isinstance(value, dict) and "specversion" in value else _NOTHING


def _from_headers(binding: EventBinding, wire: Wire, contenttype: str) -> Extraction:
    problems: list[str] = []
    attributes = _attributes(binding, wire, problems)
    if "specversion" not in attributes:
        return _from_headers(binding.tolerant, wire, contenttype) if binding.tolerant else _NOTHING
    names = {attribute_name(binding, key) for key, _ in _entries(wire, binding.attributes)}
    missing = [f'The attribute "{name}" is missing.' for name in REQUIRED if name not in names]
    if missing or not attributes.keys() >= set(REQUIRED):
        return Extraction("", (), (*problems, *missing))
    if contenttype:
        other = attributes.get(CONTENTTYPE, contenttype)
        if comparable(str(other)) != comparable(contenttype):
            problems.append(
                f'"{CONTENTTYPE}" is {quote(other)}, but the content type of the message is {quote(contenttype)}.'
            )
        attributes[CONTENTTYPE] = contenttype
    problems += event_problems(attributes)
    return Extraction(BINARY, (Event(attributes, wire.body),), tuple(problems))


def _attributes(binding: EventBinding, wire: Wire, problems: list[str]) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for key, value in _entries(wire, binding.attributes):
        name = attribute_name(binding, key)
        if not name:
            continue
        if name in attributes:
            problems.append(f"The attribute {quote(name)} is given twice.")
            continue
        try:
            attributes[name] = _time(value) if name == "time" and binding.native else _attribute_value(binding, value)
        except ValueError as error:
            problems.append(f"{quote(key)} {error}.")
    return attributes


def attribute_name(binding: EventBinding, key: str) -> str:
    """Return the name of the attribute that a header stands for, empty where it is not one."""
    name = key.lower() if binding.anycase else key
    for prefix in binding.prefixes:
        if name.startswith(prefix):
            # Without a prefix only a name that an attribute can have tells it from what else is there.
            return name[len(prefix) :] if prefix or (_NAME(name) and name not in DATA) else ""
    return ""


def _time(value: Any) -> str:
    """Return a time, which AMQP has as milliseconds since 1970 or as text, in its canonical form."""
    if isinstance(value, str | bool) or not isinstance(value, int):
        return to_text("string", value)
    try:
        return to_text("timestamp", EPOCH + timedelta(milliseconds=value))
    except OverflowError:
        raise ValueError(f"is not a time in the years 1 to 9999: {value}") from None


def _attribute_value(binding: EventBinding, value: Any) -> Any:
    if type(value) is str:
        return percent_decode(value) if binding.percent else value
    if binding.native and isinstance(value, bool | int):
        return value
    return to_text("binary" if binding.native and isinstance(value, bytes) else "string", value)


# All but the printable ASCII characters, and of those the space, the double quote and the percent sign.
_ENCODED = re.compile(r"[^!#$&-~]")
_TRIPLES = re.compile("(?:%[0-9A-Fa-f]{2})+")
# One that is not closed goes to the end, so that no part of a value is looked at twice.
_QUOTED = re.compile(r'"((?>(?:[^"\\]|\\.)*))(.?)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def percent_encode(text: str) -> str:
    """Return the text as a header's value."""
    return _ENCODED.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)


def percent_decode(value: str) -> str:
    """Return the text that a header's value stands for.

    Raises:
        ValueError: what is percent-encoded is not UTF-8.
    """
    if '"' in value:
        value = _QUOTED.sub(_unquote, value)
    if "%" not in value:
        return value
    return _TRIPLES.sub(_decode_triples, value)


def _unquote(match: re.Match[str]) -> str:
    return _ESCAPED.sub(r"\1", match[1]) if match[2] == '"' else match[0]


def _decode_triples(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        raise ValueError(f"has percent-encoded bytes that are not UTF-8 ({match[0][:30]})") from None
