"""JSON, read and written fast, and exact for whole numbers of any size."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import orjson

# orjson reads a whole number that does not fit 64 bits as a float.
_LONG = b"0" * 19
# So deep can every release of Python write; from 3.14 on it has no bound of its own, and nobody could read more.
_MAX_DEPTH = 900
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)


def json_value(data: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: it is none, is not UTF-8, nests too deep, or has a number that nobody could read.
    """
    if _LONG not in data.translate(_DIGITS):
        return orjson.loads(data)
    try:
        orjson.loads(data)  # stricter than json: no NaN, no half characters, no number too large for a float
        return json.loads(data)
    except RecursionError:
        raise ValueError("must not nest that deep") from None


def json_bytes(value: Any) -> bytes:
    """Return the JSON text of a value, without spaces.

    Raises:
        ValueError: it holds what JSON can't, or nests too deep.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return _encode_slowly(value)


def duplicate_names(data: bytes) -> tuple[str, ...]:
    """Return the names that an object of a JSON text has more than once; none if it is not JSON."""
    names: dict[str, None] = {}

    def to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            names.update({name: None for name, count in counts.items() if count > 1})
        return value

    try:
        json.loads(data, object_pairs_hook=to_object)
    except (ValueError, RecursionError):
        return ()
    return tuple(names)


def has_surrogates(text: str) -> bool:
    """Return whether a text has half a character, which no encoding can write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _encode_slowly(value: Any) -> bytes:
    if _nests_too_deep(value):
        raise ValueError("must not nest that deep")
    try:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    except RecursionError:
        message = "must not nest that deep"
    except UnicodeEncodeError:
        message = "must not have a lone surrogate"
    except (TypeError, ValueError):
        message = "must be a JSON value, with numbers that are finite"
    raise ValueError(message)


def _nests_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list | tuple) else []
    for _ in range(_MAX_DEPTH):
        inner = [item for box in level for item in (box.values() if isinstance(box, dict) else box)]
        # What stands in several places is looked at once.
        level = list({id(item): item for item in inner if isinstance(item, dict | list | tuple)}.values())
        if not level:
            return False
    return True
