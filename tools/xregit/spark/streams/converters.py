"""Converters from decoded payload values to column values: scalars, and the branches of unions."""

from __future__ import annotations

import binascii
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
from xregit.spark.schema import BOOLEAN, DOUBLE, LONG, TEXT, TIMESTAMP, DataType, decimal_type

if TYPE_CHECKING:
    from xregit.payloads import Field


KEEPS, STANDS_FOR, OTHER = range(3)
_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "integer")
_BROKEN = ("float64", "number", "float32")
# The types of fields that keep values of a class as they are. A datetime's depends on its zone, a text's on its schema.
_KEPT: Mapping[type, frozenset[str]] = {
    bool: frozenset({"boolean"}),
    int: frozenset(_WHOLE),
    float: frozenset(_BROKEN),
    Decimal: frozenset({"decimal"}),
    bytes: frozenset({"bytes", "duration"}),
    date: frozenset({"date"}),
    time: frozenset({"time"}),
    UUID: frozenset({"uuid"}),
}
_ZONED, _LOCAL = frozenset({"timestamp"}), frozenset({"localtimestamp"})
# Numbers that other types hold too, such as 1 in a double.
_HELD: Mapping[type, frozenset[str]] = {int: frozenset({*_BROKEN, "decimal"}), float: frozenset({*_WHOLE, "decimal"})}


def suits(field: Field, value: Any) -> int:
    """Return how a value that is not null suits a branch: kept as it is, as what it may stand for, or not at all.

    A text that looks like a number is a text before it is that number.
    """
    if field.type == "union" and field.fields:
        return min(suits(branch, value) for branch in field.fields)
    if field.type in {"any", "union"} or field.recursive:
        return KEEPS
    if field.type == "enum":
        return KEEPS if any(_same(each, value) for each in field.values) else OTHER
    if isinstance(value, Mapping):
        return _object(field, value)
    if isinstance(value, list | tuple):
        return _worst(field, value) if field.type == "array" else OTHER
    return _single(field, value)


def _single(field: Field, value: Any) -> int:
    if isinstance(value, str):
        return KEEPS if field.native.startswith("string") else STANDS_FOR
    kept = _KEPT.get(type(value), frozenset())
    if isinstance(value, datetime):
        kept = _LOCAL if value.tzinfo is None else _ZONED
    held = _HELD.get(type(value), frozenset())
    return KEEPS if field.type in kept else STANDS_FOR if field.type in held else OTHER


def _object(field: Field, value: Mapping[str, Any]) -> int:
    """Judge an object, which is a record before it is a map, and none that lacks what the record must have."""
    if field.type == "map":
        return max(STANDS_FOR, _worst(field, value.values()))
    if field.type != "record" or any(each.required and each.name not in value for each in field.fields):
        return OTHER
    there = ((each, value.get(each.name)) for each in field.fields)
    return max((suits(each, item) for each, item in there if item is not None), default=KEEPS)


def _worst(field: Field, items: Iterable[Any]) -> int:
    inner = field.fields[0] if field.fields else None
    return max((suits(inner, item) for item in items if inner is not None and item is not None), default=KEEPS)


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are the same in JSON, where 1 is 1.0 and not true."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


Rest = dict[str, Any]
# A value that is not null, its path, and where to put what does not fit: to the value in the column.
Convert = Callable[[Any, str, Rest], Any]

MAX_DIGITS = 38
_UUID_BYTES, _MAX_ZEROS = 16, 1000
# Told of times with more than microseconds; zeros at the end tell nothing.
_is_finer = re.compile(r"\.[0-9]{6}[0-9]*[1-9]").search
_is_zoned_date = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})").fullmatch
_is_whole = re.compile(rf"-?[0-9]{{1,{MAX_DIGITS}}}").fullmatch
_bits_of_a_single = struct.Struct("<f")
_SPECIAL = frozenset({"NaN", "Infinity", "-Infinity"})


@dataclass(frozen=True, slots=True)
class Leaf:
    """The type of a single value, what makes a value of it, and what is to be said of it.

    Values of the classes ``plain`` that Arrow takes for that type are what the conversion would make of them.
    """

    form: DataType
    convert: Convert
    note: str = ""
    plain: frozenset[type] = frozenset()


def leaf(field: Field) -> Leaf | None:
    """Return what a field of single values becomes; None for records, arrays, maps, unions and any values."""
    if field.type == "enum":
        return _enum(field)
    if field.type == "decimal":
        return _decimal(field)
    return _LEAVES.get(field.type)


