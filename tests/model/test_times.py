"""Timestamps and moments."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from xregit.model.times import NOW, is_now, moment, timestamp


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05.25+02:00", datetime(2026, 1, 2, 1, 4, 5, 250_000, tzinfo=UTC)),
        ("2026-01-02T03:04:05", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("0000-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-00:01", None),
        ("yesterday", None),
        (5, None),
    ],
)
def test_time_is_in_utc(text: object, expected: datetime | None) -> None:
    """A timestamp is read in UTC; what names no moment of the years 1 to 9999 is none."""
    assert moment(text) == expected
    assert expected is None or moment(timestamp(expected)) == expected


@pytest.mark.parametrize(
    "text",
    [
        NOW,
        "0000-01-01t00:00:00z",
        "0000-01-01T00:00:00.000Z",
        "0000-01-01T00:00:00+00:00",
        "0000-01-01T00:00:00-00:00",
        "0001-01-01T00:00:00+00:00",
        "01-01-0000T00:00:00Z",
    ],
)
def test_current_time_is_told_however_it_is_spelled(text: str) -> None:
    """The moment that stands for the current time may be written in each way that RFC 3339 has."""
    assert is_now(text)


@pytest.mark.parametrize(
    "text", ["0000-01-01T00:00:01Z", "0000-01-01T00:00:00+01:00", "0000-01-01", "0002-01-01T00:00:00Z", 0, None]
)
def test_other_times_are_themselves(text: object) -> None:
    """No other moment stands for the current time."""
    assert not is_now(text)
