"""Faults of an Avro schema document in names, orders and decimals, in spite of which payloads can be read.

Source: Avro specification, "Names", "Aliases", "Schema Record" and "Decimal".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeGuard

from xregit.model.quoting import quote
from xregit.payloads.avro.types import PRIMITIVES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.keypaths import KeyPath

    #: Where something is wrong, what, and what to do about it.
    Fault = tuple[KeyPath, str, str]

_PART = "[A-Za-z_][A-Za-z0-9_]*"
_SIMPLE = re.compile(_PART).fullmatch
_FULL = re.compile(rf"{_PART}(?:\.{_PART})*").fullmatch
_NAMED = ("record", "error", "enum", "fixed")
_RECORDS, _DECIMALS = ("record", "error"), ("bytes", "fixed")
_ORDERS = ("ascending", "descending", "ignore")
_LETTERS = 'use letters, digits and "_", no digit first'


def faults(schema: Any) -> Iterator[Fault]:
    """Give what is wrong, from the top of a document that can be read; a type is named where it is defined."""
    pending: list[tuple[KeyPath, Any]] = [((), schema)]
    while pending:
        path, value = pending.pop()
        inner: list[tuple[KeyPath, Any]] = []
        if isinstance(value, list):
            inner = [((*path, index), item) for index, item in enumerate(value)]
        elif isinstance(value, dict):
            yield from _of_type(value, path)
            inner = list(_inside(value, path))
        pending.extend(reversed(inner))


def _of_type(schema: Mapping[str, Any], path: KeyPath) -> Iterator[Fault]:
    kind = schema.get("type")
    if kind in _NAMED:
        yield from _of_name(schema, path)
        yield from _of_aliases(schema, path, _FULL)
    if kind in _DECIMALS and schema.get("logicalType") == "decimal":
        yield from _of_decimal(schema, path)
    known = {item["name"] for item in _fields(schema)}
    for index, item in enumerate(_fields(schema)):
        place = (*path, "fields", index)
        yield from _of_aliases(item, place, _SIMPLE, known)
        if "order" in item and item["order"] not in _ORDERS:
            yield (*place, "order"), f"{quote(item['order'])} is not an order", f"write one of {', '.join(_ORDERS)}"


def _of_name(schema: Mapping[str, Any], path: KeyPath) -> Iterator[Fault]:
    namespace = schema.get("namespace", "")
    if not isinstance(namespace, str) or (namespace and not _FULL(namespace)):
        help_ = f"write names with dots between them: {_LETTERS}"
        yield (*path, "namespace"), f"{quote(namespace)} is not a namespace", help_
    if schema["name"] in PRIMITIVES:
        message = f'the {schema["type"]} has the name of the type "{schema["name"]}", so nobody can refer to it'
        yield (*path, "name"), message, "rename it"


def _of_aliases(schema: Mapping[str, Any], path: KeyPath, fits: Any, known: Iterable[str] = ()) -> Iterator[Fault]:
    aliases = schema.get("aliases", [])
    if not isinstance(aliases, list):
        yield (*path, "aliases"), f"{quote(aliases)} is not a list of names", "write earlier names as a list"
        return
    for index, alias in enumerate(aliases):
        place = (*path, "aliases", index)
        if not isinstance(alias, str) or not fits(alias):
            yield place, f"{quote(alias)} is not a name", _LETTERS
        elif alias in known:
            yield place, f'"{alias}" is the name of a field of this record', "remove the alias, or rename one of them"


def _of_decimal(schema: Mapping[str, Any], path: KeyPath) -> Iterator[Fault]:
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if not _is_whole(precision) or precision < 1:
        place = (*path, "precision") if "precision" in schema else path
        yield place, "the decimal has no precision, so it counts as bytes", "write how many digits it has, from 1"
    elif not _is_whole(scale) or not 0 <= scale <= precision:
        help_ = f"write how many of its {precision} digits follow the point"
        yield (*path, "scale"), f"{quote(scale)} is no scale of {precision} digits, so it counts as bytes", help_


def _inside(schema: Mapping[str, Any], path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    for key in ("type", "items", "values"):
        if isinstance(schema.get(key), list | dict):
            yield (*path, key), schema[key]
    for index, item in enumerate(_fields(schema)):
        if isinstance(item["type"], list | dict):
            yield (*path, "fields", index, "type"), item["type"]


def _fields(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    fields = schema.get("fields") if schema.get("type") in _RECORDS else None
    return fields if isinstance(fields, list) else []


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
