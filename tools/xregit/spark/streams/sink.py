"""Classified messages written to the tables of their definitions, a batch once however often it is replayed.

The protocol, and why each step is safe, is in `site/manual/exactly-once.md`.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
from pyspark.sql import DataFrame

from xregit.arguments import expect
from xregit.catalog import Registry
from xregit.catalog.registry import expect_registry
from xregit.document import compile_document, read
from xregit.errors import XregitError
from xregit.model.files import SPECVERSION
from xregit.source.json_emitter import to_bytes
from xregit.spark.executors import portable
from xregit.spark.location import Location, errors_at, is_connected
from xregit.spark.streams.delta import SCHEMA, RefusedError, Tables, Transaction, open_tables
from xregit.spark.streams.message_tables import (
    AMBIGUOUS,
    QUARANTINE,
    RAW_TABLES,
    UNMATCHED,
    Column,
    ConflictError,
    TableMapping,
    possible_names,
    record_columns,
    table_names,
)
from xregit.spark.streams.router import MANY, ONE, RESULT, ClassifyTask, Plan, make_plan
from xregit.spark.streams.source import MessageColumns, message_columns
from xregit.spark.streams.writer import FILE_ROWS, KEY, TABLE, WriteTask
from xregit.spark.table_schema import LONG, TEXT, TIMESTAMP
from xregit.spark.table_writer import refuse_escapes, refuse_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMMITTERS = 8
DIGEST_BYTES = 16
# So many sinks are remembered, with their open tables and plans.
MAX_SINKS, MAX_CATALOGS = 8, 4
#: So many batches back a batch can be replayed.
KEPT_BATCHES = 100
BATCHES = TableMapping(
    "_batches",
    "_batches",
    "By which catalog, and which part of it, each batch of each application is sorted, however often it is replayed.",
    (
        Column("app_id", TEXT, "The application."),
        Column("batch_id", LONG, "The number of its batch."),
        Column("catalog", TEXT, "The digest of the catalog."),
        Column("document", "binary", "The catalog, compressed, where it is the first batch with it."),
        Column("query", TEXT, "The query of Structured Streaming, if known."),
        Column("started", TIMESTAMP, "When the batch was begun."),
        Column("endpoint", TEXT, "The endpoint whose definitions are compared, if not all."),
        Column("messagegroup", TEXT, "The group whose definitions are compared."),
    ),
)
# What the names have under which the tables know quarantined rows, catalogs and finished batches.
_RESERVED = re.compile(r"^catalog | finished$| /")
_QUERY_ID = "sql.streaming.queryId"
_TABLE_KEY = f"case outcome when '{ONE}' then xid when '{MANY}' then '{AMBIGUOUS}' else '{UNMATCHED}' end"
# So many tasks look whether the folder of the tables is shared.
PROBES = 32


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What one call of `write_batch` did: the rows that it added, by table.

    ``quarantined`` has what is wrong with the tables of the definitions whose rows went to quarantine, by xid.
    ``catalog`` is the digest of the catalog by which the batch was sorted: of one that is replayed, that of its first
    time.
    """

    batch_id: int
    rows: Mapping[str, int]
    quarantined: Mapping[str, str]
    catalog: str


