"""The router of one partition: messages to Parquet files, one for each table that many of them go to. Executors run it.

Where there are many tables, messages for those that get few of a partition are deferred to another process, which
gathers what all partitions have for them: each table gets one file for that, and no process keeps rows for all tables.
"""

from __future__ import annotations

import gc
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from xregit.messages.constraints import Failure
from xregit.messages.decoder import decode
from xregit.messages.guess import BAD_PAYLOAD
from xregit.messages.result import DefinitionMatch, Match, Reason
from xregit.protocols import Wire
from xregit.spark.data_files import FILE_COLUMNS
from xregit.spark.streams.converters import json_text
from xregit.spark.streams.decoder import DECODE_ERRORS, decode_kafka_lines, decode_kafka_rows, to_incoming
from xregit.spark.streams.payload_decoder import has_json_data
from xregit.spark.streams.source import KAFKA_JSON, KAFKA_PARQUET, LINES, text_lines
from xregit.spark.streams.table_mapping import AMBIGUOUS, UNMATCHED
from xregit.spark.streams.write_buffer import EventQueue, MatchedMessage, TableBuffer, pack_buffers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from xregit.messages.batch_matcher import Answer
    from xregit.messages.decoder import IncomingMessage, Input
    from xregit.spark.streams.decoder import MatchedLine, PlainEvent
    from xregit.spark.streams.plan import PackedPlan, Plan


# One row of this per file; ``key`` is that of the table.
FILE_ROWS = f"{FILE_COLUMNS}, key string, records bigint"
# The same, or a message that is deferred, for the table of that key.
ROUTED_ROWS = f"{FILE_ROWS}, message binary"
KEY, MESSAGE = "key", "message"

# The rows that wait as Python objects at most, and the bytes of messages as Arrow batches, before they are written.
# After ``PACK_AFTER`` rows, tables with ``PACK_MIN_ROWS`` or more are packed, while they are in the processor's cache.
MAX_WAITING = 50_000
PACK_AFTER, PACK_MIN_ROWS = 8192, 64
MAX_BYTES = 128 * 1024 * 1024
# In a catalog with more than ``FEW_TABLES``, messages for tables with fewer than ``MIN_ROWS`` in a partition are
# deferred and gathered: a file for them would cost more than reading them again. With fewer tables, the extra step of
# Spark would cost more than the files.
FEW_TABLES, MIN_ROWS = 2_000, 16
_DECODERS = {KAFKA_PARQUET: decode_kafka_rows, KAFKA_JSON: decode_kafka_lines}


