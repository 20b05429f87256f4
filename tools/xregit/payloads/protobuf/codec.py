"""The schema object of Protobuf, which decodes binary or JSON payloads to the names of the .proto file, and encodes."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError, EncodeError
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.unknown_fields import UnknownFieldSet

from xregit.payloads.base import PayloadError, error_text
from xregit.payloads.body import is_json, read_json
from xregit.payloads.fields import MAX_VALUES, Field, with_budget
from xregit.payloads.protobuf.fields import example, fields, is_map

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.descriptor import Descriptor
    from google.protobuf.message import Message

_WELL_KNOWN = "google.protobuf."
_ANY = f"{_WELL_KNOWN}Any"
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
    if message.DESCRIPTOR.full_name.startswith(_WELL_KNOWN):
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
        return {_key(key): _single(inner, value[key]) for key in sorted(value)}
    return [_single(field, item) for item in value] if field.is_repeated else _single(field, value)


def _key(key: Any) -> str:
    """Return a map's key as Protobuf's JSON has it."""
    return str(key).lower() if isinstance(key, bool) else str(key)


def _single(field: Any, value: Any) -> Any:
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