def write_batch(  # noqa: PLR0913 - by name
    df: DataFrame,
    batch_id: int,
    app_id: str,
    registry: Registry,
    tables: Path | str,
    *,
    endpoint: str = "",
    group: str = "",
    format: str = "",  # noqa: A002 - the word of Spark's readers
    columns: Mapping[str, str] | None = None,
    compact: int = 0,
) -> BatchResult:
    """Write the messages of a data frame, or what `classify` made of them, to the tables of their definitions, once.

    It is for ``foreachBatch``, also of a job of one's own. However often a batch is written again, by however many
    drivers, each of its messages is one row: if the batch has the same messages each time, and each number of one
    application is one batch. So an application is one query with its checkpoint, and a new checkpoint needs a new
    application; the rows of a file or a day are a batch of an application that is called so.

    Rows that are left out by what `classify` made of them are not safe: if the batch is written again with another
    catalog, other rows are left out. Filter before `classify`.

    What fits no definition goes to the table "unmatched", what fits several to "ambiguous". Where one table can't be
    written, or a field has changed its type, the rows of that definition go to "quarantine", each with the reason.

    Args:
        df: the batch; messages are where `classify` says. All its other columns become columns of all tables.
        batch_id: the number of the batch, which grows.
        app_id: who writes it; not a name with " /", "catalog " at the start or " finished" at the end.
        registry: the catalog. A batch that is replayed is sorted by the catalog of its first time.
        tables: a folder, the URL of one, or "schema:CATALOG.SCHEMA" for a schema of Spark's catalog.
        endpoint: the xid of the endpoint whose definitions are compared, if not all.
        group: the xid of the group whose definitions are compared.
        format: the format of the messages; see `classify`.
        columns: which columns the parts of a message are in; see `classify`.
        compact: after every so many batches, small files of the tables that got rows become large ones.

    Raises:
        XregitError: an argument is none of these; or the messages can't be read, or a table not be written: call it
            again with the same batch.
    """
    expect_registry(registry)
    expect(DataFrame, df, "spark.read gives one")
    if not app_id or _RESERVED.search(app_id) or batch_id < 0:
        message = (
            'app_id must be a name without " /", "catalog " at the start or " finished" at the end, and batch_id at '
            f'least 0; they are "{app_id}" and {batch_id}'
        )
        raise XregitError(message)
    place = find_tables(tables, df.sparkSession)
    names = message_columns(df, format, columns)
    sink = open_sink(place, app_id, batch_id, df.sparkSession)
    with errors_at(place, "write to"):
        sink.share_folder(df.sparkSession)
        pin = sink.pin(batch_id, registry, Scope(endpoint, group), query_id(df.sparkSession))
        if RESULT.keys() <= set(df.columns) and (pin.registry is not registry or pin.scope != (endpoint, group)):
            first = df["position"].isNull() | (df["position"] == 0)  # each event of a batch has the message
            df = df.where(first).drop(*RESULT)
        record = [
            each for each in df.schema.jsonValue()["fields"] if each["name"] not in {*RESULT, names.names["value"]}
        ]
        plan, commit = sink.plan(pin, record), registry.origin.history.head
        batch = Batch(batch_id, pin, commit, plan, df, names, [each["name"] for each in record])
        result = sink.write(batch)
        if compact and batch_id % compact == compact - 1:
            sink.each(sink.tables.compact, result.rows)
    sink.next_batch = batch_id + 1
    while len(_sinks) >= MAX_SINKS:
        _sinks.pop(next(iter(_sinks)))
    _sinks[place.url, app_id] = sink
    return result


class Scope(NamedTuple):
    """Which definitions of a catalog are compared: those of an endpoint, of a group, or all."""

    endpoint: str = ""
    group: str = ""


class Pin(NamedTuple):
    """What a batch is sorted by: the catalog, with its digest, and the part of it that counts.

    Of a batch that somebody has ``begun`` before, tables may have rows already.
    """

    digest: str
    registry: Registry
    scope: Scope
    begun: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch by its number: what it is sorted by, the messages, and which columns they have."""

    number: int
    pin: Pin
    commit: str
    plan: Plan
    frame: DataFrame
    columns: MessageColumns
    record: Sequence[str]


_sinks: dict[tuple[str, str], Sink] = {}


def open_sink(place: Location, app_id: str, batch_id: int, spark: SparkSession) -> Sink:
    """Return the sink of an application for its next batch; for any other, or after a failure, a new one."""
    tables = open_tables(place, spark)
    sink = _sinks.pop((place.url, app_id), None)
    if sink is None or sink.next_batch != batch_id:
        return Sink(app_id, tables)
    if not tables.folder:
        sink.tables = tables  # of the session of this batch
    return sink


def find_tables(tables: Path | str, spark: SparkSession) -> Location:
    """Return the folder or schema of tables, with the credentials that a session has for it.

    Raises:
        XregitError: it is a file, or has a name that `deltalake` takes for another.
    """
    if str(tables).startswith(SCHEMA):
        return Location(str(tables))
    place = Location.of(tables, spark)
    refuse_file(place)
    refuse_escapes(place)
    return place


@lru_cache(maxsize=MAX_CATALOGS)
def freeze_catalog(registry: Registry) -> tuple[str, bytes]:
    """Return a registry's digest, and the document to keep of it."""
    document = to_bytes(compile_document(registry, profile=SPECVERSION))
    return blake2b(document, digest_size=DIGEST_BYTES).hexdigest(), document


