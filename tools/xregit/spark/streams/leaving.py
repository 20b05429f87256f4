"""Messages that a process leaves to others, as rows that Spark takes to the process that gathers them for their table.

They travel as they came, and are read again: whoever sorts a message finds the same. The rows that describe written
files travel among them. A message is told in MessagePack, as bytes or as what a record of Kafka has: to read it runs
nothing, whoever has written it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

import msgspec

from xregit.protocols import Wire
from xregit.spark import data_files as written_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from xregit.messages.decoder import Input
    from xregit.spark.streams.buckets import Bucket
    from xregit.spark.streams.queues import Queue

# One row of this per written file; ``about`` says what the table holds.
WRITTEN = f"{written_files.FILE_COLUMNS}, about string, records bigint"
# The same, or a message for the table of what ``about`` names.
SORTED = f"{WRITTEN}, message binary"
TABLE, MESSAGE = "about", "message"
_encode, _decode = msgspec.msgpack.encode, msgspec.msgpack.decode


def left(buckets: Iterable[Bucket], queue: Queue) -> pa.RecordBatch:
    """Return the messages that wait for some tables as rows."""
    import pyarrow as pa

    found = [(each.about, message) for each in buckets for message in _messages(each, queue)]
    return _rows(
        {
            TABLE: pa.array([about for about, _ in found], pa.string()),
            MESSAGE: pa.array([message for _, message in found], pa.binary()),
        },
        len(found),
    )


def described(found: Iterable[Mapping[str, Any]]) -> pa.RecordBatch:
    """Return descriptions of written files as rows."""
    import pyarrow as pa

    return pa.RecordBatch.from_pylist(list(found), schema=_schema())


def files(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows that describe files, without the column of messages."""
    found = batch.filter(batch.column(MESSAGE).is_null())
    return found.select([name for name in found.schema.names if name != MESSAGE])


def lines(batch: pa.RecordBatch) -> list[bytes]:
    """Return the messages of a job whose messages are lines."""
    return cast("list[bytes]", [_unpacked(each) for each in _left(batch)])


def messages(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Yield the messages of any other job, each with its size in bytes."""
    return ((_unpacked(each), len(each)) for each in _left(batch))


def _left(batch: pa.RecordBatch) -> list[bytes]:
    found: list[bytes] = batch.column(MESSAGE).drop_null().to_pylist()
    return found


def _messages(bucket: Bucket, queue: Queue) -> Iterator[bytes]:
    return map(_packed, (*queue.lines(bucket.queued), *(known.message for known in bucket.messages)))


def _packed(message: Input) -> bytes:
    return _encode((message.protocol, message.fields, message.body) if isinstance(message, Wire) else message)


def _unpacked(data: bytes) -> Input:
    found = _decode(data)
    return found if isinstance(found, bytes) else Wire(found[0], _fields(found[1]), found[2])


def _fields(found: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record, of which repeated headers have become lists."""
    headers = found.get("headers", {})
    repeated = {name: tuple(each) for name, each in headers.items() if isinstance(each, list)}
    return found | {"headers": headers | repeated} if repeated else found


def _rows(columns: Mapping[str, pa.Array], count: int) -> pa.RecordBatch:
    import pyarrow as pa

    schema = _schema()
    found = [columns.get(each.name, pa.nulls(count, each.type)) for each in schema]
    return pa.RecordBatch.from_arrays(found, schema=schema)


@cache
def _schema() -> pa.Schema:
    import pyarrow as pa

    types = {"string": pa.string(), "bigint": pa.int64(), "binary": pa.binary()}
    return pa.schema([(name, types[kind]) for name, kind in (each.split() for each in SORTED.split(", "))])
