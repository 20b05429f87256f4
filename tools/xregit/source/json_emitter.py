"""JSON values as text: UTF-8, two blanks per level, keys in their order, a final newline."""

from __future__ import annotations

import json
from typing import Any

import orjson

from xregit.errors import XregitError

_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_SUBCLASS


def to_bytes(value: Any) -> bytes:
    """Return the value as JSON text that depends on nothing but the value.

    Raises:
        XregitError: the value holds text that UTF-8 can't express.
    """
    try:
        return orjson.dumps(value, default=_plain_value, option=_OPTIONS)
    except orjson.JSONEncodeError:  # integers of more than 64 bits, or text that UTF-8 can't express
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=_plain_value)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError as error:
        message = (
            f"the text {error.object[error.start : error.end]!a} in the document can't be written as UTF-8; correct it"
        )
        raise XregitError(message) from error


def pretty_json(value: Any) -> bytes:
    """Return any JSON value as text, halves of surrogate pairs included."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode(errors="surrogatepass") + b"\n"


def _plain_value(value: Any) -> Any:
    """Return a value of a type that orjson does not know, such as a number that keeps its text, as a plain one."""
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    if hasattr(value, "items"):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    raise TypeError
