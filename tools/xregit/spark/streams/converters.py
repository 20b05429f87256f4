"""Converters from decoded payload values to column values: scalars, and the branches of unions."""

from __future__ import annotations

import binascii
import json
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal, InvalidOperation
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson

from xregit.model.times import moment
from xregit.spark.rows import to_text
from xregit.spark.table_schema import BOOLEAN, DOUBLE, LONG, TEXT, TIMESTAMP, DataType, decimal_type

if TYPE_CHECKING:
    from xregit.payloads import Field


EXACT, CONVERTIBLE, MISMATCH = range(3)
_INTEGER_TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer")
_FLOAT_TYPES = ("float64", "number", "float32")
# The types of fields whose values are of a class. A datetime's depends on its zone, a text's on its schema.
_EXACT_TYPES: Mapping[type, frozenset[str]] = {
    bool: frozenset({"boolean"}),
    int: frozenset(_INTEGER_TYPES),
    float: frozenset(_FLOAT_TYPES),
    Decimal: frozenset({"decimal"}),
    bytes: frozenset({"bytes", "duration"}),
    date: frozenset({"date"}),
    time: frozenset({"time"}),
    UUID: frozenset({"uuid"}),
}
_ZONED, _LOCAL = frozenset({"timestamp"}), frozenset({"localtimestamp"})
# Other types that can have the same numbers, such as 1 in a double.
_CONVERTIBLE_TYPES: Mapping[type, frozenset[str]] = {
    int: frozenset({*_FLOAT_TYPES, "decimal"}),
    float: frozenset({*_INTEGER_TYPES, "decimal"}),
}


def branch_fit(field: Field, value: Any) -> int:
    """Return how a value that is not null fits a branch of a union: exactly, by a conversion, or not at all.

    A text that looks like a number is a text before it is that number.
    """
    if field.type == "union" and field.fields:
        return min(branch_fit(branch, value) for branch in field.fields)
    if field.type in {"any", "union"} or field.recursive:
        return EXACT
    if field.type == "enum":
        return EXACT if any(_json_equal(each, value) for each in field.values) else MISMATCH
    if isinstance(value, Mapping):
        return _object_fit(field, value)
    if isinstance(value, list | tuple):
        return _items_fit(field, value) if field.type == "array" else MISMATCH
    return _scalar_fit(field, value)


def _scalar_fit(field: Field, value: Any) -> int:
    if isinstance(value, str):
        return EXACT if field.native.startswith("string") else CONVERTIBLE
    exact = _EXACT_TYPES.get(type(value), frozenset())
    if isinstance(value, datetime):
        exact = _LOCAL if value.tzinfo is None else _ZONED
    convertible = _CONVERTIBLE_TYPES.get(type(value), frozenset())
    return EXACT if field.type in exact else CONVERTIBLE if field.type in convertible else MISMATCH


def _object_fit(field: Field, value: Mapping[str, Any]) -> int:
    """Return how an object fits: it is a record before it is a map, and no record without the required members."""
    if field.type == "map":
        return max(CONVERTIBLE, _items_fit(field, value.values()))
    if field.type != "record" or any(each.required and each.name not in value for each in field.fields):
        return MISMATCH
    items = ((each, value.get(each.name)) for each in field.fields)
    return max((branch_fit(each, item) for each, item in items if item is not None), default=EXACT)


def _items_fit(field: Field, items: Iterable[Any]) -> int:
    inner = field.fields[0] if field.fields else None
    return max((branch_fit(inner, item) for item in items if inner is not None and item is not None), default=EXACT)


