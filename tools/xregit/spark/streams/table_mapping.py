"""The table of each message definition, and the dead letter tables for messages that fit none or several.

A table has the event's attributes (``ce_…``), the values of the placeholders (``context_…``), the protocol's own
fields where the definition is bound to one, the payload's fields under their own names, and a column for what no
other column can hold.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from xregit.messages.constraints import PLAIN_TYPES
from xregit.messages.definition import ENVELOPE, to_definition
from xregit.model.language import NOTHING
from xregit.spark.streams.columns import ColumnNames
from xregit.spark.table_schema import BOOLEAN, LONG, TEXT, TIMESTAMP, DataType, arrow_type, map_type, struct_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from xregit.catalog import Message


MAX_NAME = 180
DIGEST_BYTES, MAX_DIGEST_BYTES = 4, 32
_UNSAFE = re.compile(r"[^a-z0-9]+")

STANDARD = ("id", "source", "type", "subject", "time", "datacontenttype", "dataschema")
_ATTRIBUTE_TYPES = {"integer": LONG, "uinteger": LONG, "boolean": BOOLEAN, "timestamp": TIMESTAMP}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table of messages."""

    name: str
    data_type: DataType = TEXT
    comment: str = ""


@dataclass(frozen=True, slots=True)
class TableMapping:
    """A table of messages; ``key`` is the xid of its definition, or the name of a dead letter table."""

    name: str
    key: str
    comment: str
    columns: tuple[Column, ...]

    @property
    def structure(self) -> dict[str, Any]:
        """The table's schema in the JSON form that Spark and Delta share."""
        return struct_type((column.name, column.data_type, column.comment) for column in self.columns)

    @property
    def arrow_schema(self) -> pa.Schema:
        """The table's schema in Arrow."""
        import pyarrow as pa

        return pa.schema([(column.name, arrow_type(column.data_type)) for column in self.columns])


@dataclass(frozen=True, slots=True)
class DefinitionTable:
    """The table of a definition before its payload schema is parsed; plain data, sent to executors.

    ``extensions`` are the CloudEvents attributes that the definition declares besides the standard ones, each with
    type and description; ``context`` has the attributes that contain each placeholder.
    """

    xid: str
    name: str
    comment: str = ""
    enveloped: bool = False
    protocol: str = ""
    extensions: tuple[tuple[str, str, str], ...] = ()
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def own_columns(self) -> tuple[Column, ...]:
        """The columns that do not depend on the payload."""
        wire = (Column(WIRE, TEXT, f"The message as {self.protocol} has it, without payload, as JSON."),)
        return (*self._envelope_columns, *self._context_columns, *(wire if self.protocol else ()))

    @property
    def _envelope_columns(self) -> tuple[Column, ...]:
        if not self.enveloped:
            return ()
        standard = [
            Column(f"ce_{name}", TIMESTAMP if name == "time" else TEXT, comment)
            for name, comment in _STANDARD_COMMENTS.items()
        ]
        names = ColumnNames([OTHER_ATTRIBUTES, *(column.name for column in standard)])
        declared = [
            Column(names.reserve(f"ce_{name}"), _ATTRIBUTE_TYPES.get(kind, TEXT), comment)
            for name, kind, comment in self.extensions
        ]
        others = Column(OTHER_ATTRIBUTES, map_type(TEXT), "The event's attributes that the definition does not name.")
        return (*standard, *declared, others)

    @property
    def _context_columns(self) -> tuple[Column, ...]:
        names = ColumnNames()
        columns = {name: names.reserve(f"context_{_sql_name(name)}") for name in sorted(self.context)}
        return tuple(
            Column(columns[name], TEXT, f"What {{{name}}} stands for in {' and '.join(attributes)}.")
            for name, attributes in self.context.items()
        )


OTHER_ATTRIBUTES = "ce_others"
WIRE, REST, PAYLOAD, PAYLOAD_BASE64 = "_wire", "_rest", "payload", "payload_base64"
REST_COLUMN = Column(REST, TEXT, "What no column can hold, by its path in the payload, as JSON; null where all fits.")
RAW_PAYLOAD_COLUMNS = (
    Column(PAYLOAD, TEXT, "The payload where it is text; no schema tells its fields."),
    Column(PAYLOAD_BASE64, TEXT, "The payload in base 64 where it is no text."),
)
_RAW_COLUMNS = (
    Column("message", TEXT, "The message as it came; of a batch, the one event."),
    Column("message_base64", TEXT, "The message in base 64 where it is no text."),
)
UNMATCHED = TableMapping(
    "unmatched",
    "unmatched",
    "Messages that fit no definition, or break its payload schema.",
    (*_RAW_COLUMNS, Column("reasons", TEXT, "As JSON, the definitions that come near, if any do, and what fails.")),
)
AMBIGUOUS = TableMapping(
    "ambiguous",
    "ambiguous",
    "Messages that fit several definitions.",
    (*_RAW_COLUMNS, Column("candidates", TEXT, "The definitions that fit, each with its context, as JSON.")),
)
DEAD_LETTER_TABLES = (UNMATCHED, AMBIGUOUS)
_STANDARD_COMMENTS = {
    "id": "Identifies the event, with its source.",
    "source": "The context in which the event happened.",
    "type": "What kind of event it is.",
    "subject": "What the event is about.",
    "time": "When it happened.",
    "datacontenttype": "The payload's media type.",
    "dataschema": "The schema that the payload adheres to.",
}


def definition_table(message: Message, name: str) -> DefinitionTable:
    """Return the table of a message's definition."""
    constraints = to_definition(message)
    comments = {item.path[-1]: item.description for item in message.properties if item.path[0] == ENVELOPE}
    types = {item.key: item.type for item in constraints.envelope if item.key not in {*STANDARD, "specversion"}}
    return DefinitionTable(
        constraints.xid,
        name,
        message.description or message.name,
        constraints.enveloped,
        constraints.protocol,
        tuple(
            (attribute, "string" if kind in PLAIN_TYPES else kind, comments.get(attribute, ""))
            for attribute, kind in types.items()
        ),
        constraints.placeholders,
    )


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
