"""The schema object of Protobuf, with the names of .proto files: payloads decoded and encoded, fields, an example."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, EncodeError, Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.unknown_fields import UnknownFieldSet

from xregit.payloads.base import PayloadError, error_text, is_json, read_json
from xregit.payloads.fields import MAX_FIELDS, MAX_VALUES, MORE_FIELDS, Field, has_budget, spend, with_budget
from xregit.payloads.sample_texts import SAMPLE_TEXTS, named_number, named_text

_PREFIX = "google.protobuf."
_ANY = f"{_PREFIX}Any"
_VARINT, _LENGTH, _BITS = 0, 2, 32
_MAX_DEPTH = 100


@dataclass(frozen=True, eq=False, slots=True)
class Protobuf:
    """One Protobuf message; ``docs`` are the comments of its file by full name."""

    format: str
    message: Descriptor
    docs: Mapping[str, str]

    def validate(self, body: bytes, contenttype: str = "") -> tuple[str, ...]:
        """Return what is wrong with a payload in Protobuf's binary or JSON form."""
        try:
            self.decode(body, contenttype)
        except PayloadError as error:
            return error.problems
        return ()

    def decode(self, body: bytes, contenttype: str = "") -> Any:
        """Return the values of a payload under the names of the .proto file."""
        return to_value(self._read(body, contenttype))

    def encode(self, value: Any, contenttype: str = "") -> bytes:
        """Return the payload of a value: JSON for a JSON media type, else binary."""
        message = self._from_json(to_json(value))
        if is_json(contenttype):
            return json_format.MessageToJson(message, indent=None).encode()
        try:
            return bytes(message.SerializeToString(deterministic=True))
        except (EncodeError, ValueError) as error:
            raise PayloadError(str(error)) from error

    @with_budget(MAX_VALUES)
    def example(self) -> Any:
        """Return a value with all fields, one of each oneof."""
        return example(self.message)

    def fields(self) -> tuple[Field, ...]:
        """Return the fields of the message."""
        return fields(self.message, self.docs)

    def _read(self, body: bytes, contenttype: str) -> Any:
        if is_json(contenttype):
            return self._from_json(read_json(body))
        message = GetMessageClass(self.message)()
        try:
            message.ParseFromString(body)
        except DecodeError as error:
            reason = str(error).rpartition(": ")[2]
            problem = f'the bytes are no message of the type "{self.message.full_name}" ({reason})'
            raise PayloadError(problem) from error
        return _complete(message)

    def _from_json(self, value: Any) -> Any:
        if not isinstance(value, dict):
            problem = f'a value of "{self.message.full_name}" is an object'
            raise PayloadError(problem)
        try:
            message = GetMessageClass(self.message)()
            pool = self.message.file.pool
            return _complete(
                json_format.ParseDict(value, message, descriptor_pool=pool, max_recursion_depth=_MAX_DEPTH)
            )
        except (json_format.ParseError, ValueError, TypeError, RecursionError) as error:
            raise PayloadError(" ".join(error_text(error).split()).rstrip(".")) from error


def _complete(message: Any) -> Any:
    missing = message.FindInitializationErrors()
    if missing:
        raise PayloadError(*(f'the required field "{name}" is missing' for name in missing))
    return message


def to_value(message: Message) -> Any:
    """Return the fields that are there, and those of proto3 that always are.

    Raises:
        PayloadError: one is nothing that JSON has a form for, such as a time after the year 9999.
    """
    if message.DESCRIPTOR.full_name.startswith(_PREFIX):
        return _well_known(message)
    values: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        if field.has_presence and not message.HasField(field.name):
            continue
        values[field.name] = _value(field, getattr(message, field.name))
    if message.DESCRIPTOR.is_extendable:
        for field, value in message.ListFields():
            if field.is_extension:
                values[f"[{field.full_name}]"] = _value(field, value)  # as Protobuf's JSON has it
    closed = _closed_enum_fields(message.DESCRIPTOR)
    if closed:
        _add_unknown(message, closed, values)
    return values


def _closed_enum_fields(descriptor: Any) -> Mapping[int, Any]:
    """Return those fields by their numbers whose enumerations are closed, as all of proto2 are; maps of such, too."""
    fields = {}
    for field in descriptor.fields:
        enum = (field.message_type.fields_by_name["value"] if is_map(field) else field).enum_type
        if enum is not None and enum.is_closed:
            fields[field.number] = field
    return fields


