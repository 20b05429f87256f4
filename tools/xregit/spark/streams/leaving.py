"""Messages that a process leaves to others, as rows that Spark takes to the process that gathers them for their table.

They travel as they came, and are read again: whoever sorts a message finds the same. The rows that describe written
files travel among them.
"""

from __future__ import annotations

import pickle
from functools import cache
from typing import TYPE_CHECKING, Any

from xregit.spark import files as written_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from xregit.messages.reading import Input
    from xregit.spark.streams.buckets import Bucket
    from xregit.spark.streams.queues import Queue

# One row of this per written file; ``about`` says what the table holds.
WRITTEN = f"{written_files.WRITTEN}, about string, records bigint"
# The same, or a message for the table of what ``about`` names.
SORTED = f"{WRITTEN}, message binary"
TABLE, MESSAGE = "about", "message"


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
    """Return the messages that came as lines."""
    found: list[bytes] = batch.column(MESSAGE).drop_null().to_pylist()
    return found


def messages(batch: pa.RecordBatch) -> Iterator[tuple[Input, int]]:
    """Give the messages that came otherwise, each with its size."""
    return ((pickle.loads(each), len(each)) for each in lines(batch))  # noqa: S301 - made by another process of ours


def _messages(bucket: Bucket, queue: Queue) -> Sequence[bytes]:
    return [*queue.lines(bucket.queued), *(_packed(known.message) for known in bucket.messages)]


def _packed(message: Input) -> bytes:
    return message if isinstance(message, bytes) else pickle.dumps(message, pickle.HIGHEST_PROTOCOL)


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
