"""What waits for each table while a partition is sorted: messages, then Arrow batches, then a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.spark import data_files
from xregit.spark.streams.bodies import BadPayloadError
from xregit.spark.streams.rows import of_messages, of_queued

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import msgspec
    import pyarrow as pa

    from xregit.messages.decoder import IncomingMessage, Input
    from xregit.messages.result import Match
    from xregit.spark.streams.landing import Landing
    from xregit.spark.streams.plans import Plan
    from xregit.spark.streams.queues import Queue, Queued
    from xregit.spark.streams.rows import Landed, Rows


class Fitting(NamedTuple):
    """A message, or an event of a batch of them, that fits one definition; ``alone`` says that it is a message."""

    message: Input
    item: IncomingMessage
    match: Match
    alone: bool


@dataclass(slots=True)
class Bucket:
    """What waits for one table: messages that become rows, such rows as Arrow has them, and messages as they came.

    ``about`` is the xid of its definition, or what it holds instead; ``queued`` are the numbers of plain events in the
    queue, which it takes where ``json`` says that the definition's schema is about JSON. What makes the table's rows is
    made when there are some: that takes longer than to sort a message.
    """

    about: str
    plan: Plan
    json: bool
    queued: list[int] = field(default_factory=list)
    messages: list[Fitting] = field(default_factory=list)
    raw: list[tuple[str | None, ...]] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)

    @classmethod
    def of(cls, about: str, plan: Plan) -> Bucket:
        """Return an empty bucket."""
        return cls(about, plan, plan.is_json(about))

    @property
    def waiting(self) -> int:
        """How many messages wait that are no Arrow batches yet, which take a fraction of the memory."""
        return len(self.queued) + len(self.messages) + len(self.raw)

    def may_leave(self, fewest: int) -> bool:
        """Return whether all that is here are messages that another process can sort, and fewer than that."""
        stays = self.batches or self.raw or self.waiting >= fewest
        return not stays and all(known.alone for known in self.messages)

    @property
    def landing(self) -> Landing:
        """The table."""
        return self.plan.landing(self.about)

    @property
    def rows(self) -> Rows:
        """What makes the rows of a definition's table."""
        return self.plan.rows(self.about)

    def pack(self) -> list[tuple[Fitting, tuple[str, ...]]]:
        """Turn messages but plain events into an Arrow batch; return those whose payload is wrong, with what is."""
        read: list[tuple[IncomingMessage, Match, Any]] = []
        broken: list[tuple[Fitting, tuple[str, ...]]] = []
        for known in self.messages:
            try:
                read.append((known.item, known.match, self.rows.reader.read(known.item)))
            except BadPayloadError as error:
                broken.append((known, error.problems))
        if read:
            self.batches.append(self.rows.batch(of_messages(read)))
        self.messages = []
        return broken

    def pack_raw(self) -> None:
        """Turn messages as they came into an Arrow batch."""
        import pyarrow as pa

        if self.raw:
            arrays = [pa.array(texts, pa.string()) for texts in zip(*self.raw, strict=True)]
            self.batches.append(pa.RecordBatch.from_arrays(arrays, schema=self.landing.schema))
            self.raw = []

    def pack_queued(self, found: Queued) -> Sequence[bytes]:
        """Turn plain events into Arrow batches; return the lines of those whose data does not fit the schema."""
        rows = self.rows
        if rows.reader.json_schema is None:  # it can't be used
            return found.lines
        left = self._packed(found, rows.records, rows.of_records)
        left = left and self._packed(left, rows.reader.values, rows.batch)
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

        landing = self.landing
        place = f"{folder}/{landing.name}"
        if "://" not in place:
            Path(place).mkdir(parents=True, exist_ok=True)
        whole = pa.Table.from_batches(self.batches).combine_chunks()  # else each batch would be a row group by itself
        self.batches = []
        described = data_files.write_file(landing.name, place, whole.schema, whole.to_batches())
        return described | {"about": self.about, "records": whole.num_rows}


def pack(buckets: Sequence[Bucket], queue: Queue, least: int) -> list[bytes]:
    """Turn what waits into Arrow batches for each table for which at least ``least`` messages wait.

    Return the lines of the plain events whose data does not fit the schema, which became no rows.
    """
    waiting = [bucket for bucket in buckets if bucket.queued]
    full = [bucket for bucket in waiting if bucket.waiting >= least]
    others = [bucket for bucket in waiting if bucket.waiting < least]
    if not full and sum(len(bucket.queued) for bucket in others) == len(queue):
        return []
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
