"""Plain events on their way to tables; the columns that all tables have of them are made here, for many at once."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from xregit.spark.streams import plain
from xregit.spark.streams.times import timed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import msgspec
    import pyarrow as pa

    from xregit.messages.batch_matcher import Answer
    from xregit.spark.streams.plain import Plain
    from xregit.spark.streams.recognising import Recognised

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
            self._extensions += plain.extensions(events)
            self._new += events
            if len(self._new) >= AT_ONCE:
                self._pack()

    def _pack(self) -> None:
        if self._new:
            self._batches.append(plain.batch(self._new))
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
        columns[plain.TIMED] = timed(columns[plain.TIMED])
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
