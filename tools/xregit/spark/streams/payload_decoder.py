"""Payloads decoded and validated by their schemas.

Where a JSON Schema is simple enough, a struct of `msgspec` made from it reads and validates at once, in a fraction of
the time. A payload that the struct refuses may still be valid, such as one with undeclared members; the validator
decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import ceil, floor
from operator import attrgetter
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import UNSET

from xregit.json_pointer import escape
from xregit.payloads import PayloadError, language
from xregit.payloads.body import explain_framing
from xregit.payloads.json_schema.codec import JsonSchema
from xregit.protocols.cloudevents import declares_json
from xregit.spark.schema import TIMESTAMP, arrow_type
from xregit.spark.streams.columns import array, points
from xregit.spark.streams.decoder import REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from xregit.messages.decoder import IncomingMessage
    from xregit.payloads import PayloadSchema
    from xregit.payloads.json_schema.subschemas import Node
    from xregit.spark.streams.columns import ColumnType, Member, Rests
    from xregit.spark.streams.decoder import Plain


# A type for `msgspec`; None if it has none that accepts only what the schema does.
Kind = Any

# What says nothing of values.
_REMARKS = frozenset({"title", "description", "examples", "default", "definitions", "$defs", "$schema", "$comment"})
_NAMES = frozenset({"$id", "id"})
_MAX_STEPS = 8
# Each bound's word in `msgspec`, and how it is rounded for whole numbers.
_BOUNDS: Mapping[str, tuple[str, Callable[[float], int]]] = {
    "minimum": ("ge", ceil),
    "maximum": ("le", floor),
    "exclusiveMinimum": ("gt", floor),
    "exclusiveMaximum": ("lt", ceil),
}


def record(node: Node, members: Sequence[Member]) -> type[msgspec.Struct] | None:
    """Return the struct for objects of a schema that has these members; None where there is none."""
    try:
        kind = _kind(_without_name(node), members, None)
        msgspec.json.Decoder(kind)
    except (ValueError, TypeError, OverflowError):  # names that must be escaped, bounds beyond 64 bits
        return None
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


def columns(members: Sequence[Member], records: Sequence[Any], path: str, rests: Rests) -> list[pa.Array] | None:
    """Return a column for each member of records, of which those that are None have nothing there.

    None where there is doubt about a point in time: a record takes any text for one.
    """
    made = []
    for number, each in enumerate(members):
        column = _column(each.shape, _values(records, f"f{number}"), f"{path}/{escape(each.key)}", rests)
        if column is None:
            return None
        made.append(column)
    return made


def _without_name(node: Node) -> Node:
    """Return a schema without its own URI, which the node knows."""
    schema = node.schema
    return node.at({key: schema[key] for key in schema if key not in _NAMES}) if isinstance(schema, Mapping) else node


def _column(shape: ColumnType, values: Sequence[Any], path: str, rests: Rests) -> pa.Array | None:
    import pyarrow as pa

    if not shape.members:
        return points(values) if shape.form == TIMESTAMP else array(shape, values, path, rests)
    inner = columns(shape.members, values, path, rests)
    absent = pa.array([value is None for value in values], pa.bool_())
    return inner and pa.StructArray.from_arrays(inner, fields=list(arrow_type(shape.form)), mask=absent)


def _values(records: Sequence[Any], name: str) -> list[Any]:
    try:
        return list(map(attrgetter(name), records))
    except AttributeError:
        return [None if each is None else getattr(each, name) for each in records]


def _kind(node: Node, members: Sequence[Member], shape: ColumnType | None) -> Kind:
    """Return the type of the values of a schema, whose column has that shape and these members, if it has one."""
    found = _followed(node)
    if found is None:
        return None
    stated = found.schema.get("type")
    types = stated if isinstance(stated, list) else [stated]
    others = [each for each in types if each != "null"]
    if len(others) != 1:
        return None
    made = _record(found, members) if others == ["object"] else _single(others[0], found.schema, found, shape)
    return made | None if made is not None and len(types) > 1 else made


def _followed(node: Node) -> Node | None:
    """Return the schema that a reference leads to, or the schema itself where it refers to nothing."""
    found: Node | None = node
    for _ in range(_MAX_STEPS):
        if found is None or not isinstance(found.schema, Mapping):
            return None
        if "$ref" not in found.schema:
            return found
        found = found.to(found.schema["$ref"]) if _said(found.schema) == {"$ref"} else None
    return None


def _said(schema: Mapping[str, Any]) -> AbstractSet[str]:
    return schema.keys() - _REMARKS


def _record(node: Node, members: Sequence[Member]) -> Kind:
    schema = node.schema
    table, required = schema.get("properties", {}), set(schema.get("required", ()))
    said = _said(schema) <= {"type", "properties", "required", "additionalProperties"}
    if not said or not members or table.keys() != {each.key for each in members} or not required <= table.keys():
        return None
    kinds = [_kind(node.at(table[each.key]), each.shape.members, each.shape) for each in members]
    if None in kinds:
        return None
    named = [(f"f{number}", each.key, kind) for number, (each, kind) in enumerate(zip(members, kinds, strict=True))]
    return msgspec.defstruct(
        "Record",
        [(name, kind) if key in required else (name, kind, None) for name, key, kind in named],
        rename={name: key for name, key, _ in named},
        kw_only=True,
        forbid_unknown_fields=True,
        eq=False,
        gc=False,
    )


def _single(name: str, schema: Mapping[str, Any], node: Node, shape: ColumnType | None) -> Kind:
    match name:
        case "boolean" if _said(schema) == {"type"}:
            return bool
        case "string":
            return _text(schema, shape)
        case "integer":
            return _number(schema, int)
        case "number":
            whole, broken = _number(schema, int), _number(schema, float)
            return whole | broken if whole is not None and broken is not None else None
        case "array" if isinstance(schema.get("items"), Mapping):
            inner = _kind(node.at(schema["items"]), (), None)
            return inner and _long(GenericAlias(list, (inner,)), schema, items=True)
    return None


def _text(schema: Mapping[str, Any], shape: ColumnType | None) -> Kind:
    said = _said(schema)
    if said == {"type", "format"}:  # whether it is a time is asked of a whole column
        is_time = schema["format"] == "date-time" and shape is not None and shape.form == TIMESTAMP
        return str if is_time else None
    if said == {"type", "enum"}:
        listed = schema["type"] == "string" and all(isinstance(each, str) for each in schema["enum"])
        return Literal[tuple(schema["enum"])] if listed else None
    return _long(str, schema, items=False)


def _long(kind: Kind, schema: Mapping[str, Any], *, items: bool) -> Kind:
    """Return a type with the bounds of a schema for its length."""
    least, most, others = ("minItems", "maxItems", {"type", "items"}) if items else ("minLength", "maxLength", {"type"})
    bounds = {word: schema[name] for name, word in ((least, "min_length"), (most, "max_length")) if name in schema}
    if not _said(schema) <= {least, most, *others} or not all(type(bound) is int for bound in bounds.values()):
        return None
    return Annotated[kind, msgspec.Meta(**bounds)] if bounds else kind


def _number(schema: Mapping[str, Any], kind: type[int | float]) -> Kind:
    """Return the type of whole or of other numbers with the bounds of a schema; formats are for texts alone."""
    stated = {name: schema[name] for name in _BOUNDS if name in schema}
    if not _said(schema) <= {"type", "format", *stated}:
        return None
    if not all(type(bound) in {int, float} and float(bound) == bound for bound in stated.values()):
        return None
    named = [(*_BOUNDS[name], bound) for name, bound in stated.items()]
    bounds: dict[str, Any] = {word: rounded(bound) if kind is int else float(bound) for word, rounded, bound in named}
    return Annotated[kind, msgspec.Meta(**bounds)] if bounds else kind


NO_PAYLOAD = ("there is no payload",)
_USUAL = (None, "application/json")
_OF_JSON = ("JsonSchema", "JsonStructure")


class BadPayloadError(Exception):
    """A payload that breaks its schema, with all that is wrong with it."""

    def __init__(self, *problems: str) -> None:
        """Keep the problems."""
        self.problems = problems
        super().__init__(*problems)


def is_json(form: str) -> bool:
    """Return whether schemas of a format are about JSON."""
    return language(form) in _OF_JSON


def has_json(event: Plain) -> bool:
    """Return whether the data of a plain event is JSON."""
    said = event.datacontenttype
    return event.data is not UNSET and (said in _USUAL or declares_json(str(said)))


@dataclass(frozen=True, slots=True)
class PayloadDecoder:
    """Reads payloads by one schema, or, without one, gives their bytes."""

    schema: PayloadSchema | None
    json_schema: JsonSchema | None
    decoding_is_not_enough: bool

    @classmethod
    def of(cls, schema: PayloadSchema | None) -> PayloadDecoder:
        """Return the reader of a schema."""
        json_schema = schema if isinstance(schema, JsonSchema) else None
        return cls(schema, json_schema, schema is not None and language(schema.format) == "XSD")

    def values(self, data: Iterable[msgspec.Raw]) -> list[Any]:
        """Return the values of JSON that fits the schema; None for others, and for those that are null."""
        return [self._value(each) for each in data]

    def _value(self, data: msgspec.Raw) -> Any:
        try:
            return self._checked(msgspec.json.decode(data))
        except (*REFUSED, BadPayloadError):
            return None

    def read(self, message: IncomingMessage) -> Any:
        """Return the value of a message's payload; without a schema its bytes, None where it has none.

        Raises:
            BadPayloadError: it breaks the schema.
        """
        event = message.event
        # A structured event has been read as a whole; its JSON need not be written to be read again.
        parsed = self.json_schema is not None and message.wire is None and event is not None and "data" in event
        if parsed and event is not None and declares_json(event.get("datacontenttype", "")):
            return self._checked(event["data"])
        if self.schema is None:
            return message.body
        return self._decoded(self.schema, message)

    def _decoded(self, schema: PayloadSchema, message: IncomingMessage) -> Any:
        body, contenttype = message.body, message.contenttype
        if body is None:
            raise BadPayloadError(*NO_PAYLOAD)
        if self.decoding_is_not_enough:
            found = schema.validate(body, contenttype)
            if found:
                raise BadPayloadError(*explain_framing(found, body))
        try:
            return self._checked(schema.decode(body, contenttype))
        except PayloadError as error:
            raise BadPayloadError(*explain_framing(error.problems, body)) from error

    def _checked(self, value: Any) -> Any:
        if self.json_schema is None or self.json_schema.accepts(value):
            return value
        raise BadPayloadError(*self.json_schema.faults(value))
