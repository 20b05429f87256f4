"""One partition of messages to Parquet files, one for each table that some of them land in. Executors run this."""

from __future__ import annotations

import gc
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xregit.collecting import uncollected
from xregit.messages.reading import received
from xregit.messages.results import Match, Reason
from xregit.messages.verifying import Failure
from xregit.protocols import Wire, wire_json
from xregit.spark import files
from xregit.spark.streams.bodies import BadPayloadError
from xregit.spark.streams.inputs import messages
from xregit.spark.streams.landing import AMBIGUOUS, UNMATCHED, Landing
from xregit.spark.streams.leaves import json_text
from xregit.spark.streams.plans import unpacked
from xregit.spark.streams.types import arrow

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from xregit.messages.reading import Input, Received
    from xregit.spark.streams.plans import Packed, Plan
    from xregit.spark.streams.rows import Row, Rows

# One row of this per written file; ``about`` says what the table holds.
WRITTEN = f"{files.WRITTEN}, about string, records bigint"
# So many rows wait as Python's objects, so many bytes of messages as Arrow's, before they are written.
MAX_WAITING = 50_000
MAX_BYTES = 128 * 1024 * 1024
EXPECTED = "a payload that the schema accepts"


@dataclass(frozen=True, slots=True)
class Job:
    """What executors are told: the plan as bytes, the folder of the tables, and the kind of input."""

    packed: Packed
    folder: str
    kafka: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Sort one partition, and give the rows that describe the written files."""
        with uncollected():  # rows hold no cycles, and there are many
            plan = unpacked(self.packed.digest, self.packed.data)
            yield from Sorter(plan, self.folder).sort(messages(batches, kafka=self.kafka))


@dataclass(slots=True)
class Bucket:
    """The rows of one table that wait to be written."""

    landing: Landing
    schema: pa.Schema
    rows: list[Row] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)

    def pack(self) -> None:
        """Turn rows into an Arrow batch, which takes a fraction of the memory."""
        import pyarrow as pa

        if self.rows:
            columns = zip(*self.rows, strict=True)
            arrays = [pa.array(column, each.type) for column, each in zip(columns, self.schema, strict=True)]
            self.batches.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
            self.rows = []


class Sorter:
    """Sorts the messages of one partition into buckets, and writes these to files."""

    def __init__(self, plan: Plan, folder: str) -> None:
        """Begin with empty buckets."""
        self._plan, self._folder = plan, folder
        self._rows: dict[str, Rows] = {}
        self._buckets: dict[str, Bucket] = {}

    def sort(self, found: Iterator[tuple[Input, int]]) -> Iterator[pa.RecordBatch]:
        """Put every message in a bucket, and give the rows that describe the written files."""
        waiting = size = 0
        for message, length in found:
            for item in received(message):
                self._put(message, item)
                waiting += 1
            size += length
            if waiting >= MAX_WAITING:
                self._pack()
                waiting = 0
            if size >= MAX_BYTES:
                yield from self._write()
                waiting = size = 0
        yield from self._write()

    def _put(self, message: Input, item: Received) -> None:
        match = self._plan.matcher.recognised(item)
        if len(match.matches) == 1:
            xid = match.matches[0].xid
            rows = self._rows.get(xid) or self._rows.setdefault(xid, self._plan.rows(xid))
            try:
                self._bucket(rows.landing).rows.append(rows.row(item, match))
            except BadPayloadError as error:
                broken = Reason(xid, tuple(Failure("dataschema", EXPECTED, problem) for problem in error.problems))
                self._bucket(UNMATCHED).rows.append((*_raw(message, item), json_text([broken.json()])))
        elif match.matches:
            candidates = json_text([each.json() for each in match.matches])
            self._bucket(AMBIGUOUS).rows.append((*_raw(message, item), candidates))
        else:
            reasons = json_text(_reasons(self._plan.matcher.recognised(item, explain=True)))
            self._bucket(UNMATCHED).rows.append((*_raw(message, item), reasons))

    def _bucket(self, landing: Landing) -> Bucket:
        found = self._buckets.get(landing.name)
        if found is None:
            import pyarrow as pa

            schema = pa.schema([(column.name, arrow(column.form)) for column in landing.columns])
            found = self._buckets[landing.name] = Bucket(landing, schema)
        return found

    def _pack(self) -> None:
        for bucket in self._buckets.values():
            bucket.pack()

    def _write(self) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        self._pack()
        gc.collect()
        described = [_written(bucket, self._folder) for bucket in self._buckets.values() if bucket.batches]
        if described:
            yield pa.RecordBatch.from_pylist(described)


def _written(bucket: Bucket, folder: str) -> dict[str, Any]:
    """Write what waits in a bucket to one file, and describe the file."""
    place = f"{folder}/{bucket.landing.name}"
    if "://" not in place:
        Path(place).mkdir(parents=True, exist_ok=True)
    described = files.written(bucket.landing.name, place, bucket.schema, bucket.batches)
    records = sum(batch.num_rows for batch in bucket.batches)
    bucket.batches = []
    return described | {"about": bucket.landing.about, "records": records}


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


def _reasons(match: Match) -> list[dict[str, Any]]:
    return [reason.json() for reason in match.reasons]
