"""Messages decoded: Kafka's records, arrays of events, and payloads by their schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Required, TypedDict

import msgspec

from xregit.payloads import PayloadError, PayloadSchema, language
from xregit.payloads.base import explain_framing
from xregit.payloads.json_schema.codec import JsonSchema
from xregit.protocols import Wire, WireError
from xregit.protocols.cloudevents import declares_json

if TYPE_CHECKING:
    from xregit.messages.decoder import IncomingMessage, Input


# What `msgspec` raises for what is no JSON, or not of the type.
_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_BITS = 31
_NO_PAYLOAD = "there is no payload"


class _KafkaHeader(TypedDict, total=False):
    key: Required[str]
    value: bytes | None


class _KafkaRecord(TypedDict, total=False):
    """The columns of Spark's Kafka source that make a message; Spark writes bytes to JSON in base 64."""

    key: bytes | None
    value: bytes | None
    topic: str | None
    partition: Annotated[int, msgspec.Meta(ge=-(2**_BITS), lt=2**_BITS)] | None
    headers: list[_KafkaHeader] | None


_decode_record = msgspec.json.Decoder(_KafkaRecord).decode
_split_array = msgspec.json.Decoder(list[msgspec.Raw]).decode


def kafka_line(line: bytes) -> Input:
    """Return the message in a line of JSON with Kafka's columns; any other line is what it is."""
    try:
        record = _decode_record(line)
    except _ERRORS:
        return line
    return line if all(each is None for each in record.values()) else kafka_row(**record)


def kafka_row(
    value: bytes | None = None,
    key: bytes | None = None,
    topic: str | None = None,
    partition: int | None = None,
    headers: Sequence[Mapping[str, Any] | None] | None = None,
) -> Wire:
    """Return the message in a row of Kafka's columns."""
    fields: dict[str, Any] = {} if topic is None else {"topic": topic}
    if partition is not None:
        fields["partition"] = partition
    if key is not None:
        text = _text(key)
        fields["key_base64" if isinstance(text, bytes) else "key"] = text
    named = _headers(header for header in headers or () if header is not None)
    if named:
        fields["headers"] = named
    return Wire("KAFKA", fields, value)


def _headers(headers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return headers by name, repeated ones with all their values; one without name or value is left out."""
    values: dict[str, list[str | bytes]] = {}
    for header in headers:
        name, value = header["key"], header.get("value")
        if name is not None and value is not None:
            values.setdefault(name, []).append(_text(value))
    return {name: each[0] if len(each) == 1 else tuple(each) for name, each in values.items()}


def _text(value: str | bytes) -> str | bytes:
    try:
        return value.decode() if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        return value


def split(message: Input) -> list[Input]:
    """Return the messages that a text is: the members of an array, each as it is there; none if it is blank."""
    if not isinstance(message, bytes):
        return [message]
    text = message.lstrip()
    if text[:1] == b"[":
        with suppress(*_ERRORS):
            return [bytes(each) for each in _split_array(message)] or [message]
    return [message] if text else []


def decode_payload(schema: PayloadSchema | None, message: IncomingMessage) -> Any:
    """Return the value of a message's payload; without a schema its bytes, None where it has none.

    Raises:
        PayloadError: it breaks the schema.
    """
    event, is_json = message.event, isinstance(schema, JsonSchema)
    if (
        is_json
        and message.wire is None
        and event
        and "data" in event
        and declares_json(event.get("datacontenttype", ""))
    ):
        value = event["data"]  # decoded with the event
    else:
        value = _decode_body(schema, message)
    if isinstance(schema, JsonSchema) and not schema.accepts(value):
        raise PayloadError(*schema.faults(value))
    return value


def _decode_body(schema: PayloadSchema | None, message: IncomingMessage) -> Any:
    try:
        body, contenttype = message.body, message.contenttype
    except WireError as error:
        raise PayloadError(*error.problems) from error
    if schema is None:
        return body
    if body is None:
        raise PayloadError(_NO_PAYLOAD)
    problems = schema.validate(body, contenttype) if language(schema.format) == "XSD" else ()
    if problems:
        raise PayloadError(*explain_framing(problems, body))
    try:
        return schema.decode(body, contenttype)
    except PayloadError as error:
        raise PayloadError(*explain_framing(error.problems, body)) from error
