"""The write task of executors: classified messages, sorted by their tables, to one file for each table."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

import pyarrow as pa

from xregit.errors import XregitError
from xregit.messages.decoder import IncomingMessage, Input, decode
from xregit.messages.matcher import is_tombstone
from xregit.payloads import PayloadError
from xregit.protocols import Wire
from xregit.protocols.binding import BATCH
from xregit.spark import data_files
from xregit.spark.data_files import FILE_COLUMNS
from xregit.spark.location import Location
from xregit.spark.streams.converters import json_text
from xregit.spark.streams.decoder import decode_payload
from xregit.spark.streams.message_tables import AMBIGUOUS, QUARANTINE, RAW_TABLES, UNMATCHED, raw_payload
from xregit.spark.streams.router import NONE, TOMBSTONE, Plan, bad_payload, reasons_text
from xregit.spark.streams.source import MessageColumns

#: The column of the key of the table that a message goes to, and of the key of the file's.
TABLE, KEY = "_table", "key"
#: One row of this for each file, or, where ``rows`` are handed over, for each part of a table.
FILE_ROWS = f"{FILE_COLUMNS}, {KEY} string, records bigint, rows binary"
# So many bytes of rows for one table make a file.
MAX_BYTES = 128 * 1024 * 1024
# The columns of `classify` that decide on a row.
_RESULT = ["outcome", "candidates", "context", "event", "reasons", "position"]


@dataclass(frozen=True, slots=True)
class WriteTask:
    """The work of executors: the plan, where messages are, and the folder of the tables, if files are due.

    ``record`` are the columns of the data frame that tables have too. Messages of the definitions that are ``blocked``
    go to quarantine, each with the reason.
    """

    plan: Plan
    columns: MessageColumns
    record: Sequence[str]
    folder: Location | None
    ingested: datetime
    blocked: Mapping[str, str]

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write the messages of one partition, which are sorted by `TABLE`; yield a row for each file."""
        waiting: defaultdict[str, list[pa.RecordBatch]] = defaultdict(list)
        for batch in batches:
            start = 0
            for table, group in groupby(batch.column(TABLE).to_pylist()):
                part = batch.slice(start, len(list(group)))
                start += part.num_rows
                for key, rows in self._rows(table, part):
                    waiting[key].append(rows)
                # What has no definition may come from all of them.
                for key in [key for key, rows in waiting.items() if _is_done(key, table) or _size(rows) >= MAX_BYTES]:
                    yield self._write(key, waiting.pop(key))
        for key, rows in waiting.items():
            yield self._write(key, rows)

    def _rows(self, table: str, part: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yield the rows of messages for one table, by the key of the table that they turn out to go to."""
        rows: defaultdict[str, dict[int, Sequence[Any]]] = defaultdict(dict)
        results = part.select(_RESULT).to_pylist()
        for place, (message, result) in enumerate(zip(self.columns.messages(part), results, strict=True)):
            key, row = self._row(table, message, result)
            rows[key][place] = row
        for key, placed in rows.items():
            places = pa.array(placed, pa.int64())
            record = [part.column(name).take(places) for name in self.record]
            ingested = pa.repeat(pa.scalar(self.ingested, pa.timestamp("us", "UTC")), len(placed))
            yield key, self.plan.table(key).batch(list(placed.values()), [*record, ingested])

    def _row(self, table: str, message: Input, result: Mapping[str, Any]) -> tuple[str, Sequence[Any]]:
        """Return the key of the table of a message, and its row there without the columns of the record.

        Raises:
            XregitError: the message was classified with another catalog.
        """
        item = decode(message)[result["position"] or 0]
        if table == UNMATCHED:
            return table, (*raw_columns(message, item), result["reasons"], result["outcome"])
        if table == AMBIGUOUS:
            candidates = [{**each, "context": dict(each["context"])} for each in result["candidates"]]
            return table, (*raw_columns(message, item), json_text(candidates))
        if table not in self.plan.definitions:
            message = f"the rows were classified with another catalog, which has {table}; pass that one to write_batch"
            raise XregitError(message)
        builder = self.plan.row_builder(table)
        try:
            value = decode_payload(builder.schema, item)
        except PayloadError as error:
            outcome = TOMBSTONE if is_tombstone(item) else NONE
            return UNMATCHED, (*raw_columns(message, item), reasons_text([bad_payload(table, error)]), outcome)
        if table in self.blocked:  # known by now: what is unmatched is the same messages each time
            return f"{QUARANTINE} {table}", (*raw_columns(message, item), table, self.blocked[table])
        event = json.loads(result["event"]) if result["event"] else item.event or {}
        return table, builder.row(item, event, dict(result["context"]), value)

    def _write(self, key: str, batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
        """Write rows to one file in the folder of their table, or pack them, and describe it."""
        name, rows = self.plan.table(key).name, pa.Table.from_batches(batches).combine_chunks()  # for one row group
        description: dict[str, Any] = {"table": name, KEY: key, "records": rows.num_rows}
        if self.folder:
            place = self.folder / name
            if place.local:
                place.local.mkdir(parents=True, exist_ok=True)
            description |= data_files.write_file(name, place.url, rows.schema, rows.to_batches(), place.options)
        else:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, rows.schema) as stream:
                stream.write_table(rows)
            description["rows"] = sink.getvalue().to_pybytes()
        return pa.RecordBatch.from_pylist([description], schema=_FILE_SCHEMA)


_TYPES = {"string": pa.string(), "bigint": pa.int64(), "binary": pa.binary()}
_FILE_SCHEMA = pa.schema([(name, _TYPES[kind]) for name, kind in map(str.split, FILE_ROWS.split(", "))])


def _is_done(key: str, table: str) -> bool:
    """Return whether no more rows come for a key, as messages are sorted by their tables."""
    return key != table and key.partition(" ")[0] not in RAW_TABLES


def _size(batches: Sequence[pa.RecordBatch]) -> int:
    return sum(each.nbytes for each in batches)


def raw_columns(message: Input, item: IncomingMessage) -> tuple[str | None, str | None]:
    """Return a message as it came: its text, or its bytes in base 64; of a batch the event alone."""
    if item.mode == BATCH and item.event is not None:
        return json_text(item.event), None
    if isinstance(message, bytes):
        return raw_payload(message)
    return json_text(message.as_json() if isinstance(message, Wire) else message), None
