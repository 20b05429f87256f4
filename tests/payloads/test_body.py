"""What stands before payloads of some systems explains why they fit no schema."""

from __future__ import annotations

import pytest

from xregit.payloads.base import explain_framing

WRONG = ("it is wrong",)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"\x00\x00\x00\x01\x02{}", "Confluent's wire format, with the schema id 258 before the payload"),
        (b"\x00\x00\x00\x01\x02", ""),
        (b"\x00", ""),
        (b"\x01\x00\x00\x01\x02{}", ""),
        (b"\xc3\x01" + b"f" * 8, "Avro's single-object encoding, with a fingerprint of the schema before the payload"),
        (b"Obj\x01", "a file of Avro objects, with the schema before the payload"),
        (b"Obj", ""),
        (b"{}", ""),
        (b"", ""),
    ],
)
def test_a_payload_that_fits_nothing_is_told_what_it_begins_like(body: bytes, text: str) -> None:
    """The sentence comes after what is wrong; what fits needs none."""
    said = (f"it begins like {text}, and whoever hands messages on has to take that off",) if text else ()
    assert explain_framing(WRONG, body) == (*WRONG, *said)
    assert explain_framing((), body) == ()
