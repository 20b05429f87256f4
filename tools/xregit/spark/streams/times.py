"""Texts to points in time, a whole column at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

# What Arrow reads of such a text is what Python reads, or nothing; Arrow takes other forms too, which are no times.
_has_form = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+\-][0-9]{2}:[0-9]{2})"
).fullmatch


def points(texts: Sequence[str | None]) -> pa.Array | None:
    """Return times as Arrow has them, or None if there is doubt about one, as with leap seconds and nanoseconds."""
    import pyarrow as pa

    if not all(map(_has_form, filter(None, texts))):
        return None
    try:
        return pa.array(texts, pa.string()).cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:  # an empty text, or no day of the calendar
        return None
