"""Recognised messages to rows of their definition's table; whoever needs these makes them from plain data, once."""

from __future__ import annotations

from base64 import b64encode
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from xregit.model.language import NOTHING
from xregit.payloads import Field
from xregit.protocols import Wire, wire_json
from xregit.spark.streams.arrays import array, columns
from xregit.spark.streams.bodies import Reader
from xregit.spark.streams.landing import PAYLOAD, REST, REST_COLUMN, STANDARD, UNTYPED, Column, Facts, Landing
from xregit.spark.streams.leaves import json_text, leaf
from xregit.spark.streams.plain import column, extensions
from xregit.spark.streams.shapes import Shape, members

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from xregit.messages.reading import Received
    from xregit.messages.results import Match
    from xregit.payloads import PayloadSchema
    from xregit.spark.streams.arrays import Rests
    from xregit.spark.streams.plain import Plain
    from xregit.spark.streams.shapes import Member

_TIME = "time"
_TEXTS = frozenset({str, type(None)})
_KNOWN = frozenset({*STANDARD, "specversion", "data", "data_base64"})
# Types of attributes that columns have too, as payloads call them.
_OWN = {"integer": "int64", "uinteger": "int64", "boolean": "boolean", "timestamp": "timestamp"}


@dataclass(frozen=True, slots=True)
class Landed:
    """What many messages that fit one definition say, each list in the same order.

    ``column`` gives one attribute of all their events; ``attributes`` are those that the definition may not name.
    """

    column: Callable[[str], list[Any]]
    attributes: Sequence[Mapping[str, Any]]
    contexts: Sequence[Mapping[str, str]]
    wires: Sequence[Wire | None]
    values: Sequence[Any]


def of_plain(events: Sequence[Plain], contexts: Sequence[Mapping[str, str]]) -> Landed:
    """Return what plain events say."""
    values = [event.data for event in events]
    return Landed(partial(column, events), list(map(extensions, events)), contexts, [None] * len(events), values)


def of_messages(given: Sequence[tuple[Received, Match, Any]]) -> Landed:
    """Return what any messages say, each given with what it fits and the value of its payload."""
    events = [match.event or NOTHING for _, match, _ in given]
    return Landed(
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
        self.reader = Reader.of(schema)
        own = facts.own_columns
        fields = schema.fields() if schema is not None else ()
        self._single = len(fields) == 1 and not fields[0].name
        self._members = members((_named(item) for item in fields), taken=[*(item.name for item in own), REST])
        self._untyped = not fields
        self._known = _KNOWN.union(name for name, _, _ in facts.extensions)
        payload = UNTYPED if self._untyped else tuple(_column(item) for item in self._members)
        self.landing = Landing(facts.table, facts.xid, facts.comment, (*own, *payload, REST_COLUMN))

    @cached_property
    def schema(self) -> pa.Schema:
        """Arrow's form of the table's schema."""
        return self.landing.schema

    def batch(self, landed: Landed) -> pa.RecordBatch:
        """Return the rows of messages that fit the definition, whose payloads fit its schema."""
        import pyarrow as pa

        rests: Rests = defaultdict(dict)
        made = self._envelope(landed, rests) if self._facts.enveloped else []
        made += [_texts([each.get(name) for each in landed.contexts]) for name in self._facts.context]
        if self._facts.protocol:
            made.append(_texts([_wire(wire) for wire in landed.wires]))
        made += self._payload(landed.values, rests)
        made.append(_texts([json_text(rests[row]) if rests.get(row) else None for row in range(len(landed.values))]))
        return pa.RecordBatch.from_arrays(made, schema=self.schema)

    def _envelope(self, landed: Landed, rests: Rests) -> list[pa.Array]:
        import pyarrow as pa

        made = [_attribute(landed, name, "timestamp" if name == _TIME else "string", rests) for name in STANDARD]
        made += [_attribute(landed, name, kind, rests) for name, kind, _ in self._facts.extensions]
        undeclared = (sorted(each.keys() - self._known) if each else () for each in landed.attributes)
        others = [
            [(name, _said(each[name])) for name in names] if names else None
            for each, names in zip(landed.attributes, undeclared, strict=True)
        ]
        return [*made, pa.array(others, self.schema.field("ce_others").type)]

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


def _attribute(landed: Landed, name: str, kind: str, rests: Rests) -> pa.Array:
    """Return a column of attributes; those of a type that is no column's own stay text."""
    values = landed.column(name)
    known = leaf(Field("", _OWN[kind])) if kind in _OWN else None
    if known is None:
        are_texts = set(map(type, values)) <= _TEXTS  # those of the specification always
        return _texts(values if are_texts else [None if value is None else _said(value) for value in values])
    return array(Shape(known.form, known.convert, plain=known.plain), values, f"ce_{name}", rests)


def _texts(values: Sequence[str | None]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.string())


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _wire(wire: Wire | None) -> str | None:
    return json_text(wire_json(Wire(wire.protocol, wire.fields))) if wire is not None and wire.protocol else None


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
