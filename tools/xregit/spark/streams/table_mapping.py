"""The table of each definition, and of what matches none.

A table has the event's attributes (``ce_…``), what the placeholders stand for (``context_…``), the protocol's own
values where the definition is bound to one, the payload's fields under their own names, and what no column can hold.
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
from xregit.spark.schema import BOOLEAN, LONG, TEXT, TIMESTAMP, DataType, arrow_type, map_type, struct_type
from xregit.spark.streams.columns import Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from xregit.catalog import Message


MAX_NAME = 180
DIGEST_BYTES, MAX_DIGEST_BYTES = 4, 32
_UNSAFE = re.compile(r"[^a-z0-9]+")

STANDARD = ("id", "source", "type", "subject", "time", "datacontenttype", "dataschema")
_FORMS = {"integer": LONG, "uinteger": LONG, "boolean": BOOLEAN, "timestamp": TIMESTAMP}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table that messages land in."""

    name: str
    form: DataType = TEXT
    comment: str = ""


@dataclass(frozen=True, slots=True)
class TableMapping:
    """A table that messages land in; ``about`` is the xid of its definition, or what it holds instead."""

    name: str
    about: str
    comment: str
    columns: tuple[Column, ...]

    @property
    def structure(self) -> dict[str, Any]:
        """Spark's own JSON form of the table's schema, which is Delta's too."""
        return struct_type((column.name, column.form, column.comment) for column in self.columns)

    @property
    def schema(self) -> pa.Schema:
        """Arrow's form of the table's schema."""
        import pyarrow as pa

        return pa.schema([(column.name, arrow_type(column.form)) for column in self.columns])


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a definition's table before its payload schema is read; plain data, sent to executors.

    ``extensions`` are the CloudEvents attributes that it declares besides the standard ones, each with type and
    description; ``context`` names its placeholders, each with the attributes that hold it.
    """

    xid: str
    table: str
    comment: str = ""
    enveloped: bool = False
    protocol: str = ""
    extensions: tuple[tuple[str, str, str], ...] = ()
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def envelope_columns(self) -> tuple[Column, ...]:
        """The columns for the event's attributes."""
        if not self.enveloped:
            return ()
        standard = [Column(f"ce_{name}", _form_of(name), _STANDARD[name]) for name in STANDARD]
        names = Names([OTHER_ATTRIBUTES, *(column.name for column in standard)])
        declared = [
            Column(names.free(f"ce_{name}"), _FORMS.get(kind, TEXT), said) for name, kind, said in self.extensions
        ]
        others = Column(OTHER_ATTRIBUTES, map_type(TEXT), "The event's attributes that the definition does not name.")
        return (*standard, *declared, others)

    @property
    def context_columns(self) -> tuple[Column, ...]:
        """The columns for what the placeholders stand for."""
        names = Names()
        free = {name: names.free(f"context_{_sql_name(name)}") for name in sorted(self.context)}
        return tuple(
            Column(free[name], TEXT, f"What {{{name}}} stands for in {' and '.join(held)}.")
            for name, held in self.context.items()
        )

    @property
    def own_columns(self) -> tuple[Column, ...]:
        """The columns that do not depend on the payload."""
        wire = (Column(WIRE, TEXT, f"The message as {self.protocol} has it, without payload, as JSON."),)
        return (*self.envelope_columns, *self.context_columns, *(wire if self.protocol else ()))


OTHER_ATTRIBUTES = "ce_others"
WIRE, REST, PAYLOAD, CODED = "_wire", "_rest", "payload", "payload_base64"
REST_COLUMN = Column(REST, TEXT, "What no column can hold, by its path in the payload, as JSON; null where all fits.")
UNTYPED = (
    Column(PAYLOAD, TEXT, "The payload where it is text; no schema tells its fields."),
    Column(CODED, TEXT, "The payload in base 64 where it is no text."),
)
_RAW = (
    Column("message", TEXT, "The message as it came; of a batch, the one event."),
    Column("message_base64", TEXT, "The message in base 64 where it is no text."),
)
UNMATCHED = TableMapping(
    "unmatched",
    "unmatched",
    "Messages that fit no definition, or break its payload schema.",
    (*_RAW, Column("reasons", TEXT, "As JSON, the definitions that come near, if any do, and what fails.")),
)
AMBIGUOUS = TableMapping(
    "ambiguous",
    "ambiguous",
    "Messages that fit several definitions.",
    (*_RAW, Column("candidates", TEXT, "The definitions that fit, each with its context, as JSON.")),
)
OTHERS = (UNMATCHED, AMBIGUOUS)
_STANDARD = {
    "id": "Identifies the event, with its source.",
    "source": "The context in which the event happened.",
    "type": "What kind of event it is.",
    "subject": "What the event is about.",
    "time": "When it happened.",
    "datacontenttype": "The payload's media type.",
    "dataschema": "The schema that the payload adheres to.",
}


def _form_of(name: str) -> str:
    return TIMESTAMP if name == "time" else TEXT


def facts(message: Message, table: str) -> Facts:
    """Return what the table of a message has before its payload schema is read."""
    known = to_definition(message)
    said = {item.path[-1]: item.description for item in message.properties if item.path[0] == ENVELOPE}
    declared = {item.key: item.type for item in known.envelope if item.key not in {*STANDARD, "specversion"}}
    return Facts(
        known.xid,
        table,
        message.description or message.name,
        known.enveloped,
        known.protocol,
        tuple((name, "string" if kind in PLAIN_TYPES else kind, said.get(name, "")) for name, kind in declared.items()),
        known.placeholders,
    )


def table_names(xids: Iterable[str], held: Mapping[str, str] = NOTHING) -> dict[str, str]:
    """Return the names of the tables of message definitions: group and message, in letters that SQL takes.

    Where several come out the same, each has a digest of its xid at the end. ``held`` says which definition each table
    that is there already is of: a definition keeps the table that it has, and never takes that of another, whatever
    definitions came and went in the meantime.
    """
    joined = {xid: _joined(xid) for xid in sorted(xids)}
    counts = Counter(joined.values())
    names = {xid: name for xid, name in joined.items() if _has_plain(xid, name, counts[name], held)}
    taken = {*names.values(), *joined.values()}
    for xid, name in joined.items():
        if xid not in names:
            found = (each for each in _digested(name, xid) if each not in taken and held.get(each, xid) == xid)
            names[xid] = next(found)  # someone may have made an id of a digest
            taken.add(names[xid])
    return names


def possible_names(xid: str) -> tuple[str, str]:
    """Return the names between which that of a definition's table is chosen, but where someone made an id of one."""
    name = _joined(xid)
    return name, next(_digested(name, xid))


def _has_plain(xid: str, name: str, count: int, held: Mapping[str, str]) -> bool:
    if name in held or len(name) > MAX_NAME:
        return held.get(name) == xid
    return count == 1 and held.get(next(_digested(name, xid))) != xid


def _joined(xid: str) -> str:
    _, _, group, _, message = xid.split("/", 4)
    return f"{_sql_name(group)}__{_sql_name(message)}"


def _digested(name: str, xid: str) -> Iterator[str]:
    digests = (blake2b(xid.encode(), digest_size=size).hexdigest() for size in range(DIGEST_BYTES, MAX_DIGEST_BYTES))
    return (f"{name[:MAX_NAME]}_{digest}" for digest in digests)


def _sql_name(text: str) -> str:
    return _UNSAFE.sub("_", text.casefold()).strip("_") or "_"
