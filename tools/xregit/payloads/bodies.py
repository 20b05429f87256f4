"""Payload bytes to JSON values and back, with limits: no NaN, no endless depth, no numbers of endless length."""

from __future__ import annotations

from typing import Any

from xregit.model.media_types import without_parameters
from xregit.payloads.shapes import PayloadError, why
from xregit.source import json


def read_json(body: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        PayloadError: it isn't JSON, too deep, or holds a number that no one can use.
    """
    parsed = json.parse(body)
    if parsed.problems:
        raise PayloadError(
            *(f"line {item.span.line}, column {item.span.column}: {item.message}" for item in parsed.problems)
        )
    return parsed.value


def write_json(value: Any) -> bytes:
    """Return the value as JSON text without blanks.

    Raises:
        PayloadError: it holds what JSON can't say, such as NaN, bytes or a date.
    """
    import json as standard

    try:
        text = standard.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        message = f"the value can't be written as JSON: {why(error)}"
        raise PayloadError(message) from error


def is_json(contenttype: str) -> bool:
    """Tell whether a media type says JSON: ``application/json``, ``avro/json``, anything with ``+json``."""
    return without_parameters(contenttype).endswith(("/json", "+json"))
