"""The table of each message definition, those of messages that have none, and their rows as Arrow record batches.

A table has the event's attributes (``ce_…``), the values of the placeholders (``context_…``), the protocol's own
fields where the definition is bound to one, the payload's fields under their own names, a column for what no other
column can hold, and the other columns of the record that the message came in (``_topic``, ``_offset`` and so on).

What a column stands for is in its metadata, so that a column never changes its meaning: `ColumnNames` gives a field the
column that it has in the table already.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import pyarrow as pa

from xregit.catalog import Message
from xregit.errors import XregitError
from xregit.json_pointer import escape, unescape
from xregit.messages.decoder import IncomingMessage
from xregit.messages.definition import ENVELOPE, to_definition
from xregit.model.language import NOTHING
from xregit.payloads import Field, PayloadSchema
from xregit.protocols import Wire
from xregit.spark.streams.converters import (
    ColumnNames,
    ColumnType,
    Rest,
    json_text,
    members,
    record_converter,
    scalar_type,
)
from xregit.spark.table_schema import (
    ORIGIN,
    TEXT,
    TIMESTAMP,
    DataType,
    arrow_type,
    map_type,
    sql_type,
    struct_type,
    widen,
)

#: Every so many versions Delta writes a checkpoint of the log, or each commit would take longer than the last.
PROPERTIES: Mapping[str, str | None] = {"delta.checkpointInterval": "10"}
MAX_NAME = 180
DIGEST_BYTES, MAX_DIGEST_BYTES = 4, 32
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table of messages; ``origin`` says what it stands for, and is kept in its metadata."""

    name: str
    data_type: DataType = TEXT
    comment: str = ""
    origin: str = ""


class ConflictError(Exception):
    """A table can't have the columns that its definition has by now."""


@dataclass(frozen=True)
class TableMapping:
    """A table of messages; ``key`` is the xid of its definition, or the name of another of our tables."""

    name: str
    key: str
    comment: str
    columns: tuple[Column, ...]

    @classmethod
    def of(
        cls, name: str, key: str, comment: str, columns: Iterable[Column], existing: Sequence[Mapping[str, Any]] = ()
    ) -> TableMapping:
        """Return the mapping of a table whose columns are these, with the names and types that they have already.

        ``existing`` are the columns of the table in the form that Spark and Delta share.

        Raises:
            ConflictError: a column has a type already that can't hold the values which it would get.
        """
        names = ColumnNames(existing)
        types = {each["name"]: each["type"] for each in existing}
        listed = list(columns)
        # Ours have their own names, and the fields of payloads make way for all others.
        order = sorted(listed, key=lambda each: (each.origin != "", each.origin.startswith("/")))
        final = {id(each): names.reserve(each.name, each.origin or each.name) for each in order}
        return cls(name, key, comment, tuple(_named(each, final[id(each)], types) for each in listed))

    @property
    def structure(self) -> dict[str, Any]:
        """The table's schema in the JSON form that Spark and Delta share."""
        return struct_type((each.name, each.data_type, each.comment, each.origin or each.name) for each in self.columns)

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The table's schema in Arrow."""
        return pa.schema([(column.name, arrow_type(column.data_type)) for column in self.columns])

    def batch(self, rows: Sequence[Sequence[Any]], record: Sequence[pa.Array]) -> pa.RecordBatch:
        """Return rows in Arrow; ``record`` are the last columns, of all rows."""
        types = self.arrow_schema.types
        own = [pa.array(values, kind) for values, kind in zip(zip(*rows, strict=True), types, strict=False)]
        arrays = [*own, *(each.cast(kind) for each, kind in zip(record, types[len(own) :], strict=True))]
        return pa.RecordBatch.from_arrays(arrays, schema=self.arrow_schema)


def _named(column: Column, name: str, types: Mapping[str, DataType]) -> Column:
    """Return a column with a name, and with the type that this has already."""
    actual = types.get(name, column.data_type)
    wide = widen(column.data_type, actual)
    if wide is None:
        message = f'the column "{name}" is {sql_type(actual)}, and {sql_type(column.data_type)} by now'
        raise ConflictError(message)
    return replace(column, name=name, data_type=wide)


