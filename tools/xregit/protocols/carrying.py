"""What a message carries: the mode of its CloudEvent, the event itself, and why it is none.

Source: cloudevents/bindings/*-protocol-binding.md#3 (1.0.2); for MQTT, facts.md 6.2.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from xregit.model.mediatypes import comparable, without_parameters
from xregit.model.names import BATCH_JSON, EVENT_JSON, EVENTS
from xregit.model.quoting import shown
from xregit.protocols import percent
from xregit.protocols.carriers import BATCH, BINARY, STRUCTURED, Carrier, carrier
from xregit.protocols.events import DATA, REQUIRED, announces_event, event_problems, read_event
from xregit.protocols.json import json_value
from xregit.protocols.texts import to_text
from xregit.protocols.wire import Extraction, Event, Wire, WireError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
UNKNOWN = "unknown-format"
_FORMATS = {EVENTS: STRUCTURED, EVENT_JSON: STRUCTURED, BATCH_JSON: BATCH}
_NOTHING = Extraction("")
# Longer than any media type that announces an event; a sender's long texts must not fill the cache.
MAX_CACHED_CHARS = 200
_NAME = re.compile("[a-z0-9]+").fullmatch


def extract(wire: Wire) -> Extraction:
    """Return the CloudEvents that a message carries, by the CloudEvents binding of its protocol."""
    if not wire.protocol:
        return Extraction(STRUCTURED, (Event(wire.fields, wire.body),), event_problems(wire.fields))
    known = carrier(wire.protocol)
    return _extract(known, wire) if known else _NOTHING


def _extract(known: Carrier, wire: Wire) -> Extraction:
    contenttype = _contenttype(known, wire)
    mode = _mode(known.modes, contenttype[:MAX_CACHED_CHARS])
    if mode in _READERS:
        return _READERS[mode](wire.body)
    if mode:
        return Extraction(mode)
    found = _from_headers(known, wire, contenttype) if known.attributes else _NOTHING
    return _from_unlabelled_body(wire.body) if known.implied and found == _NOTHING and not contenttype else found


@lru_cache(maxsize=1024)
def _mode(modes: tuple[str, ...], contenttype: str) -> str:
    """Return the mode that a media type announces, empty where it announces none."""
    if not announces_event(contenttype):
        return ""
    mode = _FORMATS.get(without_parameters(contenttype), UNKNOWN)
    return mode if mode in modes else UNKNOWN


def _contenttype(known: Carrier, wire: Wire) -> str:
    section, slash, name = known.contenttype.partition("/")
    if not slash:
        value = wire.fields.get(section, "")
        return value if isinstance(value, str) else ""
    found = (value for key, value in _entries(wire, section) if key.lower() == name and isinstance(value, str))
    return next(found, "")


def _entries(wire: Wire, section: str) -> Iterator[tuple[str, Any]]:
    """Give the names and values of a list or map, a name with several values several times."""
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
        raise WireError((f"The payload is no CloudEvent in JSON: {error}.",)) from None


def _from_unlabelled_body(body: bytes | None) -> Extraction:
    """Read a payload that may be an event; a JSON object without ``specversion`` is not meant to be one."""
    if not body or not body.removeprefix(BOM_UTF8).lstrip().startswith(b"{"):
        return _NOTHING
    try:
        value = _json(body)
    except WireError:
        return _NOTHING
    return _from_body(body) if isinstance(value, dict) and "specversion" in value else _NOTHING


def _from_headers(known: Carrier, wire: Wire, contenttype: str) -> Extraction:
    problems: list[str] = []
    attributes = _attributes(known, wire, problems)
    if "specversion" not in attributes:
        return _from_headers(known.tolerant, wire, contenttype) if known.tolerant else _NOTHING
    stated = {attribute_name(known, key) for key, _ in _entries(wire, known.attributes)}
    missing = [f'The attribute "{name}" is missing.' for name in REQUIRED if name not in stated]
    if missing or not attributes.keys() >= set(REQUIRED):
        return Extraction("", (), (*problems, *missing))
    if contenttype:
        other = attributes.get(CONTENTTYPE, contenttype)
        if comparable(str(other)) != comparable(contenttype):
            problems.append(
                f'"{CONTENTTYPE}" is {shown(other)}, but the content type of the message is {shown(contenttype)}.'
            )
        attributes[CONTENTTYPE] = contenttype
    problems += event_problems(attributes)
    return Extraction(BINARY, (Event(attributes, wire.body),), tuple(problems))


def _attributes(known: Carrier, wire: Wire, problems: list[str]) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for key, value in _entries(wire, known.attributes):
        name = attribute_name(known, key)
        if not name:
            continue
        if name in attributes:
            problems.append(f"The attribute {shown(name)} stands twice.")
            continue
        try:
            attributes[name] = _time(value) if name == "time" and known.native else _attribute_value(known, value)
        except ValueError as error:
            problems.append(f"{shown(key)} {error}.")
    return attributes


def attribute_name(known: Carrier, key: str) -> str:
    """Return the name of the attribute that a header stands for, empty where it is not one."""
    name = key.lower() if known.anycase else key
    for prefix in known.prefixes:
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
        message = f"is no time of the years 1 to 9999: {value}"
        raise ValueError(message) from None


def _attribute_value(known: Carrier, value: Any) -> Any:
    if type(value) is str:
        return percent.percent_decode(value) if known.percent else value
    if known.native and isinstance(value, bool | int):
        return value
    return to_text("binary" if known.native and isinstance(value, bytes) else "string", value)


_READERS = {STRUCTURED: _from_body, BATCH: _from_batch}
