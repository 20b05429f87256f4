"""The texts in which rules look for placeholders, and their paths."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from xregit.catalog.properties import PARTS
from xregit.rules.templates import braced, placed

TEXTS = st.text(alphabet="{a}/:<", max_size=4)
VALUES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "description", "value"]), inner, max_size=3)
    ),
    max_leaves=8,
)
ATTRIBUTES = st.dictionaries(st.sampled_from([*PARTS, "labels"]), VALUES, max_size=3)


@given(ATTRIBUTES)
def test_texts_with_braces_are_those_that_have_places(attributes: dict[str, Any]) -> None:
    """Rules look at the texts first, and for a finding at the same ones with their paths."""
    found = list(placed(attributes))
    assert sorted(braced(attributes)) == sorted(text for _, text in found)
    for path, text in found:
        value: Any = attributes
        for step in path:
            value = value[step]
        assert value == text
