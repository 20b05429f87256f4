"""What waits for each table while a partition is sorted: messages, then Arrow batches, then a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.spark import files
from xregit.spark.streams.rows import of_messages, of_queued

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import msgspec
    import pyarrow as pa

    from xregit.messages.reading import Received
    from xregit.messages.results import Match
    from xregit.spark.streams.landing import Landing
    from xregit.spark.streams.queues import Queue, Queued
    from xregit.spark.streams.rows import Landed, Rows


@dataclass(slots=True)
class Bucket:
    """What waits for one table: messages that become rows, such rows as Arrow has them, and messages as they came.

    ``queued`` are the numbers of plain events in the queue.
    """

    landing: Landing
    rows: Rows | None = None
    queued: list[int] = field(default_factory=list)
    messages: list[tuple[Received, Match, Any]] = field(default_factory=list)
    raw: list[tuple[str | None, ...]] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)

    @property
    def waiting(self) -> int:
        """How many messages wait that are no Arrow batches yet, which take a fraction of the memory."""
        return len(self.queued) + len(self.messages) + len(self.raw)

    @property
    def schema(self) -> pa.Schema:
        """The table's schema as Arrow has it."""
        return self.rows.schema if self.rows is not None else self.landing.schema

    def pack(self) -> None:
        """Turn all messages but plain events into Arrow batches."""
        import pyarrow as pa

        if self.rows is not None and self.messages:
            self.batches.append(self.rows.batch(of_messages(self.messages)))
            self.messages = []
        if self.raw:
            arrays = [pa.array(texts, pa.string()) for texts in zip(*self.raw, strict=True)]
            self.batches.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
            self.raw = []

    def pack_queued(self, found: Queued) -> Sequence[bytes]:
        """Turn plain events into Arrow batches; return the lines of those whose data does not fit the schema."""
        if self.rows is None:
            return found.lines
        left = self._packed(found, self.rows.records, self.rows.of_records)
        left = left and self._packed(left, self.rows.reader.values, self.rows.batch)
        return left.lines if left else ()

    def _packed(
        self,
        found: Queued,
        read: Callable[[Sequence[msgspec.Raw]], list[Any]],
        make: Callable[[Landed], pa.RecordBatch | None],
    ) -> Queued | None:
        """Make a batch of the events whose data can be read so, and return the others."""
        values = read(found.data)
        there = [value is not None for value in values]
        whole = all(there)
        kept = found if whole else found.only(there)
        made = make(of_queued(kept, [value for value in values if value is not None])) if any(there) else None
        if made is None:
            return found
        self.batches.append(made)
        return None if whole else found.only([not each for each in there])

    def write(self, folder: str) -> dict[str, Any]:
        """Write the batches to one file in the folder of the tables, and describe the file."""
        import pyarrow as pa

        place = f"{folder}/{self.landing.name}"
        if "://" not in place:
            Path(place).mkdir(parents=True, exist_ok=True)
        whole = pa.Table.from_batches(self.batches).combine_chunks()  # else each batch would be a row group by itself
        self.batches = []
        described = files.written(self.landing.name, place, self.schema, whole.to_batches())
        return described | {"about": self.landing.about, "records": whole.num_rows}


def pack(buckets: Sequence[Bucket], queue: Queue, least: int) -> list[bytes]:
    """Turn what waits into Arrow batches where that is so much for one table, but for plain events that don't fit.

    It returns their lines.
    """
    full = [bucket for bucket in buckets if bucket.waiting >= least]
    others = [bucket for bucket in buckets if bucket.waiting < least]
    groups = queue.take([bucket.queued for bucket in full], [number for each in others for number in each.queued])
    lines: list[bytes] = []
    for bucket, group in zip(full, groups, strict=False):  # no groups where none is in the queue
        bucket.queued = []
        lines += bucket.pack_queued(group)
    start = 0
    for bucket in others:
        bucket.queued = list(range(start, start + len(bucket.queued)))
        start += len(bucket.queued)
    return lines
