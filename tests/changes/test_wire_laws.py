"""Laws of verdicts with messages as the oracle: where nothing breaks, what one state sends the other one takes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import xregit
from tests.messages.catalogs import GROUP, registry_of
from tests.messages.test_laws import open_values
from xregit.catalog import Registry
from xregit.changes import diff
from xregit.changes.change import Impact
from xregit.messages.encoder import MessageError

NOW = datetime(2026, 5, 22, 10, 30, tzinfo=UTC)
# Placeholders that touch, or whose values have the text between them, are read in one of several ways.
TEXTS = st.lists(st.sampled_from(["a", "b", "/", "-", "{x}", "{y}"]), min_size=1, max_size=4).map(
    lambda parts: "".join(parts).replace("}{", "}-{")
)
TOPICS = TEXTS.map(lambda text: text.replace("/", "."))
CONTEXTS = st.fixed_dictionaries({name: st.sampled_from(["k", "ll", "mn"]) for name in "xyz"})
MEDIA = st.sampled_from(["application/json", "Application/JSON; charset=UTF-8", "text/plain"])
SAFE = {Impact.COMPATIBLE, Impact.COSMETIC}


def properties(values: st.SearchStrategy[Any] = TEXTS) -> st.SearchStrategy[dict[str, Any]]:
    """Draw the definition of a property."""
    return st.fixed_dictionaries(
        {"value": values},
        optional={"required": st.booleans(), "type": st.sampled_from(["string", "uritemplate"])},
    ) | st.fixed_dictionaries({}, optional={"required": st.booleans(), "type": st.sampled_from(["string", "symbol"])})


def _lists(names: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    item = st.tuples(st.sampled_from(names), properties()).map(lambda pair: {"name": f"p{pair[0]}", **pair[1]})
    return st.lists(item, max_size=2)


def _maps() -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(["pa", "pb"]), properties(), max_size=2)


MESSAGES: Mapping[str, st.SearchStrategy[dict[str, Any]]] = {
    "CloudEvents/1.0": st.fixed_dictionaries(
        {},
        optional={"type": properties(), "source": properties(), "subject": properties(), "pa": properties()},
    ).map(lambda attributes: {"envelope": "CloudEvents/1.0", "envelopemetadata": attributes}),
    "MQTT/5.0": st.fixed_dictionaries(
        {"topic_name": TEXTS}, optional={"user_properties": _lists("ab"), "content_type": MEDIA}
    ).map(lambda options: {"protocol": "MQTT/5.0", "protocoloptions": options}),
    "KAFKA": st.fixed_dictionaries({"topic": TOPICS}, optional={"key": TEXTS, "headers": _maps()}).map(
        lambda options: {"protocol": "KAFKA", "protocoloptions": options}
    ),
    "NATS": st.fixed_dictionaries({"subject": TOPICS}, optional={"reply-to": TOPICS, "headers": _lists("ab")}).map(
        lambda options: {"protocol": "NATS", "protocoloptions": options}
    ),
    "HTTP": st.fixed_dictionaries(
        {"path": TEXTS.map(lambda text: f"/{text}")}, optional={"headers": _lists("ab"), "query": _lists("ab")}
    ).map(lambda options: {"protocol": "HTTP", "protocoloptions": options}),
}


@pytest.mark.parametrize("protocol", MESSAGES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_what_breaks_nobody_is_recognised_on_the_other_side(protocol: str, data: st.DataObject, tmp_path: Path) -> None:
    """What old producers send fits the new definition, and what new ones send the old one."""
    before, other = data.draw(MESSAGES[protocol]), data.draw(MESSAGES[protocol])
    states = [registry_of(tmp_path, {"m": message}) for message in (before, data.draw(edits(before, other)))]
    changes = diff(*states)
    context = data.draw(CONTEXTS)
    if all(change.producer in SAFE for change in changes):
        assert is_recognised(states[0], states[1], context)
    if all(change.consumer in SAFE for change in changes):
        assert is_recognised(states[1], states[0], context)


@pytest.mark.parametrize("protocol", MESSAGES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_other_names_of_placeholders_break_nobody(protocol: str, data: st.DataObject, tmp_path: Path) -> None:
    """The names are on neither side of the wire."""
    message = data.draw(MESSAGES[protocol])
    renamed = json.loads(json.dumps(message).replace("{x}", "{z}"))
    changes = diff(registry_of(tmp_path, {"m": message}), registry_of(tmp_path, {"m": renamed}))
    assert [change for change in changes if not {change.producer, change.consumer} <= SAFE] == []


def edits(before: Mapping[str, Any], other: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a message with some of the properties of another one, so that little differs."""
    (part,) = before.keys() - {"envelope", "protocol"}
    names = sorted({*before[part], *other[part]})
    chosen = st.lists(st.sampled_from(names), min_size=1, max_size=2) if names else st.just([])
    return chosen.map(lambda names: {**before, part: _exchange(before[part], other[part], names)})


def _exchange(before: Mapping[str, Any], other: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    kept = {name: value for name, value in before.items() if name not in names}
    return {**kept, **{name: other[name] for name in names if name in other}}


def is_recognised(sender: Registry, receiver: Registry, context: Mapping[str, str]) -> bool:
    """Return whether a message that one state makes fits the definition of the other, or whether none can be made."""
    message = sender[f"{GROUP}m"]
    names = {name for item in message.properties for name in item.placeholders}
    values = {name: value for name, value in context.items() if name in names}
    try:
        wire = xregit.new(message, {**values, **dict.fromkeys(open_values(message), "a")}, b"{}", now=NOW, new_id="1")
    except MessageError:
        return True
    return [item.xid for item in xregit.Matcher(receiver).match(wire).matches] == [f"{GROUP}m"]
