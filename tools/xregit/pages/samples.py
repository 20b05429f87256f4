"""A message definition to real messages of it: made by `xregit.new` from values that name what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xregit.messages.definitions import target
from xregit.messages.making import MessageError, filled, made
from xregit.messages.payloading import NO_DATA, Payload, inner_type, payload
from xregit.messages.schemas import lone, parsed
from xregit.messages.schemas import source as schema_source
from xregit.payloads import Field, PayloadError, SchemaError
from xregit.protocols.carriers import BINARY, STRUCTURED, carrier
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog.views import Message
    from xregit.messages.constraints import Constraint
    from xregit.messages.definitions import Definition
    from xregit.messages.making import Filled
    from xregit.messages.schemas import Source
    from xregit.pages.book import Book
    from xregit.protocols import Wire

# An example is the same each time, so its time and its id are too.
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ID = "7d2ea4a6-0c5c-4b7e-9f5c-3f1f3f6f0a11"
# What stands for a value of a type whose texts can't be any word.
TYPED = {
    "boolean": "true", "integer": "1", "ulong": "1", "number": "1", "duration": "PT1S", "binary": "YQ==",
    "timestamp": "2026-01-02T03:04:05Z", "uuid": ID, "uri": "https://example.com/1",
}  # fmt: skip
MAX_NAMES = 4_096
_WORD = re.compile(r"[^A-Za-z0-9]+")
EVENT_ID = frozenset({"id", "time"})
# The time of an event is one, whatever its definition says.
TIME = "envelopemetadata/time"
BARE = "CloudEvent"


@record
class Sample:
    """One message on the wire: by which protocol and in which mode; ``reason`` says why there is none."""

    protocol: str
    mode: str
    wire: Wire | None
    reason: str = ""


@record
class Told:
    """What a payload's schema tells: its fields, and a valid value; ``reason`` says why it tells nothing.

    ``bodies`` has the value as it is sent, by media type.
    """

    fields: tuple[Field, ...] = ()
    example: Any = NO_DATA
    reason: str = ""
    bodies: dict[str, Payload] = field(default_factory=dict, compare=False)


def told(book: Book, message: Message) -> Told:
    """Return what the schema of a message's payload tells."""
    known = target(message)
    if known.xid not in book.told_of:
        found = schema_source(known)
        book.told_of[known.xid] = told_by(book, found) if found is not None else Told()
    return book.told_of[known.xid]


def told_by(book: Book, found: Source) -> Told:
    """Return what a schema tells; each is read once, and equal ones that refer to nothing are one."""
    known = lone(found)
    if known not in book.told:
        book.told[known] = _told(book, known)
    return book.told[known]


def _told(book: Book, found: Source) -> Told:
    try:
        schema = parsed(found, book.registry.schema_documents)
    except SchemaError as error:
        return Told(reason=str(error))
    try:
        return Told(schema.fields(), schema.example())
    except PayloadError as error:
        return Told(schema.fields(), reason=str(error))


def body(book: Book, message: Message) -> Payload:
    """Return the valid value as a message sends it."""
    known, contenttype = told(book, message), inner_type(message)
    if contenttype not in known.bodies:
        known.bodies[contenttype] = payload(message, known.example)
    return known.bodies[contenttype]


def context(asked: Definition) -> dict[str, str]:
    """Return a value for each placeholder, its name and a number, and for each property that must have a value."""
    values = {name: _word(name) for name in asked.placeholders}
    for item in asked.constraints:
        stated = item.template.placeholders if item.template else ()
        kind = "timestamp" if item.attribute == TIME else item.type
        if item.template and len(stated) == 1 and kind in TYPED and item.template.text == f"{{{stated[0]}}}":
            values[stated[0]] = TYPED[kind]
        elif _open(item):
            values[item.attribute] = TYPED.get(item.type, _word(item.key.rpartition("/")[2]))
    declared = {item.key for item in asked.envelope}
    undeclared = [name for name in ("type", "source") if asked.enveloped and name not in declared]
    return values | {f"envelopemetadata/{name}": f"example.{name}" for name in undeclared}


@lru_cache(maxsize=MAX_NAMES)
def _word(name: str) -> str:
    return f"{_WORD.sub('-', name).strip('-')}-1"


def _open(item: Constraint) -> bool:
    """Tell whether a message's maker has to give a property its value."""
    stated = item.constant is not None or item.template is not None or item.now
    return item.required and not stated and item.key not in EVENT_ID


def samples(book: Book, message: Message, values: Mapping[str, str]) -> Iterator[Sample]:
    """Give a message in each protocol and mode that the definition allows, an event without protocol first."""
    asked, data = book.asked(message), body(book, message)
    for protocol in (asked.protocol,) if asked.protocol else _protocols(message, enveloped=asked.enveloped):
        known = carrier(protocol)
        modes = known.modes if known and asked.enveloped else ("",)
        found = filled(message, asked, values, data, now=NOW, new_id=ID, protocol=protocol)
        for mode in (asked.mode,) if asked.mode and asked.enveloped else modes:
            if mode in {"", BINARY, STRUCTURED}:
                yield _sample(found, mode)


def _protocols(message: Message, *, enveloped: bool) -> tuple[str, ...]:
    """Return the protocols of the endpoints that carry a message which names none itself."""
    spoken = dict.fromkeys(endpoint.protocol for endpoint, _ in message.carriers if carrier(endpoint.protocol))
    return (*([""] if enveloped else []), *spoken)


def _sample(found: Filled, mode: str) -> Sample:
    protocol = found.protocol or BARE
    try:
        return Sample(protocol, mode, made(found, mode if found.protocol else ""))
    except MessageError as error:
        return Sample(protocol, mode, None, "; ".join(error.problems))
