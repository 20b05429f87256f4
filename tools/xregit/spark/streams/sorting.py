"""One partition of messages to Parquet files, one for each table that some of them land in. Executors run this."""

from __future__ import annotations

import gc
from base64 import b64encode
from typing import TYPE_CHECKING

from xregit.collecting import uncollected
from xregit.messages.reading import received
from xregit.messages.results import Match, Matched, Reason
from xregit.messages.verifying import Failure
from xregit.protocols import Wire, wire_json
from xregit.records import record
from xregit.spark import files
from xregit.spark.streams import inputs, plain
from xregit.spark.streams.bodies import BadPayloadError
from xregit.spark.streams.buckets import Bucket, pack
from xregit.spark.streams.landing import AMBIGUOUS, UNMATCHED, Landing
from xregit.spark.streams.leaves import json_text
from xregit.spark.streams.plans import unpacked
from xregit.spark.streams.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from xregit.messages.deciding import Answer
    from xregit.messages.reading import Input, Received
    from xregit.spark.streams.plain import Plain
    from xregit.spark.streams.plans import Packed, Plan
    from xregit.spark.streams.recognising import Told

# One row of this per written file; ``about`` says what the table holds.
WRITTEN = f"{files.WRITTEN}, about string, records bigint"
# So many rows wait as Python's objects, so many bytes of messages as Arrow's, before they are written; so many for each
# table if there are many, since what Arrow makes of a row or two takes as long as of some dozens, and more memory than
# they did. So soon it is seen which tables have many rows waiting, that these don't leave the processor's cache.
MAX_WAITING, ROOM = 50_000, 8
SOON, MANY = 8192, 64
MAX_BYTES = 128 * 1024 * 1024
EXPECTED = "a payload that the schema accepts"


