"""What several verdicts say is one sentence for all places where it is true."""

from __future__ import annotations

import pytest

from xregit.payloads.compatibility.base import ROOT, Answer, Verdict, summarise


@pytest.mark.parametrize(
    ("verdicts", "text"),
    [
        ([], ""),
        ([(ROOT, "The type changes.")], "The type changes"),
        ([("a", "It is gone."), ("b", "It is gone.")], "a, b: It is gone"),
        ([("a", "It is gone."), ("b", "It is new."), ("a", "It is gone.")], "a: It is gone. b: It is new"),
        ([(name, "It is gone.") for name in "abcdefgh"], "a, b, c and 5 more: It is gone"),
        ([("a", f"It is {name}.") for name in "abcde"], "a: It is a. a: It is b. a: It is c, and 2 more"),
        ([(ROOT, "It is gone."), ("a", "It is gone.")], "the payload, a: It is gone"),
    ],
)
def test_each_sentence_is_said_once(verdicts: list[tuple[str, str]], text: str) -> None:
    """Of many sentences, and of many places, the first three are told."""
    given = [Verdict(where, "kind", Answer.NO, Answer.YES, message, "") for where, message in verdicts]
    assert text == summarise(given)
