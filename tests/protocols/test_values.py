"""Values of each property type and their canonical texts."""

from __future__ import annotations

import math
from base64 import b64encode
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.protocols import from_text, to_text

GOOD: list[tuple[str, Any, str, Any]] = [
    ("boolean", True, "true", True),
    ("boolean", "false", "false", False),
    ("integer", -5, "-5", -5),
    ("integer", "0", "0", 0),
    ("integer", 2**31, "2147483648", 2**31),
    ("ulong", "18446744073709551615", "18446744073709551615", 2**64 - 1),
    ("number", 1.5, "1.5", 1.5),
    ("number", 5.0, "5", 5),
    ("number", "1.50e3", "1500", 1500),
    ("number", 1e300, "1e+300", 1e300),
    ("number", 2**70, "1.1805916207174113e+21", float(2**70)),
    ("string", "a\nb", "a\nb", "a\nb"),
    ("string", 5, "5", "5"),
    ("string", False, "false", "false"),
    ("string", "é".encode(), "é", "é"),
    ("binary", b"\0\1\2", "AAEC", b"\0\1\2"),
    ("binary", "AAEC", "AAEC", b"\0\1\2"),
    ("binary", "", "", b""),
    ("uri", "https://example.com/a%20b", "https://example.com/a%20b", "https://example.com/a%20b"),
    ("uri", "../a?b#c", "../a?b#c", "../a?b#c"),
    ("uritemplate", "a b/{c}", "a b/{c}", "a b/{c}"),
    ("symbol", "a_1", "a_1", "a_1"),
    ("duration", "P1DT2H", "P1DT2H", "P1DT2H"),
    ("timestamp", "2018-04-05t03:56:24z", "2018-04-05T03:56:24Z", "2018-04-05T03:56:24Z"),
    (
        "timestamp",
        datetime(2018, 4, 5, 3, 56, 24, 5, UTC),
        "2018-04-05T03:56:24.000005Z",
        "2018-04-05T03:56:24.000005Z",
    ),
    (
        "timestamp",
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2))),
        "0001-01-01T00:00:00+02:00",
        "0001-01-01T00:00:00+02:00",
    ),
    ("uuid", UUID(int=5), "00000000-0000-0000-0000-000000000005", "00000000-0000-0000-0000-000000000005"),
    (
        "uuid",
        "ABCDEF00-0000-0000-0000-000000000005",
        "abcdef00-0000-0000-0000-000000000005",
        "abcdef00-0000-0000-0000-000000000005",
    ),
    ("any", {"b": [1, None], "a": "x"}, '{"a":"x","b":[1,null]}', '{"a":"x","b":[1,null]}'),
    ("any", 1.25, "1.25", "1.25"),
    ("any", None, "null", "null"),
    ("a type that nobody knows", "x", "x", "x"),
]


def each(kind: str, *values: Any) -> list[tuple[str, Any]]:
    """Return each value with the type that it is not of."""
    return [(kind, value) for value in values]


BAD: list[tuple[str, Any]] = [
    *each("boolean", "True", "yes", 1, 0, None, "", []),
    *(
        ("integer", value)
        for value in ("05", "+5", "1.0", "", " 5", "٣", 5.0, True, None, 2**64, -(2**63) - 1, "9" * 5000)
    ),
    *each("ulong", -1, "-1", 2**64),
    *(
        ("number", value)
        for value in (math.nan, math.inf, 10**400, "1e999", "0x1", ".5", "1.", "NaN", True, None, "1" * 5000)
    ),
    *each("string", None, [], {}, b"\x80"),
    *each("binary", "A", "AA", "AAE", "AA=A", "A-_C", "AAEC\n", "é", 5, None),
    *each("uri", "a b", "ä", "%zz", None),
    *each("symbol", "a-b", "application/json", None),
    *each("duration", "P", "5M", 5, None),
    *each("timestamp", "2018-04-05", "2018-02-30T00:00:00Z", 5, None, datetime(2018, 4, 5)),  # noqa: DTZ001
    *each("uuid", "x", "0" * 32, 5, None),
    ("any", object()),
    ("any", math.nan),
]
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "binary": st.binary(),
    "boolean": st.booleans(),
    "integer": st.integers(-(2**63), 2**64 - 1),
    "number": st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**63), 2**64 - 1)),
    "string": st.text(),
    "ulong": st.integers(0, 2**64 - 1),
    "uuid": st.uuids().map(str),
}


@pytest.mark.requirement("CEM-15")
@pytest.mark.parametrize(("kind", "value", "text", "read"), GOOD)
def test_a_value_has_one_canonical_text(kind: str, value: Any, text: str, read: Any) -> None:
    """And the text stands for the value."""
    assert to_text(kind, value) == text
    assert from_text(kind, text) == read
    assert type(from_text(kind, text)) is type(read)


@pytest.mark.parametrize(("kind", "value"), BAD)
def test_a_value_that_is_none_of_its_type_is_refused_with_the_reason(kind: str, value: Any) -> None:
    """The reason goes on after the name of what has the value."""
    with pytest.raises(ValueError, match=r"^must be "):
        to_text(kind, value)


@pytest.mark.parametrize("kind", VALUES)
@given(st.data())
def test_reading_undoes_writing(kind: str, data: st.DataObject) -> None:
    """Every value comes back from its text, and the text is the only one."""
    value = data.draw(VALUES[kind])
    text = to_text(kind, value)
    assert from_text(kind, text) == value
    assert to_text(kind, text) == text


@given(st.binary())
def test_bytes_are_base_64_by_the_standard_library(value: bytes) -> None:
    """RFC 4648, section 4, with padding."""
    assert to_text("binary", value) == b64encode(value).decode()


@pytest.mark.parametrize("kind", [*VALUES, "any", "symbol", "uri", "duration", "timestamp", "uritemplate"])
@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(kind: str, text: str) -> None:
    """Nothing else can happen, and a text that is read is stable from then on."""
    try:
        canonical = to_text(kind, text)
    except ValueError as error:
        assert str(error).startswith("must be ")  # noqa: PT017 - both outcomes are fine
    else:
        assert to_text(kind, canonical) == canonical
