"""Every event of the corpus against the documents that define it: one outcome each, and each explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import xregit
from xregit.messages.matching import Matcher
from xregit.protocols import bind, read_event, wire_json
from xregit.protocols.carriers import carrier

OUTCOMES = yaml.safe_load((Path(__file__).parents[1] / "cases/messages/events.yaml").read_bytes())
PROTOCOLS = ("HTTP", "AMQP/1.0", "MQTT/3.1.1", "MQTT/5.0", "KAFKA", "NATS")
MODES = [(name, mode) for name in PROTOCOLS for mode in getattr(carrier(name), "modes", ())]


@pytest.fixture(scope="module")
def events(shared: Path) -> list[dict[str, Any]]:
    """Return all events of the corpus with what it says of them."""
    return [json.loads(line) for line in (shared / "corpus/events.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def matcher(shared: Path, events: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Matcher:
    """Return the matcher of one registry with all documents that define an event, imported together."""
    named = {found["document"] for event in events for found in event["definitions"]}
    documents = sorted(path for path in (shared / "corpus/docs").rglob("*") if path.name in named)
    folder = tmp_path_factory.mktemp("events") / "registry"
    report = xregit.import_documents(documents, folder)
    assert report.files
    return Matcher(xregit.load(folder))


def expected(event: dict[str, Any]) -> list[str]:
    """Return the xids of the definitions that the corpus names."""
    return [f"/messagegroups/{found['group']}/messages/{found['message']}" for found in event["definitions"]]


def numbers(events: list[dict[str, Any]], group: dict[str, Any]) -> set[int]:
    """Return the numbers of the events that share an outcome."""
    return {
        event["n"] for event in events if event["kind"] == group.get("kind") or event["n"] in group.get("events", ())
    }


def test_every_event_has_one_outcome(events: list[dict[str, Any]]) -> None:
    """Nothing is left out, nothing is judged twice."""
    judged = [number for group in (OUTCOMES["one"], *OUTCOMES["none"]) for number in numbers(events, group)]
    assert sorted(judged) == sorted(event["n"] for event in events)


@pytest.mark.requirement("MSG-59", "MSG-64")
def test_an_event_that_conforms_is_recognised(events: list[dict[str, Any]], matcher: Matcher) -> None:
    """As the one definition of it, and the event comes back as it was."""
    for event in (event for event in events if event["n"] in OUTCOMES["one"]["events"]):
        result = matcher.match(event["event"])
        assert (event["n"], [item.xid for item in result.matches]) == (event["n"], expected(event))
        assert result.event == event["event"]
        assert not result.mapped


@pytest.mark.parametrize("group", OUTCOMES["none"], ids=lambda group: group["why"][:40])
def test_an_event_that_does_not_conform_is_explained(
    group: dict[str, Any], events: list[dict[str, Any]], matcher: Matcher
) -> None:
    """It fits nothing, and each constraint that fails is named with what was found."""
    for event in (event for event in events if event["n"] in numbers(events, group)):
        result = matcher.match(event["event"], explain=True)
        assert (event["n"], result.outcome) == (event["n"], "none")
        failed = {failure.attribute for reason in result.reasons for failure in reason.failed}
        assert failed >= set(group["failed"])
        assert bool(result.reasons) == bool(group["failed"])


@pytest.mark.requirement("MSG-50")
@pytest.mark.parametrize(("protocol", "mode"), MODES)
def test_an_event_is_recognised_over_every_protocol(
    protocol: str, mode: str, events: list[dict[str, Any]], matcher: Matcher
) -> None:
    """A definition without protocol holds for all of them, binary and structured."""
    for event in (event for event in events if event["n"] in OUTCOMES["one"]["events"]):
        wire = bind(read_event(event["event"]), protocol, mode)
        (result,) = matcher.each(wire_json(wire))
        assert (event["n"], [item.xid for item in result.matches]) == (event["n"], expected(event))


def test_a_message_on_the_topic_of_its_definition_is_that_of_mqtt(
    events: list[dict[str, Any]], matcher: Matcher
) -> None:
    """Its definition for MQTT says more of it than the one without protocol."""
    (event,) = (event for event in events if "mqtt_topic" in event)
    wire = bind(read_event(event["event"]), "MQTT/5.0", "binary", {"topic_name": [event["mqtt_topic"]]})
    (found,) = matcher.match(wire).matches
    assert found.xid.startswith(expected(event)[0].partition("/messages/")[0] + ".mqtt/")
    assert event["mqtt_topic"].split("/")[4] == found.context["spacecraft"]
