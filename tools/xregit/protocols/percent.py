"""Attribute values in headers of HTTP and NATS: percent-encoded, and read in the forms of older versions too.

Source: cloudevents/bindings/http-protocol-binding.md#3132-http-header-values (1.0.2).
"""

from __future__ import annotations

import re

# All but the printable ASCII characters, and of those the space, the double quote and the percent sign.
_ENCODED = re.compile(r"[^!#$&-~]")
_TRIPLES = re.compile("(?:%[0-9A-Fa-f]{2})+")
# One that is not closed goes to the end, so that no part of a value is looked at twice.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)(.?)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def percent_encode(text: str) -> str:
    """Return the text as a header's value."""
    return _ENCODED.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text)


def percent_decode(value: str) -> str:
    """Return the text that a header's value stands for.

    Raises:
        ValueError: what is percent-encoded is not UTF-8.
    """
    if '"' in value:
        value = _QUOTED.sub(_unquote, value)
    if "%" not in value:
        return value
    return _TRIPLES.sub(_decode_triples, value)


def _unquote(match: re.Match[str]) -> str:
    return _ESCAPED.sub(r"\1", match[1]) if match[2] == '"' else match[0]


def _decode_triples(match: re.Match[str]) -> str:
    try:
        return bytes.fromhex(match[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        message = f"has percent-encoded bytes that are not UTF-8 ({match[0][:30]})"
        raise ValueError(message) from None
