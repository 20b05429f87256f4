"""JSON text to values, strictly by RFC 8259, and to the places where they stand."""

from __future__ import annotations

import json
import math
from typing import Any

from xregit.source.text import MAX_DEPTH, MAX_INTEGER_DIGITS, UTF8_BOM, Parsed, Positions


class _UnusualError(Exception):
    """The text may not be ordinary JSON; the survey finds out."""


def parse(data: bytes) -> Parsed:
    """Return the value of a JSON text, and everything that is wrong with the text."""
    data = data.removeprefix(UTF8_BOM)
    try:
        value = _value(data.decode())
    except (_UnusualError, ValueError, RecursionError):
        from xregit.source.json_survey import survey  # few texts need it

        found = survey(data)
        return Parsed(found.value, found.problems)
    return Parsed(value)


def positions(data: bytes) -> Positions:
    """Return where the parts of the text's value stand, as far as it can be read."""
    from xregit.source.json_survey import survey

    return survey(data.removeprefix(UTF8_BOM)).positions


def _value(text: str) -> Any:
    value = json.loads(
        text,
        object_pairs_hook=_object,
        parse_int=_integer,
        parse_float=_float,
        parse_constant=_constant,
    )
    if _may_hold_surrogates(text) or _is_too_deep(value):
        raise _UnusualError
    return value


def _may_hold_surrogates(text: str) -> bool:
    return "\\ud" in text or "\\uD" in text


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _UnusualError
    return value


def _integer(text: str) -> int:
    if len(text) > MAX_INTEGER_DIGITS:
        raise _UnusualError
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _UnusualError
    return value


def _constant(_: str) -> None:
    raise _UnusualError


def _is_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        boxes = [box.values() if type(box) is dict else box for box in level]
        level = [item for box in boxes for item in box if type(item) is dict or type(item) is list]
        if not level:
            return False
    return bool(level)
