"""Values of payloads as columns: the type of each field, and the converter of its values.

A value that its column can't hold isn't lost: it goes to the rest of its row, under its path. Executors build the
converters from the fields, which are plain data; the converters themselves are never sent.
"""

from __future__ import annotations

import json
import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal, InvalidOperation
from itertools import count
from math import isfinite, isnan
from typing import Any
from uuid import UUID

import orjson

from xregit.json_pointer import escape
from xregit.model.times import moment
from xregit.payloads import Field
from xregit.payloads.fields import WILDCARD
from xregit.spark.rows import to_text
from xregit.spark.table_schema import (
    BOOLEAN,
    DOUBLE,
    LONG,
    ORIGIN,
    TEXT,
    TIMESTAMP,
    DataType,
    array_type,
    decimal_type,
    map_type,
    struct_type,
)

EXACT, CONVERTIBLE, MISMATCH = range(3)
_INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "integer"})
_FLOATS = frozenset({"float32", "float64", "number"})
_TEXTS = frozenset({"string", "uuid", "uri"})
# The types of fields whose values are of a class, and other types that can have the same values, such as 1 in a double.
_TYPES: Mapping[type, tuple[AbstractSet[str], AbstractSet[str]]] = {
    bool: ({"boolean"}, set()),
    int: (_INTEGERS | {"uint64"}, _FLOATS | {"decimal"}),
    float: (_FLOATS, _INTEGERS | {"uint64", "decimal"}),
    Decimal: ({"decimal"}, set()),
    bytes: ({"bytes", "duration"}, set()),
    date: ({"date"}, set()),
    time: ({"time"}, set()),
    UUID: ({"uuid"}, set()),
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
    if isinstance(value, datetime):
        return EXACT if field.type == ("timestamp" if value.tzinfo else "localtimestamp") else MISMATCH
    exact, convertible = _TYPES.get(type(value), (set(), set()))
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
    """A column's data type, the converter of its values, and a note for its comment."""

    data_type: DataType
    convert: Convert
    note: str = ""


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


def _to_text(value: Any) -> str | None:
    if value.__class__ is not str:
        return None
    if not value.isascii():
        value.encode()  # an error where it has half a character
    return str(value)


def _to_uuid(value: Any) -> str | None:
    """Return an identifier as text; Avro's may be 16 bytes."""
    identifier = UUID(bytes=value) if isinstance(value, bytes) and len(value) == _UUID_BYTES else value
    return _to_text(str(identifier) if isinstance(identifier, UUID) else identifier)


def _to_boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _integer_type(name: str, bits: int, *, signed: bool = True) -> ColumnType:
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)

    def convert(value: Any) -> int | None:
        number = _to_integer(value)
        return number if number is not None and least <= number <= most else None

    return ColumnType(name, _converter(convert))


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
    return b64decode(value, validate=True) if isinstance(value, str) else None


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


_SCALAR_TYPES: Mapping[str, ColumnType] = {
    "null": ColumnType(TEXT, as_json, "As JSON, which is always null."),
    "boolean": ColumnType(BOOLEAN, _converter(_to_boolean)),
    "int8": _integer_type("byte", 8),
    "int16": _integer_type("short", 16),
    "int32": _integer_type("integer", 32),
    "int64": _integer_type(LONG, 64),
    "integer": _integer_type(LONG, 64),
    "uint8": _integer_type("short", 8, signed=False),
    "uint16": _integer_type("integer", 16, signed=False),
    "uint32": _integer_type(LONG, 32, signed=False),
    "uint64": ColumnType(decimal_type(20, 0), _converter(_to_decimal(20, 0))),
    "float32": ColumnType("float", _converter(_to_float32)),
    "float64": ColumnType(DOUBLE, _converter(_to_float)),
    "number": ColumnType(DOUBLE, _converter(_to_float)),
    "string": ColumnType(TEXT, _converter(_to_text)),
    "uuid": ColumnType(TEXT, _converter(_to_uuid)),
    "uri": ColumnType(TEXT, _converter(_to_text)),
    "bytes": ColumnType("binary", _converter(_to_bytes)),
    "date": ColumnType("date", _convert_date),
    "time": ColumnType(TEXT, _converter(_to_temporal_text), "As text, as Delta has no type for a time of day."),
    "timestamp": ColumnType(TIMESTAMP, _convert_timestamp),
    "localtimestamp": ColumnType(TEXT, _converter(_to_temporal_text), "As text, as it names no time zone."),
    "duration": ColumnType(TEXT, _converter(_to_temporal_text), "As text, as Delta has no type for a duration."),
}