@dataclass(frozen=True, slots=True)
class RoutingTask:
    """The work of executors: the plan as bytes, the folder of the tables, and the format of the messages.

    Messages for tables with fewer than ``min_rows`` in a partition are deferred, and must be gathered.
    """

    packed: PackedPlan
    folder: str
    format: str
    min_rows: int = 0

    @classmethod
    def of(cls, packed: PackedPlan, folder: str, message_format: str) -> RoutingTask:
        """Return the task for a plan, which defers messages if there are many tables."""
        return cls(packed, folder, message_format, MIN_ROWS if len(packed.plan.definitions) > FEW_TABLES else 0)

    def route(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Route one partition, and yield the rows that describe the files, and the deferred messages."""
        router = PartitionRouter(self.packed.plan, self.folder, self.min_rows)
        for batch in batches:
            if self.format == LINES:
                yield from router.route_lines(text_lines(batch))
            else:
                yield from router.route(_DECODERS[self.format](batch))
        yield from router.write()

    def gather(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Route deferred messages, table by table, and yield the rows that describe the files of all processes."""
        router = PartitionRouter(self.packed.plan, self.folder)
        for batch in batches:
            yield _file_rows(batch)
            messages = batch.column(MESSAGE).drop_null().to_pylist()
            if self.format == LINES:
                routed = router.route_lines([_DECODE(each) for each in messages])
            else:
                routed = router.route((_decode_message(each), len(each)) for each in messages)
            yield from map(_file_rows, routed)
        yield from map(_file_rows, router.write())


class PartitionRouter:
    """Routes the messages of one partition to the buffers of their tables, and writes these to files."""

    def __init__(self, plan: Plan, folder: str, min_rows: int = 0) -> None:
        """Begin with empty buffers; messages of tables that have fewer than ``min_rows`` are deferred."""
        self._plan, self._folder, self._min_rows = plan, folder, min_rows
        self._buffers: dict[str, TableBuffer] = {}
        self._waiting = self._size = 0
        self._pack_at = PACK_AFTER
        self._queue = EventQueue()

    def route_lines(self, lines: Sequence[bytes]) -> Iterator[pa.RecordBatch]:
        """Route the message of each line, and yield the rows that describe files written meanwhile."""
        for part, events, answers in self._plan.line_matcher.match(lines):
            queued: list[MatchedLine] = []
            first = len(self._queue)
            for line, event, answer in zip(part, events, answers, strict=True):
                if event is None:
                    self._route_line(line)
                    continue
                buffer = self._buffer(answer.xid) if answer.xid else None
                if buffer is not None and buffer.json and has_json_data(event):
                    buffer.queued.append(first + len(queued))
                    queued.append((line, event, answer))
                else:
                    self._route_event(line, event, answer)
            self._queue.add(queued)
            yield from self._relieve(len(part), sum(map(len, part)))

    def route(self, messages: Iterable[tuple[Input, int]]) -> Iterator[pa.RecordBatch]:
        """Route messages, each given with its size, and yield the rows that describe files written meanwhile."""
        for message, size in messages:
            self._route_items(message)
            yield from self._relieve(1, size)

    def write(self) -> Iterator[pa.RecordBatch]:
        """Write all that waits, and yield the rows that describe the files."""
        import pyarrow as pa

        yield from self._pack_all()
        gc.collect(1)  # what is new alone: the plan is old, and large
        files = [buffer.write(self._folder) for buffer in self._buffers.values() if buffer.batches]
        self._buffers = {}
        self._size = 0
        yield pa.RecordBatch.from_pylist(files, schema=_routed_schema())

    def _route_line(self, line: bytes) -> None:
        if line and not line.isspace():
            for item in self._route_items(line):
                self._plan.line_matcher.learn(item)

    def _route_items(self, message: Input) -> tuple[IncomingMessage, ...]:
        """Route a message, or each event of a batch, and return them."""
        items = decode(message)
        for item in items:
            self._route_item(message, item, alone=len(items) == 1)
        return items

    def _route_event(self, line: bytes, event: PlainEvent, answer: Answer) -> None:
        """Route a plain event that is not queued, as its data or the schema is no JSON, or it has no one definition."""
        try:
            item = to_incoming(event)
        except DECODE_ERRORS:
            self._route_line(line)
            return
        if answer.xid:
            match = Match((DefinitionMatch(answer.xid, answer.context),), item.event)
            self._buffer(answer.xid).messages.append(MatchedMessage(line, item, match, alone=True))
        elif answer.sure:
            self._reject(line, item, self._plan.matcher.explain(item))
        else:
            self._route_item(line, item, alone=True)

    def _route_item(self, message: Input, item: IncomingMessage, *, alone: bool) -> None:
        match = self._plan.matcher.match_message(item, payloads=False)  # that comes when rows are made
        if len(match.matches) == 1:
            self._buffer(match.matches[0].xid).messages.append(MatchedMessage(message, item, match, alone))
        elif match.matches:
            candidates = json_text([each.as_json() for each in match.matches])
            self._buffer(AMBIGUOUS.key).raw.append((*_raw_columns(message, item), candidates))
        else:
            self._reject(message, item, self._plan.matcher.match_message(item, explain=True, payloads=False).reasons)

    def _reject(self, message: Input, item: IncomingMessage, reasons: Iterable[Reason]) -> None:
        text = json_text([reason.as_json() for reason in reasons])
        self._buffer(UNMATCHED.key).raw.append((*_raw_columns(message, item), text))

    def _buffer(self, key: str) -> TableBuffer:
        buffer = self._buffers.get(key)
        if buffer is None:
            buffer = self._buffers[key] = TableBuffer(key, self._plan, self._plan.is_json(key))
        return buffer

    def _relieve(self, count: int, size: int) -> Iterator[pa.RecordBatch]:
        """Free memory where much waits, after so many more messages of this size in all."""
        self._waiting += count
        self._size += size
        if self._size >= MAX_BYTES:
            yield from self.write()
        elif self._waiting >= MAX_WAITING:
            yield from self._pack_all()
        elif self._waiting >= self._pack_at:
            self._pack(PACK_MIN_ROWS)

    def _pack_all(self) -> Iterator[pa.RecordBatch]:
        """Turn all that waits into Arrow batches, but the messages of tables with too few, which are deferred."""
        small = [buffer for buffer in self._buffers.values() if buffer.can_defer(self._min_rows)]
        if small:
            yield _deferred_rows(small, self._queue)
            for buffer in small:
                del self._buffers[buffer.key]
        self._pack(1)

    def _pack(self, min_rows: int) -> None:
        """Turn what waits into Arrow batches where that is at least so much for one table."""
        for line in pack_buffers(tuple(self._buffers.values()), self._queue, min_rows):
            self._route_items(line)
        for buffer in tuple(self._buffers.values()):
            if buffer.waiting >= min_rows:
                for bad, problems in buffer.pack_messages():
                    failures = tuple(Failure("dataschema", BAD_PAYLOAD, problem) for problem in problems)
                    self._reject(bad.message, bad.item, [Reason(buffer.key, failures)])
        for buffer in self._buffers.values():
            if buffer.waiting >= min_rows:  # with what has been rejected meanwhile
                buffer.pack_raw()
        self._waiting = sum(buffer.waiting for buffer in self._buffers.values())
        # What still waits is examined each time, so that is done the less often the more it is.
        self._pack_at = self._waiting + max(PACK_AFTER, self._waiting // 2)


def _raw_columns(message: Input, item: IncomingMessage) -> tuple[str | None, str | None]:
    """Return a message as it came: its text, or its bytes in base 64; of a batch the event alone."""
    if item.mode == "batch" and item.event is not None:
        return json_text(item.event), None
    if isinstance(message, bytes):
        try:
            return message.decode(), None
        except UnicodeDecodeError:
            return None, b64encode(message).decode()
    return json_text(message.as_json()) if isinstance(message, Wire) else json_text(message), None


@cache
def _routed_schema() -> pa.Schema:
    import pyarrow as pa

    types = {"string": pa.string(), "bigint": pa.int64(), "binary": pa.binary()}
    return pa.schema([(name, types[kind]) for name, kind in (each.split() for each in ROUTED_ROWS.split(", "))])


def _file_rows(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows that describe files, without the column of messages."""
    rows = batch.filter(batch.column(MESSAGE).is_null())
    return rows.select([name for name in rows.schema.names if name != MESSAGE])


def _deferred_rows(buffers: Iterable[TableBuffer], queue: EventQueue) -> pa.RecordBatch:
    """Return the messages that wait for some tables as rows."""
    import pyarrow as pa

    rows = [
        {KEY: buffer.key, MESSAGE: _encode_message(message)}
        for buffer in buffers
        for message in (*queue.lines(buffer.queued), *(each.message for each in buffer.messages))
    ]
    return pa.RecordBatch.from_pylist(rows, schema=_routed_schema())


_ENCODE, _DECODE = msgspec.msgpack.encode, msgspec.msgpack.decode


def _encode_message(message: Input) -> bytes:
    return _ENCODE((message.protocol, message.fields, message.body) if isinstance(message, Wire) else message)


def _decode_message(data: bytes) -> Input:
    decoded = _DECODE(data)
    if isinstance(decoded, bytes):
        return decoded
    protocol, fields, body = decoded
    headers: Mapping[str, Any] = fields.get("headers", {})
    repeated = {name: tuple(each) for name, each in headers.items() if isinstance(each, list)}
    return Wire(protocol, fields | {"headers": {**headers, **repeated}} if repeated else fields, body)
