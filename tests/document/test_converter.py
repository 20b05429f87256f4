"""Entities of other dialects under our names."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.document.small import cases
from xregit.catalog.origin import original_pointer
from xregit.document.dialects.converter import convert
from xregit.document.dialects.steps import trace_paths
from xregit.document.profiles import dialect

CASES = cases("dialects")
KINDS = sorted(dialect("1.0").entities)
NAMES = sorted(
    {name for steps in dialect("1.0").entities.values() for step in steps for name in step.attributes} | set("ab")
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["#/a/b", "None", "urireference", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


def result(kind: str, value: dict[str, Any], selectors: dict[str, str]) -> tuple[Any, list[str]]:
    """Return an entity under our names, and the notes."""
    steps = [step for step in dialect("1.0").entities[kind] if step.holds(selectors)]
    after, changes = convert(value, steps)
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


def test_scattered_addresses_have_the_places_of_the_gathered() -> None:
    """Whatever is wrong with an address or its item is told where it was written, whichever item it becomes."""
    gathered = {"bootstrap.servers": ["a:1", "b:2"], "security.protocol": "SSL", "saslmechanism": "x"}
    value = {"protocoloptions": {"endpoints": [gathered, {"uri": "c:3"}]}}
    steps = [step for step in dialect("1.0").entities["endpoint"] if step.holds({"protocol": "KAFKA"})]
    after, changes = convert(value, steps)
    places = trace_paths(changes)[1]
    items = ("protocoloptions", "endpoints")
    assert [each["uri"] for each in after["protocoloptions"]["endpoints"]] == ["SSL://a:1", "SSL://b:2", "c:3"]
    assert [original_pointer((*items, number, "uri"), places)[2:] for number in range(3)] == [
        (0, "bootstrap.servers", 0),
        (0, "bootstrap.servers", 1),
        (1, "uri"),
    ]
    assert original_pointer((*items, 1, "saslmechanism"), places) == (*items, 0, "saslmechanism")


def test_addresses_that_are_not_gathered_stay_without_a_word() -> None:
    """A list that is as it should be is left alone."""
    value = {"endpoints": [{"uri": "c:3"}]}
    assert result("endpoint", {"protocoloptions": value}, {"protocol": "KAFKA"}) == ({"protocoloptions": value}, [])


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(NAMES), VALUES), st.sampled_from(["HTTP", "KAFKA", ""]))
def test_steps_take_anything_and_leave_it_alone(kind: str, value: dict[str, Any], protocol: str) -> None:
    """No value makes a step fail, none is changed in place, and what is ours already stays without a note."""
    before = deepcopy(value)
    after, _ = result(kind, value, {"protocol": protocol})
    assert before == value
    once_more, _ = result(kind, dict(after), {"protocol": protocol})
    assert result(kind, dict(once_more), {"protocol": protocol})[0] == once_more
