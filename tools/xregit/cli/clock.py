"""The one clock: the day on which a command runs."""

from __future__ import annotations

from datetime import UTC, date, datetime


def today() -> date:
    """Return the date, in UTC as all times of a catalog are."""
    return datetime.now(tz=UTC).date()
