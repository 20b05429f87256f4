"""Payload fields as columns: the type of each, and its values as Arrow arrays.

A value that its column can't hold isn't lost: it goes to the rest of its row, under its path. Executors build the
converters from the fields, which are plain data; the converters themselves are never sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from xregit.json_pointer import escape
from xregit.messages.decoder import SECOND, ZONE
from xregit.spark.schema import TIMESTAMP, DataType, array_type, arrow_type, map_type, struct_type
from xregit.spark.streams import converters
from xregit.spark.streams.converters import Convert, Leaf, Rest, leaf, suits

if TYPE_CHECKING:
    from collections import defaultdict
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from xregit.payloads import Field
    from xregit.spark.streams.converters import Rest

    Rests = defaultdict[int, Rest]

# What Arrow reads of such a text is what Python reads; Arrow takes other forms too, which are no times.
_have_form = re.compile(rf"(?:{SECOND}(?:\.[0-9]{{1,6}})?{ZONE}\n)*").fullmatch
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_END = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH + timedelta(days=1)) // _MICROSECOND


def points(texts: Sequence[str | None]) -> pa.Array | None:
    """Return times as Arrow has them, or None if there is doubt about one, as with leap seconds and nanoseconds."""
    import pyarrow as pa

    said = list(filter(None, texts))
    lines = "\n".join([*said, ""])
    if lines.count("\n") != len(said) or _have_form(lines) is None:
        return None
    try:
        made = pa.array(texts, pa.string()).cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:  # an empty text
        return None
    return made if _are_told(made) else None


def timed(texts: pa.Array) -> pa.Array:
    """Return a column of texts that are times as times, or as it is where one is finer than a column, or beyond it."""
    import pyarrow as pa

    try:
        made = texts.cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:
        return texts
    return made if _are_told(made) else texts


def _are_told(times: pa.Array) -> bool:
    """Return whether all times are in the years that a column has."""
    import pyarrow.compute as pc

    bounds = pc.min_max(times)
    least, most = bounds["min"].value, bounds["max"].value  # as numbers, which Python has for all
    return least is None or (least >= _FIRST and most < _END)


# Deeper than this, values stay JSON text.
MAX_DEPTH = 12
_FORBIDDEN = re.compile(r"[\s,;{}()=.`]")
_NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
_TEXTS = frozenset({"string", "uuid", "uri"})


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type, what makes a value of that type, and what is to be said of it; of a record, also its members.

    ``plain`` are the classes of values that Arrow can take as they are, as `leaves.Leaf` has it.
    """

    form: DataType
    convert: Convert
    note: str = ""
    plain: frozenset[type] = frozenset()
    members: tuple[Member, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a record: its name in the payload, its name as a column, its shape and what is said of it."""

    key: str
    name: str
    shape: ColumnType
    comment: str


def members(fields: Iterable[Field], taken: Iterable[str] = (), depth: int = 0) -> tuple[Member, ...]:
    """Return fields as members of one record; ``taken`` are names of columns that are there already.

    What a schema allows under any name has none for a column, and goes to the rest.
    """
    from xregit.payloads.fields import WILDCARD

    names = Names(taken)
    return tuple(_member(field, names, depth) for field in fields if field != WILDCARD)


class Names:
    """Names of columns, each once without regard to case, and without the characters that Delta refuses."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Begin with the names that are there already."""
        self._taken = {name.casefold() for name in taken}

    def free(self, name: str) -> str:
        """Return the name, or one like it that is free, and take it."""
        plain = found = _FORBIDDEN.sub("_", name) or "_"
        number = 1
        while found.casefold() in self._taken:
            number += 1
            found = f"{plain}_{number}"
        self._taken.add(found.casefold())
        return found


def shape(field: Field, depth: int = 0) -> ColumnType:
    """Return the column type of a field; what can't be a column stays JSON text and says so."""
    known = leaf(field)
    if known is not None:
        return _of_leaf(known)
    if field.recursive:
        return _text("JSON, as it may hold itself")
    if depth >= MAX_DEPTH:
        return _text("JSON, as it nests too deep")
    return _MADE[field.type](field, depth + 1) if field.type in _MADE else _text("JSON of any kind")


def _member(field: Field, names: Names, depth: int) -> Member:
    made, name = shape(field, depth), names.free(field.name)
    said = (field.description, f'"{field.name}" of the payload.' if name != field.name else "", made.note)
    return Member(field.name, name, made, " ".join(part for part in said if part))


def _of_leaf(known: Leaf) -> ColumnType:
    return ColumnType(known.form, known.convert, _sentence(known.note), known.plain)


def _text(why: str) -> ColumnType:
    return ColumnType("string", converters.as_json, _sentence(why))


def _sentence(text: str) -> str:
    return f"As {text}." if text else ""


def _record(field: Field, depth: int) -> ColumnType:
    inside = members(field.fields, depth=depth)
    if not inside:
        return _text("JSON, as its fields are not known")
    form = struct_type((each.name, each.shape.form, each.comment) for each in inside)
    return ColumnType(form, composed(inside), members=inside)


def composed(inside: tuple[Member, ...]) -> Convert:
    """Return what makes a record; members that nobody declared go to the rest."""
    known = frozenset(each.key for each in inside)
    parts = tuple((each.key, each.name, each.shape.convert, "/" + escape(each.key)) for each in inside)

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, Mapping):
            return converters.misfit(value, path, rest)
        if not value.keys() <= known:
            rest.update((f"{path}/{escape(key)}", value[key]) for key in value if key not in known)
        made = {}
        for key, name, inner, step in parts:
            item = value.get(key)
            made[name] = None if item is None else inner(item, path + step, rest)
        return made

    return convert