# Deeper than this, values stay JSON text.
MAX_DEPTH = 12
_FORBIDDEN = re.compile(r"[\s,;{}()=.`]")


class ColumnNames:
    """Names of columns, each once without regard to case, and without the characters that Delta refuses.

    What stands for something keeps the column that it has: the metadata of a column says what it stands for.
    """

    def __init__(self, existing: Sequence[Mapping[str, Any]] = (), reserved: Iterable[str] = ()) -> None:
        """Begin with the existing columns, in the form that Spark and Delta share, and other names to avoid."""
        origins: dict[str, str | None] = {each["name"]: (each.get("metadata") or {}).get(ORIGIN) for each in existing}
        self._names = {origin: name for name, origin in origins.items() if origin is not None}
        self._free = {name for name, origin in origins.items() if origin is None}  # of tables that others made
        self._reserved = {name.casefold() for name in (*origins, *reserved)}

    def reserve(self, name: str, origin: str) -> str:
        """Return the name of the column for an origin: the one it has, this one, or one like it if that is reserved."""
        if origin in self._names:
            return self._names[origin]
        base = unique = _FORBIDDEN.sub("_", name) or "_"
        if base in self._free:
            self._free.remove(base)
            return base
        number = 1
        while unique.casefold() in self._reserved:
            number += 1
            unique = f"{base}_{number}"
        self._reserved.add(unique.casefold())
        return unique


def members(
    fields: Iterable[Field],
    existing: DataType | Sequence[Mapping[str, Any]] = (),
    reserved: Iterable[str] = (),
    depth: int = 0,
) -> tuple[Member, ...]:
    """Return fields as members of one record, with the names that the columns of an existing one have.

    ``reserved`` are the names of other columns beside them.

    What a schema allows under any name has no column, and goes to the rest.
    """
    columns = _columns(existing)
    names, types = ColumnNames(columns, reserved), {each["name"]: each["type"] for each in columns}
    return tuple(_member(field, names, types, depth) for field in fields if field != WILDCARD)


def _columns(existing: DataType | Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    return (
        existing.get("fields", ()) if isinstance(existing, Mapping) else () if isinstance(existing, str) else existing
    )


def _inner(existing: DataType, key: str) -> DataType:
    """Return the type of the items of an existing array, or of the values of a map."""
    return existing.get(key, "") if isinstance(existing, Mapping) else ""


def _member(field: Field, names: ColumnNames, types: Mapping[str, DataType], depth: int) -> Member:
    name = names.reserve(field.name, field.name)
    kind = column_type(field, depth, types.get(name, ""))
    comments = (field.description, f'"{field.name}" of the payload.' if name != field.name else "", kind.note)
    return Member(field.name, name, kind, " ".join(filter(None, comments)))


def column_type(field: Field, depth: int = 0, existing: DataType = "") -> ColumnType:
    """Return the column type of a field; what can't be a column stays JSON text and says so.

    ``existing`` is the type that the column has already, whose members keep their names.
    """
    scalar = scalar_type(field)
    if scalar is not None:
        return scalar
    if field.recursive:
        return ColumnType(TEXT, as_json, "As JSON, as it may hold itself.")
    if depth >= MAX_DEPTH:
        return ColumnType(TEXT, as_json, "As JSON, as it nests too deep.")
    if field.type in _CONTAINERS:
        return _CONTAINERS[field.type](field, depth + 1, existing)
    return ColumnType(TEXT, as_json, "As JSON of any kind.")


def _item_type(field: Field, depth: int, existing: DataType) -> ColumnType:
    """Return the type of the items of an array or map."""
    return column_type(field.fields[0], depth, existing) if field.fields else ColumnType(TEXT, as_json)


def _record(field: Field, depth: int, existing: DataType) -> ColumnType:
    inner = members(field.fields, existing, depth=depth)
    if not inner:
        return ColumnType(TEXT, as_json, "As JSON, as its fields are not known.")
    data_type = struct_type((each.name, each.type.data_type, each.comment, each.key) for each in inner)
    return ColumnType(data_type, record_converter(inner))


def record_converter(members: tuple[Member, ...]) -> Convert:
    """Return the converter of records with these members; undeclared members go to the rest."""
    declared = frozenset(each.key for each in members)
    parts = tuple((each.key, each.name, each.type.convert, "/" + escape(each.key)) for each in members)

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, Mapping):
            return put_in_rest(value, path, rest)
        if not value.keys() <= declared:
            rest.update((f"{path}/{escape(key)}", value[key]) for key in value if key not in declared)
        record = {}
        for key, name, inner, step in parts:
            item = value.get(key)
            record[name] = None if item is None else inner(item, path + step, rest)
        return record

    return convert


