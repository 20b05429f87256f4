"""Values in columns: what fits is kept, what does not is null, and the same value always gives the same text."""

from __future__ import annotations

import json
from datetime import UTC
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.spark.rows import to_cell, to_text, with_hash
from xregit.spark.table_schema import Type

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
ANY_TEXT = st.text(st.characters())
# What cells hold; text may still be no Unicode.
HELD = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | ANY_TEXT
    | st.datetimes(timezones=st.just(UTC))
    | st.lists(ANY_TEXT)
    | st.dictionaries(ANY_TEXT, ANY_TEXT | st.integers(-(2**63), 2**63 - 1) | st.none())
)

CELLS: list[tuple[Type, Any, Any]] = [
    (Type.TEXT, "plain", "plain"),
    (Type.TEXT, 7, "7"),
    (Type.TEXT, {"b": 1, "a": [True]}, '{"a":[true],"b":1}'),
    (Type.TEXT, "\ud800", "?"),
    (Type.LONG, 7, 7),
    (Type.LONG, True, None),
    (Type.LONG, 2**63, None),
    (Type.LONG, "7", None),
    (Type.BOOLEAN, True, True),
    (Type.BOOLEAN, "yes", None),
    (Type.DOUBLE, 1, 1.0),
    (Type.DOUBLE, "1", None),
    (Type.TEXTS, ["a", 1], ["a", "1"]),
    (Type.TEXTS, "a", ["a"]),
    (Type.TEXTS, 1, None),
    (Type.TEXT_MAP, {"a": 1}, {"a": "1"}),
    (Type.TEXT_MAP, ["a"], None),
    (Type.LONG_MAP, {"a": 1, "b": "x"}, {"a": 1, "b": None}),
    (Type.JSON, "a", '"a"'),
    (Type.JSON, MappingProxyType({"a": (1,)}), '{"a":[1]}'),
]


@pytest.mark.parametrize(("kind", "value", "expected"), CELLS)
def test_cell_holds_what_fits(kind: Type, value: Any, expected: Any) -> None:
    """A value that fits is kept; another is null, or text where the column takes text."""
    assert to_cell(kind, value) == expected


@pytest.mark.parametrize("kind", Type)
def test_cell_of_nothing_is_nothing(kind: Type) -> None:
    """A missing value is null in every column."""
    assert to_cell(kind, None) is None


@given(JSON, st.sampled_from(Type))
def test_any_value_finds_its_cell(value: Any, kind: Type) -> None:
    """No value that a registry may hold is too much for a column, and all text can be encoded."""
    found = to_cell(kind, value)
    if kind in {Type.TEXT, Type.JSON} and value is not None:
        found.encode()


@given(st.dictionaries(st.text(), JSON))
def test_hash_knows_rows_apart(row: dict[str, Any]) -> None:
    """The hash follows the values, not their order, and a column without value does not change it."""
    turned = dict(reversed(row.items()))
    assert with_hash(row)["hash"] == with_hash({"new column": None, **turned})["hash"]
    assert with_hash(row)["hash"] != with_hash({"new column": 1, **row})["hash"]


@given(st.dictionaries(ANY_TEXT, HELD))
def test_hash_is_that_of_tables_published_before(row: dict[str, Any]) -> None:
    """However it is computed, it is the digest of the row as Python's encoder writes it: else all rows would change."""
    filled = {name: value for name, value in row.items() if value is not None}
    text = json.dumps(filled, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
    expected = blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
    assert with_hash(row)["hash"] == expected


def test_text_does_not_depend_on_key_order() -> None:
    """Two ways to write one object are one text."""
    assert to_text({"b": 1, "a": 2}) == to_text({"a": 2, "b": 1})
