"""The fields of a Protobuf message, and an example of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xregit.payloads.base import PayloadError
from xregit.payloads.fields import MAX_FIELDS, MORE_FIELDS, Field, has_budget, spend, with_budget
from xregit.payloads.sample_texts import SAMPLE_TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.protobuf.descriptor import Descriptor

# By the numbers that descriptors have for the scalar types, with what an example holds.
_SCALARS: Mapping[int, tuple[str, str, Any]] = {
    1: ("double", "float64", 1.5),
    2: ("float", "float32", 1.5),
    3: ("int64", "int64", 1),
    4: ("uint64", "uint64", 1),
    5: ("int32", "int32", 1),
    6: ("fixed64", "uint64", 1),
    7: ("fixed32", "uint32", 1),
    8: ("bool", "boolean", True),
    9: ("string", "string", "text"),
    12: ("bytes", "bytes", b"bytes"),
    13: ("uint32", "uint32", 1),
    15: ("sfixed32", "int32", 1),
    16: ("sfixed64", "int64", 1),
    17: ("sint32", "int32", 1),
    18: ("sint64", "int64", 1),
}
_WELL_KNOWN: Mapping[str, tuple[str, Any]] = {
    "Timestamp": ("timestamp", SAMPLE_TEXTS["date-time"]),
    "Duration": ("duration", "900s"),
    "Struct": ("any", {"key": "text"}),
    "Value": ("any", "text"),
    "ListValue": ("any", ["text"]),
    "Any": ("any", {}),
    "Empty": ("record", {}),
    "FieldMask": ("string", "field"),
    "DoubleValue": ("float64", 1.5),
    "FloatValue": ("float32", 1.5),
    "Int64Value": ("int64", "1"),
    "UInt64Value": ("uint64", "1"),
    "Int32Value": ("int32", 1),
    "UInt32Value": ("uint32", 1),
    "BoolValue": ("boolean", True),
    "StringValue": ("string", "text"),
    "BytesValue": ("bytes", "Ynl0ZXM="),
}
_PREFIX = "google.protobuf."
# Libraries refuse messages that stand in more than 100 others.
_MAX_DEPTH = 90


@with_budget(MAX_FIELDS)
def fields(message: Descriptor, docs: Mapping[str, str]) -> tuple[Field, ...]:
    """Return the fields of a message; ``docs`` are its file's comments by full name."""
    return tuple(_field(item, docs, (message.full_name,)) for item in message.fields)


def is_map(field: Any) -> bool:
    """Return whether a field is a map."""
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _field(field: Any, docs: Mapping[str, str], trail: tuple[str, ...]) -> Field:
    description = docs.get(field.full_name, "")
    # What has no presence is there with its default; a message, an "optional" and a oneof's field may be absent.
    required = not field.has_presence or field.is_required
    if is_map(field):
        inner = _single("value", field.message_type.fields_by_name["value"], docs, trail)
        return Field(field.name, "map", _map_name(field), required, description=description, fields=(inner,))
    if field.is_repeated:
        inner = _single("item", field, docs, trail)
        return Field(field.name, "array", "repeated", required, description=description, fields=(inner,))
    single = _single(field.name, field, docs, trail)
    return replace(single, required=required, description=description or single.description)


def _single(name: str, field: Any, docs: Mapping[str, str], trail: tuple[str, ...]) -> Field:
    """Return a field, or one item of a repeated one."""
    if not has_budget() or len(trail) > _MAX_DEPTH:
        return MORE_FIELDS
    message, enum = field.message_type, field.enum_type
    if enum is not None:
        values = tuple(item.name for item in enum.values)
        return Field(
            name, "enum", enum.full_name, required=True, description=docs.get(enum.full_name, ""), values=values
        )
    if message is None:
        native, type_, _ = _SCALARS[field.type]
        return Field(name, type_, native, required=True)
    well_known = _WELL_KNOWN.get(message.full_name.removeprefix(_PREFIX))
    if well_known and message.full_name.startswith(_PREFIX):
        return Field(name, well_known[0], message.full_name, required=True)
    description = docs.get(message.full_name, "")
    if message.full_name in trail:
        return Field(name, "record", message.full_name, required=True, description=description, recursive=True)
    members = tuple(_field(item, docs, (*trail, message.full_name)) for item in message.fields)
    return Field(name, "record", message.full_name, required=True, description=description, fields=members)


def _map_name(field: Any) -> str:
    key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
    inner = value.message_type or value.enum_type
    return f"map<{_SCALARS[key.type][0]}, {inner.full_name if inner else _SCALARS[value.type][0]}>"


def example(message: Descriptor, trail: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a value with all fields, one of each oneof, but for those that would hold their own message again.

    What would stand in more messages than libraries read is left out, too.

    Raises:
        PayloadError: the message must hold itself without end, or the value would be too large.
    """
    spend()
    trail = (*trail, message.full_name)
    values: dict[str, Any] = {}
    for field in message.fields:
        group = field.containing_oneof
        first = group is None or group.fields[0].number == field.number
        recurs = field.message_type is not None and _recurs(field, trail)
        if first and not recurs:
            values[field.name] = _example(field, trail)
        elif recurs and field.is_required:
            problem = f'the message "{message.full_name}" must hold itself, or others too deep; no value can'
            raise PayloadError(problem)
        elif recurs and field.is_repeated:
            values[field.name] = {} if is_map(field) else []
    return values


def _recurs(field: Any, trail: tuple[str, ...]) -> bool:
    target = field.message_type.fields_by_name["value"].message_type if is_map(field) else field.message_type
    return target is not None and (target.full_name in trail or len(trail) > _MAX_DEPTH)


def _example(field: Any, trail: tuple[str, ...]) -> Any:
    if is_map(field):
        key = field.message_type.fields_by_name["key"]
        sample = str(_SCALARS[key.type][2]).lower() if key.type != 9 else "key"  # noqa: PLR2004 - the type string
        return {sample: _single_example(field.message_type.fields_by_name["value"], trail)}
    return [_single_example(field, trail)] if field.is_repeated else _single_example(field, trail)


def _single_example(field: Any, trail: tuple[str, ...]) -> Any:
    message, enum = field.message_type, field.enum_type
    if enum is not None:
        return enum.values[min(1, len(enum.values) - 1)].name
    if message is None:
        return _SCALARS[field.type][2]
    well_known = _WELL_KNOWN.get(message.full_name.removeprefix(_PREFIX))
    return well_known[1] if well_known and message.full_name.startswith(_PREFIX) else example(message, trail)
