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
from xregit.spark.streams.columns import build_array, build_arrays, members
from xregit.spark.streams.converters import json_text, scalar_type
from xregit.spark.streams.decoder import DECODE_ERRORS, decode_or_none
from xregit.spark.streams.payload_decoder import PayloadDecoder, record_columns, record_struct
from xregit.spark.streams.table_mapping import (
    OTHER_ATTRIBUTES,
    PAYLOAD,
    RAW_PAYLOAD_COLUMNS,
    REST,
    REST_COLUMN,
    STANDARD,
    Column,
    DefinitionTable,
    TableMapping,
)
from xregit.spark.table_schema import BOOLEAN, TEXT, arrow_type

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from xregit.messages.decoder import IncomingMessage
    from xregit.messages.result import Match
    from xregit.payloads import PayloadSchema
    from xregit.spark.streams.columns import Rests
    from xregit.spark.streams.write_buffer import EventBatch


_STANDARD_MEMBERS = frozenset({*STANDARD, "specversion", "data", "data_base64"})
# The types of attributes that are not columns of text, as payloads call them.
_FIELD_TYPES = {"integer": "int64", "uinteger": "int64", "boolean": "boolean", "timestamp": "timestamp"}
# Booleans in headers, where all attributes are texts; JSON may have these texts too.
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class MatchedRows:
    """Many messages that fit one definition, in columns: each list has the messages in the same order.

    ``column`` returns one attribute of all their events, of which ``arrays`` may have the column already;
    ``attributes`` are those that the definition may not name.
    """

    column: Callable[[str], list[Any]]
    attributes: Sequence[Mapping[str, Any]]
    contexts: Sequence[Mapping[str, str]]
    wires: Sequence[Wire | None]
    values: Sequence[Any]
    arrays: Mapping[str, pa.Array] = field(default_factory=dict)

    @classmethod
    def from_events(cls, events: EventBatch, values: Sequence[Any]) -> MatchedRows:
        """Return plain events; ``values`` are those of their data."""

        def column(name: str) -> list[Any]:
            array = events.columns.get(name)
            return array.to_pylist() if array is not None else [each.get(name) for each in events.extensions]

        contexts = [answer.context for answer in events.answers]
        return cls(column, events.extensions, contexts, [None] * len(values), values, events.columns)

    @classmethod
    def from_messages(cls, messages: Sequence[tuple[IncomingMessage, Match, Any]]) -> MatchedRows:
        """Return any messages, each given with its match and the value of its payload."""
        events = [match.event or NOTHING for _, match, _ in messages]
        return cls(
            lambda name: [event.get(name) for event in events],
            events,
            [match.matches[0].context for _, match, _ in messages],
            [item.wire for item, _, _ in messages],
            [value for _, _, value in messages],
        )


