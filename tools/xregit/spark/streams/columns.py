"""Payload fields as columns: the type of each, and its values as Arrow arrays.

A value that its column can't hold isn't lost: it goes to the rest of its row, under its path. Executors build the
converters from the fields, which are plain data; the converters themselves are never sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from xregit.json_pointer import escape
from xregit.messages.decoder import SECOND, ZONE
from xregit.payloads import Field
from xregit.payloads.fields import WILDCARD
from xregit.spark.streams.converters import (
    ColumnType,
    Convert,
    Member,
    Rest,
    as_json,
    branch_fit,
    put_in_rest,
    scalar_type,
)
from xregit.spark.table_schema import TEXT, TIMESTAMP, array_type, arrow_type, map_type, struct_type

if TYPE_CHECKING:
    from collections import defaultdict
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    Rests = defaultdict[int, Rest]

# Arrow and Python parse times of this form alike; Arrow accepts other forms too, which are no times in RFC 3339.
_are_timestamps = re.compile(rf"(?:{SECOND}(?:\.[0-9]{{1,6}})?{ZONE}\n)*").fullmatch
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_END = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH + timedelta(days=1)) // _MICROSECOND


def parse_timestamps(texts: Sequence[str | None]) -> pa.Array | None:
    """Return texts as Arrow timestamps, or None if one is in doubt, such as a leap second or nanoseconds."""
    import pyarrow as pa

    values = list(filter(None, texts))
    lines = "\n".join([*values, ""])
    if lines.count("\n") != len(values) or _are_timestamps(lines) is None:
        return None
    array = cast_timestamps(pa.array(texts, pa.string()))  # an empty text can't be cast
    return None if pa.types.is_string(array.type) else array


def cast_timestamps(texts: pa.Array) -> pa.Array:
    """Return times in RFC 3339 as Arrow timestamps, or as they are if one is finer than a column or out of range."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        times = texts.cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:
        return texts
    bounds = pc.min_max(times)
    least, most = bounds["min"].value, bounds["max"].value  # as numbers, which Python has for all
    return times if least is None or (least >= _FIRST and most < _END) else texts


# Deeper than this, values stay JSON text.
MAX_DEPTH = 12
_FORBIDDEN = re.compile(r"[\s,;{}()=.`]")
_INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "integer"})
_NUMBERS = _INTEGERS | {"float32", "float64", "number"}
_TEXTS = frozenset({"string", "uuid", "uri"})


class ColumnNames:
    """Names of columns, each once without regard to case, and without the characters that Delta refuses."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Begin with the names of existing columns."""
        self._reserved = {name.casefold() for name in names}

    def reserve(self, name: str) -> str:
        """Return the name, or one like it if that is reserved, and reserve it."""
        base = unique = _FORBIDDEN.sub("_", name) or "_"
        number = 1
        while unique.casefold() in self._reserved:
            number += 1
            unique = f"{base}_{number}"
        self._reserved.add(unique.casefold())
        return unique


def members(fields: Iterable[Field], reserved: Iterable[str] = (), depth: int = 0) -> tuple[Member, ...]:
    """Return fields as members of one record; ``reserved`` are the names of its other columns.

    What a schema allows under any name has no column, and goes to the rest.
    """
    names = ColumnNames(reserved)
    return tuple(_member(field, names, depth) for field in fields if field != WILDCARD)


def _member(field: Field, names: ColumnNames, depth: int) -> Member:
    kind, name = column_type(field, depth), names.reserve(field.name)
    comments = (field.description, f'"{field.name}" of the payload.' if name != field.name else "", kind.note)
    return Member(field.name, name, kind, " ".join(filter(None, comments)))


def column_type(field: Field, depth: int = 0) -> ColumnType:
    """Return the column type of a field; what can't be a column stays JSON text and says so."""
    scalar = scalar_type(field)
    if scalar is not None:
        return scalar
    if field.recursive:
        return ColumnType(TEXT, as_json, "As JSON, as it may hold itself.")
    if depth >= MAX_DEPTH:
        return ColumnType(TEXT, as_json, "As JSON, as it nests too deep.")
    if field.type in _CONTAINERS:
        return _CONTAINERS[field.type](field, depth + 1)
    return ColumnType(TEXT, as_json, "As JSON of any kind.")


def _item_type(field: Field, depth: int) -> ColumnType:
    """Return the type of the items of an array or map."""
    return column_type(field.fields[0], depth) if field.fields else ColumnType(TEXT, as_json)


