"""A JSON value to bytes that depend on nothing but the value: UTF-8, two blanks per level, a final newline."""

from __future__ import annotations

import json
from typing import Any

import orjson

from xregit.errors import XregitError

_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_SUBCLASS


def to_bytes(value: Any) -> bytes:
    """Return the value as JSON text; keys keep their order.

    Raises:
        XregitError: the value holds text that UTF-8 can't express.
    """
    try:
        return orjson.dumps(value, default=_plain_value, option=_OPTIONS)
    except orjson.JSONEncodeError:  # integers of more than 64 bits, or text that UTF-8 can't express
        return _dump_exact(value)


def _plain_value(value: Any) -> Any:
    """Return a value that orjson does not know as a plain one, such as a number that remembers how it was written."""
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    if hasattr(value, "items"):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    raise TypeError


def _dump_exact(value: Any) -> bytes:
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=_plain_value)
        return text.encode() + b"\n"
    except UnicodeEncodeError as error:
        found = error.object[error.start : error.end]
        message = f"the text {found!a} in the document can't be written as UTF-8; correct it"
        raise XregitError(message) from error
