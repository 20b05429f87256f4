"""The router of one partition: messages to Parquet files, one for each table that many of them go to. Executors run it.

Where there are many tables, those that get few messages of a partition leave theirs to another process, which gathers
what all partitions have for them: each table gets one file for that, and no process keeps rows for all tables.
"""

from __future__ import annotations

import gc
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import msgspec

from xregit.messages.constraints import Failure
from xregit.messages.decoder import decode
from xregit.messages.result import DefinitionMatch, Match, Reason
from xregit.protocols import Wire
from xregit.spark import data_files as written_files
from xregit.spark.streams import decoder, source
from xregit.spark.streams.converters import json_text
from xregit.spark.streams.payload_decoder import has_json
from xregit.spark.streams.table_mapping import AMBIGUOUS, UNMATCHED
from xregit.spark.streams.write_buffer import MatchedMessage, Queue, TableBuffer, pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from xregit.messages.batch_matcher import Answer
    from xregit.messages.decoder import IncomingMessage, Input
    from xregit.spark.streams.decoder import Plain, Recognised
    from xregit.spark.streams.plan import Packed, Plan


# One row of this per written file; ``about`` says what the table holds.
WRITTEN = f"{written_files.FILE_COLUMNS}, about string, records bigint"
# The same, or a message for the table of what ``about`` names.
SORTED = f"{WRITTEN}, message binary"
TABLE, MESSAGE = "about", "message"
_encode, _decode = msgspec.msgpack.encode, msgspec.msgpack.decode


def left(buckets: Iterable[TableBuffer], queue: Queue) -> pa.RecordBatch:
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


def _messages(bucket: TableBuffer, queue: Queue) -> Iterator[bytes]:
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


# The rows that wait as Python objects at most, and the bytes of messages as Arrow batches, before they are written.
# After ``SOON`` rows, tables with ``MANY`` or more waiting are packed, while their rows are in the processor's cache.
MAX_WAITING = 50_000
SOON, MANY = 8192, 64
MAX_BYTES = 128 * 1024 * 1024
# If a catalog has more than ``FEW_TABLES``, tables with fewer than ``FEWEST`` rows in a partition leave these to be
# gathered: a file for them would cost more than reading them again. With fewer tables, the extra step of Spark would
# cost more than the files.
FEW_TABLES, FEWEST = 2_000, 16
EXPECTED = "a payload that the schema accepts"
_READ = {source.KAFKA_PARQUET: decoder.records, source.KAFKA_JSON: decoder.json_records}


