"""Payloads decoded and validated by their schemas.

Where a JSON Schema is simple enough, a struct of `msgspec` made from it decodes and validates at once, in a fraction of
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
from xregit.spark.streams.columns import build_array, parse_timestamps
from xregit.spark.streams.decoder import DECODE_ERRORS
from xregit.spark.table_schema import TIMESTAMP, arrow_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from xregit.messages.decoder import IncomingMessage
    from xregit.payloads import PayloadSchema
    from xregit.payloads.json_schema.subschemas import Node
    from xregit.spark.streams.columns import Rests
    from xregit.spark.streams.converters import ColumnType, Member
    from xregit.spark.streams.decoder import PlainEvent


# A type for `msgspec`; None if it has none that accepts only what the schema does.
Kind = Any

# Keywords that don't constrain values.
_ANNOTATIONS = frozenset({"title", "description", "examples", "default", "definitions", "$defs", "$schema", "$comment"})
_ID_KEYWORDS = frozenset({"$id", "id"})
_MAX_REFERENCES = 8
# Each bound's word in `msgspec`, and how it is rounded for whole numbers.
_BOUNDS: Mapping[str, tuple[str, Callable[[float], int]]] = {
    "minimum": ("ge", ceil),
    "maximum": ("le", floor),
    "exclusiveMinimum": ("gt", floor),
    "exclusiveMaximum": ("lt", ceil),
}


def record_struct(node: Node, members: Sequence[Member]) -> type[msgspec.Struct] | None:
    """Return the struct for objects of a schema that has these members; None where there is none."""
    # Without its own URI, which the node has.
    node = node.at({key: value for key, value in node.schema.items() if key not in _ID_KEYWORDS})
    try:
        kind = _kind(node, members, None)
        msgspec.json.Decoder(kind)
    except (ValueError, TypeError, OverflowError):  # names that must be escaped, bounds beyond 64 bits
        return None
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


def record_columns(members: Sequence[Member], records: Sequence[Any], path: str, rests: Rests) -> list[pa.Array] | None:
    """Return a column for each member of structs, null where a struct is None.

    None where a time is in doubt: a struct accepts any text for one.
    """
    arrays = []
    for number, member in enumerate(members):
        values = _member_values(records, f"f{number}")
        array = _record_column(member.type, values, f"{path}/{escape(member.key)}", rests)
        if array is None:
            return None
        arrays.append(array)
    return arrays


def _record_column(column_type: ColumnType, values: Sequence[Any], path: str, rests: Rests) -> pa.Array | None:
    import pyarrow as pa

    if column_type.members:
        inner = record_columns(column_type.members, values, path, rests)
        absent = pa.array([value is None for value in values], pa.bool_())
        fields = list(arrow_type(column_type.data_type))
        return inner and pa.StructArray.from_arrays(inner, fields=fields, mask=absent)
    if column_type.data_type == TIMESTAMP:
        return parse_timestamps(values)
    return build_array(column_type, values, path, rests)


def _member_values(records: Sequence[Any], name: str) -> list[Any]:
    try:
        return list(map(attrgetter(name), records))
    except AttributeError:  # some are None
        return [None if each is None else getattr(each, name) for each in records]


def _kind(node: Node, members: Sequence[Member], column_type: ColumnType | None) -> Kind:
    """Return the type of the values of a schema, whose column has that type and these members, if it has one."""
    target = _dereference(node)
    if target is None:
        return None
    declared = target.schema.get("type")
    types = declared if isinstance(declared, list) else [declared]
    others = [each for each in types if each != "null"]
    if len(others) != 1:
        return None
    kind = _record_kind(target, members) if others == ["object"] else _scalar_kind(others[0], target, column_type)
    return kind | None if kind is not None and len(types) > 1 else kind


def _dereference(node: Node) -> Node | None:
    """Return the schema that a reference leads to, or the schema itself if it is no reference."""
    target: Node | None = node
    for _ in range(_MAX_REFERENCES):
        if target is None:
            return None
        if "$ref" not in target.schema:
            return target
        target = target.to(target.schema["$ref"]) if _keywords(target.schema) == {"$ref"} else None
    return None


def _keywords(schema: Mapping[str, Any]) -> AbstractSet[str]:
    return schema.keys() - _ANNOTATIONS


def _record_kind(node: Node, members: Sequence[Member]) -> Kind:
    schema = node.schema
    properties, required = schema.get("properties", {}), set(schema.get("required", ()))
    if not members or not _keywords(schema) <= {"type", "properties", "required", "additionalProperties"}:
        return None
    if properties.keys() != {each.key for each in members} or not required <= properties.keys():
        return None
    kinds = [_kind(node.at(properties[each.key]), each.type.members, each.type) for each in members]
    if None in kinds:
        return None
    fields = [(f"f{number}", each.key, kind) for number, (each, kind) in enumerate(zip(members, kinds, strict=True))]
    return msgspec.defstruct(
        "Record",
        [(name, kind) if key in required else (name, kind, None) for name, key, kind in fields],
        rename={name: key for name, key, _ in fields},
        kw_only=True,
        forbid_unknown_fields=True,
        eq=False,
        gc=False,
    )


def _scalar_kind(name: str | None, node: Node, column_type: ColumnType | None) -> Kind:
    schema = node.schema
    match name:
        case "boolean" if _keywords(schema) == {"type"}:
            return bool
        case "string":
            return _text_kind(schema, column_type)
        case "integer":
            return _number_kind(schema, int)
        case "number":
            integer, floating = _number_kind(schema, int), _number_kind(schema, float)
            return integer | floating if integer is not None and floating is not None else None
        case "array" if isinstance(schema.get("items"), Mapping):
            inner = _kind(node.at(schema["items"]), (), None)
            return inner and _with_length(GenericAlias(list, (inner,)), schema, items=True)
    return None


def _text_kind(schema: Mapping[str, Any], column_type: ColumnType | None) -> Kind:
    keywords = _keywords(schema)
    if keywords == {"type", "format"}:  # times are checked as a whole column
        is_time = schema["format"] == "date-time" and column_type is not None and column_type.data_type == TIMESTAMP
        return str if is_time else None
    if keywords == {"type", "enum"}:
        are_texts = schema["type"] == "string" and all(isinstance(each, str) for each in schema["enum"])
        return Literal[tuple(schema["enum"])] if are_texts else None
    return _with_length(str, schema, items=False)


def _with_length(kind: Kind, schema: Mapping[str, Any], *, items: bool) -> Kind:
    """Return a type with the bounds of a schema for its length."""
    least, most, others = ("minItems", "maxItems", {"type", "items"}) if items else ("minLength", "maxLength", {"type"})
    bounds = {word: schema[name] for name, word in ((least, "min_length"), (most, "max_length")) if name in schema}
    if not _keywords(schema) <= {least, most, *others} or not all(type(bound) is int for bound in bounds.values()):
        return None
    return Annotated[kind, msgspec.Meta(**bounds)] if bounds else kind


def _number_kind(schema: Mapping[str, Any], kind: type[int | float]) -> Kind:
    """Return the type of integers or floats with the bounds of a schema; formats are for texts alone."""
    declared = {name: schema[name] for name in _BOUNDS if name in schema}
    if not _keywords(schema) <= {"type", "format", *declared}:
        return None
    if not all(type(bound) in {int, float} and float(bound) == bound for bound in declared.values()):
        return None
    bounds: dict[str, Any] = {}
    for name, bound in declared.items():
        word, rounded = _BOUNDS[name]
        bounds[word] = rounded(bound) if kind is int else float(bound)
    return Annotated[kind, msgspec.Meta(**bounds)] if bounds else kind


NO_PAYLOAD = ("there is no payload",)
_JSON_CONTENTTYPES = (None, "application/json")
_JSON_LANGUAGES = ("JsonSchema", "JsonStructure")


class BadPayloadError(Exception):
    """A payload that breaks its schema, with all its problems."""

    def __init__(self, *problems: str) -> None:
        """Keep the problems."""
        self.problems = problems
        super().__init__(*problems)


def is_json_format(schema_format: str) -> bool:
    """Return whether schemas of a format are about JSON."""
    return language(schema_format) in _JSON_LANGUAGES


def has_json_data(event: PlainEvent) -> bool:
    """Return whether the data of a plain event is JSON."""
    contenttype = event.datacontenttype
    return event.data is not UNSET and (contenttype in _JSON_CONTENTTYPES or declares_json(str(contenttype)))


@dataclass(frozen=True, slots=True)
class PayloadDecoder:
    """Decodes payloads by one schema; without a schema, a payload's value is its bytes."""

    schema: PayloadSchema | None
    json_schema: JsonSchema | None
    needs_validation: bool

    @classmethod
    def of(cls, schema: PayloadSchema | None) -> PayloadDecoder:
        """Return the decoder of a schema."""
        json_schema = schema if isinstance(schema, JsonSchema) else None
        return cls(schema, json_schema, schema is not None and language(schema.format) == "XSD")

    def decode_json(self, data: Iterable[msgspec.Raw]) -> list[Any]:
        """Return the values of JSON that fits the schema; None for other JSON, and for null."""
        return [self._decode_json(each) for each in data]

    def _decode_json(self, data: msgspec.Raw) -> Any:
        try:
            return self._validated(msgspec.json.decode(data))
        except (*DECODE_ERRORS, BadPayloadError):
            return None

    def decode(self, message: IncomingMessage) -> Any:
        """Return the value of a message's payload; without a schema its bytes, None where it has none.

        Raises:
            BadPayloadError: it breaks the schema.
        """
        event, schema = message.event, self.schema
        is_decoded = self.json_schema is not None and message.wire is None and event is not None and "data" in event
        if is_decoded and event is not None and declares_json(event.get("datacontenttype", "")):
            return self._validated(event["data"])
        body, contenttype = message.body, message.contenttype
        if schema is None:
            return body
        if body is None:
            raise BadPayloadError(*NO_PAYLOAD)
        if self.needs_validation:
            problems = schema.validate(body, contenttype)
            if problems:
                raise BadPayloadError(*explain_framing(problems, body))
        try:
            return self._validated(schema.decode(body, contenttype))
        except PayloadError as error:
            raise BadPayloadError(*explain_framing(error.problems, body)) from error

    def _validated(self, value: Any) -> Any:
        if self.json_schema is None or self.json_schema.accepts(value):
            return value
        raise BadPayloadError(*self.json_schema.faults(value))
