"""The write buffer of one partition: for each table messages, then Arrow batches, then a Parquet file."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xregit.spark import data_files
from xregit.spark.streams.columns import cast_timestamps
from xregit.spark.streams.decoder import TIME_ATTRIBUTE, attribute_batch, extensions
from xregit.spark.streams.payload_decoder import BadPayloadError
from xregit.spark.streams.row_builder import MatchedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import msgspec
    import pyarrow as pa

    from xregit.messages.batch_matcher import Answer
    from xregit.messages.decoder import IncomingMessage, Input
    from xregit.messages.result import Match
    from xregit.spark.streams.decoder import MatchedLine, PlainEvent
    from xregit.spark.streams.plan import Plan
    from xregit.spark.streams.row_builder import RowBuilder
    from xregit.spark.streams.table_mapping import TableMapping


# Few enough to be in the processor's cache still, and enough that a column costs little for each.
BATCH_EVENTS = 256


class EventBatch(NamedTuple):
    """Some events of a queue, each list in the same order; ``columns`` are their attributes, by name."""

    lines: Sequence[bytes]
    data: Sequence[msgspec.Raw]
    answers: Sequence[Answer]
    extensions: Sequence[Mapping[str, str]]
    columns: Mapping[str, pa.Array]

    def filter(self, mask: Sequence[bool]) -> EventBatch:
        """Return the events that are marked."""
        import pyarrow as pa

        array = pa.array(mask, pa.bool_())
        return EventBatch(
            list(compress(self.lines, mask)),
            list(compress(self.data, mask)),
            list(compress(self.answers, mask)),
            list(compress(self.extensions, mask)),
            {name: column.filter(array) for name, column in self.columns.items()},
        )


class EventQueue:
    """Plain events that wait for their rows; they have numbers in the order in which they came."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lines: list[bytes] = []
        self._data: list[msgspec.Raw] = []
        self._answers: list[Answer] = []
        self._extensions: list[Mapping[str, str]] = []
        self._batches: list[pa.RecordBatch] = []
        self._unpacked: list[PlainEvent] = []

    def __len__(self) -> int:
        """Return the number of events, which is that of the next one too."""
        return len(self._lines)

    def lines(self, numbers: Iterable[int]) -> list[bytes]:
        """Return the lines of events with these numbers."""
        return [self._lines[number] for number in numbers]

    def add(self, matched: Sequence[MatchedLine]) -> None:
        """Add events, each with its line and answer."""
        if matched:
            lines, events, answers = zip(*matched, strict=True)
            self._lines += lines
            self._data += [event.data for event in events]
            self._answers += answers
            self._extensions += extensions(events)
            self._unpacked += events
            if len(self._unpacked) >= BATCH_EVENTS:
                self._pack()

    def _pack(self) -> None:
        if self._unpacked:
            self._batches.append(attribute_batch(self._unpacked))
            self._unpacked = []

    def split(self, groups: Sequence[Sequence[int]], remaining: Sequence[int]) -> list[EventBatch]:
        """Remove the groups of events with these numbers and return them; the remaining are numbered anew, in order."""
        import pyarrow as pa

        self._pack()
        if not self._batches:
            return []
        order = [number for group in (*groups, remaining) for number in group]
        (whole,) = pa.Table.from_batches(self._batches).combine_chunks().to_batches()
        ordered = whole.take(pa.array(order, pa.int32()))
        columns = dict(zip(ordered.schema.names, ordered.columns, strict=True))
        columns[TIME_ATTRIBUTE] = cast_timestamps(columns[TIME_ATTRIBUTE])
        batches, start = [], 0
        for group in groups:
            part = {name: each.slice(start, len(group)) for name, each in columns.items()}
            batches.append(EventBatch(*self._lists(group), part))
            start += len(group)
        self._lines, self._data, self._answers, self._extensions = self._lists(remaining)
        self._batches = [ordered.slice(start)] if remaining else []
        return batches

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
    """A message, or one event of a batch, that fits one definition; ``alone`` is false for an event of a batch."""

    message: Input
    item: IncomingMessage
    match: Match
    alone: bool


