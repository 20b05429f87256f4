"""Messages of a data frame classified by the definitions that they fit: `classify`, and the work of its executors.

The plan of executors says how messages are matched, and has the table of every definition; it is plain data.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import StructType

from xregit.catalog import Registry
from xregit.catalog.registry import expect_registry
from xregit.errors import XregitError
from xregit.messages.constraints import Failure
from xregit.messages.decoder import IncomingMessage, Input, decode
from xregit.messages.definition import target
from xregit.messages.explanation import BAD_PAYLOAD
from xregit.messages.matcher import Matcher, is_tombstone, scope
from xregit.messages.payload import PayloadSchemas, payload_schemas
from xregit.messages.result import Reason
from xregit.model.language import nothing
from xregit.payloads import PayloadError
from xregit.spark.executors import portable
from xregit.spark.streams.converters import json_text
from xregit.spark.streams.decoder import decode_payload, split
from xregit.spark.streams.message_tables import (
    PROPERTIES,
    RAW_TABLES,
    Column,
    DefinitionTable,
    RowBuilder,
    TableMapping,
    definition_table,
    raw_payload,
    record_columns,
    table_names,
)
from xregit.spark.streams.source import MessageColumns, message_columns
from xregit.spark.table_schema import (
    TEXT,
    DataType,
    arrow_type,
    create_table_sql,
    map_type,
    sql_string,
    sql_type,
    struct_type,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


# Executors keep the plan of the batch before, for one that is repeated with the catalog that it began with.
MAX_PLANS = 2
# The level of zlib. Definitions are much alike; compressed, 10,000 of them go with each task as fast as few do.
FASTEST = 1


@dataclass(frozen=True)
class Plan:
    """Everything that decides where a message goes and what its row is.

    ``record`` are the columns that all tables have for those of the data frame, and ``existing`` the columns of the
    tables that exist, by key: the xid of the definition, or the name of another of our tables.
    """

    matcher: Matcher
    definitions: Mapping[str, DefinitionTable]
    payloads: PayloadSchemas
    record: tuple[Column, ...] = ()
    existing: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=nothing)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the plain data, without what is derived from it; a process unpacks it once for all its tasks."""
        return _unpack, (self._packed,)

    @cached_property
    def _packed(self) -> bytes:
        data = self.matcher, self.definitions, self.payloads, self.record, dict(self.existing)
        return zlib.compress(pickle.dumps(data, pickle.HIGHEST_PROTOCOL), FASTEST)

    @property
    def keys(self) -> dict[str, str]:
        """The key of each table by its name."""
        return {each.name: xid for xid, each in self.definitions.items()} | {name: name for name in RAW_TABLES}

    def row_builder(self, xid: str) -> RowBuilder:
        """Return the builder of the rows of a definition's table.

        Raises:
            ConflictError: the table that exists can't have these rows.
        """
        if xid not in self._row_builders:
            schema, existing = self.payloads.schema(xid), self.existing.get(xid, ())
            self._row_builders[xid] = RowBuilder(self.definitions[xid], schema, self.record, existing)
        return self._row_builders[xid]

    @cached_property
    def _row_builders(self) -> dict[str, RowBuilder]:
        return {}

    def table(self, key: str) -> TableMapping:
        """Return a table by its key, behind which may be a blank and a definition whose rows are in quarantine.

        Raises:
            ConflictError: the table that exists can't have the columns that it would need.
        """
        name = key.partition(" ")[0]
        if name not in RAW_TABLES:
            return self.row_builder(name).table
        comment, columns = RAW_TABLES[name]
        return TableMapping.of(name, name, comment, (*columns, *self.record), self.existing.get(name, ()))


@lru_cache(maxsize=MAX_PLANS)
def _unpack(data: bytes) -> Plan:
    return Plan(*pickle.loads(zlib.decompress(data)))  # noqa: S301 - made by the driver


def make_plan(registry: Registry, endpoint: str = "", group: str = "") -> Plan:
    """Return the plan for the whole registry, one endpoint's contract or one group.

    Raises:
        XregitError: there is no such endpoint or group.
    """
    messages = {message.xid: message for message in map(target, scope(registry, endpoint, group))}
    names = table_names(messages)
    definitions = {xid: definition_table(message, names[xid]) for xid, message in sorted(messages.items())}
    return Plan(Matcher(registry, endpoint, group), definitions, payload_schemas(registry, messages.values()))


