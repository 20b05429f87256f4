"""Values as sentences quote them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from xregit.model.excerpts import MAX_CHARS, cut, quote, to_json

SHOWN: list[tuple[Any, str, str]] = [
    ("a text", '"a text"', '"a text"'),
    ("two\nlines\x1b[0m", '"two\\nlines\\x1b[0m"', '"two\\nlines\\u001b[0m"'),
    (True, "true", "true"),
    (None, "null", "null"),
    (1.5, "1.5", "1.5"),
    ([1], "a list", "[1]"),
    ((), "an empty list", "[]"),
    (MappingProxyType({"a": MappingProxyType({})}), "a map", '{"a": {}}'),
    ({}, "an empty map", "{}"),
]


@pytest.mark.parametrize(("value", "short", "full"), SHOWN, ids=[short for _, short, _ in SHOWN])
def test_values_are_recognised_on_one_line(value: Any, short: str, full: str) -> None:
    """Maps and lists are named, or given with all that they hold; nothing moves a terminal's cursor."""
    assert (quote(value), to_json(value)) == (short, full)


def test_what_is_long_is_cut() -> None:
    """No more than so many characters are left, the last of them a sign that there were more."""
    assert cut("x" * MAX_CHARS) == "x" * MAX_CHARS
    assert cut("x" * 100) == "x" * (MAX_CHARS - 1) + "…"
    assert to_json(["x" * 100], 10) == '["xxxxxxx…'
