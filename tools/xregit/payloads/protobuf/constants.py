"""The constants and options of a .proto file, most of which change nothing in what payloads are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xregit.payloads.protobuf.cursor import Cursor

_MAX_DEPTH = 50


def read_option(cursor: Cursor) -> None:
    """Read ``"option" name "=" value ";"``, which changes nothing in what payloads are."""
    read_option_name(cursor)
    cursor.sign("=")
    read_value(cursor)
    cursor.sign(";")


def read_option_name(cursor: Cursor) -> str:
    """Read ``( name | "(" name ")" ) { "." … }``."""
    parts = []
    while True:
        if cursor.found("("):
            parts.append(f"({cursor.full_name()})")
            cursor.sign(")")
        else:
            parts.append(cursor.name())
        if not cursor.found("."):
            return ".".join(parts)


def read_value(cursor: Cursor, depth: int = 0) -> str | None:
    """Read a constant, or a message in braces, which is passed over."""
    if depth > _MAX_DEPTH:
        cursor.wrong(f"the value is nested more than {_MAX_DEPTH} levels deep", "use fewer levels")
    for opening, closing in ("{}", "[]", "<>"):
        if cursor.found(opening):
            while not cursor.found(closing):
                _inside_value(cursor, depth)
            return None
    if cursor.here.kind == "string":
        return cursor.text()
    sign = "-" if cursor.found("-") else ""
    cursor.found("+")
    if cursor.here.kind == "number":
        return sign + cursor.take("number", "a value").text
    return sign + cursor.full_name()


def _inside_value(cursor: Cursor, depth: int) -> None:
    """Read one part of a message in braces: a name, a sign or a value."""
    if cursor.here.kind == "end":
        cursor.wrong("the file ends inside a value", "close its braces")
    if not cursor.found(":", ",", ";", "/", "."):
        read_value(cursor, depth + 1)


def skip_statement(cursor: Cursor) -> None:
    """Pass over what bears on no payload."""
    while not cursor.found(";"):
        if cursor.here.kind == "end":
            cursor.wrong("the file ends inside a statement", 'write ";" behind it')
        cursor.at += 1


def skip_braces(cursor: Cursor) -> None:
    """Pass over a service or an extension: a name and what stands in its braces."""
    cursor.full_name()
    cursor.sign("{")
    open_ = 1
    while open_:
        if cursor.here.kind == "end":
            cursor.wrong("the file ends inside braces", 'write "}" behind them')
        open_ += {"{": 1, "}": -1}.get(cursor.here.text, 0)
        cursor.at += 1
