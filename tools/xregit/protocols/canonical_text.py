"""Canonical texts of the values of each property type.

Source: cloudevents/spec.md#type-system (1.0.2) for its types, message/spec.md#type for those it adds.
"""

from __future__ import annotations

import binascii
import math
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any
from uuid import UUID

import orjson

from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES

ULONG_MAX = 2**64 - 1
LONG_MIN = -(2**63)
EXACT_INTEGERS = 2**53
_INTEGER = re.compile("-?(?:0|[1-9][0-9]{0,19})")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_MAX_NUMBER_CHARS = 400
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_SYMBOL = re.compile("[A-Za-z0-9_]*")


def to_text(type: str, value: Any) -> str:  # noqa: A002 - the specification's word
    """Return the canonical text of a value; a text is taken for one that stands for a value of the type.

    Raises:
        ValueError: the value is not of the type; the message is a phrase such as ``must be true or false``.
    """
    return _writer(type)(value)


def from_text(type: str, text: str) -> Any:  # noqa: A002 - the specification's word
    """Return the value that a text stands for: a truth value, a number, bytes, or else the canonical text itself.

    Raises:
        ValueError: the text stands for no value of the type.
    """
    canonical = _writer(type)(text)
    read = _READERS.get(type)
    return read(canonical) if read else canonical


def decode_base64(text: str) -> bytes:
    """Return the bytes that a base 64 text stands for (RFC 4648, section 4).

    Raises:
        ValueError: it is no such text.
    """
    try:
        return binascii.a2b_base64(text.encode("ascii"), strict_mode=True) if text else b""
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError(_expectation("binary")) from None


def _writer(kind: str) -> Callable[[Any], str]:
    return _WRITERS.get(kind, _string)


def _expectation(kind: str) -> str:
    return f"must be {PROPERTY_TYPES[kind].about}"


def _any(value: Any) -> str:
    if isinstance(value, str | bytes | bool | int | float):
        return _string(value)
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError as error:
        raise ValueError(f"must be a JSON value ({error})") from None


def _string(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return _decode_utf8(value)
    if isinstance(value, bool):
        return _boolean(value)
    if isinstance(value, int | float):
        return _number(value)
    raise ValueError(_expectation("string"))


def _decode_utf8(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ValueError("must be text in UTF-8") from None


def _boolean(value: Any) -> str:
    if value is True or value is False:
        return "true" if value else "false"
    if value in ("true", "false"):
        return str(value)
    raise ValueError(_expectation("boolean"))


def _whole(value: Any, low: int, expected: str) -> str:
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(expected)  # noqa: TRY004 - what is wrong with a message is no fault of the program
    if not low <= value <= ULONG_MAX:
        raise ValueError(f"must be from {low} to {ULONG_MAX}")
    return str(value)


def _integer(value: Any) -> str:
    return _whole(value, LONG_MIN, _expectation("integer"))


def _number(value: Any) -> str:
    if isinstance(value, str) and len(value) <= _MAX_NUMBER_CHARS and _NUMBER.fullmatch(value):
        value = int(value) if _INTEGER.fullmatch(value) else float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(_expectation("number"))  # noqa: TRY004 - as above
    if isinstance(value, int) and LONG_MIN <= value <= ULONG_MAX:
        return str(value)
    number = _float(value)
    return str(int(number)) if number.is_integer() and abs(number) < EXACT_INTEGERS else repr(number)


def _float(value: float) -> float:
    number = math.inf if isinstance(value, int) and value.bit_length() > 1024 else float(value)  # noqa: PLR2004 - IEEE
    if not math.isfinite(number):
        raise ValueError("must be a number that fits 64 bits")
    return number


def _binary(value: Any) -> str:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, str):
        return b64encode(decode_base64(value)).decode()
    raise ValueError(_expectation("binary"))


def _timestamp(value: Any) -> str:
    if isinstance(value, datetime) and value.tzinfo is not None:
        text = value.isoformat()
        return text.removesuffix("+00:00") + "Z" if value.utcoffset() == timedelta(0) else text
    if isinstance(value, str) and DATATYPES["timestamp"].test(value):
        return value.upper()
    raise ValueError(_expectation("timestamp"))


def _uuid(value: Any) -> str:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, str) and _UUID.fullmatch(value):
        return value.lower()
    raise ValueError(_expectation("uuid"))


def _symbol(value: Any) -> str:
    text = _string(value)
    if not _SYMBOL.fullmatch(text):
        raise ValueError(_expectation("symbol"))
    return text


def _uri(value: Any) -> str:
    text = _string(value)
    if not DATATYPES["uri"].test(text):
        raise ValueError(_expectation("uri"))
    return text


def _duration(value: Any) -> str:
    if isinstance(value, str) and PROPERTY_TYPES["duration"].test(value):
        return value
    raise ValueError(_expectation("duration"))


_WRITERS: Mapping[str, Callable[[Any], str]] = MappingProxyType(
    {
        "any": _any,
        "binary": _binary,
        "boolean": _boolean,
        "duration": _duration,
        "integer": _integer,
        "number": _number,
        "symbol": _symbol,
        "timestamp": _timestamp,
        "ulong": lambda value: _whole(value, 0, _expectation("ulong")),
        "uri": _uri,
        "uuid": _uuid,
    }
)
_READERS: Mapping[str, Callable[[str], Any]] = MappingProxyType(
    {
        "binary": decode_base64,
        "boolean": "true".__eq__,
        "integer": int,
        "number": lambda text: int(text) if _INTEGER.fullmatch(text) else float(text),
        "ulong": int,
    }
)