def query_id(spark: SparkSession) -> str:
    """Return the id of the query that is running, which a checkpoint keeps; empty where Spark does not tell it."""
    if is_connected(spark):
        return ""
    return spark.sparkContext.getLocalProperty(_QUERY_ID) or ""


@dataclass
class Sink:
    """The tables of one application, as it goes from batch to batch."""

    app_id: str
    tables: Tables
    next_batch: int = -1
    blocked: dict[str, str] = field(default_factory=dict)
    _shared: bool = False
    _plan_key: tuple[Any, ...] = ()
    _plan: Plan | None = field(default=None, repr=False)

    def pin(self, number: int, registry: Registry, scope: Scope, query: str) -> Pin:
        """Return what a batch is sorted by: this catalog and scope, or those that it was begun with.

        Raises:
            XregitError: the application has another checkpoint, or the batch is too old, or another is not finished.
        """
        digest, document = freeze_catalog(registry)
        row = self._begun(number, query) if self.next_batch != number else None
        if row is None:
            key = f"catalog {digest}"
            if digest not in self._plan_key and not self._find(key):
                self._add_row(key, 0, digest, document=zlib.compress(document))
            more = {"query": query, "endpoint": scope.endpoint, "messagegroup": scope.group}
            if self._add_row(self.app_id, number, digest, **more):
                if number % KEPT_BATCHES == KEPT_BATCHES - 1:
                    self._forget(number - KEPT_BATCHES)
                return Pin(digest, registry, scope, begun=False)
            row = self._begun(number, query)  # somebody else was faster
        if row is None:
            message = f'batch {number} of "{self.app_id}" is too old to be written again, or the number of another one'
            raise XregitError(message)
        pinned = registry if row["catalog"] == digest else self._catalog(row["catalog"])
        scope = Scope(row.get("endpoint") or "", row.get("messagegroup") or "")
        return Pin(row["catalog"], pinned, scope, begun=True)

    def _begun(self, number: int, query: str) -> Mapping[str, Any] | None:
        """Return the row of a batch that was begun, None for one that a run may begin with.

        Raises:
            XregitError: the application has another checkpoint, or another batch is not finished.
        """
        state = self.tables.state(BATCHES.name)
        if state and state.problem:
            raise _stopped(state.problem)
        begun = {int(row["batch_id"]): row for row in self._find(self.app_id)}
        if query and {row["query"] for row in begun.values()} - {query, "", None}:
            message = (
                f'"{self.app_id}" has written batches of another checkpoint; this one numbers them from 0 again, and '
                "the tables would take them for written; choose another app_id"
            )
            raise XregitError(message)
        last = max(begun, default=number)
        if last < number and not self._find(self._finished, last):  # tables would take that for written
            message = (
                f'batch {last} of "{self.app_id}" was begun and not finished; write it again before batch {number}, '
                "or take another app_id"
            )
            raise XregitError(message)
        return begun.get(number)

    def _find(self, app_id: str, number: int | None = None) -> list[dict[str, Any]]:
        condition = "" if number is None else f" AND batch_id = {number}"
        return self.tables.query(BATCHES.name, f"app_id = {_quote(app_id)}{condition}")

    def _add_row(self, app_id: str, number: int, digest: str, **columns: Any) -> bool:
        row = {"app_id": app_id, "batch_id": number, "catalog": digest, "started": datetime.now(UTC), **columns}
        return self.tables.add_row(BATCHES, row, Transaction(app_id, number, {}))

    @property
    def _finished(self) -> str:
        """The name under which the table has the batches that are in all tables."""
        return f"{self.app_id} finished"

    def _forget(self, number: int) -> None:
        """Remove all batches up to this one."""
        both = f"{_quote(self.app_id)}, {_quote(self._finished)}"
        self.tables.delete(BATCHES.name, f"app_id IN ({both}) AND batch_id <= {number}")

    def _catalog(self, digest: str) -> Registry:
        rows = self._find(f"catalog {digest}")
        if not rows:
            message = f"the catalog of a batch that was begun is gone from the table {BATCHES.name}; bring it back"
            raise XregitError(message)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "catalog.json"
            path.write_bytes(zlib.decompress(rows[0]["document"]))
            return read(path)

    def plan(self, pin: Pin, record: Sequence[Mapping[str, Any]]) -> Plan:
        """Return the plan for the tables as they are, whose rows have these columns of the data frame."""
        key = (pin.digest, pin.scope, json.dumps(record))
        if key != self._plan_key or self._plan is None:
            made = replace(make_plan(pin.registry, *pin.scope), record=record_columns(record))
            self._plan_key, self._plan = key, self._adopt(made)
        return self._plan

    def _adopt(self, plan: Plan) -> Plan:
        """Return the plan with the names and columns that its tables have already, and note which can't be written.

        Raises:
            XregitError: a table that all definitions need can't be written.
        """
        names = sorted({*plan.keys, *(name for xid in plan.definitions for name in possible_names(xid))})
        there = self.tables.names()
        names = [name for name in names if there is None or name in there]
        states = {name: state for name, state in self.each(self.tables.state, names) if state is not None}
        owners = {name: state.key or plan.keys.get(name, "") for name, state in states.items()}
        renamed = table_names(plan.definitions, owners)
        plan = replace(
            plan, definitions={xid: replace(each, name=renamed[xid]) for xid, each in plan.definitions.items()}
        )
        keys = {name: key for name, key in plan.keys.items() if owners.get(name) == key}
        plan = replace(plan, existing={key: states[name].columns for name, key in keys.items()})
        self.blocked = {}
        for name, key in [*keys.items(), *((name, name) for name in RAW_TABLES if name not in keys)]:
            state = states.get(name)
            problem = state.problem if state else ""
            try:
                plan.table(key)
            except ConflictError as error:
                problem = problem or f"{name}: {error}"
            if state and state.key not in {"", key}:
                problem = f"{name} is the table of {state.key}"
            if problem and key in RAW_TABLES:
                raise _stopped(problem)
            if problem:
                self.blocked[key] = problem
        blocked = dict.fromkeys(self.blocked, ())
        return replace(plan, existing={**plan.existing, **blocked}) if blocked else plan

    def each(self, work: Callable[[str], Any], names: Iterable[str]) -> list[tuple[str, Any]]:
        """Do something with several tables at once, and return each with what it returns."""
        listed = list(names)
        with ThreadPoolExecutor(COMMITTERS) as pool:
            return list(zip(listed, pool.map(work, listed), strict=True))

    def write(self, batch: Batch) -> BatchResult:
        """Write a batch; what turns out not to fit its table, as that has changed meanwhile, once more.

        Raises:
            XregitError: files of executors are not here.
        """
        rows: Counter[str] = Counter()
        quarantined: dict[str, str] = {}
        late = self._write(batch, rows, quarantined, None)
        if late:
            self._plan = self._adopt(batch.plan)
            batch = replace(batch, plan=self._plan)
            late = self._write(batch, rows, quarantined, late)
        if late:
            self.blocked |= late
            self._write(batch, rows, quarantined, late)
        self._add_row(self._finished, batch.number, batch.pin.digest)
        return BatchResult(batch.number, dict(sorted((+rows).items())), quarantined, batch.pin.digest)

    def _write(
        self, batch: Batch, rows: Counter[str], quarantined: dict[str, str], only: Iterable[str] | None
    ) -> dict[str, str]:
        """Write the messages of a batch, or only those of some definitions, and count the rows by table.

        Return the definitions whose tables refuse them, each with the reason.
        """
        late: dict[str, str] = {}
        self.tables.state(QUARANTINE)
        with self.content(batch, only) as content:

            def commit(key: str) -> None:
                count, rows_of_key = content[key]
                xid = key.partition(" ")[2]
                try:
                    added = self._commit(key, rows_of_key, batch)
                except RefusedError as error:
                    if key not in batch.plan.definitions:
                        raise _stopped(str(error)) from error
                    late[key] = str(error)
                    return
                rows[batch.plan.table(key).name] += count if added else 0
                if xid and added:
                    quarantined[xid] = self.blocked[xid]

            self.each(commit, (key for key in content if not key.startswith(QUARANTINE)))
            for key in content:
                if key.startswith(QUARANTINE):  # of several definitions, for one table
                    commit(key)
        return late

    @contextmanager
    def content(self, batch: Batch, only: Iterable[str] | None) -> Iterator[dict[str, tuple[int, Any]]]:
        """Yield for each table how many rows it gets, and the files that hold them, or a data frame with them packed.

        With ``only`` that is for the messages of these definitions alone.

        Raises:
            XregitError: files of executors are not here.
        """
        place = self.tables.folder
        task = WriteTask(batch.plan, batch.columns, batch.record, place, datetime.now(UTC), dict(self.blocked))
        frame = batch.frame
        if not RESULT.keys() <= set(frame.columns):
            frame = ClassifyTask(batch.plan, batch.columns, payloads=False).applied_to(frame)
        frame = frame.drop("payload").selectExpr("*", f"{_TABLE_KEY} as {TABLE}")
        frame = frame if only is None else frame.where(frame[TABLE].isin(list(only)))
        files = frame.hint("rebalance", TABLE).sortWithinPartitions(TABLE).mapInArrow(portable(task.run), FILE_ROWS)
        content: dict[str, tuple[int, Any]] = {}
        if place is not None:
            for row in files.drop("rows").collect():
                count, listed = content.get(row[KEY], (0, []))
                content[row[KEY]] = count + row["records"], [*listed, row.asDict()]
                if place.local and not (place.local / row["table"] / row["path"]).is_file():
                    raise _not_shared(place)
            yield content
            return
        files = files.persist()
        try:
            for row in files.groupBy(KEY).sum("records").collect():
                content[row[0]] = row[1], files.where(files[KEY] == row[0]).select("rows")
            yield content
        finally:
            files.unpersist()

    def _commit(self, key: str, content: Any, batch: Batch) -> bool:
        """Commit the rows of one definition or other table; return false where they are there already."""
        xid = key.partition(" ")[2]
        if xid:  # is for quarantine, unless the table has it
            application, alternative = f"{self.app_id} {xid}", (batch.plan.definitions[xid].name, self.app_id)
            self.tables.state(alternative[0])
        else:
            application, alternative = self.app_id, (QUARANTINE, f"{self.app_id} {key}")
        is_asked = batch.pin.begun or self.tables.folder  # with Delta's own classes that takes a job of Spark
        if is_asked and self.tables.last(*alternative) >= batch.number:
            return False
        transaction = Transaction(application, batch.number, {"gitCommit": batch.commit})
        return self.tables.commit(batch.plan.table(key), content, transaction)

    def share_folder(self, spark: SparkSession) -> None:
        """Check that executors see what the driver writes.

        Raises:
            XregitError: they don't.
        """
        place = self.tables.folder
        folder = place.local if place else None
        if self._shared or not place or not folder or str(spark.conf.get("spark.master", "")).startswith("local"):
            return
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f"_probe-{uuid4()}"
        probe.touch()
        path = str(probe)

        def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                yield pa.RecordBatch.from_pydict({"seen": [Path(path).exists()] * batch.num_rows})

        try:
            seen = (
                spark.range(0, PROBES, 1, PROBES).mapInArrow(portable(look), "seen boolean").where("not seen").isEmpty()
            )
        finally:
            probe.unlink()
        if not seen:
            raise _not_shared(place)
        self._shared = True


def _stopped(problem: str) -> XregitError:
    """Return the error for a table that a job can't do without."""
    return XregitError(f"{problem}; repair or move it before you route messages")


def _not_shared(folder: Location) -> XregitError:
    return XregitError(
        f"Spark's executors don't share {folder} with the driver; name a folder that they do, or a store"
    )


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