def _array(field: Field, depth: int) -> ColumnType:
    inner = shape(field.fields[0], depth) if field.fields else _text("")

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, list | tuple):
            return converters.misfit(value, path, rest)
        return [
            None if item is None else inner.convert(item, f"{path}/{place}", rest) for place, item in enumerate(value)
        ]

    return ColumnType(array_type(inner.form), convert, inner.note and f"Each item: {inner.note}")


def _map(field: Field, depth: int) -> ColumnType:
    inner = shape(field.fields[0], depth) if field.fields else _text("")

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, Mapping):
            return converters.misfit(value, path, rest)
        return [
            (str(key), None if item is None else inner.convert(item, f"{path}/{escape(key)}", rest))
            for key, item in value.items()
        ]

    return ColumnType(map_type(inner.form), convert, inner.note and f"Each value: {inner.note}")


def _union(field: Field, depth: int) -> ColumnType:
    """Return one type for branches that one can hold, else a record with a member for each, as Spark reads Avro.

    A value is of the branch that suits it best, the first where several do.
    """
    types = {branch.type for branch in field.fields}
    if types <= {*_NUMBERS, "integer"}:
        return _like("integer")
    if types <= {*_NUMBERS, "integer", "float32", "float64", "number"}:
        return _like("float64")
    if types <= _TEXTS:
        return _like("uuid" if "uuid" in types else "string")
    branches = [(f"member{number}", shape(branch, depth), branch) for number, branch in enumerate(field.fields)]
    form = struct_type((name, made.form, f"{branch.name}. {made.note}".strip(". ")) for name, made, branch in branches)
    tried = tuple((branch, name, made.convert) for name, made, branch in branches)

    def convert(value: Any, path: str, rest: Rest) -> Any:
        for _, name, inner in sorted(tried, key=lambda each: suits(each[0], value)):
            left: dict[str, Any] = {}
            made = inner(value, path, left)
            if not left:
                return {name: made}
        return converters.misfit(value, path, rest)

    return ColumnType(form, convert, "A union: one of the members is set.")


def _like(type_: str) -> ColumnType:
    from xregit.payloads import Field

    known = leaf(Field("", type_))
    return _of_leaf(known) if known else _text("")


_MADE: Mapping[str, Callable[[Field, int], ColumnType]] = {
    "record": _record,
    "array": _array,
    "map": _map,
    "union": _union,
}


_NOTHING, _TEXT = type(None), frozenset({str})


def array(shape: ColumnType, values: Sequence[Any], path: str, rests: Rests) -> pa.Array:
    """Return a column of values, null where one is None; ``path`` leads to them in the payload, as a JSON Pointer."""
    import pyarrow as pa

    if shape.members:
        return _struct(shape, values, path, rests)
    made = _at_once(shape, values)
    if made is not None:
        return made
    found = [None if value is None else shape.convert(value, path, rests[row]) for row, value in enumerate(values)]
    return pa.array(found, arrow_type(shape.form))


def columns(members: Iterable[Member], values: Sequence[Any], path: str, rests: Rests) -> list[pa.Array]:
    """Return a column for each member of records; members that nobody declared, and what is no record, are rest."""
    listed = tuple(members)
    known = frozenset(each.key for each in listed)
    records = list(values)
    for row, value in enumerate(values):
        if value is None or (value.__class__ is dict and known.issuperset(value)):
            continue
        if isinstance(value, Mapping):
            rests[row].update((f"{path}/{escape(key)}", value[key]) for key in value if key not in known)
        else:
            rests[row][path] = value
            records[row] = None
    return [
        array(
            each.shape,
            [None if value is None else value.get(each.key) for value in records],
            f"{path}/{escape(each.key)}",
            rests,
        )
        for each in listed
    ]


def _struct(shape: ColumnType, values: Sequence[Any], path: str, rests: Rests) -> pa.Array:
    import pyarrow as pa

    absent = [not isinstance(value, Mapping) for value in values]
    made = columns(shape.members, values, path, rests)
    return pa.StructArray.from_arrays(made, fields=list(arrow_type(shape.form)), mask=pa.array(absent, pa.bool_()))


def _at_once(shape: ColumnType, values: Sequence[Any]) -> pa.Array | None:
    """Return a column of values that need no conversion, None if there is doubt about one."""
    import pyarrow as pa

    kinds = set(map(type, values)) - {_NOTHING}
    if shape.form == TIMESTAMP:
        return points(values) if kinds <= _TEXT else None
    if not kinds <= shape.plain:
        return None
    try:
        return pa.array(values, arrow_type(shape.form))
    except (ValueError, TypeError, OverflowError):
        return None