@record
class Job:
    """What executors are told: the plan as bytes, the folder of the tables, and the kind of input."""

    packed: Packed
    folder: str
    kafka: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Sort one partition, and give the rows that describe the written files."""
        with uncollected():  # rows hold no cycles, and there are many
            sorter = Sorter(unpacked(self.packed.digest, self.packed.data), self.folder)
            for batch in batches:
                if self.kafka:
                    yield from sorter.sort(inputs.records(batch))
                else:
                    yield from sorter.sort_lines(inputs.lines(batch))
            yield from sorter.write()


class Sorter:
    """Sorts the messages of one partition into buckets, and writes these to files."""

    def __init__(self, plan: Plan, folder: str) -> None:
        """Begin with empty buckets."""
        self._plan, self._folder = plan, folder
        self._buckets: dict[str, Bucket] = {}
        self._waiting = self._size = 0
        self._soon = SOON
        self._queue = Queue()

    def sort_lines(self, lines: Sequence[bytes]) -> Iterator[pa.RecordBatch]:
        """Put the message of each line in a bucket, and give the rows that describe files written meanwhile."""
        for part, events, answers in self._plan.recogniser.read(lines):
            self._take_part(zip(part, events, answers, strict=True))
            yield from self._relieved(len(part), sum(map(len, part)))

    def sort(self, found: Iterable[tuple[Input, int]]) -> Iterator[pa.RecordBatch]:
        """Put every message, given with its size, in a bucket, and give the rows that describe files written then."""
        for message, size in found:
            self._take(message)
            yield from self._relieved(1, size)

    def write(self) -> Iterator[pa.RecordBatch]:
        """Write all that waits, and give the rows that describe the files."""
        import pyarrow as pa

        self._pack(1)
        gc.collect(1)  # what is new alone: the plan is old, and large
        described = [bucket.write(self._folder) for bucket in self._buckets.values() if bucket.batches]
        self._size = 0
        if described:
            yield pa.RecordBatch.from_pylist(described)

    def _take_part(self, part: Iterable[tuple[bytes, Plain | None, Answer]]) -> None:
        queued: list[Told] = []
        first = len(self._queue)
        for line, event, answer in part:
            if event is None:
                self._take_line(line)
            elif not answer.xid:
                self._put_event(line, event, answer)
            else:
                bucket = self._buckets.get(answer.xid) or self._bucket(answer.xid)
                if bucket.rows is not None and bucket.rows.reader.takes(event):
                    bucket.queued.append(first + len(queued))
                    queued.append((line, event, answer))
                else:
                    self._land_event(line, event, answer)
        self._queue.add(queued)

    def _take_line(self, line: bytes) -> None:
        if line and not line.isspace():
            for item in self._take(line):
                self._plan.recogniser.learn(item)

    def _take(self, message: Input) -> tuple[Received, ...]:
        items = received(message)
        for item in items:
            self._put(message, item)
        return items

    def _land_event(self, line: bytes, event: Plain, answer: Answer) -> None:
        try:
            item = plain.received(event)
        except plain.REFUSED:
            self._take_line(line)
        else:
            self._land(line, item, Match((Matched(answer.xid, answer.context),), item.event))

    def _put_event(self, line: bytes, event: Plain, answer: Answer) -> None:
        """Put an event that fits no definition, or nobody knows which, where it belongs."""
        try:
            item = plain.received(event)
        except plain.REFUSED:
            self._take_line(line)
            return
        if answer.sure:
            self._refuse(line, item, self._plan.matcher.misses(item))
        else:
            self._put(line, item)

    def _put(self, message: Input, item: Received) -> None:
        match = self._plan.matcher.recognised(item)
        if len(match.matches) == 1:
            self._land(message, item, match)
        elif match.matches:
            candidates = json_text([each.json() for each in match.matches])
            self._other(AMBIGUOUS).append((*_raw(message, item), candidates))
        else:
            self._refuse(message, item, self._plan.matcher.recognised(item, explain=True).reasons)

    def _refuse(self, message: Input, item: Received, reasons: Iterable[Reason]) -> None:
        said = json_text([reason.json() for reason in reasons])
        self._other(UNMATCHED).append((*_raw(message, item), said))

    def _land(self, message: Input, item: Received, match: Match) -> None:
        """Put a message that fits one definition in its bucket, or to the rest where it breaks the payload's schema."""
        xid = match.matches[0].xid
        bucket = self._bucket(xid)
        try:
            value = bucket.rows.reader.read(item) if bucket.rows is not None else None
        except BadPayloadError as error:
            broken = tuple(Failure("dataschema", EXPECTED, problem) for problem in error.problems)
            self._refuse(message, item, [Reason(xid, broken)])
        else:
            bucket.messages.append((item, match, value))

    def _bucket(self, xid: str) -> Bucket:
        found = self._buckets.get(xid)
        if found is None:
            rows = self._plan.rows(xid)
            found = self._buckets[xid] = Bucket(rows.landing, rows)
        return found

    def _other(self, landing: Landing) -> list[tuple[str | None, ...]]:
        return self._buckets.setdefault(landing.about, Bucket(landing)).raw

    def _relieved(self, count: int, size: int) -> Iterator[pa.RecordBatch]:
        """Make room where much waits."""
        self._waiting += count
        self._size += size
        if self._size >= MAX_BYTES:
            yield from self.write()
        elif self._waiting >= max(MAX_WAITING, ROOM * len(self._buckets)):
            self._pack(1)
        elif self._waiting >= self._soon:
            self._pack(MANY)

    def _pack(self, least: int) -> None:
        """Turn what waits into Arrow batches where that is so much for one table."""
        for line in pack(tuple(self._buckets.values()), self._queue, least):
            self._take(line)
        for bucket in self._buckets.values():
            if bucket.waiting >= least:
                bucket.pack()
        self._waiting = sum(bucket.waiting for bucket in self._buckets.values())
        # What goes on waiting is looked through each time, so that is done the less often the more it is.
        self._soon = self._waiting + max(SOON, self._waiting // 2, len(self._buckets))


def _raw(message: Input, item: Received) -> tuple[str | None, str | None]:
    """Return a message as it came: its text, or its bytes in base 64; of a batch the event alone."""
    if item.mode == "batch" and item.event is not None:
        return json_text(item.event), None
    if isinstance(message, bytes):
        try:
            return message.decode(), None
        except UnicodeDecodeError:
            return None, b64encode(message).decode()
    return json_text(wire_json(message)) if isinstance(message, Wire) else json_text(message), None
