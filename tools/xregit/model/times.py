"""Timestamps as people state them, to moments in UTC and back."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(written: object) -> datetime | None:
    """Return the moment that a timestamp (RFC 3339) or a date names, in UTC; without a zone it counts as UTC.

    None if the text is neither, or if the moment in UTC would fall into the year 0 or 10000.
    """
    if not isinstance(written, str):
        return None
    try:
        time = datetime.fromisoformat(written)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def timestamp(time: datetime) -> str:
    """Return a moment in UTC as a registry states it."""
    return time.isoformat().replace("+00:00", "Z")