def _add_unknown(message: Message, closed: Mapping[int, Any], values: dict[str, Any]) -> None:
    """Add what closed enumerations don't know, as number: Protobuf keeps it apart, and tells no place in a list."""
    unknown: Any = UnknownFieldSet(message)
    for each in unknown:
        field = closed.get(each.field_number)
        if field is None or each.wire_type != (_LENGTH if is_map(field) else _VARINT):
            continue
        if is_map(field):
            entry: Any = GetMessageClass(field.message_type).FromString(each.data)
            values[field.name].setdefault(_key(entry.key), to_value(entry).get("value"))
            continue
        number = _signed(each.data)
        if field.is_repeated:
            values[field.name].append(number)
        else:
            values.setdefault(field.name, number)


def _signed(data: int) -> int:
    low = data % (1 << _BITS)
    return low - (1 << _BITS) if low >> (_BITS - 1) else low


def _well_known(message: Any) -> Any:
    pool = message.DESCRIPTOR.file.pool
    try:
        return json_format.MessageToDict(message, preserving_proto_field_name=True, descriptor_pool=pool)
    except (json_format.Error, DecodeError, ValueError, TypeError, RecursionError) as error:
        if message.DESCRIPTOR.full_name == _ANY:  # of a type that this file need not know
            return {"@type": message.type_url, "value": message.value}
        problem = f'a "{message.DESCRIPTOR.full_name}" has no form in JSON: {" ".join(str(error).split()).rstrip(".")}'
        raise PayloadError(problem) from error


# Descriptors are Any below: the library's annotations of them and its classes differ.


def _value(field: Any, value: Any) -> Any:
    if is_map(field):
        inner = field.message_type.fields_by_name["value"]
        return {_key(key): _single_value(inner, value[key]) for key in sorted(value)}
    return [_single_value(field, item) for item in value] if field.is_repeated else _single_value(field, value)


def _key(key: Any) -> str:
    """Return a map's key as Protobuf's JSON has it."""
    return str(key).lower() if isinstance(key, bool) else str(key)


def _single_value(field: Any, value: Any) -> Any:
    if field.message_type is not None:
        return to_value(value)
    if field.enum_type is not None:
        symbol = field.enum_type.values_by_number.get(value)
        return symbol.name if symbol else value
    return value


def to_json(value: Any) -> Any:
    """Return a value with bytes and dates as Protobuf's JSON has them."""
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


# By the numbers that descriptors have for the scalar types, with what an example holds.
_SCALARS: Mapping[int, tuple[str, str, Any]] = {
    1: ("double", "float64", 1.5),
    2: ("float", "float32", 1.5),
    3: ("int64", "int64", 1),
    4: ("uint64", "uint64", 1),
    5: ("int32", "int32", 1),
    6: ("fixed64", "uint64", 1),
    7: ("fixed32", "uint32", 1),
    8: ("bool", "boolean", True),
    9: ("string", "string", "text"),
    12: ("bytes", "bytes", b"bytes"),
    13: ("uint32", "uint32", 1),
    15: ("sfixed32", "int32", 1),
    16: ("sfixed64", "int64", 1),
    17: ("sint32", "int32", 1),
    18: ("sint64", "int64", 1),
}
_WELL_KNOWN: Mapping[str, tuple[str, Any]] = {
    "Timestamp": ("timestamp", SAMPLE_TEXTS["date-time"]),
    "Duration": ("duration", "900s"),
    "Struct": ("any", {"key": "text"}),
    "Value": ("any", "text"),
    "ListValue": ("any", ["text"]),
    "Any": ("any", {}),
    "Empty": ("record", {}),
    "FieldMask": ("string", "field"),
    "DoubleValue": ("float64", 1.5),
    "FloatValue": ("float32", 1.5),
    "Int64Value": ("int64", "1"),
    "UInt64Value": ("uint64", "1"),
    "Int32Value": ("int32", 1),
    "UInt32Value": ("uint32", 1),
    "BoolValue": ("boolean", True),
    "StringValue": ("string", "text"),
    "BytesValue": ("bytes", "Ynl0ZXM="),
}
MAX_INT32 = 2**31 - 1
# Libraries refuse messages that stand in more than 100 others.
_MAX_TRAIL = 90


@with_budget(MAX_FIELDS)
def fields(message: Descriptor, docs: Mapping[str, str]) -> tuple[Field, ...]:
    """Return the fields of a message; ``docs`` are its file's comments by full name."""
    return tuple(_field(item, docs, (message.full_name,)) for item in message.fields)