@dataclass(frozen=True, slots=True)
class DefinitionTable:
    """The table of a definition before its payload schema is parsed; plain data, sent to executors.

    ``attributes`` are those of CloudEvents and those that the definition declares, each with type and description, if
    it is one of events; ``context`` has the attributes that contain each placeholder.
    """

    xid: str
    name: str
    comment: str = ""
    attributes: tuple[tuple[str, str, str], ...] = ()
    protocol: str = ""
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def own_columns(self) -> Iterator[Column]:
        """The columns that do not depend on the payload."""
        for name, kind, comment in self.attributes:
            origin = "" if name in _STANDARD else f"attribute {name}"
            yield Column(f"ce_{name}", attribute_type(kind).data_type, comment, origin)
        if self.attributes:
            yield Column("ce_others", map_type(TEXT), "The event's attributes that the definition does not name.")
        for name, attributes in sorted(self.context.items()):
            comment = f"What {{{name}}} stands for in {' and '.join(attributes)}."
            yield Column(f"context_{_sql_name(name)}", TEXT, comment, f"{{{name}}}")
        if self.protocol:
            yield Column("_wire", TEXT, f"The message as {self.protocol} has it, without payload, as JSON.")


REST, PAYLOAD, INGESTED = "_rest", "payload", "_ingested"
REST_COLUMN = Column(REST, TEXT, "What no column can hold, by its path in the payload, as JSON; null where all fits.")
RAW_PAYLOAD_COLUMNS = (
    Column(PAYLOAD, TEXT, "The payload where it is text; no schema tells its fields."),
    Column("payload_base64", TEXT, "The payload in base 64 where it is no text."),
)
_RAW_COLUMNS = (
    Column("message", TEXT, "The message as it came; of a batch, the one event."),
    Column("message_base64", TEXT, "The message in base 64 where it is no text."),
)
UNMATCHED, AMBIGUOUS, QUARANTINE = "unmatched", "ambiguous", "quarantine"
_REASONS = Column("reasons", TEXT, "As JSON, the definitions that come near, if any do, and what fails.")
#: The other tables, each with its comment and its own columns.
RAW_TABLES: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    UNMATCHED: (
        "Messages that fit no definition, or break its payload schema.",
        (*_RAW_COLUMNS, _REASONS, Column("outcome", TEXT, "none, or tombstone for a record of Kafka without value.")),
    ),
    AMBIGUOUS: (
        "Messages that fit several definitions.",
        (*_RAW_COLUMNS, Column("candidates", TEXT, "The definitions that fit, each with its context, as JSON.")),
    ),
    QUARANTINE: (
        "Messages whose definition has a table that can't take them.",
        (
            *_RAW_COLUMNS,
            Column("xid", TEXT, "The definition."),
            Column("reasons", TEXT, "What is wrong with its table."),
        ),
    ),
}


