"""Doubts about an Avro schema: what parsers take and ignore, or read in another way than it is probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.model.quoting import cut, quote
from xregit.model.spelling import is_misspelled, is_slip
from xregit.payloads.avro.schema import LOGICAL, PRIMITIVES, Type, default_mismatch, member_schemas, objects

if TYPE_CHECKING:
    from xregit.json_pointer import KeyPath

Doubt = tuple["KeyPath", str, str]

# By kind, the attributes that have a meaning; all else is metadata.
_COMMON = frozenset({"type", "name", "namespace", "doc", "aliases", "logicalType", "precision", "scale"})
_ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "record": _COMMON | {"fields"},
    "error": _COMMON | {"fields"},
    "enum": _COMMON | {"symbols", "default"},
    "array": _COMMON | {"items"},
    "map": _COMMON | {"values"},
    "fixed": _COMMON | {"size"},
}
_OF_FIELD = frozenset({"name", "type", "doc", "default", "order", "aliases"})
_OPTIONAL = 'write "type": ["null", …] and "default": null in a field that may be missing'
_HABITS: Mapping[str, str] = {
    "alias": 'write "aliases" and a list of names',
    "nullable": _OPTIONAL,
    "optional": _OPTIONAL,
    "required": _OPTIONAL,
    "enum": 'write "type": {"type": "enum", "name": …, "symbols": […]}',
    "format": 'write "type": {"type": …, "logicalType": …}',
    "properties": 'write "fields" and a list of fields',
}
# With these values they ask for what fields without a default are anyway.
_DEFAULTS: Mapping[str, bool] = {"nullable": False, "optional": False, "required": True}
_LOGICAL_HABITS: Mapping[str, str] = {
    **dict.fromkeys(("timestamp", "datetime", "date-time", "instant"), "timestamp-millis"),
    **dict.fromkeys(("time",), "time-millis"),
    **dict.fromkeys(("guid",), "uuid"),
    **dict.fromkeys(("timestamp-ms", "timestamp-milliseconds"), "timestamp-millis"),
    **dict.fromkeys(("timestamp-us", "timestamp-microseconds"), "timestamp-micros"),
}
_ANY_BRANCH = (1, 12)


def doubts(schema: Any, defaults: list[tuple[Type, Any, KeyPath]], version: str) -> Iterator[Doubt]:
    """Yield what is doubtful in a document without faults; ``version`` is that of its format, such as ``1.11.0``."""
    for path, item in objects(schema):
        kind = item.get("type")
        if isinstance(kind, str):
            yield from _name_doubts(item, path, _ATTRIBUTES.get(kind, _COMMON))
            yield from _logical_doubts(item, path)
        for index, member in enumerate(member_schemas(item)):
            place = (*path, "fields", index)
            yield from _name_doubts(member, place, _OF_FIELD)
            if "logicalType" in member:
                message = f'"logicalType" counts for nothing beside the type of the field "{cut(member["name"])}"'
                logical = member["logicalType"] if isinstance(member["logicalType"], str) else ""
                inner = LOGICAL.get(logical, (member["type"] if isinstance(member["type"], str) else "…",))[0]
                help_ = f'write "type": {{"type": "{cut(inner)}", "logicalType": {quote(logical)}}}'
                yield (*place, "logicalType"), message, help_
    if _release(version) < _ANY_BRANCH:
        yield from _default_doubts(defaults)


def _name_doubts(schema: Mapping[str, Any], path: KeyPath, names: frozenset[str]) -> Iterator[Doubt]:
    for name in schema:
        near = "" if name in names else next((other for other in sorted(names) if _is_near(name, other)), "")
        if near and near not in schema:
            yield (*path, name), f'Avro has no "{cut(name)}", so it is ignored', f'did you mean "{near}"'
        elif name in _HABITS and name not in names and schema[name] is not _DEFAULTS.get(name):
            yield (*path, name), f'Avro has no "{name}", so it is ignored', _HABITS[name]


def _is_near(name: str, other: str) -> bool:
    return is_misspelled(name, other) or is_slip(name, other)


def _logical_doubts(schema: Mapping[str, Any], path: KeyPath) -> Iterator[Doubt]:
    logical, kind = schema.get("logicalType"), schema["type"]
    if not isinstance(logical, str):
        return
    place = (*path, "logicalType")
    if logical in LOGICAL:
        if kind not in LOGICAL[logical] and (kind in PRIMITIVES or kind == "fixed"):
            message = f'the logical type "{logical}" is none of {kind}, so it is ignored'
            yield place, message, f'write "type": "{LOGICAL[logical][0]}"'
        return
    near = _LOGICAL_HABITS.get(logical.casefold()) or next(
        (name for name in LOGICAL if is_misspelled(logical, name)), ""
    )
    if near:
        yield place, f'Avro has no logical type "{cut(logical)}", so it is ignored', f'did you mean "{near}"'


def _default_doubts(defaults: list[tuple[Type, Any, KeyPath]]) -> Iterator[Doubt]:
    for type_, default, path in defaults:
        if type_.kind == "union" and type_.inner and not default_mismatch(type_, default):
            first = default_mismatch(type_.inner[0], default)
            if first:
                message = f"the default {quote(default)} is {first}, which is the first branch of the union"
                yield path, message, "put the branch of the default first: readers before Avro 1.12 look at that alone"


_NUMBER = re.compile("[0-9]{1,9}")


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if _NUMBER.fullmatch(part))
