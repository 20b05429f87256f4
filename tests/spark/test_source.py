"""What messages are read from, without Spark: which files a path names, and where tables can't be."""

from __future__ import annotations

from pathlib import Path

import pytest

from xregit.errors import XregitError
from xregit.spark.location import Location
from xregit.spark.streams.source import refuse_overlap


@pytest.mark.parametrize(
    ("messages", "tables", "refused"),
    [
        ("/lake", "/lake", True),
        ("/lake", "/lake/routed/today", True),
        ("/lake/in*", "/lake/in1/tables", True),
        ("s3://bucket/lake/", "s3://bucket/lake/routed", True),
        ("/lake/in", "/lake", False),
        ("/lake/in", "/lake/in2", False),
        ("/lake/*.jsonl", "/lake/routed", False),
        ("s3://bucket/in", "s3://other/in/routed", False),
    ],
)
def test_tables_among_messages_are_refused(messages: str, tables: str, *, refused: bool) -> None:
    """Nothing is written where it would be read again, neither tables nor what the job keeps."""
    places = Location.of("/elsewhere"), Location.of(tables)
    if not refused:
        refuse_overlap(messages, *places)
        return
    with pytest.raises(XregitError, match=f"so {tables} can't be there; name another folder"):
        refuse_overlap(Path(messages) if messages.startswith("/") else messages, *places)