def record_columns(fields: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    """Return the columns that tables have for those of a data frame, given in the form that Spark and Delta share.

    Raises:
        XregitError: one has a type that no table has.
    """
    for each in fields:
        try:
            arrow_type(each["type"])
        except KeyError as error:
            message = f'the column "{each["name"]}" has the type {error}, which no table has; cast it or leave it out'
            raise XregitError(message) from error
    columns = (
        Column(f"_{each['name'].lstrip('_')}", each["type"], f"{each['name']} of the record.", f"record {each['name']}")
        for each in fields
    )
    return (*columns, Column(INGESTED, TIMESTAMP, "When the batch with this row was written."))


# The attributes of the specification, each with the type and comment of its column.
_STANDARD: Mapping[str, tuple[str, str]] = {
    "id": ("string", "Identifies the event, with its source."),
    "source": ("string", "The context in which the event happened."),
    "type": ("string", "What kind of event it is."),
    "subject": ("string", "What the event is about."),
    "time": ("timestamp", "When it happened."),
    "datacontenttype": ("string", "The payload's media type."),
    "dataschema": ("string", "The schema that the payload adheres to."),
}
_NO_ATTRIBUTES = frozenset({"specversion", "data", "data_base64"})
# The types of attributes that are not columns of text, as payloads call them.
_FIELD_TYPES = {"integer": "int64", "uinteger": "int64", "boolean": "boolean", "timestamp": "timestamp"}


def attribute_type(kind: str) -> ColumnType:
    """Return the column type of an attribute; one of a type that no column has is text."""
    scalar = scalar_type(Field("", _FIELD_TYPES[kind])) if kind in _FIELD_TYPES else None
    if scalar is None:
        return ColumnType(TEXT, lambda value, _path, _rest: _attribute_text(value))
    if kind != "boolean":
        return scalar
    return replace(scalar, convert=lambda value, path, rest: scalar.convert(_boolean(value), path, rest))


def _boolean(value: Any) -> Any:
    """Return the boolean that a text stands for: in headers all attributes are texts, and in JSON some are."""
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def _attribute_text(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def payload_origin(key: str) -> str:
    """Return what a column for a member of the payload stands for: a JSON Pointer."""
    return f"/{escape(key)}"


def payload_columns(existing: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the existing columns that are for members of the payload, with the names of these as their origins."""
    origins = ((each, (each.get("metadata") or {}).get(ORIGIN, "")) for each in existing)
    return [{**each, "metadata": {ORIGIN: unescape(origin[1:])}} for each, origin in origins if origin.startswith("/")]


def definition_table(message: Message, name: str) -> DefinitionTable:
    """Return the table of a message's definition."""
    definition = to_definition(message)
    comments = {item.path[-1]: item.description for item in message.properties if item.path[0] == ENVELOPE}
    standard = [(name, *each) for name, each in _STANDARD.items()]
    declared = [
        (each.key, each.type, comments.get(each.key, ""))
        for each in definition.envelope
        if each.key not in {*_STANDARD, "specversion"}
    ]
    attributes = (*standard, *declared) if definition.enveloped else ()
    comment = message.description or message.name
    return DefinitionTable(definition.xid, name, comment, attributes, definition.protocol, definition.placeholders)


def table_names(xids: Iterable[str], owners: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """Return the names of the tables of message definitions: group and message, in letters that SQL accepts.

    Where several would have the same name, each has a digest of its xid at the end. ``owners`` has the definition of
    each existing table: a definition keeps its table, and never gets that of another, whichever definitions were added
    and removed in the meantime.
    """
    plain = {xid: _plain_name(xid) for xid in sorted(xids)}
    counts = Counter(plain.values())
    names = {xid: name for xid, name in plain.items() if _has_plain_name(xid, name, counts[name], owners)}
    reserved = {*names.values(), *plain.values()}
    for xid, name in plain.items():
        if xid not in names:  # the id of another message may be equal to the first name with a digest
            candidates = _names_with_digest(name, xid)
            names[xid] = next(each for each in candidates if each not in reserved and owners.get(each, xid) == xid)
            reserved.add(names[xid])
    return names


def possible_names(xid: str) -> tuple[str, str]:
    """Return the two names that a definition's table usually has: the plain one, and the first with a digest."""
    name = _plain_name(xid)
    return name, next(_names_with_digest(name, xid))


def _has_plain_name(xid: str, name: str, count: int, owners: Mapping[str, str]) -> bool:
    if name in owners or len(name) > MAX_NAME:
        return owners.get(name) == xid
    return count == 1 and owners.get(next(_names_with_digest(name, xid))) != xid


def _plain_name(xid: str) -> str:
    _, _, group, _, message = xid.split("/", 4)
    return f"{_sql_name(group)}__{_sql_name(message)}"


def _names_with_digest(name: str, xid: str) -> Iterator[str]:
    digests = (blake2b(xid.encode(), digest_size=size).hexdigest() for size in range(DIGEST_BYTES, MAX_DIGEST_BYTES))
    return (f"{name[:MAX_NAME]}_{digest}" for digest in digests)


def _sql_name(text: str) -> str:
    return _UNSAFE.sub("_", text.casefold()).strip("_") or "_"


class RowBuilder:
    """Builds the rows of one definition's table."""

    def __init__(
        self,
        definition: DefinitionTable,
        schema: PayloadSchema | None,
        record: Sequence[Column] = (),
        existing: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Derive the table's columns from the definition, its payload schema, the record's and the existing columns.

        Raises:
            ConflictError: an existing column can't hold the values that it would get.
        """
        self.schema = schema
        self._definition = definition
        fields = schema.fields() if schema is not None else ()
        # The one value of a payload that is no record has no name.
        self._is_single_value = len(fields) == 1 and not fields[0].name
        named = [item if item.name else replace(item, name=PAYLOAD) for item in fields]
        self._attributes = {name: attribute_type(kind) for name, kind, _ in definition.attributes}
        own = tuple(definition.own_columns)
        reserved = [*(column.name for column in (*own, *record)), REST]
        self._members = members(named, payload_columns(existing), reserved)
        self._convert = record_converter(self._members)
        payload = tuple(
            Column(each.name, each.type.data_type, each.comment, payload_origin(each.key)) for each in self._members
        )
        columns = (*own, *(payload or RAW_PAYLOAD_COLUMNS), REST_COLUMN, *record)
        self.table = TableMapping.of(definition.name, definition.xid, definition.comment, columns, existing)
        self._payload_columns = self.table.columns[len(own) : len(columns) - len(record)]

    def row(
        self, item: IncomingMessage, event: Mapping[str, Any], context: Mapping[str, str], payload: Any
    ) -> list[Any]:
        """Return the row of a message, without the columns of its record.

        ``event`` is the one that it carries or maps to, ``payload`` the value of its payload, which fits the schema.
        """
        rest: Rest = {}
        row: list[Any] = []
        for name, kind in self._attributes.items():
            value = event.get(name)
            row.append(None if value is None else kind.convert(value, f"ce_{name}", rest))
        if self._attributes:
            others = sorted(event.keys() - self._attributes.keys() - _NO_ATTRIBUTES)
            row.append([(name, _attribute_text(event[name])) for name in others] or None)
        row += [context.get(name) for name in sorted(self._definition.context)]
        if self._definition.protocol:
            row.append(_wire_text(item.wire))
        return [*row, *self._payload_values(payload, rest)]

    def _payload_values(self, value: Any, rest: Rest) -> list[Any]:
        """Return the values of the columns of a payload, and what none of them can hold."""
        if not self._members:
            values: Iterable[Any] = raw_payload(value)
        elif self._is_single_value:
            values = [None if value is None else self._members[0].type.convert(value, "", rest)]
        else:
            values = (self._convert(value, "", rest) or dict.fromkeys(self._members)).values()
        return [*values, json_text(rest) if rest else None]

    def payload(self, value: Any) -> dict[str, Any]:
        """Return a payload as a record of the type `payload_type`."""
        names = (each.name for each in self._payload_columns)
        return dict(zip(names, self._payload_values(value, {}), strict=True))

    @property
    def payload_type(self) -> DataType:
        """The type of a payload by itself: its columns, and the rest."""
        return struct_type((each.name, each.data_type, each.comment) for each in self._payload_columns)


def _wire_text(wire: Wire | None) -> str | None:
    return json_text(Wire(wire.protocol, wire.fields).as_json()) if wire is not None and wire.protocol else None


def raw_payload(body: Any) -> tuple[str | None, str | None]:
    """Return a payload without known fields: its text, or its bytes in base 64."""
    if body is None:
        return (None, None)
    if not isinstance(body, bytes):  # of a schema that has no fields
        return (json_text(body), None)
    try:
        return (body.decode(), None)
    except UnicodeDecodeError:
        return (None, b64encode(body).decode())
