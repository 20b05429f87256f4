"""CloudEvents in the JSON event format, and what makes an event valid.

Source: cloudevents/formats/json-format.md and cloudevents/spec.md (1.0.2).
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xregit.errors import XregitError
from xregit.model.aliases import EVENTS
from xregit.model.datatypes import DATATYPES, INT32_MAX
from xregit.model.excerpts import quote
from xregit.model.media_types import without_parameters
from xregit.protocols.canonical_text import decode_base64
from xregit.protocols.json import has_surrogates, json_bytes, json_value


@dataclass(frozen=True, slots=True)
class Event:
    """A CloudEvent: its attributes, ``specversion`` included, as JSON scalars or canonical texts, and its payload."""

    attributes: Mapping[str, Any]
    data: bytes | None = None


class WireError(XregitError):
    """A message that can't be read or can't be sent; ``problems`` has all that is wrong, each a sentence."""

    exit_code = 1

    def __init__(self, problems: tuple[str, ...]) -> None:
        """Keep the problems, at least one."""
        self.problems = problems
        super().__init__("; ".join(problems))


REQUIRED = ("id", "source", "specversion", "type")
# Attributes that may be left out, and are not empty where they are there.
OPTIONAL = ("datacontenttype", "dataschema", "subject")
TEXTS = frozenset({*REQUIRED, *OPTIONAL})
SPECVERSION = "1.0"
DATA = frozenset({"data", "data_base64"})
_NAME = re.compile("[a-z0-9]+").fullmatch
# A String has no control characters and no noncharacters of Unicode, says the type system of cloudevents/spec.md.
_DISALLOWED = re.compile(
    "[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
    + "]"
).search
_JSON = re.compile(r"[^/;\s]+/(?:[^;\s]*\+)?json(?:\s*;.*)?", re.IGNORECASE | re.DOTALL).fullmatch
_TEXT = re.compile(
    r"(?:text/[^;\s]+|[^/;\s]+/(?:[^;\s]*\+)?xml)(?:\s*;\s*charset=\"?utf-8\"?)?", re.IGNORECASE
).fullmatch


def read_event(value: object) -> Event:
    """Return the event that a JSON object stands for, valid or not.

    Raises:
        WireError: it can't be read: it is no object, an attribute is no single value, or its payload is not what it
            should be; all that is wrong is listed.
    """
    if not isinstance(value, Mapping):
        raise WireError((f"A CloudEvent must be a JSON object, but is {quote(value)}.",))
    problems: list[str] = []
    attributes = {}
    for name, item in value.items():
        if item is None or name in DATA:
            continue
        if not isinstance(item, str | int):
            problems.append(f"The attribute {quote(name)} must be a text, a whole number, true or false.")
        attributes[name] = item
    data = _data(value, problems)
    if problems:
        raise WireError(tuple(problems))
    return Event(attributes, data)


def event_json(event: Event) -> dict[str, Any]:
    """Return the event as the JSON event format has it."""
    value = dict(event.attributes)
    if event.data is None:
        return value
    contenttype = str(value.get("datacontenttype", ""))
    try:
        if declares_json(contenttype):
            value["data"] = json_value(event.data)
        elif _TEXT(contenttype):
            value["data"] = event.data.decode()
        else:
            value["data_base64"] = b64encode(event.data).decode()
    except ValueError:
        value["data_base64"] = b64encode(event.data).decode()
    return value


def announces_event(contenttype: str) -> bool:
    """Return whether a media type says that a message is one event or several, in whatever format."""
    return without_parameters(contenttype).startswith(EVENTS)


def declares_json(contenttype: str) -> bool:
    """Return whether a media type says that the data is JSON, which an event without one says too."""
    return not contenttype or _JSON(contenttype) is not None


def event_problems(attributes: Mapping[str, Any]) -> tuple[str, ...]:
    """Return why attributes are not those of a valid CloudEvent, each reason a sentence.

    Whether ``source`` and ``dataschema`` are URIs is not looked at, so that an event stays recognisable by the rest.
    """
    return tuple(_problems(attributes))


def payload_bytes(value: Any) -> bytes:
    """Return the payload that a JSON value stands for: a text's bytes, or else the value as JSON.

    Raises:
        ValueError: it can't be written.
    """
    if not isinstance(value, str):
        return json_bytes(value)
    if not value.isascii() and has_surrogates(value):
        raise ValueError("must not have a lone surrogate")
    return value.encode()


def from_base64(value: Any) -> bytes:
    """Return the bytes that a value of JSON stands for.

    Raises:
        ValueError: it is no text in base 64.
    """
    if not isinstance(value, str):
        message = f"must be bytes in base 64, but is {quote(value)}"
        raise ValueError(message)  # noqa: TRY004 - a fault of the message, not of the program
    return decode_base64(value)


def _data(value: Mapping[str, Any], problems: list[str]) -> bytes | None:
    coded, data = value.get("data_base64"), value.get("data")
    if coded is not None and data is not None:
        problems.append('An event has "data" or "data_base64", not both.')
        return None
    name = "data" if coded is None else "data_base64"
    try:
        if coded is not None:
            return from_base64(coded)
        return _encode_data(value) if "data" in value else None
    except ValueError as error:
        problems.append(f'"{name}" {error}.')
        return None


def _encode_data(value: Mapping[str, Any]) -> bytes | None:
    contenttype = value.get("datacontenttype")
    if declares_json(contenttype if isinstance(contenttype, str) else ""):
        return json_bytes(value["data"])
    return None if value["data"] is None else payload_bytes(value["data"])


def _problems(attributes: Mapping[str, Any]) -> Iterator[str]:
    for name in REQUIRED:
        if attributes.get(name) in (None, ""):
            yield f'The attribute "{name}" is missing or empty.'
    for name in OPTIONAL:
        if attributes.get(name) == "":
            yield f'The attribute "{name}" is empty; write a text, or leave it out.'
    version = attributes.get("specversion", SPECVERSION)
    if version != SPECVERSION:
        yield f'"specversion" must be "{SPECVERSION}", but is {quote(version)}.'
    for name, value in attributes.items():
        if name in DATA:
            yield f'No attribute may be called "{name}".'
        elif not _NAME(name):
            yield f"An attribute's name must be of lower-case letters and digits, but is {quote(name)}."
        yield from _value_problems(name, value)
    if "time" in attributes and not DATATYPES["timestamp"].test(attributes["time"]):
        yield f'"time" must be a time such as 2026-05-22T10:30:00Z, but is {quote(attributes["time"])}.'


def _value_problems(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _text_problems(name, value)
    elif name in TEXTS:
        yield f"{quote(name)} must be a text, but is {quote(value)}."
    elif not isinstance(value, bool) and not -INT32_MAX - 1 <= value <= INT32_MAX:
        yield f"{quote(name)} must be a whole number of 32 bits, but is {quote(value)}."


def _text_problems(name: str, value: str) -> Iterator[str]:
    if value.isascii() and value.isprintable():  # as most are, quicker than the rest
        return
    if _DISALLOWED(value):
        yield f"{quote(name)} has control characters or noncharacters, which no attribute may have: {quote(value)}."
    elif has_surrogates(value):
        yield f"{quote(name)} has a lone surrogate."
