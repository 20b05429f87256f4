"""Rows with the columns of Spark's Kafka source, from Arrow or from lines of JSON, to messages for matching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from xregit.protocols import Wire
from xregit.spark.streams.inputs import lines
from xregit.spark.streams.plain import REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from xregit.messages.decoder import Input

_BITS = 31


class _Header(msgspec.Struct):
    key: str
    value: bytes | None = None


class _Record(msgspec.Struct):
    """The columns that say something of a message; Spark writes bytes to JSON in base 64."""

    key: bytes | None = None
    value: bytes | None = None
    topic: str | None = None
    partition: Annotated[int, msgspec.Meta(ge=-(2**_BITS), lt=2**_BITS)] | None = None
    headers: list[_Header] | None = None


_decode = msgspec.json.Decoder(_Record).decode
_NOTHING = _Record()


def records(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Yield the messages in an Arrow batch with the columns of Kafka, each with its size in bytes."""
    for key, value, topic, partition, headers in zip(*(part.to_pylist() for part in batch.columns), strict=True):
        told = ((header["key"], header["value"]) for header in headers or () if header is not None)
        yield _wire(key, value, topic, partition, told), len(value or b"") + len(key or b"")


def json_records(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Yield the messages in lines of JSON with these columns, each with its size; what is no record comes as it is."""
    for line in lines(batch):
        if line and not line.isspace():
            yield _read(line), len(line)


def _read(line: bytes) -> Input:
    try:
        found = _decode(line)
    except REFUSED:
        return line
    if found == _NOTHING:
        return line
    told = ((header.key, header.value) for header in found.headers or ())
    return _wire(found.key, found.value, found.topic, found.partition, told)


def _wire(
    key: bytes | None,
    value: bytes | None,
    topic: str | None,
    partition: int | None,
    headers: Iterable[tuple[str | None, bytes | None]],
) -> Wire:
    fields: dict[str, Any] = {} if topic is None else {"topic": topic}
    if partition is not None:
        fields["partition"] = partition
    if key is not None:
        text = _text(key)
        fields["key_base64" if isinstance(text, bytes) else "key"] = text
    named = _headers(headers)
    if named:
        fields["headers"] = named
    return Wire("KAFKA", fields, value)


def _headers(headers: Iterable[tuple[str | None, bytes | None]]) -> dict[str, Any]:
    """Return headers by name, repeated ones with all their values; one without name or value says nothing."""
    found: dict[str, list[str | bytes]] = {}
    for name, value in headers:
        if name is not None and value is not None:
            found.setdefault(name, []).append(_text(value))
    return {name: values[0] if len(values) == 1 else tuple(values) for name, values in found.items()}


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value