@dataclass(frozen=True, slots=True)
class Task:
    """What executors are told: the plan as bytes, the folder of the tables, and the format of the messages.

    For tables with fewer messages than ``fewest`` in a partition these are left, and must be gathered.
    """

    packed: Packed
    folder: str
    form: str
    fewest: int = 0

    @classmethod
    def of(cls, packed: Packed, folder: str, form: str) -> Task:
        """Return the job for a plan, which leaves messages to be gathered if there are many tables."""
        return cls(packed, folder, form, FEWEST if len(packed.plan.facts) > FEW_TABLES else 0)

    def sort(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Sort one partition, and give the rows that describe the written files, and the messages that are left."""
        sorter = PartitionRouter(self.packed.plan, self.folder, self.fewest)
        for batch in batches:
            if self.form == source.LINES:
                yield from sorter.sort_lines(source.lines(batch))
            else:
                yield from sorter.sort(_READ[self.form](batch))
        yield from sorter.write()

    def gather(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Sort what other processes have left, table by table, and give the rows that describe all written files."""
        sorter = PartitionRouter(self.packed.plan, self.folder)
        for batch in batches:
            yield files(batch)
            if self.form == source.LINES:
                yield from map(files, sorter.sort_lines(lines(batch)))
            else:
                yield from map(files, sorter.sort(messages(batch)))
        yield from map(files, sorter.write())


class PartitionRouter:
    """Sorts the messages of one partition into buckets, and writes these to files."""

    def __init__(self, plan: Plan, folder: str, fewest: int = 0) -> None:
        """Begin with empty buckets; messages of tables that have fewer than ``fewest`` are left."""
        self._plan, self._folder, self._fewest = plan, folder, fewest
        self._buckets: dict[str, TableBuffer] = {}
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
        yield from self._packed()
        gc.collect(1)  # what is new alone: the plan is old, and large
        files = [bucket.write(self._folder) for bucket in self._buckets.values() if bucket.batches]
        self._buckets = {}
        self._size = 0
        yield described(files)

    def _take_part(self, part: Iterable[tuple[bytes, Plain | None, Answer]]) -> None:
        queued: list[Recognised] = []
        first = len(self._queue)
        for line, event, answer in part:
            if event is None:
                self._take_line(line)
            elif not answer.xid:
                self._put_event(line, event, answer)
            else:
                bucket = self._buckets.get(answer.xid) or self._bucket(answer.xid)
                if bucket.json and has_json(event):
                    bucket.queued.append(first + len(queued))
                    queued.append((line, event, answer))
                else:
                    self._land_event(line, event, answer)
        self._queue.add(queued)

    def _take_line(self, line: bytes) -> None:
        if line and not line.isspace():
            for item in self._take(line):
                self._plan.recogniser.learn(item)

    def _take(self, message: Input) -> tuple[IncomingMessage, ...]:
        items = decode(message)
        for item in items:
            self._put(message, item, alone=len(items) == 1)
        return items

    def _land_event(self, line: bytes, event: Plain, answer: Answer) -> None:
        try:
            item = decoder.received(event)
        except decoder.REFUSED:
            self._take_line(line)
        else:
            match = Match((DefinitionMatch(answer.xid, answer.context),), item.event)
            self._bucket(answer.xid).messages.append(MatchedMessage(line, item, match, alone=True))

    def _put_event(self, line: bytes, event: Plain, answer: Answer) -> None:
        """Put an event that fits no definition, or nobody knows which, where it belongs."""
        try:
            item = decoder.received(event)
        except decoder.REFUSED:
            self._take_line(line)
            return
        if answer.sure:
            self._refuse(line, item, self._plan.matcher.explain(item))
        else:
            self._put(line, item, alone=True)

    def _put(self, message: Input, item: IncomingMessage, *, alone: bool) -> None:
        match = self._plan.matcher.match_message(item)
        if len(match.matches) == 1:
            self._bucket(match.matches[0].xid).messages.append(MatchedMessage(message, item, match, alone))
        elif match.matches:
            candidates = json_text([each.as_json() for each in match.matches])
            self._bucket(AMBIGUOUS.about).raw.append((*_raw(message, item), candidates))
        else:
            self._refuse(message, item, self._plan.matcher.match_message(item, explain=True).reasons)

    def _refuse(self, message: Input, item: IncomingMessage, reasons: Iterable[Reason]) -> None:
        said = json_text([reason.as_json() for reason in reasons])
        self._bucket(UNMATCHED.about).raw.append((*_raw(message, item), said))

    def _bucket(self, about: str) -> TableBuffer:
        found = self._buckets.get(about)
        if found is None:
            found = self._buckets[about] = TableBuffer.of(about, self._plan)
        return found

    def _relieved(self, count: int, size: int) -> Iterator[pa.RecordBatch]:
        """Make room where much waits."""
        self._waiting += count
        self._size += size
        if self._size >= MAX_BYTES:
            yield from self.write()
        elif self._waiting >= MAX_WAITING:
            yield from self._packed()
        elif self._waiting >= self._soon:
            self._pack(MANY)

    def _packed(self) -> Iterator[pa.RecordBatch]:
        """Turn all that waits into Arrow batches, but for messages of tables that have too few, which are left."""
        few = [bucket for bucket in self._buckets.values() if bucket.may_leave(self._fewest)]
        if few:
            yield left(few, self._queue)
            for bucket in few:
                del self._buckets[bucket.about]
        self._pack(1)

    def _pack(self, least: int) -> None:
        """Turn what waits into Arrow batches where that is so much for one table."""
        for line in pack(tuple(self._buckets.values()), self._queue, least):
            self._take(line)
        for bucket in tuple(self._buckets.values()):
            if bucket.waiting >= least:
                for known, problems in bucket.pack():
                    broken = tuple(Failure("dataschema", EXPECTED, problem) for problem in problems)
                    self._refuse(known.message, known.item, [Reason(bucket.about, broken)])
        for bucket in self._buckets.values():
            if bucket.waiting >= least:  # what has been refused meanwhile, too
                bucket.pack_raw()
        self._waiting = sum(bucket.waiting for bucket in self._buckets.values())
        # What goes on waiting is looked through each time, so that is done the less often the more it is.
        self._soon = self._waiting + max(SOON, self._waiting // 2)


def _raw(message: Input, item: IncomingMessage) -> tuple[str | None, str | None]:
    """Return a message as it came: its text, or its bytes in base 64; of a batch the event alone."""
    if item.mode == "batch" and item.event is not None:
        return json_text(item.event), None
    if isinstance(message, bytes):
        try:
            return message.decode(), None
        except UnicodeDecodeError:
            return None, b64encode(message).decode()
    return json_text(message.as_json()) if isinstance(message, Wire) else json_text(message), None