def _array(field: Field, depth: int, existing: DataType) -> ColumnType:
    inner = _item_type(field, depth, _inner(existing, "elementType"))

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, list | tuple):
            return put_in_rest(value, path, rest)
        return [
            None if item is None else inner.convert(item, f"{path}/{index}", rest) for index, item in enumerate(value)
        ]

    return ColumnType(array_type(inner.data_type), convert, inner.note and f"Each item: {inner.note}")


def _map(field: Field, depth: int, existing: DataType) -> ColumnType:
    inner = _item_type(field, depth, _inner(existing, "valueType"))

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, Mapping):
            return put_in_rest(value, path, rest)
        return [
            (str(key), None if item is None else inner.convert(item, f"{path}/{escape(key)}", rest))
            for key, item in value.items()
        ]

    return ColumnType(map_type(inner.data_type), convert, inner.note and f"Each value: {inner.note}")


def _union(field: Field, depth: int, existing: DataType) -> ColumnType:
    """Return one type for branches that one can hold, else a record with a member for each, as Spark reads Avro.

    A value is of the branch that fits it best, the first where several do.
    """
    types = {branch.type for branch in field.fields}
    if types <= _INTEGERS:
        return column_type(Field("", "integer"))
    if types <= _INTEGERS | _FLOATS:
        return column_type(Field("", "float64"))
    if types <= _TEXTS:
        return column_type(Field("", "uuid" if "uuid" in types else "string"))
    columns = _columns(existing)
    names, members_ = ColumnNames(columns), {each["name"]: each["type"] for each in columns}
    branches: list[tuple[str, ColumnType, Field]] = []
    origins: list[str] = []
    for index, branch in enumerate(field.fields):
        text = f"{branch.name} {branch.native or branch.type}".strip()
        origins.append(
            next(each for number in count() if (each := f"{text} {number}".removesuffix(" 0")) not in origins)
        )
        name = names.reserve(f"member{index}", origins[-1])
        branches.append((name, column_type(branch, depth, members_.get(name, "")), branch))
    data_type = struct_type(
        (name, kind.data_type, f"{branch.name}. {kind.note}".strip(". "), origin)
        for (name, kind, branch), origin in zip(branches, origins, strict=True)
    )

    def convert(value: Any, path: str, rest: Rest) -> Any:
        for name, kind, _ in sorted(branches, key=lambda each: branch_fit(each[2], value)):
            branch_rest: Rest = {}
            item = kind.convert(value, path, branch_rest)
            if not branch_rest:
                return {name: item}
        return put_in_rest(value, path, rest)

    return ColumnType(data_type, convert, "A union: one of the members is set.")


_CONTAINERS: Mapping[str, Callable[[Field, int, DataType], ColumnType]] = {
    "record": _record,
    "array": _array,
    "map": _map,
    "union": _union,
}
