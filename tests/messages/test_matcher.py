"""Messages recognised: by which definitions, with which context, mapped to which event, and why not by others."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import xregit
from tests.catalog.folders import registry_of as written
from tests.messages.cases import cases
from tests.messages.catalogs import GROUP, registry_of
from xregit.errors import XregitError
from xregit.messages.definition import to_definition
from xregit.protocols import read_wire

EVENT = {"specversion": "1.0", "id": "1", "type": "t", "source": "/s"}
TYPED = {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "t"}}}


@pytest.mark.parametrize("case", cases("matching.yaml"))
def test_matching(case: Mapping[str, Any], tmp_path: Path) -> None:
    """The definitions, contexts, events and reasons are those of the case, whatever form the message comes in."""
    matcher = xregit.Matcher(registry_of(tmp_path, case["messages"]))
    result = matcher.match(case["message"], explain=True)
    assert {item.xid.removeprefix(GROUP): item.context for item in result.matches} == case["matches"]
    assert result.outcome == case.get("outcome", ("none", "one", "many")[min(len(case["matches"]), 2)])
    assert result.mapped == ("mapped" in case)
    if result.mapped and result.event is not None:
        assert {name: value for name, value in result.event.items() if name != "id"} == case["mapped"]
    reasons = {item["xid"].removeprefix(GROUP): item["failed"] for item in result.as_json()["reasons"] if item["xid"]}
    assert list(case.get("reasons", reasons).items()) == list(reasons.items())
    others = (read_wire(case["message"]), json.dumps(case["message"]), json.dumps(case["message"]).encode())
    assert all(matcher.match(message, explain=True) == result for message in others)
    assert pickle.loads(pickle.dumps(matcher)).match(case["message"], explain=True) == result  # noqa: S301 - our own


def test_result_has_the_agreed_shape(tmp_path: Path) -> None:
    """The JSON of a result has the keys that others rely on, all of them always."""
    matcher = xregit.Matcher(registry_of(tmp_path, {"m": TYPED}))
    assert matcher.match(EVENT).as_json() == {
        "outcome": "one",
        "matches": [{"xid": f"{GROUP}m", "context": {}}],
        "event": EVENT,
        "mapped": False,
        "reasons": [],
    }
    assert matcher.match({**EVENT, "type": "u"}).as_json() == {
        "outcome": "none",
        "matches": [],
        "event": {**EVENT, "type": "u"},
        "mapped": False,
        "reasons": [],
    }


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (b"{" * 1_000_000, "The message is not JSON"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "The message is not JSON"),
        (b"\xff\xfe", "The message is not JSON"),
        ("\ud800", "The message is not JSON"),
        (b"[1]", "A message must be a JSON object"),
        (b"{}", 'A message has "protocol", or "specversion"'),
        (b'{"type":"t","source":"/s","id":"1"}', 'A message has "protocol", or "specversion"'),
        (b'{"protocol":"MQTT/5.0","topic":"a"}', "A message of MQTT/5.0 has no"),
        (b'{"protocol":"NATS","subject":"a","body_base64":"%"}', '"body_base64" must be bytes in base 64'),
    ],
)
def test_what_can_not_be_read_fits_nothing(message: bytes | str, problem: str, tmp_path: Path) -> None:
    """A bad message is no match, and both the result and its reasons say what is wrong."""
    result = xregit.Matcher(registry_of(tmp_path, {"m": TYPED})).match(message)
    assert result.outcome == "none"
    assert result.event is None
    assert problem in result.problems[0]
    assert problem in result.as_json()["reasons"][0]["failed"][0]["found"]


def test_event_with_an_invalid_name_has_a_reason(tmp_path: Path) -> None:
    """It is told without being asked for: what fits nothing would else be looked for in the catalog."""
    event = b'{"specversion":"1.0","id":"1","source":"/s","type":"t","traceId":"x"}'
    (reason,) = xregit.Matcher(registry_of(tmp_path, {"m": TYPED})).match(event).reasons
    assert '"traceId"' in reason.failed[0].found


@pytest.mark.parametrize("contenttype", ["", '"datacontenttype":"application/json",'])
def test_data_of_an_event_in_json_is_json(contenttype: str, tmp_path: Path) -> None:
    """An event in JSON without a media type is one of application/json (JSON format 3.1), whatever the schema."""
    schema = {"type": "record", "name": "R", "fields": [{"name": "u", "type": "long"}]}
    payload = {"datacontenttype": "application/json", "dataschemaformat": "Avro/1.11.0", "dataschema": schema}
    matcher = xregit.Matcher(registry_of(tmp_path, {"m": {**TYPED, **payload}}))
    event = f'{{"specversion":"1.0","id":"1","source":"/s","type":"t",{contenttype}"data":{{"u":5}}}}'
    assert [item.outcome for item in matcher.each(event)] == ["one"]
    batch = f'{{"protocol":"HTTP","headers":{{"content-type":"application/cloudevents-batch+json"}},"body":[{event}]}}'
    assert [item.outcome for item in matcher.each(batch)] == ["one"]


def test_payload_that_nests_too_deep_is_a_reason(tmp_path: Path) -> None:
    """What can be read and not be written again is a payload that no definition has, with a schema or without."""
    deep = b'{"specversion":"1.0","id":"1","source":"/s","type":"t","data":' + b"[" * 1020 + b"]" * 1020 + b"}"
    for payload in ({}, {"dataschemaformat": "JsonSchema/draft-07", "dataschema": {}}):
        result = xregit.Matcher(registry_of(tmp_path, {"m": {**TYPED, **payload}})).match(deep)
        assert result.outcome == "none"
        assert result.reasons[0].failed[0].found == '"data" must not nest that deep.'


def test_batch_has_a_result_for_each_event(tmp_path: Path) -> None:
    """Each event of a batch is recognised by itself."""
    matcher = xregit.Matcher(
        registry_of(tmp_path, {"m": TYPED, "n": {**TYPED, "envelopemetadata": {"type": {"value": "u"}}}})
    )
    batch = {
        "protocol": "HTTP",
        "headers": [{"name": "content-type", "value": "application/cloudevents-batch+json"}],
        "body": [EVENT, {**EVENT, "type": "u"}, {**EVENT, "type": "v"}],
    }
    assert [[match.xid for match in item.matches] for item in matcher.each(batch)] == [[f"{GROUP}m"], [f"{GROUP}n"], []]
    assert [item.event and item.event["type"] for item in matcher.each(batch)] == ["t", "u", "v"]
    assert matcher.match(batch).problems == ("The message is a batch of 3 events; each has a result of its own.",)
    assert [item.outcome for item in matcher.each(EVENT)] == ["one"]


def test_scope_is_an_endpoint_or_a_group(root: Path) -> None:
    """Only definitions that the endpoint carries, or that the group holds, are in question."""
    registry = xregit.load(root / "registry")
    event = {**EVENT, "type": "fleet.trip.started", "source": "https://fleet.example.com/vehicles/W1", "subject": "T1"}
    event["time"] = "2026-05-22T10:30:00Z"
    trips, history = "/messagegroups/fleet.trips", "/messagegroups/fleet.history"
    assert [item.xid for item in xregit.Matcher(registry).match(event, payloads=False).matches] == [
        f"{trips}/messages/fleet.trip.started"
    ]
    scoped = xregit.Matcher(registry, group=history).match(event, payloads=False)
    assert [item.xid for item in scoped.matches] == [f"{history}/messages/fleet.trip.started"]
    carried = xregit.Matcher(registry, endpoint="/endpoints/fleet.history").match(event, payloads=False)
    assert carried == scoped
    assert xregit.Matcher(registry, endpoint="/endpoints/fleet.updates").match(event).outcome == "none"


def test_definitions_that_share_even_their_rarest_are_parted_further(tmp_path: Path) -> None:
    """Where many demand the same things, those that differ in their combination are told apart all the same."""
    pairs = [(one, other) for one in range(6) for other in range(6)]
    definitions = {
        f"m{one}{other}": {
            "envelope": "CloudEvents/1.0",
            "envelopemetadata": {"subject": {"value": f"{{x}}/a{one}"}, "level": {"value": f"b{other}"}},
        }
        for one, other in pairs
    }
    matcher = xregit.Matcher(registry_of(tmp_path, definitions))
    for one, other in pairs:
        result = matcher.match({**EVENT, "subject": f"y/a{one}", "level": f"b{other}"})
        assert [item.xid for item in result.matches] == [f"{GROUP}m{one}{other}"]


UNLIKE: list[tuple[dict[str, Any], list[tuple[str, str, str | None]]]] = [
    (
        {**EVENT, "type": "rooms.colt"},
        [("envelopemetadata/type", 'the type of a definition; the nearest is "rooms.cold"', "rooms.colt")],
    ),
    ({**EVENT, "type": "else"}, [("envelopemetadata/type", "the type of a definition", "else")]),
    (
        {"protocol": "MQTT/5.0", "topic_name": "rooms"},
        [("protocoloptions/topic_name", 'the topic_name of a definition; the nearest is "rooms/{room}"', "rooms")],
    ),
    ({"protocol": "MQTT/5.0"}, [("protocoloptions/topic_name", "the topic_name of a definition", None)]),
    ({"protocol": "HTTP", "status": "500"}, [("protocoloptions/status", "the status of a definition", "500")]),
    ({"protocol": "NATS"}, [("protocol", "the protocol of a definition, such as HTTP, MQTT/5.0", "NATS")]),
]


@pytest.mark.parametrize(("message", "expected"), UNLIKE)
def test_what_comes_near_to_nothing_is_told_why(
    message: dict[str, Any], expected: list[tuple[str, str, str | None]], tmp_path: Path
) -> None:
    """What a message is called is named where no definition is called so, with the one that begins most like it."""
    named = {f"m{n}": {**TYPED, "envelopemetadata": {"type": {"value": f"rooms.{n}"}}} for n in ("cold", "warm")}
    on = {"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": "rooms/{room}"}}
    answer = {"protocol": "HTTP", "protocoloptions": {"status": "200"}}
    asked = {"protocol": "HTTP", "protocoloptions": {"path": "/rooms"}}
    definitions = {**named, "on": on, "answer": answer, "asked": asked}
    (reason,) = xregit.Matcher(registry_of(tmp_path, definitions)).match(message, explain=True).reasons
    assert reason.xid == ""
    assert [(item.attribute, item.expected, item.found) for item in reason.failed] == expected


def test_event_over_a_protocol_without_definitions_has_reasons(tmp_path: Path) -> None:
    """An event's own type selects definitions, also where it comes over a protocol that none is bound to."""
    far = {**TYPED, "envelopemetadata": {"type": {"value": "t"}, "source": {"value": "/far"}}}
    matcher = xregit.Matcher(registry_of(tmp_path, {"m": far}))
    over = {"protocol": "KAFKA", "headers": {f"ce_{name}": text for name, text in EVENT.items()}}
    assert matcher.match(over, explain=True).reasons == matcher.match(EVENT, explain=True).reasons
    assert [item.xid for item in matcher.match(over, explain=True).reasons] == [f"{GROUP}m"]
    (alone,) = matcher.match({"protocol": "KAFKA", "topic": "x"}, explain=True).reasons
    assert alone.failed[0].expected == "no protocol, as no definition is bound to one"


