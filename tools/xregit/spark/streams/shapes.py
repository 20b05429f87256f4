"""Fields of payloads to columns: which type each has, and how a decoded value becomes one of that type.

A value that its column can't hold is not lost: it goes to the rest, under its path. Executors make the functions here
from the fields, which are plain data; the functions themselves are never sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.jsonpointers import escaped
from xregit.spark.schema import DataType, array_type, map_type, struct_type
from xregit.spark.streams import leaves
from xregit.spark.streams.branches import suits
from xregit.spark.streams.leaves import Convert, Leaf, Rest, leaf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.payloads import Field

# Deeper than this, values stay JSON text.
MAX_DEPTH = 12
_FORBIDDEN = re.compile(r"[\s,;{}()=.`]")
_NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
_TEXTS = frozenset({"string", "uuid", "uri"})


@dataclass(frozen=True, slots=True)
class Shape:
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
    shape: Shape
    comment: str


def members(fields: Iterable[Field], taken: Iterable[str] = (), depth: int = 0) -> tuple[Member, ...]:
    """Return fields as members of one record; ``taken`` are names of columns that are there already.

    What a schema allows under any name has none for a column, and goes to the rest.
    """
    from xregit.payloads.base import WILDCARD

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


def shape(field: Field, depth: int = 0) -> Shape:
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


def _of_leaf(known: Leaf) -> Shape:
    return Shape(known.form, known.convert, _sentence(known.note), known.plain)


def _text(why: str) -> Shape:
    return Shape("string", leaves.as_json, _sentence(why))


def _sentence(text: str) -> str:
    return f"As {text}." if text else ""


def _record(field: Field, depth: int) -> Shape:
    inside = members(field.fields, depth=depth)
    if not inside:
        return _text("JSON, as its fields are not known")
    form = struct_type((each.name, each.shape.form, each.comment) for each in inside)
    return Shape(form, composed(inside), members=inside)


def composed(inside: tuple[Member, ...]) -> Convert:
    """Return what makes a record; members that nobody declared go to the rest."""
    known = frozenset(each.key for each in inside)
    parts = tuple((each.key, each.name, each.shape.convert, "/" + escaped(each.key)) for each in inside)

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, Mapping):
            return leaves.misfit(value, path, rest)
        if not value.keys() <= known:
            rest.update((f"{path}/{escaped(key)}", value[key]) for key in value if key not in known)
        made = {}
        for key, name, inner, step in parts:
            item = value.get(key)
            made[name] = None if item is None else inner(item, path + step, rest)
        return made

    return convert


def _array(field: Field, depth: int) -> Shape:
    inner = shape(field.fields[0], depth) if field.fields else _text("")

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, list | tuple):
            return leaves.misfit(value, path, rest)
        return [
            None if item is None else inner.convert(item, f"{path}/{place}", rest) for place, item in enumerate(value)
        ]

    return Shape(array_type(inner.form), convert, inner.note and f"Each item: {inner.note}")


def _map(field: Field, depth: int) -> Shape:
    inner = shape(field.fields[0], depth) if field.fields else _text("")

    def convert(value: Any, path: str, rest: Rest) -> Any:
        if not isinstance(value, Mapping):
            return leaves.misfit(value, path, rest)
        return [
            (str(key), None if item is None else inner.convert(item, f"{path}/{escaped(key)}", rest))
            for key, item in value.items()
        ]

    return Shape(map_type(inner.form), convert, inner.note and f"Each value: {inner.note}")


def _union(field: Field, depth: int) -> Shape:
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
        return leaves.misfit(value, path, rest)

    return Shape(form, convert, "A union: one of the members is set.")


def _like(type_: str) -> Shape:
    from xregit.payloads import Field

    known = leaf(Field("", type_))
    return _of_leaf(known) if known else _text("")


_MADE: Mapping[str, Callable[[Field, int], Shape]] = {
    "record": _record,
    "array": _array,
    "map": _map,
    "union": _union,
}