def _json_equal(one: Any, other: Any) -> bool:
    """Return whether two values are the same in JSON, where 1 is 1.0 and not true."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


Rest = dict[str, Any]
# From a value that is not null, its path, and the rest of its row, to the value in the column.
Convert = Callable[[Any, str, Rest], Any]

MAX_DIGITS = 38
_UUID_BYTES, _MAX_ZEROS = 16, 1000
# Matches times with more than microseconds; zeros at the end don't count.
_is_finer = re.compile(r"\.[0-9]{6}[0-9]*[1-9]").search
_is_zoned_date = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})").fullmatch
_is_integer_text = re.compile(rf"-?[0-9]{{1,{MAX_DIGITS}}}").fullmatch
_SINGLE_PRECISION = struct.Struct("<f")
_SPECIAL = frozenset({"NaN", "Infinity", "-Infinity"})


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A column's data type, the converter of its values, and a note for its comment; of a record, also its members.

    Values of the classes ``passthrough`` that Arrow accepts for the data type need no conversion.
    """

    data_type: DataType
    convert: Convert
    note: str = ""
    passthrough: frozenset[type] = frozenset()
    members: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a record: its name in the payload, its name as a column, its type and its comment."""

    key: str
    name: str
    type: ColumnType
    comment: str


def scalar_type(field: Field) -> ColumnType | None:
    """Return the type of a field of single values; None for records, arrays, maps, unions and any values."""
    if field.type == "enum":
        classes = {type(value) for value in field.values}
        name = {str: "string", int: "int64", bool: "boolean"}.get(classes.pop()) if len(classes) == 1 else None
        return _SCALAR_TYPES[name] if name else ColumnType(TEXT, as_json, "As JSON, as its values differ in kind.")
    if field.type == "decimal":
        if 0 < field.precision <= MAX_DIGITS:
            data_type = decimal_type(field.precision, field.scale)
            return ColumnType(data_type, _converter(_to_decimal(field.precision, field.scale)))
        why = "no precision is stated" if field.precision <= 0 else f"it has more than {MAX_DIGITS} digits"
        return ColumnType(TEXT, _converter(_number_text), f"As text, as {why}.")
    return _SCALAR_TYPES.get(field.type)


def put_in_rest(value: Any, path: str, rest: Rest) -> None:
    """Put a value in the rest, and return None for the column."""
    rest[path] = value


def as_json(value: Any, _path: str, _rest: Rest) -> str:
    """Convert any value to JSON text."""
    return json_text(value)


def json_text(value: Any) -> str:
    """Return a decoded value as JSON text: bytes in base 64, decimals, NaN and all that JSON lacks as text."""
    try:
        text = orjson.dumps(value, default=_json_default, option=orjson.OPT_NON_STR_KEYS)
        if b"null" in text:  # as which it writes NaN too
            text = orjson.dumps(_replace_special_floats(value), default=_json_default, option=orjson.OPT_NON_STR_KEYS)
        return text.decode()
    except TypeError:  # whole numbers of more than 64 bits
        replaced = _replace_special_floats(value)
        return json.dumps(replaced, default=_json_default, separators=(",", ":")).encode("utf-8", "replace").decode()


def _replace_special_floats(value: Any) -> Any:
    """Return a value with text for the numbers that JSON lacks, as in Protobuf's JSON form."""
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {key: _replace_special_floats(item) for key, item in value.items()}
    return [_replace_special_floats(item) for item in value] if isinstance(value, list | tuple) else value


def _json_default(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    return value.isoformat() if isinstance(value, date | time) else _number_text(value)


def _number_text(value: Any) -> str:
    """Return a number as text, a decimal as all languages write it: 0.0000001, where Python has 1E-7."""
    return f"{value:f}" if isinstance(value, Decimal) and abs(value.adjusted()) < _MAX_ZEROS else str(value)


def _converter(function: Callable[[Any], Any]) -> Convert:
    """Return a converter by a function that returns None or raises where a value does not fit."""

    def convert(value: Any, path: str, rest: Rest) -> Any:
        try:
            converted = function(value)
        except (ValueError, TypeError, OverflowError, InvalidOperation, struct.error):
            converted = None
        return put_in_rest(value, path, rest) if converted is None else converted

    return convert


def _convert_text(value: Any, path: str, rest: Rest) -> Any:
    is_text = value.__class__ is str and (value.isascii() or _is_unicode(value))
    return value if is_text else put_in_rest(value, path, rest)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _convert_uuid(value: Any, path: str, rest: Rest) -> Any:
    """Convert an identifier to text; Avro's may be 16 bytes."""
    identifier = UUID(bytes=value) if isinstance(value, bytes) and len(value) == _UUID_BYTES else value
    return _convert_text(str(identifier) if isinstance(identifier, UUID) else identifier, path, rest)


def _convert_boolean(value: Any, path: str, rest: Rest) -> Any:
    return value if value.__class__ is bool else put_in_rest(value, path, rest)


def _integer_converter(bits: int, *, signed: bool = True) -> Convert:
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)

    def convert(value: Any, path: str, rest: Rest) -> Any:
        number = _to_integer(value)
        return number if number is not None and least <= number <= most else put_in_rest(value, path, rest)

    return convert