@pytest.mark.parametrize("scope", [{"endpoint": "/endpoints/al"}, {"group": "/messagegroups/x"}])
def test_unknown_scope_is_an_error(scope: dict[str, str], tmp_path: Path) -> None:
    """A scope that isn't there is said, with one that is like it."""
    with pytest.raises(XregitError, match="there is no endpoint or message group"):
        xregit.Matcher(registry_of(tmp_path, {"m": TYPED}), **scope)


def test_alias_is_recognised_as_its_target(root: Path) -> None:
    """A message that stands for another one is that one."""
    registry = xregit.load(root / "registry")
    event = {
        **EVENT,
        "type": "luggage.bag.delivered",
        "time": "2026-05-22T10:30:00Z",
    }
    result = xregit.Matcher(registry, group="/messagegroups/luggage.arrivals").match(event, explain=True)
    assert [item.xid for item in result.reasons] == ["/messagegroups/luggage.handling/messages/luggage.bag.delivered"]


def test_mapped_event_has_the_same_id_each_time(tmp_path: Path) -> None:
    """The same message becomes the same event; another one becomes another."""
    registry = registry_of(
        tmp_path,
        {
            "m": {
                "envelope": "CloudEvents/1.0",
                "envelopemetadata": {"type": {"value": "t"}, "source": {"value": "/s/{a}"}},
                "protocol": "NATS",
                "protocoloptions": {"subject": "s.{a}"},
            }
        },
    )
    matcher = xregit.Matcher(registry)
    events = [matcher.match({"protocol": "NATS", "subject": "s.1", "body": body}).event for body in ("x", "x", "y")]
    ids = [event["id"] for event in events if event is not None]
    assert ids[0] == ids[1] != ids[2]


