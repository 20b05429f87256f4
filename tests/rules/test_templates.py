"""The texts in which rules look for placeholders, and their paths."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from xregit.catalog.properties import PARTS
from xregit.rules.templates import template_texts

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
def test_paths_lead_to_the_texts(attributes: dict[str, Any]) -> None:
    """Each text is what stands at its path, and has a sign of a placeholder."""
    for path, text in template_texts(attributes):
        value: Any = attributes
        for step in path:
            value = value[step]
        assert value == text
        assert "{" in text or "/:" in text or "<" in text