def _to_integer(value: Any) -> int | None:
    """Return a whole number in any of the forms that JSON, JSON Structure and Protobuf have for it."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        return int(value) if _is_integer_text(value) else None
    return value if isinstance(value, int) else None


def _to_float(value: Any) -> float | None:
    if value.__class__ is float:
        return float(value)
    if isinstance(value, str):
        return float(value) if value in _SPECIAL else None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    number = float(value)
    return number if isfinite(number) and (number == value or isinstance(value, Decimal)) else None


def _to_float32(value: Any) -> float | None:
    """Return a number that 32 bits can have, which they round; whole numbers must be exact."""
    number = _to_float(value)
    if number is None:
        return None
    (single,) = _SINGLE_PRECISION.unpack(_SINGLE_PRECISION.pack(number))  # an error where it is too large
    return None if isinstance(value, int) and single != number else number


def _to_decimal(precision: int, scale: int) -> Callable[[Any], Decimal | None]:
    step, context = Decimal(1).scaleb(-scale), Context(prec=MAX_DIGITS)  # Python's own has 28 digits

    def convert(value: Any) -> Decimal | None:
        if isinstance(value, bool):
            return None
        number = value if isinstance(value, Decimal) else Decimal(str(value))
        fits = number.is_finite() and number.adjusted() < precision - scale
        exact = number.quantize(step, context=context) if fits else None
        return exact if exact == number else None

    return convert


def _convert_date(value: Any, path: str, rest: Rest) -> Any:
    """Convert a date. One with a zone, as XML has them, goes to the rest too."""
    text = value if value.__class__ is str else ""
    zoned = _is_zoned_date(text)
    try:
        day = date.fromisoformat(zoned[1] if zoned else text) if text else value
    except ValueError:
        return put_in_rest(value, path, rest)
    if zoned:
        rest[path] = value
    return day if day.__class__ is date else put_in_rest(value, path, rest)


def _convert_timestamp(value: Any, path: str, rest: Rest) -> Any:
    """Convert a time to UTC. One that is finer than a column goes to the rest too, one without a zone does alone."""
    text = value if value.__class__ is str else ""
    try:
        timestamp = datetime.fromisoformat(text) if text else value
    except ValueError:
        timestamp = moment(text.upper()) if text[-1] in "zZ" else None  # RFC 3339 allows small letters
    if timestamp.__class__ is not datetime or timestamp.tzinfo is None:
        return put_in_rest(value, path, rest)
    try:
        timestamp = timestamp.astimezone(UTC)
    except OverflowError:  # the year 0 or 10000, which Arrow would accept, and few readers
        return put_in_rest(value, path, rest)
    if _is_finer(text):
        rest[path] = value
    return timestamp


def _to_bytes(value: Any) -> bytes | None:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    try:
        return b64decode(value, validate=True) if isinstance(value, str) else None
    except binascii.Error:
        return None


def _to_temporal_text(value: Any) -> str | None:
    """Return a time of day, a local time or a duration as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):  # Avro's durations, for which Python has no type
        months, days, milliseconds = struct.unpack("<3I", value)
        seconds = f"{milliseconds // 1000}.{milliseconds % 1000:03}".rstrip("0").rstrip(".")
        return f"P{months}M{days}DT{seconds}S"
    if isinstance(value, time | datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"PT{value.total_seconds():f}".rstrip("0").rstrip(".") + "S"
    return None if isinstance(value, int) else to_text(value)  # Avro's years that Python lacks are numbers


_FLOAT = _converter(_to_float)
_TEXT, _INT, _NUMBER = frozenset({str}), frozenset({int}), frozenset({int, float})
_SCALAR_TYPES: Mapping[str, ColumnType] = {
    "null": ColumnType(TEXT, as_json, "As JSON, which is always null."),
    "boolean": ColumnType(BOOLEAN, _convert_boolean, passthrough=frozenset({bool})),
    "int8": ColumnType("byte", _integer_converter(8), passthrough=_INT),
    "int16": ColumnType("short", _integer_converter(16), passthrough=_INT),
    "int32": ColumnType("integer", _integer_converter(32), passthrough=_INT),
    "int64": ColumnType(LONG, _integer_converter(64), passthrough=_INT),
    "integer": ColumnType(LONG, _integer_converter(64), passthrough=_INT),
    "uint8": ColumnType("short", _integer_converter(8, signed=False)),
    "uint16": ColumnType("integer", _integer_converter(16, signed=False)),
    "uint32": ColumnType(LONG, _integer_converter(32, signed=False)),
    "uint64": ColumnType(decimal_type(20, 0), _converter(_to_decimal(20, 0))),
    "float32": ColumnType("float", _converter(_to_float32)),
    "float64": ColumnType(DOUBLE, _FLOAT, passthrough=_NUMBER),
    "number": ColumnType(DOUBLE, _FLOAT, passthrough=_NUMBER),
    "string": ColumnType(TEXT, _convert_text, passthrough=_TEXT),
    "uuid": ColumnType(TEXT, _convert_uuid, passthrough=_TEXT),
    "uri": ColumnType(TEXT, _convert_text, passthrough=_TEXT),
    "bytes": ColumnType("binary", _converter(_to_bytes)),
    "date": ColumnType("date", _convert_date),
    "time": ColumnType(TEXT, _converter(_to_temporal_text), "As text, as Delta has no type for a time of day."),
    "timestamp": ColumnType(TIMESTAMP, _convert_timestamp),
    "localtimestamp": ColumnType(TEXT, _converter(_to_temporal_text), "As text, as it names no time zone."),
    "duration": ColumnType(TEXT, _converter(_to_temporal_text), "As text, as Delta has no type for a duration."),
}
