"""The fields of a message in a .proto file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

from google.protobuf import descriptor_pb2 as pb
from google.protobuf import text_encoding

from xregit.payloads.protobuf.constants import read_option_name, read_value

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto

    from xregit.payloads.protobuf.cursor import Cursor
    from xregit.payloads.protobuf.tokens import Token

_FIELD = pb.FieldDescriptorProto
SCALARS = {
    name.removeprefix("TYPE_").lower(): _FIELD.Type.ValueType(number)
    for name, number in _FIELD.Type.items()
    if name not in {"TYPE_GROUP", "TYPE_MESSAGE", "TYPE_ENUM"}
}
LABELS = {
    "optional": _FIELD.LABEL_OPTIONAL,
    "required": _FIELD.LABEL_REQUIRED,
    "repeated": _FIELD.LABEL_REPEATED,
}
_MAP_KEYS = frozenset(SCALARS) - {"float", "double", "bytes"}
MAX_NUMBER = 2**29 - 1


def read_field(cursor: Cursor, made: DescriptorProto, scope: str) -> FieldDescriptorProto:
    """Read ``[ label ] type name "=" number [ options ] ";"``, or a map."""
    first = cursor.here
    if first.kind == "end":
        cursor.wrong("the file ends inside a message", 'write "}" behind it')
    if cursor.here.text == "map" and cursor.ahead(1).text == "<":
        return _read_map(cursor, made, scope)
    stated = cursor.here.text in LABELS
    label = read_label(cursor)
    place = cursor.here
    type_ = cursor.full_name()
    field = made.field.add(name=cursor.new_name(scope), label=label)
    _set_type(cursor, field, type_, place, scope)
    read_number(cursor, field, scope)
    if stated and label == _FIELD.LABEL_OPTIONAL and cursor.file.syntax == "proto3":
        field.proto3_optional = True
    read_options(cursor, field)
    end = cursor.sign(";")
    cursor.docs[f"{scope}.{field.name}"] = " ".join(part for part in (first.before, end.after) if part)
    return field


def read_label(cursor: Cursor) -> Any:
    """Read ``"optional" | "required" | "repeated"`` where it is there."""
    token = cursor.here
    if token.text not in LABELS:
        return _FIELD.LABEL_OPTIONAL
    cursor.at += 1
    if token.text == "required" and cursor.file.syntax == "proto3":
        cursor.wrong("proto3 knows no required fields", 'remove "required"', token)
    return LABELS[token.text]


def _set_type(cursor: Cursor, field: FieldDescriptorProto, type_: str, place: Token, scope: str) -> None:
    """Set the type of a field; that of a message or enum is found later."""
    if type_ in SCALARS:
        field.type = SCALARS[type_]
    else:
        field.type_name = type_
        cursor.uses.append((field, place, scope))


def read_number(cursor: Cursor, field: FieldDescriptorProto, scope: str) -> None:
    """Read ``"=" number``."""
    cursor.sign("=")
    place = cursor.here
    number = cursor.integer("a field number")
    if not 1 <= number <= MAX_NUMBER or 19000 <= number <= 19999:  # noqa: PLR2004 - reserved for implementations
        cursor.wrong(
            f"{number} can't be the number of a field", f"use 1 to {MAX_NUMBER}, but not 19000 to 19999", place
        )
    used = cursor.numbers.setdefault(scope, set())
    if number in used:
        cursor.wrong(f"the number {number} is used twice in one message", "use another one", place)
    used.add(number)
    field.number = number


def read_options(cursor: Cursor, field: FieldDescriptorProto | None = None) -> None:
    """Read ``[ "[" name "=" value { "," … } "]" ]``, and keep what bears on payloads."""
    if not cursor.found("["):
        return
    while True:
        place, name = cursor.here, read_option_name(cursor)
        cursor.sign("=")
        value = read_value(cursor)
        if name == "default" and cursor.file.syntax == "proto3":
            cursor.wrong("fields of proto3 have no defaults of their own", 'remove "default"', place)
        if field is not None and value is not None:
            _set_option(cursor, field, name, value)
        if cursor.found("]"):
            return
        cursor.sign(",")


def _read_map(cursor: Cursor, made: DescriptorProto, scope: str) -> FieldDescriptorProto:
    """Read ``"map" "<" key "," type ">" name "=" number ";"``: a repeated message of key and value."""
    before = cursor.here.before
    cursor.at += 2
    key = cursor.take("word", "the type of the keys")
    if key.text not in _MAP_KEYS:
        cursor.wrong(f'"{key.text}" can\'t be the type of keys', "use an integer type, bool or string", key)
    cursor.sign(",")
    place, value = cursor.here, cursor.full_name()
    cursor.of_maps.add(place)
    cursor.sign(">")
    name = cursor.new_name(scope)
    entry = made.nested_type.add(name=_entry_name(name))
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, label=_FIELD.LABEL_OPTIONAL, type=SCALARS[key.text])
    inner = entry.field.add(name="value", number=2, label=_FIELD.LABEL_OPTIONAL)
    _set_type(cursor, inner, value, place, scope)
    field = made.field.add(name=name, label=_FIELD.LABEL_REPEATED, type_name=f".{scope}.{entry.name}")
    read_number(cursor, field, scope)
    read_options(cursor, field)
    end = cursor.sign(";")
    cursor.docs[f"{scope}.{name}"] = " ".join(part for part in (before, end.after) if part)
    return field


def _set_option(cursor: Cursor, field: FieldDescriptorProto, name: str, value: str) -> None:
    if name == "json_name":
        if value.startswith("[") and value.endswith("]"):
            cursor.wrong(f'"{value}" is a name in JSON that extensions have', "state it without brackets")
        field.json_name = value
    elif name == "default":
        field.default_value = _unescaped(cursor, value) if field.type == _FIELD.TYPE_STRING else value
    elif name == "packed":
        field.options.packed = value == "true"
    elif name == "deprecated":
        field.options.deprecated = value == "true"


def _unescaped(cursor: Cursor, value: str) -> str:
    try:
        with catch_warnings(action="error"):
            return str(text_encoding.CUnescape(value).decode())
    except (Warning, ValueError):
        cursor.wrong("the default has an escape that Protocol Buffers don't know", r"write \\ for a backslash")


def _entry_name(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_")) + "Entry"
