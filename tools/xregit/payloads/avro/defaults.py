"""A default as a schema writes it against the type of its field (Avro specification, "Complex Types", records)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xregit.payloads.avro.types import Type

_LONG = range(-(2**63), 2**63)
_INT = range(-(2**31), 2**31)
_MAX_BYTE = 255

# Whether a value fits a union, by the ids of both: a union that holds itself would else be asked again and again.
Known = dict[tuple[int, int], bool]


def misfit(type_: Type, default: Any) -> str:
    """Return the type of which a default is no value, such as "no long", or an empty text if it is one.

    Of a union it should be the first branch; any will do, as release 1.12 has it and most readers do.
    """
    return "" if _fits(type_, default, {}) else f"no {_named(type_)}"


def _named(type_: Type) -> str:
    if type_.kind == "union":
        return " or ".join(map(_named, type_.inner)) or "value, as the union has none"
    return f'{type_.kind} "{type_.name}"' if type_.name else type_.kind


def _fits(type_: Type, value: Any, known: Known) -> bool:
    inner = _HOLDERS.get(type_.kind)
    return inner(type_, value, known) if inner else _TESTS[type_.kind](type_, value)


def _whole(value: Any, values: range) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in values


def _number(_type: Type, value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bytes(type_: Type, value: Any) -> bool:
    """Tell whether a value is bytes as a text, each as the character of that number."""
    if not isinstance(value, str) or any(ord(char) > _MAX_BYTE for char in value):
        return False
    return type_.kind == "bytes" or len(value) == type_.size


def _record(type_: Type, value: Any, known: Known) -> bool:
    return isinstance(value, dict) and all(
        _fits(member.type, value[member.name], known) if member.name in value else member.has_default
        for member in type_.members
    )


def _array(type_: Type, value: Any, known: Known) -> bool:
    return isinstance(value, list) and all(_fits(type_.inner[0], item, known) for item in value)


def _map(type_: Type, value: Any, known: Known) -> bool:
    return isinstance(value, dict) and all(_fits(type_.inner[0], item, known) for item in value.values())


def _union(type_: Type, value: Any, known: Known) -> bool:
    key = (id(type_), id(value))
    if key not in known:
        known[key] = any(_fits(branch, value, known) for branch in type_.inner)
    return known[key]


_TESTS: Mapping[str, Callable[[Type, Any], bool]] = {
    "null": lambda _, value: value is None,
    "boolean": lambda _, value: isinstance(value, bool),
    "int": lambda _, value: _whole(value, _INT),
    "long": lambda _, value: _whole(value, _LONG),
    "float": _number,
    "double": _number,
    "bytes": _bytes,
    "string": lambda _, value: isinstance(value, str),
    "fixed": _bytes,
    "enum": lambda type_, value: isinstance(value, str) and value in type_.symbols,
}
_HOLDERS: Mapping[str, Callable[[Type, Any, Known], bool]] = {
    "record": _record,
    "array": _array,
    "map": _map,
    "union": _union,
}
