"""Patterns held against each other, with the library that matches them as the judge."""

from __future__ import annotations

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import some
from xregit.payloads.compatibility.base import Budget, TooLargeError
from xregit.payloads.compatibility.patterns import difference, includes

ATOMS = st.sampled_from(("a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\S", "[a-c0]", "-", r"\."))
BODIES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(("*", "+", "?", "{2}", "{1,3}", "{2,}"))).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
    ),
    max_leaves=4,
)
PATTERNS = st.tuples(st.sampled_from(("", "^")), BODIES, st.sampled_from(("", "$"))).map("".join)
TEXTS = st.lists(st.text(alphabet="ab0c-._ é\n", max_size=5), min_size=10, max_size=30)


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern is found in a text."""
    return jsonschema_rs.validator_for({"pattern": pattern}).is_valid(text)


@settings(max_examples=some(300))
@given(PATTERNS, PATTERNS, TEXTS)
def test_a_difference_is_one_and_where_there_is_none_no_text_shows_one(one: str, other: str, texts: list[str]) -> None:
    """The text that is returned tells the two apart; without it, each text of the first matches the second."""
    try:
        text = difference([one], [other], Budget())
    except TooLargeError:
        return
    if text is None:
        assert [item for item in texts if matches(one, item) and not matches(other, item)] == []
    else:
        assert matches(one, text)
        assert not matches(other, text)


@pytest.mark.parametrize(
    ("writer", "reader", "expected"),
    [
        ("^[A-Z]{2}[0-9]+$", "^[A-Z]+[0-9]*$", True),
        ("^[A-Z]+$", "^[A-Z]{2}$", False),
        ("^a|b$", "^a", False),
        ("^(a|aa|aaa){1,40}$", "^a{1,120}$", True),
        (r"^\w+@\w+$", "@", True),
        ("^(?=a)a$", "^(?=a)a$", True),
        ("^(?=a)a$", "^a$", False),
        (r"^(a)\1$", "^aa$", False),
        (r"^\p{L}$", "^.$", False),
        ("^" + "a?" * 999, "^" + "b?" * 999, False),
    ],
)
def test_what_is_certain(writer: str, reader: str, expected: bool) -> None:
    """What isn't regular, or is too large, is not certain unless it is the same."""
    assert includes(reader, writer, Budget()) is expected


def test_several_patterns_are_alternatives() -> None:
    """A text matches if one of them does."""
    assert difference(["^a$", "^b$"], ["^[ab]$"], Budget()) is None
    assert difference(["^[a-c]$"], ["^a$", "^b$"], Budget()) == "c"