def table_statements(registry: Registry) -> Iterator[str]:
    """Yield the SQL statement that creates each table that messages of a catalog can go to."""
    plan = replace(make_plan(registry), record=record_columns(()))
    return (
        create_table_sql(f"`{table.name}`", map(_column_ddl, table.columns), table.comment, PROPERTIES)
        for table in map(plan.table, (*plan.definitions, *RAW_TABLES))
    )


def _column_ddl(column: Column) -> str:
    comment = f" COMMENT {sql_string(column.comment)}" if column.comment else ""
    return f"`{column.name}` {sql_type(column.data_type)}{comment}"


ONE, NONE, MANY, TOMBSTONE = "one", "none", "many", "tombstone"
CONTEXT = map_type(TEXT)
CANDIDATE = struct_type([("xid", TEXT, ""), ("context", CONTEXT, "")])
#: The columns that `classify` adds.
RESULT: Mapping[str, DataType] = {
    "outcome": TEXT,
    "xid": TEXT,
    "candidates": {"type": "array", "elementType": CANDIDATE, "containsNull": True},
    "context": CONTEXT,
    "event": TEXT,
    "payload": TEXT,
    "reasons": TEXT,
    "position": "integer",
}


def classify(  # noqa: PLR0913 - by name
    df: DataFrame,
    registry: Registry,
    *,
    endpoint: str = "",
    group: str = "",
    message: str = "",
    payloads: bool = True,
    format: str = "",  # noqa: A002 - the word of Spark's readers
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """Return a data frame with which definition each of its messages fits; it may be streaming, or of Spark Connect.

    All columns of ``df`` stay. Those that come are ``outcome`` ("one", "none", "many", or "tombstone" for a record of
    Kafka that lacks the value of its one definition), ``xid`` of the one definition and ``context``, what its
    placeholders stand for; ``candidates``, xid and context of each of many; ``event``, the attributes of the CloudEvent
    that the message carries or maps to, as JSON; ``payload``, as JSON or other text, base64 if it is not text;
    ``reasons``, why none fits, as JSON; and ``position`` of an event in a batch of them. Each of these has a row. So
    has each member of an array, with its own text in place of the array's. A blank text is no message.

    Args:
        df: messages on the wire as JSON in one column of text, or called ``value``; or the columns of Spark's Kafka
            source, of which ``value`` and ``topic`` must be there.
        registry: the catalog.
        endpoint: the xid of the endpoint whose definitions are compared, if not all.
        group: the xid of the group whose definitions are compared.
        message: the xid of a definition; then ``payload`` is a record by its schema, and null for all others.
        payloads: whether payloads are read; if not, they only decide between several definitions.
        format: "jsonl" or "kafka", if the columns don't tell, or "kafka-json": Kafka's columns as JSON in each text.
        columns: which columns the parts of a message are in, if they are not called so, such as {"value": "body"}.

    Raises:
        XregitError: Spark is missing, the data frame lacks the columns or has some of those that would be added, or
            there is no such endpoint, group or definition.
    """
    expect_registry(registry)
    plan = make_plan(registry, endpoint, group)
    if message and message not in plan.definitions:
        text = f'there is no definition "{message}" among those that are compared'
        raise XregitError(text)
    task = ClassifyTask(plan, message_columns(df, format, columns), payloads=payloads, typed=message)
    return task.applied_to(df)


@dataclass(frozen=True, slots=True)
class ClassifyTask:
    """The work of executors: how messages are matched, and where they are.

    With ``payloads`` all columns of `RESULT` are filled, the payload as a record for the definition ``typed``. Without,
    there is no payload, and an event only of a message that carries none itself.
    """

    plan: Plan
    columns: MessageColumns
    payloads: bool = True
    typed: str = ""

    def applied_to(self, df: DataFrame) -> DataFrame:
        """Return the data frame with the columns of `RESULT`.

        Raises:
            XregitError: it has some of them already.
        """
        present = sorted(name for name in df.columns if name.casefold() in RESULT)  # Spark takes X for x
        if present:
            message = (
                f"the data frame has columns called {', '.join(present)}, as those that would be added; rename them"
            )
            raise XregitError(message)
        added = StructType.fromJson(struct_type((name, kind, "") for name, kind in self._types().items()))
        return df.mapInArrow(portable(self.run), StructType([*df.schema.fields, *added.fields]))

    def _types(self) -> dict[str, DataType]:
        typed = {"payload": self.plan.row_builder(self.typed).payload_type} if self.typed else {}
        return {**RESULT, **typed}

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Classify one partition."""
        types = {name: arrow_type(kind) for name, kind in self._types().items()}
        for batch in batches:
            rows: list[int] = []
            results: list[tuple[Any, ...]] = []
            texts: dict[int, Input] = {}
            for row, message in enumerate(self.columns.messages(batch)):
                for part in split(message):
                    if part is not message:
                        texts[len(rows)] = part
                    items = decode(part)
                    for position, item in enumerate(items):
                        rows.append(row)
                        results.append((*self._result(item), position if len(items) > 1 else None))
            values = zip(*results, strict=True) if results else [()] * len(types)
            added = [pa.array(column, kind) for column, kind in zip(values, types.values(), strict=True)]
            yield pa.RecordBatch.from_arrays([*self._take(batch, rows, texts), *added], [*batch.schema.names, *types])

    def _take(self, batch: pa.RecordBatch, rows: Sequence[int], texts: Mapping[int, Input]) -> list[pa.Array]:
        """Return the columns of these rows, with their own texts for messages that are a part of a row's."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        value = self.columns.names["value"]
        whole = columns.pop(value) if texts else None
        taken = {name: column.take(pa.array(rows, pa.int64())) for name, column in columns.items()}
        if whole is not None:
            values = whole.cast(pa.binary()).to_pylist()  # a text of Spark need not be UTF-8
            parts = [texts.get(number, values[row]) for number, row in enumerate(rows)]
            taken[value] = pa.array(parts, pa.binary()).cast(whole.type, safe=False)
        return [taken[name] for name in batch.schema.names]

    def _result(self, item: IncomingMessage) -> tuple[Any, ...]:
        """Return the values of the columns of `RESULT` for a message, but for its position."""
        matcher, event = self.plan.matcher, None
        match = matcher.match_message(item, payloads=False)
        if match.event is not None and (match.mapped or self.payloads):
            event = json_text({name: each for name, each in match.event.items() if name not in {"data", "data_base64"}})
        if len(match.matches) > 1:
            candidates = [{"xid": xid, "context": list(context.items())} for xid, context in match.matches]
            return MANY, None, candidates, None, event, None, None
        reasons: Iterable[Reason]
        if match.matches:
            ((xid, context),) = match.matches
            try:
                payload = self._payload(xid, item) if self.payloads else None
            except PayloadError as error:
                reasons = [bad_payload(xid, error)]
                if is_tombstone(item):
                    return TOMBSTONE, xid, None, list(context.items()), event, None, reasons_text(reasons)
            else:
                return ONE, xid, None, list(context.items()), event, payload, None
        else:
            reasons = matcher.match_message(item, explain=True, payloads=False).reasons
        return NONE, None, None, None, event, None, reasons_text(reasons)

    def _payload(self, xid: str, item: IncomingMessage) -> Any:
        """Return a payload as a record of the definition ``typed``, or as text, in base 64 if it is none.

        Raises:
            PayloadError: it breaks its schema.
        """
        builder = self.plan.row_builder(xid)
        value = decode_payload(builder.schema, item)
        if self.typed:
            return builder.payload(value) if xid == self.typed else None
        text, base64 = raw_payload(value)
        return base64 if text is None else text


def bad_payload(xid: str, error: PayloadError) -> Reason:
    """Return why a message doesn't fit a definition whose schema its payload breaks."""
    return Reason(xid, tuple(Failure("dataschema", BAD_PAYLOAD, problem) for problem in error.problems))


def reasons_text(reasons: Iterable[Reason]) -> str:
    """Return reasons as JSON."""
    return json_text([reason.as_json() for reason in reasons])
