"""Entities of other dialects under our names."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.document.small import cases
from xregit.document.normalising import normalised
from xregit.document.tables import dialect

CASES = cases("dialects")
KINDS = sorted(dialect("1.0").entities)
NAMES = sorted(
    {name for steps in dialect("1.0").entities.values() for step in steps for name in step.about} | set("ab")
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["#/a/b", "None", "urireference", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


def result(kind: str, value: dict[str, Any], selectors: dict[str, str]) -> tuple[Any, list[str]]:
    """Return an entity under our names, and the notes."""
    steps = [step for step in dialect("1.0").entities[kind] if step.holds(selectors)]
    after, changes = normalised(value, steps)
    return after, [f"!{change.message}" if change.conflict else change.message for change in changes]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_dialect_becomes_ours(case: dict[str, Any]) -> None:
    """Each entity becomes what the table says, with the notes that it says."""
    after, notes = result(case["kind"], case["before"], case.get("selectors", {}))
    assert case["after"] == after
    if "notes" in case:
        assert case["notes"] == notes
    else:
        assert notes


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(NAMES), VALUES), st.sampled_from(["HTTP", "KAFKA", ""]))
def test_steps_take_anything_and_leave_it_alone(kind: str, value: dict[str, Any], protocol: str) -> None:
    """No value makes a step fail, none is changed in place, and what is ours already stays without a note."""
    before = deepcopy(value)
    after, _ = result(kind, value, {"protocol": protocol})
    assert before == value
    once_more, _ = result(kind, dict(after), {"protocol": protocol})
    assert result(kind, dict(once_more), {"protocol": protocol})[0] == once_more