def _record(field: Field, depth: int) -> ColumnType:
    inner = members(field.fields, depth=depth)
    if not inner:
        return ColumnType(TEXT, as_json, "As JSON, as its fields are not known.")
    data_type = struct_type((each.name, each.type.data_type, each.comment) for each in inner)
    return ColumnType(data_type, record_converter(inner), members=inner)


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


def _array(field: Field, depth: int) -> ColumnType:
    inner = _item_type(field, depth)

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, list | tuple):
            return put_in_rest(value, path, rest)
        return [
            None if item is None else inner.convert(item, f"{path}/{index}", rest) for index, item in enumerate(value)
        ]

    return ColumnType(array_type(inner.data_type), convert, inner.note and f"Each item: {inner.note}")


def _map(field: Field, depth: int) -> ColumnType:
    inner = _item_type(field, depth)

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, Mapping):
            return put_in_rest(value, path, rest)
        return [
            (str(key), None if item is None else inner.convert(item, f"{path}/{escape(key)}", rest))
            for key, item in value.items()
        ]

    return ColumnType(map_type(inner.data_type), convert, inner.note and f"Each value: {inner.note}")


def _union(field: Field, depth: int) -> ColumnType:
    """Return one type for branches that one can hold, else a record with a member for each, as Spark reads Avro.

    A value is of the branch that fits it best, the first where several do.
    """
    types = {branch.type for branch in field.fields}
    if types <= _INTEGERS:
        return column_type(Field("", "integer"))
    if types <= _NUMBERS:
        return column_type(Field("", "float64"))
    if types <= _TEXTS:
        return column_type(Field("", "uuid" if "uuid" in types else "string"))
    branches = [(f"member{index}", column_type(branch, depth), branch) for index, branch in enumerate(field.fields)]
    data_type = struct_type(
        (name, kind.data_type, f"{branch.name}. {kind.note}".strip(". ")) for name, kind, branch in branches
    )

    def convert(value: Any, path: str, rest: Rest) -> Any:
        for name, kind, _ in sorted(branches, key=lambda each: branch_fit(each[2], value)):
            branch_rest: Rest = {}
            item = kind.convert(value, path, branch_rest)
            if not branch_rest:
                return {name: item}
        return put_in_rest(value, path, rest)

    return ColumnType(data_type, convert, "A union: one of the members is set.")


_CONTAINERS: Mapping[str, Callable[[Field, int], ColumnType]] = {
    "record": _record,
    "array": _array,
    "map": _map,
    "union": _union,
}


def build_array(kind: ColumnType, values: Sequence[Any], path: str, rests: Rests) -> pa.Array:
    """Return a column of values, null where one is None; ``path`` leads to them in the payload, as a JSON Pointer."""
    import pyarrow as pa

    if kind.members:
        absent = pa.array([not isinstance(value, Mapping) for value in values], pa.bool_())
        arrays = build_arrays(kind.members, values, path, rests)
        return pa.StructArray.from_arrays(arrays, fields=list(arrow_type(kind.data_type)), mask=absent)
    array = _build_unconverted(kind, values)
    if array is not None:
        return array
    converted = [None if value is None else kind.convert(value, path, rests[row]) for row, value in enumerate(values)]
    return pa.array(converted, arrow_type(kind.data_type))


def build_arrays(members: Sequence[Member], values: Sequence[Any], path: str, rests: Rests) -> list[pa.Array]:
    """Return a column for each member of records; undeclared members, and values that are no records, are rest."""
    declared = frozenset(each.key for each in members)
    records = list(values)
    for row, value in enumerate(values):
        if value is None or (value.__class__ is dict and declared.issuperset(value)):
            continue
        if isinstance(value, Mapping):
            rests[row].update((f"{path}/{escape(key)}", value[key]) for key in value if key not in declared)
        else:
            rests[row][path] = value
            records[row] = None
    return [
        build_array(
            each.type,
            [None if value is None else value.get(each.key) for value in records],
            f"{path}/{escape(each.key)}",
            rests,
        )
        for each in members
    ]


def _build_unconverted(kind: ColumnType, values: Sequence[Any]) -> pa.Array | None:
    """Return a column of values that need no conversion, None if one is in doubt."""
    import pyarrow as pa

    classes = set(map(type, values)) - {type(None)}
    if kind.data_type == TIMESTAMP:
        return parse_timestamps(values) if classes <= {str} else None
    if not classes <= kind.passthrough:
        return None
    try:
        return pa.array(values, arrow_type(kind.data_type))
    except (ValueError, TypeError, OverflowError):
        return None