def is_map(field: Any) -> bool:
    """Return whether a field is a map."""
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _field(field: Any, docs: Mapping[str, str], trail: tuple[str, ...]) -> Field:
    description = docs.get(field.full_name, "")
    # What has no presence is there with its default; a message, an "optional" and a oneof's field may be absent.
    required = not field.has_presence or field.is_required
    if is_map(field):
        inner = _single("value", field.message_type.fields_by_name["value"], docs, trail)
        return Field(field.name, "map", _map_name(field), required, description=description, fields=(inner,))
    if field.is_repeated:
        inner = _single("item", field, docs, trail)
        return Field(field.name, "array", "repeated", required, description=description, fields=(inner,))
    single = _single(field.name, field, docs, trail)
    return replace(single, required=required, description=description or single.description)


def _single(name: str, field: Any, docs: Mapping[str, str], trail: tuple[str, ...]) -> Field:
    """Return a field, or one item of a repeated one."""
    if not has_budget() or len(trail) > _MAX_TRAIL:
        return MORE_FIELDS
    message, enum = field.message_type, field.enum_type
    if enum is not None:
        values = tuple(item.name for item in enum.values)
        return Field(
            name, "enum", enum.full_name, required=True, description=docs.get(enum.full_name, ""), values=values
        )
    if message is None:
        native, type_, _ = _SCALARS[field.type]
        return Field(name, type_, native, required=True)
    well_known = _WELL_KNOWN.get(message.full_name.removeprefix(_PREFIX))
    if well_known and message.full_name.startswith(_PREFIX):
        return Field(name, well_known[0], message.full_name, required=True)
    description = docs.get(message.full_name, "")
    if message.full_name in trail:
        return Field(name, "record", message.full_name, required=True, description=description, recursive=True)
    members = tuple(_field(item, docs, (*trail, message.full_name)) for item in message.fields)
    return Field(name, "record", message.full_name, required=True, description=description, fields=members)


def _map_name(field: Any) -> str:
    key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
    inner = value.message_type or value.enum_type
    return f"map<{_SCALARS[key.type][0]}, {inner.full_name if inner else _SCALARS[value.type][0]}>"


def example(message: Descriptor, trail: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a value with all fields, one of each oneof, but for those that would hold their own message again.

    What would stand in more messages than libraries read is left out, too.

    Raises:
        PayloadError: the message must hold itself without end, or the value would be too large.
    """
    spend()
    trail = (*trail, message.full_name)
    values: dict[str, Any] = {}
    for field in message.fields:
        group = field.containing_oneof
        first = group is None or group.fields[0].number == field.number
        recurs = field.message_type is not None and _recurs(field, trail)
        if first and not recurs:
            values[field.name] = _example(field, trail)
        elif recurs and field.is_required:
            problem = f'the message "{message.full_name}" must hold itself, or others too deep; no value can'
            raise PayloadError(problem)
        elif recurs and field.is_repeated:
            values[field.name] = {} if is_map(field) else []
    return values


def _recurs(field: Any, trail: tuple[str, ...]) -> bool:
    target = field.message_type.fields_by_name["value"].message_type if is_map(field) else field.message_type
    return target is not None and (target.full_name in trail or len(trail) > _MAX_TRAIL)


def _example(field: Any, trail: tuple[str, ...]) -> Any:
    if is_map(field):
        key = field.message_type.fields_by_name["key"]
        sample = str(_SCALARS[key.type][2]).lower() if key.type != 9 else "key"  # noqa: PLR2004 - the type string
        return {sample: _single_example(field.message_type.fields_by_name["value"], trail)}
    return [_single_example(field, trail)] if field.is_repeated else _single_example(field, trail)


def _scalar_example(field: Any) -> Any:
    _, kind, sample = _SCALARS[field.type]
    if kind == "string":
        return named_text(field.name) or sample
    number = named_number(field.name) if kind not in {"boolean", "bytes"} else None
    if number is None or (kind.endswith("32") and number > MAX_INT32):
        return sample
    return float(number) if kind.startswith("float") else int(number)


def _single_example(field: Any, trail: tuple[str, ...]) -> Any:
    message, enum = field.message_type, field.enum_type
    if enum is not None:
        return enum.values[min(1, len(enum.values) - 1)].name
    if message is None:
        return _scalar_example(field)
    well_known = _WELL_KNOWN.get(message.full_name.removeprefix(_PREFIX))
    return well_known[1] if well_known and message.full_name.startswith(_PREFIX) else example(message, trail)