@dataclass(slots=True)
class TableBuffer:
    """What waits for one table: messages without rows yet, rows in Arrow batches, and raw rows of dead letters.

    ``key`` is the xid of its definition, or the name of a dead letter table; ``queued`` are the numbers of plain events
    in the queue, which it has only where ``json`` says that the definition's schema is about JSON. The row builder is
    made when there are some: that takes longer than to route a message.
    """

    key: str
    plan: Plan
    json: bool
    queued: list[int] = field(default_factory=list)
    messages: list[MatchedMessage] = field(default_factory=list)
    raw: list[tuple[str | None, ...]] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)

    @property
    def waiting(self) -> int:
        """How many messages are no Arrow batches yet, which take a fraction of the memory."""
        return len(self.queued) + len(self.messages) + len(self.raw)

    def can_defer(self, min_rows: int) -> bool:
        """Return whether all that is here are messages that another process can route, and fewer than that."""
        must_stay = self.batches or self.raw or self.waiting >= min_rows
        return not must_stay and all(each.alone for each in self.messages)

    @property
    def table(self) -> TableMapping:
        """The table."""
        return self.plan.table(self.key)

    @property
    def row_builder(self) -> RowBuilder:
        """The builder of the rows of a definition's table."""
        return self.plan.row_builder(self.key)

    def pack_messages(self) -> list[tuple[MatchedMessage, tuple[str, ...]]]:
        """Turn messages but plain events into an Arrow batch; return those with a bad payload, and its problems."""
        decoded: list[tuple[IncomingMessage, Match, Any]] = []
        bad: list[tuple[MatchedMessage, tuple[str, ...]]] = []
        for each in self.messages:
            try:
                decoded.append((each.item, each.match, self.row_builder.decoder.decode(each.item)))
            except BadPayloadError as error:
                bad.append((each, error.problems))
        if decoded:
            self.batches.append(self.row_builder.build(MatchedRows.from_messages(decoded)))
        self.messages = []
        return bad

    def pack_raw(self) -> None:
        """Turn raw rows into an Arrow batch."""
        import pyarrow as pa

        if self.raw:
            arrays = [pa.array(texts, pa.string()) for texts in zip(*self.raw, strict=True)]
            self.batches.append(pa.RecordBatch.from_arrays(arrays, schema=self.table.arrow_schema))
            self.raw = []

    def pack_events(self, events: EventBatch) -> Sequence[bytes]:
        """Turn plain events into Arrow batches; return the lines of those whose data does not fit the schema."""
        builder = self.row_builder
        if builder.decoder.json_schema is None:  # it can't be used
            return events.lines
        remaining = self._pack_decodable(events, builder.decode_records, builder.build_from_records)
        remaining = remaining and self._pack_decodable(remaining, builder.decoder.decode_json, builder.build)
        return remaining.lines if remaining else ()

    def _pack_decodable(
        self,
        events: EventBatch,
        decode: Callable[[Sequence[msgspec.Raw]], list[Any]],
        build: Callable[[MatchedRows], pa.RecordBatch | None],
    ) -> EventBatch | None:
        """Turn the events whose data can be decoded so into an Arrow batch, and return the others."""
        values = decode(events.data)
        mask = [value is not None for value in values]
        decodable = events if all(mask) else events.filter(mask)
        decoded = [value for value in values if value is not None]
        batch = build(MatchedRows.from_events(decodable, decoded)) if decoded else None
        if batch is None:
            return events
        self.batches.append(batch)
        return None if all(mask) else events.filter([not each for each in mask])

    def write(self, folder: str) -> dict[str, Any]:
        """Write the batches to one file in the folder of the tables, and describe the file."""
        import pyarrow as pa

        table = self.table
        place = f"{folder}/{table.name}"
        if "://" not in place:
            Path(place).mkdir(parents=True, exist_ok=True)
        whole = pa.Table.from_batches(self.batches).combine_chunks()  # else each batch would be a row group by itself
        self.batches = []
        file = data_files.write_file(table.name, place, whole.schema, whole.to_batches())
        return file | {"key": self.key, "records": whole.num_rows}


def pack_buffers(buffers: Sequence[TableBuffer], queue: EventQueue, min_rows: int) -> list[bytes]:
    """Turn plain events into Arrow batches, of each table for which at least ``min_rows`` messages wait.

    Return the lines of the events whose data does not fit the schema, which became no rows.
    """
    waiting = [buffer for buffer in buffers if buffer.queued]
    full = [buffer for buffer in waiting if buffer.waiting >= min_rows]
    others = [buffer for buffer in waiting if buffer.waiting < min_rows]
    if not full and sum(len(buffer.queued) for buffer in others) == len(queue):
        return []
    groups = queue.split([buffer.queued for buffer in full], [number for each in others for number in each.queued])
    lines: list[bytes] = []
    for buffer, group in zip(full, groups, strict=False):  # no groups where none is in the queue
        buffer.queued = []
        lines += buffer.pack_events(group)
    start = 0
    for buffer in others:
        buffer.queued = list(range(start, start + len(buffer.queued)))
        start += len(buffer.queued)
    return lines
