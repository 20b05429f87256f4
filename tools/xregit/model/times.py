"""Timestamps as registries state them, and the moments in UTC that they name."""

from __future__ import annotations

import re
from datetime import UTC, datetime

#: RFC 3339 has no year 0 that Python could parse; the message specification uses it for "the current time".
NOW = "0000-01-01T00:00:00Z"
# That moment in any spelling of RFC 3339, and as drafts before 1.0 and real documents write it
# (site/manual/contradictions.md, K29).
_now = re.compile(r"000[01]-01-01[Tt]00:00:00(?:\.0+)?(?:[Zz]|[+\-]00:00)|01-01-0000T00:00:00Z")


def is_now(value: object) -> bool:
    """Return whether a timestamp stands for the time at which a message is made."""
    return isinstance(value, str) and _now.fullmatch(value) is not None


def moment(value: object) -> datetime | None:
    """Return the moment that a timestamp (RFC 3339) or a date names, in UTC; without a zone it counts as UTC.

    None if the text is neither, or if the moment in UTC would fall into the year 0 or 10000.
    """
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def timestamp(time: datetime) -> str:
    """Return a moment in UTC as a registry states it."""
    return time.isoformat().replace("+00:00", "Z")
