"""Timestamps and moments."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from xregit.model.times import moment, timestamp


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
