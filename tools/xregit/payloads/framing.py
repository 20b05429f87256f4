"""Payloads with bytes before them that no schema describes, such as a schema's id: what the framing seems to be.

Sources: Confluent's wire format (a zero byte, then four of a schema's id); Avro specification, "Single-object encoding"
and "Object Container Files".
"""

from __future__ import annotations

_AFTER = "whoever hands messages on has to take that off"


def explained(problems: tuple[str, ...], body: bytes) -> tuple[str, ...]:
    """Return what is wrong with a payload, if anything, with what it begins like where that explains it."""
    known = _framing(body) if problems else ""
    return (*problems, f"it begins like {known}, and {_AFTER}") if known else problems


def _framing(body: bytes) -> str:
    if body[:1] == b"\x00" and len(body) > 5:  # noqa: PLR2004 - the zero byte and the id
        return f"Confluent's wire format, with the schema id {int.from_bytes(body[1:5])} before the payload"
    if body[:2] == b"\xc3\x01":
        return "Avro's single-object encoding, with a fingerprint of the schema before the payload"
    return "a file of Avro objects, with the schema before the payload" if body[:4] == b"Obj\x01" else ""
