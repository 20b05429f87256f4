"""The messages of a .proto file, with all that may stand in their braces."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto

from xregit.payloads.protobuf.constants import read_option, skip_braces
from xregit.payloads.protobuf.cursor import Cursor, joined
from xregit.payloads.protobuf.enums import read_enum
from xregit.payloads.protobuf.members import (
    LABELS,
    MAX_NUMBER,
    read_field,
    read_label,
    read_number,
    read_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_DEPTH = 50


def read_message(cursor: Cursor, made: DescriptorProto, scope: str, depth: int) -> None:
    """Read ``name "{" { field | map | oneof | message | enum | option | … } "}"``."""
    doc, made.name = cursor.tokens[cursor.at - 1].before, cursor.new_name(scope)
    scope = joined(scope, made.name)
    cursor.docs[scope] = doc
    read_body(cursor, made, scope, depth)


def read_body(cursor: Cursor, made: DescriptorProto, scope: str, depth: int) -> None:
    """Read what stands in the braces of a message."""
    if depth > _MAX_DEPTH:
        cursor.wrong(f"messages are nested more than {_MAX_DEPTH} levels deep", "use fewer levels")
    parts: dict[str, Callable[[], None]] = {
        "message": lambda: read_message(cursor, made.nested_type.add(), scope, depth + 1),
        "enum": lambda: read_enum(cursor, made.enum_type.add(), scope),
        "oneof": lambda: read_oneof(cursor, made, scope, depth),
        "option": partial(read_option, cursor),
        "reserved": lambda: read_reserved(cursor, made),
        "extensions": lambda: read_extensions(cursor, made),
        "extend": partial(skip_braces, cursor),
    }
    cursor.sign("{")
    while not cursor.found("}"):
        word = cursor.here.text
        if cursor.found(";"):
            continue
        if word in parts:
            cursor.at += 1
            parts[word]()
        else:
            _check_label(cursor)
            read_member(cursor, made, scope, depth)
    _check_reserved(cursor, made)
    _check_json_names(cursor, made, scope)
    _complete(made)


def read_oneof(cursor: Cursor, made: DescriptorProto, scope: str, depth: int) -> None:
    """Read ``name "{" { field | option } "}"``."""
    place, before = cursor.here, len(made.field)
    made.oneof_decl.add(name=cursor.new_name(scope))
    index = len(made.oneof_decl) - 1
    cursor.sign("{")
    while not cursor.found("}"):
        if cursor.found(";"):
            continue
        if cursor.here.text == "option":
            cursor.at += 1
            read_option(cursor)
            continue
        if cursor.here.text in LABELS:
            cursor.wrong("the fields of a oneof have no label", f'remove "{cursor.here.text}"')
        if cursor.here.text == "map" and cursor.ahead(1).text == "<":
            cursor.wrong("a oneof has no maps", "put the map into a message, and a field of that type here")
        read_member(cursor, made, scope, depth).oneof_index = index
    if len(made.field) == before:
        cursor.wrong(f'the oneof "{place.text}" has no fields', "add one, or remove it", place)


def read_member(cursor: Cursor, made: DescriptorProto, scope: str, depth: int) -> FieldDescriptorProto:
    """Read a field or a group: ``[ label ] "group" name "=" number "{" … "}"``, a message and a field of it in one."""
    ahead = cursor.ahead(1) if cursor.here.text in LABELS else cursor.here
    if ahead.text != "group" or cursor.file.syntax != "proto2":
        return read_field(cursor, made, scope)
    label = read_label(cursor)
    cursor.at += 1
    place, name = cursor.here, cursor.new_name(scope)
    if name != name.lower():
        cursor.declare(scope, name.lower(), place)
    field = made.field.add(name=name.lower(), label=label, type=FieldDescriptorProto.TYPE_GROUP)
    field.type_name = f".{scope}.{name}"
    read_number(cursor, field, scope)
    read_options(cursor, field)
    read_body(cursor, made.nested_type.add(name=name), f"{scope}.{name}", depth + 1)
    return field


def read_reserved(cursor: Cursor, made: DescriptorProto) -> None:
    """Read ``ranges ";"`` or ``names ";"``, which fields must not use."""
    while True:
        if cursor.here.kind == "string":
            made.reserved_name.append(cursor.text())
        else:
            start, end = read_range(cursor)
            made.reserved_range.add(start=start, end=end)
        if not cursor.found(","):
            break
    cursor.sign(";")


def read_extensions(cursor: Cursor, made: DescriptorProto) -> None:
    """Read ``ranges [ options ] ";"``."""
    if cursor.file.syntax == "proto3":
        cursor.wrong("messages of proto3 have no extensions", 'remove "extensions"', cursor.ahead(-1))
    while True:
        start, end = read_range(cursor)
        made.extension_range.add(start=start, end=end)
        if not cursor.found(","):
            break
    read_options(cursor)
    cursor.sign(";")


def read_range(cursor: Cursor) -> tuple[int, int]:
    """Read ``number [ "to" ( number | "max" ) ]``; the end returned is exclusive."""
    start = end = cursor.integer("a field number")
    if cursor.found("to"):
        end = MAX_NUMBER if cursor.found("max") else cursor.integer("a field number")
    if not 1 <= start <= end <= MAX_NUMBER:
        cursor.wrong(f"{start} to {end} is not a range of field numbers", f"use 1 to {MAX_NUMBER}")
    return start, end + 1


def _check_label(cursor: Cursor) -> None:
    token = cursor.here
    if cursor.file.syntax == "proto2" and token.kind == "word" and token.text not in {*LABELS, "map"}:
        message = "the field has no label, which proto2 asks for, as does a file without syntax"
        cursor.wrong(message, 'begin the file with syntax = "proto3"; or write "optional" before the field')


def _check_reserved(cursor: Cursor, made: DescriptorProto) -> None:
    for field in made.field:
        ranges: list[Any] = [*made.reserved_range, *made.extension_range]
        if field.name in made.reserved_name or any(item.start <= field.number < item.end for item in ranges):
            message = f'the message "{made.name}" reserves the name or number of its field "{field.name}"'
            cursor.wrong(message, "use another one")


def _check_json_names(cursor: Cursor, made: DescriptorProto, scope: str) -> None:
    """Refuse two fields of one name in JSON; proto2 allows it where they don't both state it."""
    known: dict[str, FieldDescriptorProto] = {}
    for field in made.field:
        name = field.json_name or _json_name(field.name)
        other = known.setdefault(name, field)
        if other is field:
            continue
        if cursor.file.syntax == "proto3" or (field.json_name and other.json_name):
            message = f'"{other.name}" and "{field.name}" both have the name "{name}" in JSON'
            place = cursor.declared.get(joined(scope, field.name))
            cursor.wrong(message, "rename one of them, or state another json_name", place)
        made.options.deprecated_legacy_json_field_conflicts = True


def _json_name(name: str) -> str:
    """Return the name of a field in JSON that states none: without underscores, each followed by a capital."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _complete(made: DescriptorProto) -> None:
    """Give each optional field of proto3 the oneof of its own that descriptors have for it."""
    for field in made.field:
        if field.proto3_optional:
            field.oneof_index = len(made.oneof_decl)
            made.oneof_decl.add(name=f"_{field.name}")
