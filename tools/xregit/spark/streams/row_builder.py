"""Rows of a definition's table, built from matched messages as Arrow record batches."""

from __future__ import annotations

from base64 import b64encode
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from xregit.model.language import NOTHING
from xregit.payloads import Field
from xregit.payloads.json_schema.subschemas import root_node
from xregit.protocols import Wire
from xregit.spark.schema import BOOLEAN, TEXT, arrow_type
from xregit.spark.streams import payload_decoder
from xregit.spark.streams.columns import ColumnType, array, columns, members
from xregit.spark.streams.converters import json_text, leaf
from xregit.spark.streams.decoder import REFUSED, tried
from xregit.spark.streams.payload_decoder import PayloadDecoder
from xregit.spark.streams.table_mapping import (
    OTHER_ATTRIBUTES,
    PAYLOAD,
    REST,
    REST_COLUMN,
    STANDARD,
    UNTYPED,
    Column,
    Facts,
    TableMapping,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from xregit.messages.decoder import IncomingMessage
    from xregit.messages.result import Match
    from xregit.payloads import PayloadSchema
    from xregit.spark.streams.columns import Member, Rests
    from xregit.spark.streams.write_buffer import Queued


_TIME = "time"
_TEXTS = frozenset({str, type(None)})
_KNOWN = frozenset({*STANDARD, "specversion", "data", "data_base64"})
# Types of attributes that columns have too, as payloads call them.
_OWN = {"integer": "int64", "uinteger": "int64", "boolean": "boolean", "timestamp": "timestamp"}
# What truth values are called in headers, where all attributes are texts; JSON may have these texts too.
_TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class MatchedRows:
    """What many messages that fit one definition say, each list in the same order.

    ``column`` gives one attribute of all their events, of which ``ready`` may have the column already; ``attributes``
    are those that the definition may not name.
    """

    column: Callable[[str], list[Any]]
    attributes: Sequence[Mapping[str, Any]]
    contexts: Sequence[Mapping[str, str]]
    wires: Sequence[Wire | None]
    values: Sequence[Any]
    ready: Mapping[str, pa.Array] = field(default_factory=dict)


def of_queued(found: Queued, values: Sequence[Any]) -> MatchedRows:
    """Return what plain events say; ``values`` are those of their data."""

    def column(name: str) -> list[Any]:
        known = found.columns.get(name)
        return known.to_pylist() if known is not None else [each.get(name) for each in found.extensions]

    contexts = [answer.context for answer in found.answers]
    return MatchedRows(column, found.extensions, contexts, [None] * len(values), values, found.columns)


def of_messages(given: Sequence[tuple[IncomingMessage, Match, Any]]) -> MatchedRows:
    """Return what any messages say, each given with what it fits and the value of its payload."""
    events = [match.event or NOTHING for _, match, _ in given]
    return MatchedRows(
        lambda name: [event.get(name) for event in events],
        events,
        [match.matches[0].context for _, match, _ in given],
        [item.wire for item, _, _ in given],
        [value for _, _, value in given],
    )


class Rows:
    """Makes the rows of one definition's table, and knows the table."""

    def __init__(self, facts: Facts, schema: PayloadSchema | None) -> None:
        """Find out which columns there are, and how each is filled."""
        self._facts = facts
        self.reader = PayloadDecoder.of(schema)
        own = facts.own_columns
        fields = schema.fields() if schema is not None else ()
        self._single = len(fields) == 1 and not fields[0].name
        self._members = members((_named(item) for item in fields), taken=[*(item.name for item in own), REST])
        self._untyped = not self._members
        self._known = _KNOWN.union(name for name, _, _ in facts.extensions)
        payload = UNTYPED if self._untyped else tuple(_column(item) for item in self._members)
        self.landing = TableMapping(facts.table, facts.xid, facts.comment, (*own, *payload, REST_COLUMN))

    @cached_property
    def schema(self) -> pa.Schema:
        """Arrow's form of the table's schema."""
        return self.landing.schema

    def batch(self, landed: MatchedRows) -> pa.RecordBatch:
        """Return the rows of messages that fit the definition, whose payloads fit its schema."""
        rests: Rests = defaultdict(dict)
        own = self._own(landed, rests)
        return self._whole(own, self._payload(landed.values, rests), rests)

    def records(self, data: Sequence[msgspec.Raw]) -> list[Any]:
        """Return the records in JSON, None where it holds no such record; times in them are still unchecked."""
        if self._decode is None:
            return [None] * len(data)
        try:
            return list(map(self._decode, data))
        except REFUSED:
            return [tried(self._decode, each) for each in data]

    def of_records(self, landed: MatchedRows) -> pa.RecordBatch | None:
        """Return the rows of messages whose values are such records, None where there is doubt about a time."""
        rests: Rests = defaultdict(dict)
        own = self._own(landed, rests)
        payload = payload_decoder.columns(self._members, landed.values, "", rests)
        return None if payload is None else self._whole(own, payload, rests)

    @cached_property
    def _decode(self) -> Callable[[msgspec.Raw], Any] | None:
        schema = self.reader.json_schema
        if schema is None or self._single:
            return None
        record = payload_decoder.record(root_node(schema.loaded, schema.pointer), self._members)
        return None if record is None else msgspec.json.Decoder(record).decode

    def _own(self, landed: MatchedRows, rests: Rests) -> list[pa.Array]:
        made = self._envelope(landed, rests) if self._facts.enveloped else []
        made += [_texts([each.get(name) for each in landed.contexts]) for name in self._facts.context]
        if self._facts.protocol:
            made.append(_texts([_wire(wire) for wire in landed.wires]))
        return made

    def _whole(self, own: Sequence[pa.Array], payload: Sequence[pa.Array], rests: Rests) -> pa.RecordBatch:
        import pyarrow as pa

        count = len(payload[0])
        said = {row: rest for row, rest in rests.items() if rest}
        left = _texts([json_text(said[row]) if row in said else None for row in range(count)]) if said else None
        rest = pa.nulls(count, pa.string()) if left is None else left
        return pa.RecordBatch.from_arrays([*own, *payload, rest], schema=self.schema)

    def _envelope(self, landed: MatchedRows, rests: Rests) -> list[pa.Array]:
        made = [_attribute(landed, name, "timestamp" if name == _TIME else "string", rests) for name in STANDARD]
        made += [_attribute(landed, name, kind, rests) for name, kind, _ in self._facts.extensions]
        return [*made, self._others(landed)]

    def _others(self, landed: MatchedRows) -> pa.Array:
        """Return the column of attributes that the definition does not name."""
        import pyarrow as pa

        kind = self.schema.field(OTHER_ATTRIBUTES).type
        if not any(landed.attributes):
            return pa.nulls(len(landed.attributes), kind)
        undeclared = (sorted(each.keys() - self._known) if each else () for each in landed.attributes)
        others = [
            [(name, _said(each[name])) for name in names] if names else None
            for each, names in zip(landed.attributes, undeclared, strict=True)
        ]
        return pa.array(others, kind)

    def _payload(self, values: Sequence[Any], rests: Rests) -> list[pa.Array]:
        if self._untyped:
            texts = [_untyped(value) for value in values]
            return [_texts([text for text, _ in texts]), _texts([coded for _, coded in texts])]
        if self._single:
            return [array(self._members[0].shape, values, "", rests)]
        for row, value in enumerate(values):
            if value is None:  # which is no record
                rests[row][""] = None
        return columns(self._members, values, "", rests)


def _named(field: Field) -> Field:
    """Return the one value of a payload that is no record under the name of its column."""
    return field if field.name else replace(field, name=PAYLOAD)


def _column(item: Member) -> Column:
    return Column(item.name, item.shape.form, item.comment)


def _attribute(landed: MatchedRows, name: str, kind: str, rests: Rests) -> pa.Array:
    """Return a column of attributes; those of a type that is no column's own stay text."""
    known = leaf(Field("", _OWN[kind])) if kind in _OWN else None
    ready = landed.ready.get(name)
    if ready is not None and ready.type == arrow_type(known.form if known is not None else TEXT):
        return ready
    values = landed.column(name)
    if known is None:
        are_texts = set(map(type, values)) <= _TEXTS  # those of the specification always
        return _texts(values if are_texts else [None if value is None else _said(value) for value in values])
    if known.form == BOOLEAN:
        values = [_TRUTHS.get(value, value) if isinstance(value, str) else value for value in values]
    return array(ColumnType(known.form, known.convert, plain=known.plain), values, f"ce_{name}", rests)


def _texts(values: Sequence[str | None]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.string())


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _wire(wire: Wire | None) -> str | None:
    return json_text(Wire(wire.protocol, wire.fields).as_json()) if wire is not None and wire.protocol else None


def _untyped(body: Any) -> tuple[str | None, str | None]:
    """Return a payload that no schema tells the fields of: its text, or its bytes in base 64."""
    if body is None:
        return (None, None)
    if not isinstance(body, bytes):  # of a schema that has no fields
        return (json_text(body), None)
    try:
        return (body.decode(), None)
    except UnicodeDecodeError:
        return (None, b64encode(body).decode())
