"""The write buffer of one partition: for each table messages, then Arrow batches, then a Parquet file."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.spark import data_files
from xregit.spark.streams import decoder
from xregit.spark.streams.columns import timed
from xregit.spark.streams.payload_decoder import BadPayloadError
from xregit.spark.streams.row_builder import of_messages, of_queued

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import msgspec
    import pyarrow as pa

    from xregit.messages.batch_matcher import Answer
    from xregit.messages.decoder import IncomingMessage, Input
    from xregit.messages.result import Match
    from xregit.spark.streams.decoder import Plain, Recognised
    from xregit.spark.streams.plan import Plan
    from xregit.spark.streams.row_builder import MatchedRows, Rows
    from xregit.spark.streams.table_mapping import TableMapping


# Few enough to be in the processor's cache still, and enough that a column costs little for each.
AT_ONCE = 256


class Queued(NamedTuple):
    """Some events of a queue, each list in the same order; ``columns`` are their attributes, by name."""

    lines: Sequence[bytes]
    data: Sequence[msgspec.Raw]
    answers: Sequence[Answer]
    extensions: Sequence[Mapping[str, str]]
    columns: Mapping[str, pa.Array]

    def only(self, kept: Sequence[bool]) -> Queued:
        """Return those events that are marked."""
        import pyarrow as pa

        mask = pa.array(kept, pa.bool_())
        columns = {name: column.filter(mask) for name, column in self.columns.items()}
        return Queued(
            list(compress(self.lines, kept)),
            list(compress(self.data, kept)),
            list(compress(self.answers, kept)),
            list(compress(self.extensions, kept)),
            columns,
        )


class Queue:
    """Plain events that wait; they have numbers in the order in which they came."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lines: list[bytes] = []
        self._data: list[msgspec.Raw] = []
        self._answers: list[Answer] = []
        self._extensions: list[Mapping[str, str]] = []
        self._batches: list[pa.RecordBatch] = []
        self._new: list[Plain] = []

    def __len__(self) -> int:
        """Return the number of events, which is that of the next one too."""
        return len(self._lines)

    def lines(self, numbers: Iterable[int]) -> list[bytes]:
        """Return the lines of events with these numbers."""
        return [self._lines[number] for number in numbers]

    def add(self, recognised: Sequence[Recognised]) -> None:
        """Take events, each with its line and answer."""
        if recognised:
            lines, events, answers = zip(*recognised, strict=True)
            self._lines += lines
            self._data += [event.data for event in events]
            self._answers += answers
            self._extensions += decoder.extensions(events)
            self._new += events
            if len(self._new) >= AT_ONCE:
                self._pack()

    def _pack(self) -> None:
        if self._new:
            self._batches.append(decoder.batch(self._new))
            self._new = []

    def take(self, groups: Sequence[Sequence[int]], left: Sequence[int]) -> list[Queued]:
        """Take out the groups of events that have these numbers; those that are left are numbered anew, in order."""
        import pyarrow as pa

        self._pack()
        if not self._batches:
            return []
        order = [number for group in (*groups, left) for number in group]
        (whole,) = pa.Table.from_batches(self._batches).combine_chunks().to_batches()
        ordered = whole.take(pa.array(order, pa.int32()))
        columns = dict(zip(ordered.schema.names, ordered.columns, strict=True))
        columns[decoder.TIMED] = timed(columns[decoder.TIMED])
        found, start = [], 0
        for group in groups:
            part = {name: each.slice(start, len(group)) for name, each in columns.items()}
            found.append(Queued(*self._lists(group), part))
            start += len(group)
        self._lines, self._data, self._answers, self._extensions = self._lists(left)
        self._batches = [ordered.slice(start)] if left else []
        return found

    def _lists(
        self, numbers: Sequence[int]
    ) -> tuple[list[bytes], list[msgspec.Raw], list[Answer], list[Mapping[str, str]]]:
        return (
            [self._lines[number] for number in numbers],
            [self._data[number] for number in numbers],
            [self._answers[number] for number in numbers],
            [self._extensions[number] for number in numbers],
        )


class MatchedMessage(NamedTuple):
    """A message, or an event of a batch of them, that fits one definition; ``alone`` says that it is a message."""

    message: Input
    item: IncomingMessage
    match: Match
    alone: bool


@dataclass(slots=True)
class TableBuffer:
    """What waits for one table: messages that become rows, such rows as Arrow has them, and messages as they came.

    ``about`` is the xid of its definition, or what it holds instead; ``queued`` are the numbers of plain events in the
    queue, which it takes where ``json`` says that the definition's schema is about JSON. What makes the table's rows is
    made when there are some: that takes longer than to sort a message.
    """

    about: str
    plan: Plan
    json: bool
    queued: list[int] = field(default_factory=list)
    messages: list[MatchedMessage] = field(default_factory=list)
    raw: list[tuple[str | None, ...]] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)

    @classmethod
    def of(cls, about: str, plan: Plan) -> TableBuffer:
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
    def landing(self) -> TableMapping:
        """The table."""
        return self.plan.landing(self.about)

    @property
    def rows(self) -> Rows:
        """What makes the rows of a definition's table."""
        return self.plan.rows(self.about)

    def pack(self) -> list[tuple[MatchedMessage, tuple[str, ...]]]:
        """Turn messages but plain events into an Arrow batch; return those whose payload is wrong, with what is."""
        read: list[tuple[IncomingMessage, Match, Any]] = []
        broken: list[tuple[MatchedMessage, tuple[str, ...]]] = []
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
        make: Callable[[MatchedRows], pa.RecordBatch | None],
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


def pack(buckets: Sequence[TableBuffer], queue: Queue, least: int) -> list[bytes]:
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
