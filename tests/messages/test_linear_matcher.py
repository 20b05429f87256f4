"""The matcher against a linear one of ten lines, on random catalogs and random messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xregit
from tests.messages.catalogs import GROUP, registry_of

Wanted = dict[str, str | None]

NAMES = st.sampled_from(["subject", "level", "kind"])
TEXTS = st.lists(st.sampled_from(["a", "b", "x.y", "{p}", "{q}", "k{p}", "{q}.y"]), min_size=1, max_size=3).map(
    "/".join
)
VALUES = st.lists(st.sampled_from(["a", "b", "x.y", "ka", "k", "kb", "a.y"]), min_size=1, max_size=3).map("/".join)
CATALOGS = st.lists(st.dictionaries(NAMES, st.one_of(TEXTS, st.none()), max_size=3), max_size=12)
MESSAGES = st.lists(st.tuples(NAMES, VALUES), max_size=7)


def linear(wanted: Wanted, message: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """Return every context that a message of names and values fits a definition with."""
    contexts: list[dict[str, str]] = [{}]
    for name, text in wanted.items():
        values = [value for known, value in message if known == name]
        pairs = [(context, value) for context in contexts for value in values]
        contexts = [joined for context, value in pairs if (joined := read(text, value, context)) is not None]
    return contexts


def read(text: str | None, value: str, known: Mapping[str, str]) -> dict[str, str] | None:
    """Return what is known once a value is read as a template, None where it does not fit."""
    if text is None:
        return dict(known)
    held = "(.+)" if re.fullmatch(r"\{\w\}", text) else "([^/]+)"
    names = re.findall(r"\{(\w)\}", text)
    pattern = held.join(map(re.escape, re.split(r"\{\w\}", text)))
    match = re.fullmatch(pattern, value)
    pairs = [*known.items(), *zip(names, match.groups(), strict=True)] if match else [("", "1"), ("", "2")]
    return dict(pairs) if all(dict(pairs)[name] == each for name, each in pairs) else None


def answers(messages: Mapping[str, Any], message: Any) -> dict[str, Any]:
    """Return what the matcher says of a message, by the ids of definitions."""
    with TemporaryDirectory() as folder:
        result = xregit.Matcher(registry_of(Path(folder), messages)).match(message)
    return {item.xid.removeprefix(GROUP): item.context for item in result.matches}


@pytest.mark.requirement("MSG-111")
@given(CATALOGS, MESSAGES)
def test_messages_with_repeated_properties(catalog: list[Wanted], pairs: list[tuple[str, str]]) -> None:
    """The matcher finds the same definitions, and a context that is one of the possible ones."""
    definitions = {
        f"m{number}": {
            "protocol": "MQTT/5.0",
            "protocoloptions": {
                "user_properties": [
                    {"name": name, **({"required": True} if text is None else {"value": text})}
                    for name, text in wanted.items()
                ]
            },
        }
        for number, wanted in enumerate(catalog)
    }
    expected = {f"m{number}": linear(wanted, pairs) for number, wanted in enumerate(catalog)}
    message = {"protocol": "MQTT/5.0", "user_properties": [{"name": name, "value": value} for name, value in pairs]}
    result = answers(definitions, message)
    assert sorted(result) == sorted(name for name, contexts in expected.items() if contexts)
    assert all(context in expected[name] for name, context in result.items())


@pytest.mark.requirement("MSG-111")
@given(CATALOGS, st.dictionaries(NAMES, VALUES))
def test_events(catalog: list[Wanted], attributes: dict[str, str]) -> None:
    """The same holds for CloudEvents, whose attributes have one value each."""
    definitions = {
        f"m{number}": {
            "envelope": "CloudEvents/1.0",
            "envelopemetadata": {
                name: {"type": "string", **({"required": True} if text is None else {"value": text})}
                for name, text in wanted.items()
            },
        }
        for number, wanted in enumerate(catalog)
    }
    message = {"specversion": "1.0", "id": "1", "type": "t", "source": "/s", **attributes}
    result = answers(definitions, message)
    contexts = {f"m{number}": linear(wanted, list(attributes.items())) for number, wanted in enumerate(catalog)}
    assert result == {name: each[0] for name, each in contexts.items() if each}