TEMPLATES = {
    "event": {
        "envelope": "CloudEvents/1.0",
        "envelopemetadata": {
            "type": {"value": "event"},
            "source": {"value": "/bags/{bag}"},
            "subject": {"value": "{bag}"},
            "title": {"value": "Bag {bag} is late"},
            "belt": {"type": "string", "value": "{belt}"},
        },
    },
    "amqp": {
        "protocol": "AMQP/1.0",
        "protocoloptions": {
            "properties": {"subject": {"value": "{bag}"}, "content-type": {"value": "text/{kind}"}},
            "application-properties": {"belt": {"value": "{belt}"}},
        },
    },
}


def test_catalog_and_its_document_have_the_same_definitions(root: Path, tmp_path: Path) -> None:
    """What a message fits and is made of does not hang on whether the files are read or the document."""
    files = {f"messagegroups/g/messages/{mid}.yaml": json.dumps(one) for mid, one in TEMPLATES.items()}
    for registry in (xregit.load(root / "registry"), written(tmp_path / "few", files)):
        path = tmp_path / "document.json"
        path.write_text(json.dumps(xregit.compile(registry)), encoding="utf-8")
        document = xregit.load(path)
        messages = [one for one in registry.all_resources if one.type.plural == "messages"]
        assert messages
        for one in messages:
            asked, stated = to_definition(registry[one.xid]), to_definition(document[one.xid])
            for part in ("protocol", "enveloped", "mode", "format", "contenttype"):
                assert getattr(asked, part) == getattr(stated, part), one.xid
            for part in ("envelope", "options"):  # the order is another one
                assert set(getattr(asked, part)) == set(getattr(stated, part)), one.xid
