"""The text of a .proto file to its descriptor: one function for each production of the Protobuf language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.payloads.protobuf.constants import read_option, skip_braces
from xregit.payloads.protobuf.cursor import Cursor, shown
from xregit.payloads.protobuf.enums import read_enum
from xregit.payloads.protobuf.messages import read_message

if TYPE_CHECKING:
    from collections.abc import Callable


def read(text: str, name: str) -> Cursor:
    """Read ``[syntax | edition] { import | package | option | message | enum | extend | service | ";" }``.

    Raises:
        SchemaError: it isn't what a .proto file may hold.
    """
    cursor = Cursor(text, name)
    if cursor.here.text in {"syntax", "edition"}:
        _read_syntax(cursor)
    parts: dict[str, Callable[[], None]] = {
        "import": lambda: _read_import(cursor),
        "package": lambda: _read_package(cursor),
        "option": lambda: read_option(cursor),
        "message": lambda: read_message(cursor, cursor.file.message_type.add(), cursor.file.package, 0),
        "enum": lambda: read_enum(cursor, cursor.file.enum_type.add(), cursor.file.package),
        "extend": lambda: skip_braces(cursor),
        "service": lambda: skip_braces(cursor),
    }
    while cursor.here.kind != "end":
        token = cursor.here
        if cursor.found(";"):
            continue
        if token.text not in parts:
            cursor.wrong(f"{shown(token)} begins nothing here", f"write one of {', '.join(parts)}")
        cursor.at += 1
        parts[token.text]()
    return cursor


def _read_syntax(cursor: Cursor) -> None:
    """Read ``"syntax" "=" ("proto2" | "proto3") ";"``."""
    word = cursor.here.text
    cursor.at += 1
    cursor.sign("=")
    token = cursor.here
    value = cursor.text()
    if word == "edition" or value not in {"proto2", "proto3"}:
        cursor.wrong(f'"{value}" is not a syntax that is understood', 'write "proto3" or "proto2"', token)
    cursor.file.syntax = value
    cursor.sign(";")


def _read_import(cursor: Cursor) -> None:
    """Read ``"import" [ "weak" | "public" ] text ";"``."""
    public = cursor.here.text == "public"
    cursor.found("weak", "public")
    token = cursor.here
    name = cursor.text()
    if name in cursor.imports:
        cursor.wrong(f'"{name}" is imported twice', "remove one of the imports", token)
    if public:
        cursor.file.public_dependency.append(len(cursor.file.dependency))
    cursor.file.dependency.append(name)
    cursor.imports[name] = token
    cursor.sign(";")


def _read_package(cursor: Cursor) -> None:
    """Read ``"package" name ";"``."""
    if cursor.file.package:
        cursor.wrong("the file states its package twice", "remove one of them")
    cursor.file.package = cursor.full_name()
    cursor.sign(";")
