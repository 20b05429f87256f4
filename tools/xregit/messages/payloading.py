"""What a caller has of a payload to its bytes, held against the schema that the definition names."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from xregit.catalog.views import text_of
from xregit.messages.definitions import target
from xregit.messages.schemas import payload_schema
from xregit.model import named
from xregit.model.names import EVENTS
from xregit.payloads import PayloadError, SchemaError
from xregit.protocols.events import payload_bytes
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog import Message
    from xregit.payloads import PayloadSchema


class _NoData:
    """Has a name where a signature shows it."""

    def __repr__(self) -> str:
        return "NO_DATA"


#: Says that there is no payload, which is something else than a payload of ``null``.
NO_DATA: Final = _NoData()
NO_PAYLOAD = "the payload is missing, as there is a schema for it"


@record
class Payload:
    """A payload's bytes, None where there is none, and its media type as far as one is known."""

    body: bytes | None
    contenttype: str = ""
    problems: tuple[str, ...] = ()


def encode_payload(message: Message, data: Any) -> Payload:
    """Return the payload of a message: bytes as they are, any other value in the encoding of the schema.

    Without a schema a text is its bytes, and any other value is written as JSON.
    """
    contenttype = payload_media_type(message)
    try:
        schema = payload_schema(message.registry, target(message))
    except SchemaError as error:
        return Payload(None, contenttype, (f"the payload's schema can't be used: {error}",))
    if data is NO_DATA:
        return Payload(None, contenttype, (NO_PAYLOAD,) if schema is not None else ())
    try:
        body = _encode(schema, data, contenttype)
    except PayloadError as error:
        return Payload(None, contenttype, _schema_problems(error.problems))
    except ValueError as error:
        return Payload(None, contenttype, (f"the payload {error}",))
    except RecursionError:
        return Payload(None, contenttype, ("the payload must not nest that deep",))
    found = schema.validate(body, contenttype) if schema is not None else ()
    return Payload(body, contenttype, _schema_problems(found))


def _schema_problems(found: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is wrong with a payload, the first of it as a sentence that the others go on with."""
    return (f"the payload does not fit its schema: {found[0]}", *found[1:]) if found else ()


def payload_media_type(message: Message) -> str:
    """Return the media type of a message's payload, not of its envelope (message/spec.md "datacontenttype")."""
    attributes = message.resolved.attributes
    stated = attributes.get("envelopemetadata") if message.envelope else None
    inner = stated.get("datacontenttype") if isinstance(stated, Mapping) else None
    value = text_of(inner, "value") if isinstance(inner, Mapping) else ""
    outer = text_of(attributes, "datacontenttype")
    if value or (outer and not outer.casefold().startswith(EVENTS)):
        return value or outer
    known = named("format", text_of(attributes, "dataschemaformat"))
    return known.payload if known else ""


def _encode(schema: PayloadSchema | None, data: Any, contenttype: str) -> bytes:
    if isinstance(data, bytes | bytearray):
        return bytes(data)
    if schema is not None:
        return schema.encode(data, contenttype)
    if not isinstance(data, str) and _has_infinite(data):
        message = "must not have numbers that JSON can't write, such as NaN"
        raise ValueError(message)
    return payload_bytes(data)


def _has_infinite(data: Any) -> bool:
    """Tell whether a value has infinite numbers or what is no number, which would become null without a word."""
    if isinstance(data, float):
        return not isfinite(data)
    inner = data.values() if isinstance(data, Mapping) else data if isinstance(data, list | tuple) else ()
    return any(map(_has_infinite, inner))
