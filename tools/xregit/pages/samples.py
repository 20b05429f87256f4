"""Examples of a message definition for its page, and what the schema of its payload says, each read once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xregit.messages.definition import target
from xregit.messages.encoder import example_variants
from xregit.messages.payload import (
    NO_DATA,
    Payload,
    encode_payload,
    parse_schema,
    payload_media_type,
    schema_source,
    without_address,
)
from xregit.payloads import Field, PayloadError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.catalog.views import Message
    from xregit.messages.encoder import Variant
    from xregit.messages.payload import SchemaSource
    from xregit.pages.book import Book


@dataclass(frozen=True, slots=True)
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


def told_by(book: Book, found: SchemaSource) -> Told:
    """Return what a schema tells; each is read once, and equal ones that refer to nothing are one."""
    known = without_address(found)
    if known not in book.told:
        book.told[known] = _told(book, known)
    return book.told[known]


def _told(book: Book, found: SchemaSource) -> Told:
    try:
        schema = parse_schema(found, book.registry.schema_documents)
    except SchemaError as error:
        return Told(reason=str(error))
    try:
        return Told(schema.fields(), schema.example())
    except PayloadError as error:
        return Told(schema.fields(), reason=str(error))


def body(book: Book, message: Message) -> Payload:
    """Return the valid value as a message sends it."""
    known, contenttype = told(book, message), payload_media_type(message)
    if contenttype not in known.bodies:
        known.bodies[contenttype] = encode_payload(message, known.example)
    return known.bodies[contenttype]


def samples(book: Book, message: Message, values: Mapping[str, str]) -> Iterator[Variant]:
    """Give an example in each protocol and mode that the definition allows, an event without protocol first."""
    return example_variants(message, book.asked(message), values, body(book, message))
