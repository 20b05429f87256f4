"""Values to JSON text: the same bytes for the same value, and a line where there can be none."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from xregit.document import to_bytes
from xregit.errors import XregitError
from xregit.source.scalars import PlainFloat, PlainInt


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": ["ü"]}, '{\n  "b": 1,\n  "a": [\n    "ü"\n  ]\n}\n'),
        ({"a": 2**64}, '{\n  "a": 18446744073709551616\n}\n'),
        ({"a": PlainInt(7, "0x7"), "b": PlainFloat(1.5, "1.50")}, '{\n  "a": 7,\n  "b": 1.5\n}\n'),
        (MappingProxyType({"a": (1, -(2**70))}), '{\n  "a": [\n    1,\n    -1180591620717411303424\n  ]\n}\n'),
    ],
)
def test_value_is_written_as_what_it_is(value: Any, text: str) -> None:
    """Keys keep their order; numbers of any size are numbers, whatever else they remember."""
    assert to_bytes(value).decode() == text


def test_text_that_is_none_is_one_line() -> None:
    """Half a character, which JSON files may hold as an escape, can't be written."""
    with pytest.raises(XregitError, match="can't be written as UTF-8") as raised:
        to_bytes({"a": "\ud800"})
    assert "\n" not in str(raised.value)
