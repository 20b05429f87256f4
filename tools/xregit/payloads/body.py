"""Payload bytes: JSON read and written within limits, and framing that stands before a payload.

Sources: Confluent's wire format (a zero byte, then four of a schema's id); Avro specification, "Single-object encoding"
and "Object Container Files".
"""

from __future__ import annotations

import json
from typing import Any

from xregit.model.media_types import without_parameters
from xregit.payloads.base import PayloadError, error_text
from xregit.source import json_loader


def read_json(body: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        PayloadError: it isn't JSON, too deep, or holds a number that no one can use.
    """
    parsed = json_loader.parse(body)
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
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        message = f"the value can't be written as JSON: {error_text(error)}"
        raise PayloadError(message) from error


_REMOVE_IT = "whoever hands messages on has to take that off"


def is_json(contenttype: str) -> bool:
    """Return whether a media type says JSON: ``application/json``, ``avro/json``, anything with ``+json``."""
    return without_parameters(contenttype).endswith(("/json", "+json"))


def explain_framing(problems: tuple[str, ...], body: bytes) -> tuple[str, ...]:
    """Return the problems of a payload, with one more where framing before it explains them."""
    if body[:1] == b"\x00" and len(body) > 5:  # noqa: PLR2004 - the zero byte and the id
        framing = f"Confluent's wire format, with the schema id {int.from_bytes(body[1:5])} before the payload"
    elif body[:2] == b"\xc3\x01":
        framing = "Avro's single-object encoding, with a fingerprint of the schema before the payload"
    elif body[:4] == b"Obj\x01":
        framing = "a file of Avro objects, with the schema before the payload"
    else:
        return problems
    return (*problems, f"it begins like {framing}, and {_REMOVE_IT}") if problems else problems