class RowBuilder:
    """Builds the rows of one definition's table."""

    def __init__(self, definition: DefinitionTable, schema: PayloadSchema | None) -> None:
        """Derive the table's columns from the definition and its payload schema."""
        self._definition = definition
        self.decoder = PayloadDecoder.of(schema)
        own = definition.own_columns
        fields = schema.fields() if schema is not None else ()
        # The one value of a payload that is no record has no name.
        self._is_single_value = len(fields) == 1 and not fields[0].name
        named = (item if item.name else replace(item, name=PAYLOAD) for item in fields)
        self._members = members(named, reserved=[*(item.name for item in own), REST])
        self._attributes = _STANDARD_MEMBERS.union(name for name, _, _ in definition.extensions)
        payload = tuple(Column(each.name, each.type.data_type, each.comment) for each in self._members)
        columns = (*own, *(payload or RAW_PAYLOAD_COLUMNS), REST_COLUMN)
        self.table = TableMapping(definition.name, definition.xid, definition.comment, columns)

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The table's schema in Arrow."""
        return self.table.arrow_schema

    def build(self, matched: MatchedRows) -> pa.RecordBatch:
        """Return the rows of messages that fit the definition, whose payloads fit its schema."""
        rests: Rests = defaultdict(dict)
        own = self._own_columns(matched, rests)
        return self._assemble(own, self._payload_columns(matched.values, rests), rests)

    def decode_records(self, data: Sequence[msgspec.Raw]) -> list[Any]:
        """Return the records in JSON, None where it is not such a record; times in them are not yet checked."""
        if self._decode_record is None:
            return [None] * len(data)
        try:
            return list(map(self._decode_record, data))
        except DECODE_ERRORS:
            return [decode_or_none(self._decode_record, each) for each in data]

    def build_from_records(self, matched: MatchedRows) -> pa.RecordBatch | None:
        """Return the rows of messages whose values are such records, None where a time is in doubt."""
        rests: Rests = defaultdict(dict)
        own = self._own_columns(matched, rests)
        payload = record_columns(self._members, matched.values, "", rests)
        return None if payload is None else self._assemble(own, payload, rests)

    @cached_property
    def _decode_record(self) -> Callable[[msgspec.Raw], Any] | None:
        schema = self.decoder.json_schema
        if schema is None or self._is_single_value:
            return None
        struct = record_struct(root_node(schema.loaded, schema.pointer), self._members)
        return None if struct is None else msgspec.json.Decoder(struct).decode

    def _own_columns(self, matched: MatchedRows, rests: Rests) -> list[pa.Array]:
        """Return the columns that do not depend on the payload."""
        arrays = []
        if self._definition.enveloped:
            standard = [(name, "timestamp" if name == "time" else "string") for name in STANDARD]
            declared = [(name, kind) for name, kind, _ in self._definition.extensions]
            arrays = [_attribute_column(matched, name, kind, rests) for name, kind in (*standard, *declared)]
            arrays.append(self._other_attributes(matched))
        arrays += [
            _text_array([context.get(name) for context in matched.contexts]) for name in self._definition.context
        ]
        if self._definition.protocol:
            arrays.append(_text_array([_wire_text(wire) for wire in matched.wires]))
        return arrays

    def _other_attributes(self, matched: MatchedRows) -> pa.Array:
        """Return the column of attributes that the definition does not name."""
        import pyarrow as pa

        kind = self.arrow_schema.field(OTHER_ATTRIBUTES).type
        if not any(matched.attributes):
            return pa.nulls(len(matched.attributes), kind)
        undeclared = (sorted(each.keys() - self._attributes) if each else () for each in matched.attributes)
        others = [
            [(name, _attribute_text(each[name])) for name in names] if names else None
            for each, names in zip(matched.attributes, undeclared, strict=True)
        ]
        return pa.array(others, kind)

    def _payload_columns(self, values: Sequence[Any], rests: Rests) -> list[pa.Array]:
        if not self._members:
            payloads = [_raw_payload(value) for value in values]
            return [_text_array([text for text, _ in payloads]), _text_array([base64 for _, base64 in payloads])]
        if self._is_single_value:
            return [build_array(self._members[0].type, values, "", rests)]
        for row, value in enumerate(values):
            if value is None:  # which is no record
                rests[row][""] = None
        return build_arrays(self._members, values, "", rests)

    def _assemble(self, own: Sequence[pa.Array], payload: Sequence[pa.Array], rests: Rests) -> pa.RecordBatch:
        import pyarrow as pa

        count = len(payload[0])
        texts = {row: json_text(rest) for row, rest in rests.items() if rest}
        rest = _text_array([texts.get(row) for row in range(count)]) if texts else pa.nulls(count, pa.string())
        return pa.RecordBatch.from_arrays([*own, *payload, rest], schema=self.arrow_schema)


def _attribute_column(matched: MatchedRows, name: str, kind: str, rests: Rests) -> pa.Array:
    """Return a column of attributes; those of a type that no column has stay text."""
    scalar = scalar_type(Field("", _FIELD_TYPES[kind])) if kind in _FIELD_TYPES else None
    array = matched.arrays.get(name)
    if array is not None and array.type == arrow_type(scalar.data_type if scalar is not None else TEXT):
        return array
    values = matched.column(name)
    if scalar is None:
        are_texts = set(map(type, values)) <= {str, type(None)}  # always so for those of the specification
        return _text_array(
            values if are_texts else [None if each is None else _attribute_text(each) for each in values]
        )
    if scalar.data_type == BOOLEAN:
        values = [_BOOLEANS.get(value, value) if isinstance(value, str) else value for value in values]
    return build_array(scalar, values, f"ce_{name}", rests)


def _text_array(values: Sequence[str | None]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.string())


def _attribute_text(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _wire_text(wire: Wire | None) -> str | None:
    return json_text(Wire(wire.protocol, wire.fields).as_json()) if wire is not None and wire.protocol else None


def _raw_payload(body: Any) -> tuple[str | None, str | None]:
    """Return a payload without known fields: its text, or its bytes in base 64."""
    if body is None:
        return (None, None)
    if not isinstance(body, bytes):  # of a schema that has no fields
        return (json_text(body), None)
    try:
        return (body.decode(), None)
    except UnicodeDecodeError:
        return (None, b64encode(body).decode())
