"""Texts to points in time, a whole column at once.

A column has the years 1 to 9999 of UTC, as Python and Spark do; texts may tell of a day more on either side.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from xregit.messages.decoder import SECOND, ZONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

# What Arrow reads of such a text is what Python reads; Arrow takes other forms too, which are no times.
_have_form = re.compile(rf"(?:{SECOND}(?:\.[0-9]{{1,6}})?{ZONE}\n)*").fullmatch
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_END = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH + timedelta(days=1)) // _MICROSECOND


def points(texts: Sequence[str | None]) -> pa.Array | None:
    """Return times as Arrow has them, or None if there is doubt about one, as with leap seconds and nanoseconds."""
    import pyarrow as pa

    said = list(filter(None, texts))
    lines = "\n".join([*said, ""])
    if lines.count("\n") != len(said) or _have_form(lines) is None:
        return None
    try:
        made = pa.array(texts, pa.string()).cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:  # an empty text
        return None
    return made if _are_told(made) else None


def timed(texts: pa.Array) -> pa.Array:
    """Return a column of texts that are times as times, or as it is where one is finer than a column, or beyond it."""
    import pyarrow as pa

    try:
        made = texts.cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:
        return texts
    return made if _are_told(made) else texts


def _are_told(times: pa.Array) -> bool:
    """Return whether all times are in the years that a column has."""
    import pyarrow.compute as pc

    bounds = pc.min_max(times)
    least, most = bounds["min"].value, bounds["max"].value  # as numbers, which Python has for all
    return least is None or (least >= _FIRST and most < _END)
