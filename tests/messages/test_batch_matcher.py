"""Many events at a time come to the definitions that the matcher names for each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.messages.catalogs import registry_of
from tests.sizes import some
from xregit.messages import batch_matcher
from xregit.messages.matcher import Matcher

VALUES = ["a", "b", "/a/b", "/a/b/c", "/x%20y", "1", "true", "text/plain", "TEXT/Plain", ""]
TEMPLATES = ["{one}", "/a/{one}", "/a/{one}/{two}", "{two}/c", "a{one}", "/{one}/{one}"]
PROPERTY = st.fixed_dictionaries(
    {},
    optional={
        "value": st.sampled_from([*VALUES, *TEMPLATES]),
        "type": st.sampled_from(["string", "uritemplate", "integer", "boolean", "binary", "any"]),
        "required": st.booleans(),
    },
)
DEFINITION = st.fixed_dictionaries(
    {"envelope": st.just("CloudEvents/1.0")},
    optional={
        "envelopemetadata": st.dictionaries(
            st.sampled_from(["type", "source", "subject", "time", "datacontenttype", "count"]), PROPERTY, max_size=3
        ),
        "protocol": st.just("KAFKA"),
    },
)
EVENT = st.fixed_dictionaries(
    {
        "specversion": st.just("1.0"),
        "id": st.just("1"),
        "source": st.sampled_from(VALUES[:-1]),
        "type": st.sampled_from(VALUES[:-1]),
    },
    optional={
        "subject": st.sampled_from(VALUES[:-1]),
        "time": st.just("2026-01-01T00:00:00Z"),
        "datacontenttype": st.sampled_from(VALUES[:-1]),
        "count": st.sampled_from(VALUES),
    },
)


def matcher(definitions: list[Mapping[str, Any]]) -> Matcher:
    """Return the matcher of a registry with these definitions."""
    with TemporaryDirectory() as folder:
        return Matcher(registry_of(Path(folder), {f"m{number}": item for number, item in enumerate(definitions)}))


@pytest.mark.requirement("MSG-1")
@settings(max_examples=some(150))
@given(
    st.lists(DEFINITION, max_size=12), st.lists(EVENT, max_size=6), st.sampled_from([1, batch_matcher.MAX_EXACT_TEXTS])
)
def test_answers_are_those_of_the_matcher(
    definitions: list[Mapping[str, Any]], events: list[dict[str, Any]], telling: int
) -> None:
    """A sure answer is the matcher's, context and all; where it is not sure, several fit. However many texts tell."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_matcher, "MAX_EXACT_TEXTS", telling)
        _agree(matcher(definitions), events)


def _agree(made: Matcher, events: list[dict[str, Any]]) -> None:
    many = made.batch_matcher()
    for _ in range(2):  # as it has not seen them, and as it has
        answers = many.match([[event.get(key) for event in events] for key in many.keys])
        for event, answer in zip(events, answers, strict=True):
            matches = made.match(event).matches
            assert answer.sure == (len(matches) < 2)
            if answer.sure:
                assert [(answer.xid, answer.context)] == ([(each.xid, each.context) for each in matches] or [("", {})])


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered is forgotten when it is too much, and long texts are not remembered at all."""
    monkeypatch.setattr(batch_matcher, "MAX_CACHED", 3)
    result = matcher([{"envelope": "CloudEvents/1.0", "envelopemetadata": {"subject": {"value": "/a/{one}"}}}])
    many = result.batch_matcher()
    subjects = [*(f"/a/{number}" for number in range(10)), "/a/" + "x" * 2000]
    answers = many.match([subjects if key == "subject" else ["t"] * len(subjects) for key in many.keys])
    assert [answer.context["one"] for answer in answers] == [subject.removeprefix("/a/") for subject in subjects]
    assert len(many._answers) <= 3  # noqa: SLF001 - what must not grow


def test_texts_of_which_few_tell_are_one_to_what_is_remembered() -> None:
    """Where only some values of an attribute tell, all others are remembered as one; any will do where one must be."""
    results = [{"subject": {"value": "a"}}, {"subject": {"required": True}, "source": {"value": "s"}}]
    many = matcher([{"envelope": "CloudEvents/1.0", "envelopemetadata": each} for each in results]).batch_matcher()
    told: dict[str, list[str | None]] = {
        "subject": ["a", "b", "??", None, "a"],
        "source": ["t", "s", "s", "s", "s"],
        "type": ["t"] * 5,
    }
    answers = many.match([told[key] for key in many.keys])
    xids = [answer.xid.rpartition("/")[2] if answer.sure else "several" for answer in answers]
    assert xids == ["m0", "m1", "m1", "", "several"]