def misfit(value: Any, path: str, rest: Rest) -> None:
    """Put a value to the rest; the column holds nothing then."""
    rest[path] = value


def as_json(value: Any, _path: str, _rest: Rest) -> str:
    """Return any value as JSON text."""
    return json_text(value)


def json_text(value: Any) -> str:
    """Return a decoded value as JSON text: bytes in base 64, decimals, NaN and all that JSON lacks as text."""
    try:
        made = orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)
        if b"null" in made:  # as which it writes NaN too
            made = orjson.dumps(_told(value), default=_plain, option=orjson.OPT_NON_STR_KEYS)
        return made.decode()
    except TypeError:  # whole numbers of more than 64 bits
        import json

        return json.dumps(_told(value), default=_plain, separators=(",", ":")).encode("utf-8", "replace").decode()


def _told(value: Any) -> Any:
    """Return a value with those numbers as text that JSON has no words for, called as Protobuf calls them."""
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {key: _told(item) for key, item in value.items()}
    return [_told(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    return value.isoformat() if isinstance(value, date | time) else _digits(value)


def _digits(value: Any) -> str:
    """Return a number as text, a decimal as all languages write it: 0.0000001, where Python has 1E-7."""
    return f"{value:f}" if isinstance(value, Decimal) and abs(value.adjusted()) < _MAX_ZEROS else str(value)


def _tried(make: Callable[[Any], Any]) -> Convert:
    """Return a converter of what makes a value or says by an error, or by None, that it does not fit."""

    def convert(value: Any, path: str, rest: Rest) -> Any:
        try:
            made = make(value)
        except (ValueError, TypeError, OverflowError, InvalidOperation, struct.error):
            made = None
        if made is None:
            rest[path] = value
        return made

    return convert


def _text(value: Any, path: str, rest: Rest) -> Any:
    is_text = value.__class__ is str and (value.isascii() or _encodable(value))
    return value if is_text else misfit(value, path, rest)


def _uuid(value: Any, path: str, rest: Rest) -> Any:
    """Return an identifier as text; Avro's may be 16 bytes."""
    known = UUID(bytes=value) if isinstance(value, bytes) and len(value) == _UUID_BYTES else value
    return _text(str(known) if isinstance(known, UUID) else known, path, rest)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _boolean(value: Any, path: str, rest: Rest) -> Any:
    return value if value.__class__ is bool else misfit(value, path, rest)


def _whole(bits: int, *, signed: bool = True) -> Convert:
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if value.__class__ is int and least <= value <= most:
            return value
        number = _integer(value)
        return number if number is not None and least <= number <= most else misfit(value, path, rest)

    return convert


def _integer(value: Any) -> int | None:
    """Return a whole number in any of the forms that JSON, JSON Structure and Protobuf give it."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        return int(value) if _is_whole(value) else None
    return value if isinstance(value, int) else None


def _float(value: Any) -> float | None:
    if value.__class__ is float:
        return float(value)
    if isinstance(value, str):
        return float(value) if value in _SPECIAL else None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    made = float(value)
    return made if isfinite(made) and (made == value or isinstance(value, Decimal)) else None


def _float32(value: Any) -> float | None:
    """Return a number that 32 bits hold, rounded as they round it; whole numbers are not rounded."""
    made = _float(value)
    # Packing is an error where the number is too large.
    held = _bits_of_a_single.unpack(_bits_of_a_single.pack(made))[0] if made is not None else None
    return None if isinstance(value, int) and held != made else made


def _exact(precision: int, scale: int) -> Callable[[Any], Decimal | None]:
    step, room = Decimal(1).scaleb(-scale), Context(prec=MAX_DIGITS)  # Python's own has 28 digits

    def make(value: Any) -> Decimal | None:
        if isinstance(value, bool):
            return None
        number = value if isinstance(value, Decimal) else Decimal(str(value))
        fits = number.is_finite() and number.adjusted() < precision - scale
        made = number.quantize(step, context=room) if fits else None
        return made if made == number else None

    return make


def _date(value: Any, path: str, rest: Rest) -> Any:
    """Return a date. One with a zone, as XML has them, goes to the rest too."""
    text = value if value.__class__ is str else ""
    zoned = _is_zoned_date(text)
    try:
        made = date.fromisoformat(zoned[1] if zoned else text) if text else value
    except ValueError:
        return misfit(value, path, rest)
    if zoned:
        rest[path] = value
    return made if made.__class__ is date else misfit(value, path, rest)


def _time(value: Any, path: str, rest: Rest) -> Any:
    """Return a point in time in UTC, nothing for a time without zone, which is none.

    One that is finer than a column holds goes to the rest too.
    """
    text = value if value.__class__ is str else ""
    try:
        made = datetime.fromisoformat(text) if text else value
    except ValueError:
        made = moment(text.upper()) if text[-1] in "zZ" else None  # RFC 3339 allows small letters
    if made.__class__ is not datetime or made.tzinfo is None:
        return misfit(value, path, rest)
    try:
        made = made.astimezone(UTC)
    except OverflowError:  # the year 0 or 10000, which Arrow would take, and few could read
        return misfit(value, path, rest)
    if _is_finer(text):
        rest[path] = value
    return made


def _bytes(value: Any) -> bytes | None:
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    try:
        return b64decode(value, validate=True) if isinstance(value, str) else None
    except binascii.Error:
        return None


def _said(value: Any) -> str | None:
    """Return a time or duration as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):  # Avro's durations, which no type of Python's holds
        months, days, milliseconds = struct.unpack("<3I", value)
        seconds = f"{milliseconds // 1000}.{milliseconds % 1000:03}".rstrip("0").rstrip(".")
        return f"P{months}M{days}DT{seconds}S"
    if isinstance(value, time | datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"PT{value.total_seconds():f}".rstrip("0").rstrip(".") + "S"
    return None if isinstance(value, int) else to_text(value)  # which Avro has of years that Python has not


def _enum(field: Field) -> Leaf:
    kinds = {type(value) for value in field.values}
    known = {str: "string", int: "int64", bool: "boolean"}.get(kinds.pop()) if len(kinds) == 1 else None
    return _LEAVES[known] if known else Leaf(TEXT, as_json, "JSON, as its values differ in kind")


def _decimal(field: Field) -> Leaf:
    if not 0 < field.precision <= MAX_DIGITS:
        why = "no precision is stated" if field.precision <= 0 else f"it has more than {MAX_DIGITS} digits"
        return Leaf(TEXT, _tried(_digits), f"text, as {why}")
    return Leaf(decimal_type(field.precision, field.scale), _tried(_exact(field.precision, field.scale)))


_FLOAT = _tried(_float)
_TEXT, _WHOLE_NUMBER, _NUMBER = frozenset({str}), frozenset({int}), frozenset({int, float})
_LEAVES: Mapping[str, Leaf] = {
    "null": Leaf(TEXT, as_json, "JSON, which is always null"),
    "boolean": Leaf(BOOLEAN, _boolean, plain=frozenset({bool})),
    "int8": Leaf("byte", _whole(8), plain=_WHOLE_NUMBER),
    "int16": Leaf("short", _whole(16), plain=_WHOLE_NUMBER),
    "int32": Leaf("integer", _whole(32), plain=_WHOLE_NUMBER),
    "int64": Leaf(LONG, _whole(64), plain=_WHOLE_NUMBER),
    "integer": Leaf(LONG, _whole(64), plain=_WHOLE_NUMBER),
    "uint8": Leaf("short", _whole(8, signed=False)),
    "uint16": Leaf("integer", _whole(16, signed=False)),
    "uint32": Leaf(LONG, _whole(32, signed=False)),
    "uint64": Leaf(decimal_type(20, 0), _tried(_exact(20, 0))),
    "float32": Leaf("float", _tried(_float32)),
    "float64": Leaf(DOUBLE, _FLOAT, plain=_NUMBER),
    "number": Leaf(DOUBLE, _FLOAT, plain=_NUMBER),
    "string": Leaf(TEXT, _text, plain=_TEXT),
    "uuid": Leaf(TEXT, _uuid, plain=_TEXT),
    "uri": Leaf(TEXT, _text, plain=_TEXT),
    "bytes": Leaf("binary", _tried(_bytes)),
    "date": Leaf("date", _date),
    "time": Leaf(TEXT, _tried(_said), "text, as Delta has no type for a time of day"),
    "timestamp": Leaf(TIMESTAMP, _time),
    "localtimestamp": Leaf(TEXT, _tried(_said), "text, as it names no time zone"),
    "duration": Leaf(TEXT, _tried(_said), "text, as Delta has no type for a duration"),
}
