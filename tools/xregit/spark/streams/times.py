"""Texts to points in time, a whole column at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xregit.messages.reading import SECOND, ZONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

# What Arrow reads of such a text is what Python reads; Arrow takes other forms too, which are no times.
_have_form = re.compile(rf"(?:{SECOND}(?:\.[0-9]{{1,6}})?{ZONE}\n)*").fullmatch


def points(texts: Sequence[str | None]) -> pa.Array | None:
    """Return times as Arrow has them, or None if there is doubt about one, as with leap seconds and nanoseconds."""
    import pyarrow as pa

    said = list(filter(None, texts))
    lines = "\n".join([*said, ""])
    if lines.count("\n") != len(said) or _have_form(lines) is None:
        return None
    try:
        return pa.array(texts, pa.string()).cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:  # an empty text
        return None


def timed(texts: pa.Array) -> pa.Array:
    """Return a column of texts that are times as times, or as it is where one has more digits than a column has."""
    import pyarrow as pa

    try:
        return texts.cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid:
        return texts
