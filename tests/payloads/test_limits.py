"""Words for what values keep to beyond their type."""

from __future__ import annotations

from xregit.payloads.fields import MAX_PATTERN_CHARS, pattern_texts, range_text


def test_no_end_is_no_words() -> None:
    """What has no bounds is not spoken of."""
    assert range_text(None, None) == ""


def test_long_pattern_is_cut_and_told_once() -> None:
    """A pattern that nobody reads does not fill the page."""
    assert pattern_texts(["a" * 500, "a" * 500]) == (f"matches {'a' * MAX_PATTERN_CHARS}…",)
