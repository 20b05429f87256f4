"""The enums of a .proto file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.payloads.protobuf.constants import read_option_name, read_value, skip_statement
from xregit.payloads.protobuf.cursor import Cursor, joined
from xregit.payloads.protobuf.members import read_options

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import EnumDescriptorProto

_RANGE = range(-(2**31), 2**31)


def read_enum(cursor: Cursor, made: EnumDescriptorProto, scope: str) -> None:
    """Read ``name "{" { name "=" number [ options ] ";" | option | reserved } "}"``."""
    place, doc = cursor.here, cursor.tokens[cursor.at - 1].before
    made.name = cursor.new_name(scope)
    cursor.docs[joined(scope, made.name)] = doc
    cursor.sign("{")
    while not cursor.found("}"):
        if cursor.found(";"):
            continue
        if cursor.here.text == "option" and cursor.ahead(1).text != "=":
            cursor.at += 1
            _read_option(cursor, made)
        elif cursor.here.text == "reserved" and cursor.ahead(1).text != "=":
            cursor.at += 1
            skip_statement(cursor)
        else:
            _read_value(cursor, made, scope)
    if not made.value:
        cursor.wrong(f'the enum "{made.name}" has no values', "add one", place)
    numbers = [value.number for value in made.value]
    if len(set(numbers)) < len(numbers) and not made.options.allow_alias:
        help_ = "use another number, or write option allow_alias = true;"
        cursor.wrong(f'two values of the enum "{made.name}" have the same number', help_, place)


def _read_option(cursor: Cursor, made: EnumDescriptorProto) -> None:
    """Read an option; ``allow_alias`` says that two names may have one number."""
    name = read_option_name(cursor)
    cursor.sign("=")
    if name == "allow_alias":
        made.options.allow_alias = read_value(cursor) == "true"
    else:
        read_value(cursor)
    cursor.sign(";")


def _read_value(cursor: Cursor, made: EnumDescriptorProto, scope: str) -> None:
    """Read ``name "=" number [ options ] ";"``; values stand beside their enum, not inside it."""
    value = made.value.add(name=cursor.new_name(scope))
    cursor.sign("=")
    place = cursor.here
    number = cursor.integer("a number")
    if number not in _RANGE:
        cursor.wrong(f"{number} has more than 32 bits", "use a smaller number", place)
    if cursor.file.syntax == "proto3" and len(made.value) == 1 and number:
        cursor.wrong(f'the first value of the enum "{made.name}" must be 0', "put a value with 0 first", place)
    value.number = number
    read_options(cursor)
    cursor.sign(";")
