"""Values of Protobuf that descriptors alone don't tell: any message, and numbers that enumerations don't list."""

from __future__ import annotations

import pytest

from xregit.payloads import PayloadError, parse

ANY = b"""
syntax = "proto3";
package p;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
message Known { int64 n = 1; bytes b = 2; google.protobuf.Any inner = 3; }
message M { google.protobuf.Any x = 1; google.protobuf.Duration d = 2; }
"""
URL = "type.googleapis.com/"


def packed(type_: str, value: bytes) -> bytes:
    """Return a message ``M`` whose field ``x`` holds a message of a type."""
    held = b"\x0a" + bytes([len(type_)]) + type_.encode() + b"\x12" + bytes([len(value)]) + value
    return b"\x0a" + bytes([len(held)]) + held


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("p.Known", b"\x08\x05", {"n": "5"}),
        ("google.protobuf.Duration", b"\x08\x05", {"value": "5s"}),
        ("other.Kind", b"\x08\x05", {"value": b"\x08\x05"}),
        ("p.Known", b"\xff", {"value": b"\xff"}),
        ("p.Known", b"\x1a\x07\x0a\x05other", {"value": b"\x1a\x07\x0a\x05other"}),
    ],
    ids=["of the file", "of Protobuf", "unknown", "broken", "with an unknown one inside"],
)
def test_any_message_may_be_of_a_type_that_the_file_does_not_know(
    type_: str, value: bytes, expected: dict[str, object]
) -> None:
    """Then it is told as its bytes; who sends it need not have its type in the same file."""
    schema = parse("Protobuf/3", ANY, fragment="M")
    body = packed(URL + type_, value)
    assert schema.validate(body) == ()
    result = schema.decode(body)
    assert result == {"x": {"@type": URL + type_, **expected}}
    if not isinstance(expected.get("value"), bytes):
        assert schema.encode(result) == body


def test_any_message_nested_without_end_is_its_bytes() -> None:
    """What would take all of the stack is not looked into."""
    held = b""
    for _ in range(1200):
        type_ = (URL + "google.protobuf.Any").encode()
        held = b"\x0a" + varint(len(type_)) + type_ + b"\x12" + varint(len(held)) + held
    schema = parse("Protobuf/3", ANY, fragment="M")
    result = schema.decode(b"\x0a" + varint(len(held)) + held)
    assert result["x"]["@type"] == URL + "google.protobuf.Any"
    assert isinstance(result["x"]["value"], bytes)


def varint(number: int) -> bytes:
    """Return a length as Protobuf writes it."""
    low, high = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(high) if high else bytes([low])


CLOSED = b"""
syntax = "proto2";
enum E { A = 0; B = 1; }
message M { optional E one = 1; repeated E many = 2; oneof o { E either = 3; string or = 4; } }
message Maps { map<string, E> names = 1; map<sint32, E> numbers = 2; map<bool, E> truths = 3; }
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("0807", {"one": 7, "many": []}),
        ("08ffffffffffffffffff01", {"one": -1, "many": []}),
        ("08070801", {"one": "B", "many": []}),
        ("100110071000", {"many": ["B", "A", 7]}),
        ("12020107", {"many": ["B", 7]}),
        ("1807", {"many": [], "either": 7}),
        ("4007", {"many": []}),
    ],
)
def test_number_that_a_closed_enumeration_does_not_list_is_told(body: str, expected: dict[str, object]) -> None:
    """Protobuf keeps it among what it doesn't know; nothing says where in a list it was, so that it comes last."""
    assert parse("Protobuf/2", CLOSED, fragment="M").decode(bytes.fromhex(body)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("0a050a016b1007", {"names": {"k": 7}}),
        ("0a050a016a1007 0a050a016b1001", {"names": {"j": 7, "k": "B"}}),
        ("0a050a016b1001 0a050a016b1007", {"names": {"k": "B"}}),
        ("0a021007", {"names": {"": 7}}),
        ("120408031007", {"numbers": {"-2": 7}}),
        ("1a0408011007", {"truths": {"true": 7}}),
    ],
)
def test_entry_with_an_unlisted_number_is_told(body: str, expected: dict[str, object]) -> None:
    """Protobuf keeps the whole entry of a map among what it doesn't know."""
    result = parse("Protobuf/2", CLOSED, fragment="Maps").decode(bytes.fromhex(body))
    assert result == {"names": {}, "numbers": {}, "truths": {}, **expected}


def test_required_field_of_an_unlisted_number_is_missing() -> None:
    """As all of Protobuf's own readers have it."""
    schema = parse("Protobuf/2", CLOSED.replace(b"optional E", b"required E"), fragment="M")
    with pytest.raises(PayloadError, match="one"):
        schema.decode(bytes.fromhex("0807"))


def test_extension_is_told_by_its_full_name() -> None:
    """As in Protobuf's JSON, so that what was read can be written again."""
    document = b'edition = "2023"; package p; message M { extensions 5; } extend M { int32 more = 5; }'
    schema = parse("Protobuf/2023", document)
    body = bytes.fromhex("2807")
    assert schema.decode(body) == {"[p.more]": 7}
    assert schema.encode(schema.decode(body)) == body
    assert schema.decode(b'{"[p.more]": 7}', "application/json") == {"[p.more]": 7}
