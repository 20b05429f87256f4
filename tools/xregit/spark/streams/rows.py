"""Recognised messages to rows of their definition's table; whoever needs these makes them from plain data, once."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.payloads import Field
from xregit.protocols import Wire, wire_json
from xregit.spark.streams.bodies import Reader
from xregit.spark.streams.landing import PAYLOAD, REST, REST_COLUMN, STANDARD, UNTYPED, Column, Facts, Landing
from xregit.spark.streams.leaves import json_text, leaf
from xregit.spark.streams.shapes import members, record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.messages.reading import Received
    from xregit.messages.results import Match
    from xregit.payloads import PayloadSchema
    from xregit.spark.streams.leaves import Convert, Rest
    from xregit.spark.streams.shapes import Member

Row = tuple[Any, ...]
_TIME = STANDARD.index("time")
_NO_ATTRIBUTES: Mapping[str, Any] = {}


class Rows:
    """Makes the rows of one definition's table, and knows the table."""

    def __init__(self, facts: Facts, schema: PayloadSchema | None) -> None:
        """Find out which columns there are, and how each is filled."""
        self._facts = facts
        self._reader = Reader.of(schema)
        own = facts.own_columns
        fields = schema.fields() if schema is not None else ()
        self._single = len(fields) == 1 and not fields[0].name
        self._members = members((_named(item) for item in fields), taken=[*(item.name for item in own), REST])
        self._untyped = not fields
        self._record = record(self._members)
        self._time = _converter("timestamp")
        self._extensions = tuple((name, _converter(kind), f"ce_{name}") for name, kind, _ in facts.extensions)
        self._known = frozenset({*STANDARD, "specversion", "data", "data_base64", *(e[0] for e in self._extensions)})
        payload = UNTYPED if self._untyped else tuple(_column(item) for item in self._members)
        self.landing = Landing(facts.table, facts.xid, facts.comment, (*own, *payload, REST_COLUMN))

    def row(self, message: Received, match: Match) -> Row:
        """Return the row of a message that fits the definition.

        Raises:
            BadPayloadError: the payload breaks the schema.
        """
        value = self._reader.read(message)
        rest: Rest = {}
        row: list[Any] = []
        if self._facts.enveloped:
            self._envelope(match.event or _NO_ATTRIBUTES, row, rest)
        context = match.matches[0].context
        row.extend(context.get(name) for name in self._facts.context)
        if self._facts.protocol:
            row.append(_wire(message.wire))
        row.extend(self._payload(value, rest))
        row.append(json_text(rest) if rest else None)
        return tuple(row)

    def _envelope(self, event: Mapping[str, Any], row: list[Any], rest: Rest) -> None:
        standard = [event.get(name) for name in STANDARD]
        if standard[_TIME] is not None:
            standard[_TIME] = self._time(standard[_TIME], "ce_time", rest)
        row.extend(standard)
        for name, convert, path in self._extensions:
            value = event.get(name)
            row.append(None if value is None else convert(value, path, rest))
        others = event.keys() - self._known
        row.append([(name, _said(event[name])) for name in sorted(others)] if others else None)

    def _payload(self, value: Any, rest: Rest) -> Row:
        if self._untyped:
            return _untyped(value)
        if self._single:
            return (None if value is None else self._members[0].shape.convert(value, "", rest),)
        made = self._record(value, "", rest)
        return tuple(made.values()) if made is not None else (None,) * len(self._members)


def _named(field: Field) -> Field:
    """Return the one value of a payload that is no record under the name of its column."""
    return field if field.name else replace(field, name=PAYLOAD)


def _column(item: Member) -> Column:
    return Column(item.name, item.shape.form, item.comment)


def _converter(kind: str) -> Convert:
    """Return what makes a value of an attribute's type; one of a type that is no column's own stays text."""
    names = {"integer": "int64", "uinteger": "int64", "boolean": "boolean", "timestamp": "timestamp"}
    known = leaf(Field("", names.get(kind, "string")))
    return known.convert if known is not None and kind in names else _as_text


def _as_text(value: Any, _path: str, _rest: Rest) -> str:
    return _said(value)


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _wire(wire: Wire | None) -> str | None:
    return json_text(wire_json(Wire(wire.protocol, wire.fields))) if wire is not None and wire.protocol else None


def _untyped(body: Any) -> Row:
    """Return a payload that no schema tells the fields of: its text, or its bytes in base 64."""
    if body is None:
        return (None, None)
    if not isinstance(body, bytes):  # of a schema that has no fields
        return (json_text(body), None)
    try:
        return (body.decode(), None)
    except UnicodeDecodeError:
        return (None, b64encode(body).decode())
