"""Texts that a pattern matches look like what they stand for."""

from __future__ import annotations

import re

import pytest

from xregit.payloads.sample_texts import matching_text


@pytest.mark.parametrize(
    ("pattern", "sample"),
    [
        (r"^\d{4}-\d{2}-\d{2}$", "2026-01-31"),
        (r"^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$", "2026-01-01"),
        (r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z", "2026-01-31T09:30Z"),
        (r"^[A-Z]{2}[0-9]{1,4}-[0-9]{4}-[0-9]{2}-[0-9]{2}$", "AB3-2026-01-31"),
        (r"[0-9]{10}", "1234567890"),
        (r"[A-Z]{3}", "ABC"),
        (r"[^/]{3}/(?P<a>x|y)(?P=a)", "abc/xx"),
        (r"[ -~]{3}|b", "aaa"),
        (r"()*a", "a"),
    ],
)
def test_sample_is_of_its_kind(pattern: str, sample: str) -> None:
    """A date is a date, and digits and letters are counted up."""
    assert matching_text(pattern) == sample
    assert re.fullmatch(pattern, sample)


@pytest.mark.parametrize(
    ("pattern", "minimum", "maximum", "sample"),
    [(r"\w+", 5, 9, "abcde"), (r"[a-z]{9}", 0, 3, None), ("a", 2, None, None), (r"(a{9999}){9999}", 0, None, None)],
)
def test_length_is_within_bounds(pattern: str, minimum: int, maximum: int | None, sample: str | None) -> None:
    """Where no text is of that length, there is none."""
    assert matching_text(pattern, minimum, maximum) == sample
