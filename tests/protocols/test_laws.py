"""What holds for every message, every event and every protocol."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocols.strategies import ATTRIBUTE, JSON, PROTOCOLS, events, wires
from xregit.protocols import (
    Event,
    Wire,
    assemble,
    bind,
    bind_batch,
    event_json,
    extract,
    flatten,
    read_event,
    read_wire,
    to_text,
)
from xregit.protocols.binding import BATCH, event_binding
from xregit.protocols.json import json_bytes, json_value

FIELDS = st.recursive(
    st.one_of(st.booleans(), st.integers(-(2**63), 2**64 - 1), ATTRIBUTE),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ATTRIBUTE, inner, max_size=3)),
    max_leaves=8,
)
MODES = [(name, mode) for name in PROTOCOLS for mode in getattr(event_binding(name), "modes", ()) if mode != BATCH]


@given(wires())
def test_reading_undoes_writing(wire: Wire) -> None:
    """A message is the same after a way through JSON text."""
    assert read_wire(json.loads(json.dumps(wire.as_json()))) == wire


@given(wires())
def test_assembling_undoes_flattening(wire: Wire) -> None:
    """A message is what its values by key say, no more and no less."""
    flat = flatten(wire)
    again = assemble(wire.protocol, flat, wire.body)
    assert again == wire
    assert flatten(again) == flat


@pytest.mark.requirement("CEM-9", "CEM-10", "CEM-11", "CEM-14", "CEM-15", "CEM-19")
@pytest.mark.parametrize(("protocol", "mode"), MODES)
@given(event=events())
def test_a_message_carries_the_event_bound_to_it(protocol: str, mode: str, event: Event) -> None:
    """Binary or structured, over every protocol, with every awkward character."""
    result = extract(read_wire(bind(event, protocol, mode).as_json()))
    assert result.problems == ()
    assert (result.mode, result.events) == (mode, (event,))


@pytest.mark.requirement("CEM-15")
@pytest.mark.parametrize(("protocol", "mode"), MODES)
@given(event=events(st.one_of(st.booleans(), st.integers(-(2**31), 2**31 - 1))))
def test_values_that_are_no_texts_arrive_as_themselves_or_as_canonical_text(
    protocol: str, mode: str, event: Event
) -> None:
    """Truth values and whole numbers become texts where the protocol has only those."""
    result = extract(bind(event, protocol, mode)).events[0].attributes
    assert {name: to_text("any", value) for name, value in result.items()} == {
        name: to_text("any", value) for name, value in event.attributes.items()
    }


@given(st.lists(events(), max_size=3))
def test_a_batch_carries_its_events(batch: list[Event]) -> None:
    """In their order, and none is lost."""
    result = extract(bind_batch(batch, "HTTP"))
    assert (result.mode, result.events, result.problems) == ("batch", tuple(batch), ())


@given(events())
def test_reading_an_event_undoes_writing_it(event: Event) -> None:
    """An event is the same after a way through the JSON event format."""
    assert read_event(json_value(json_bytes(event_json(event)))) == event


@given(JSON)
def test_whole_numbers_of_any_size_pass_through(value: object) -> None:
    """Nothing of a payload is rounded that Python could hold."""
    assert json_value(json_bytes(value)) == value


@given(st.dictionaries(ATTRIBUTE, FIELDS, max_size=3), ATTRIBUTE)
def test_a_protocol_that_nobody_knows_keeps_what_it_has(fields: dict[str, object], body: str) -> None:
    """Its fields may be anything, as long as they are JSON."""
    wire = Wire("PIGEON/1", fields, body.encode())
    assert read_wire(wire.as_json()).as_json() == wire.as_json()


def test_the_values_of_a_protocol_that_nobody_knows_have_their_paths_as_keys() -> None:
    """Maps within maps, and lists of names with values."""
    wire = read_wire({"protocol": "PIGEON/1", "leg": {"ring": {"no": 5}}, "notes": [{"name": "a", "value": "b"}]})
    assert flatten(wire) == {"leg/ring/no": (5,), "notes/a": ("b",)}
    assert assemble("PIGEON/1", {"speed": [80]}).as_json() == {"protocol": "PIGEON/1", "speed": 80}


def test_the_values_of_a_bare_event_have_the_names_of_its_attributes() -> None:
    """The payload is none of them."""
    assert flatten(read_wire({"specversion": "1.0", "id": "1", "data": 1})) == {"specversion": ("1.0",), "id": ("1",)}


def test_names_of_http_headers_are_keys_in_lower_case() -> None:
    """Those of other protocols keep their case."""
    pairs = [{"name": "X-A", "value": "1"}, {"name": "x-a", "value": "2"}]
    assert flatten(read_wire({"protocol": "HTTP", "headers": pairs})) == {"headers/x-a": ("1", "2")}
    assert flatten(read_wire({"protocol": "NATS", "headers": pairs})) == {"headers/X-A": ("1",), "headers/x-a": ("2",)}


def test_lists_and_maps_may_each_be_written_as_the_other() -> None:
    """As definitions in the wild do."""
    assert read_wire({"protocol": "HTTP", "query": {"a": ["1", "2"], "b": 3, "c": None}}).fields == {
        "query": (("a", "1"), ("a", "2"), ("b", "3"))
    }
    pairs = [
        {"name": "a", "value": "1"},
        {"name": "b", "value": None},
        {"name": "a", "value": "2"},
        {"name": "a", "value": "3"},
    ]
    assert read_wire({"protocol": "KAFKA", "headers": pairs}).fields == {"headers": {"a": ("1", "2", "3")}}
    assert read_wire({"protocol": "AMQP", "footer": pairs[:2], "header": {"ttl": None}}).fields == {
        "footer": {"a": "1"},
        "header": {},
    }


@pytest.mark.parametrize(
    ("protocol", "name", "alias"),
    [
        ("MQTT/5.0", "payload_format", "payload_format_indicator"),
        ("MQTT/5.0", "user_properties", "user-properties"),
        ("NATS", "reply-to", "reply"),
    ],
)
def test_a_field_is_known_by_the_names_of_other_releases(protocol: str, name: str, alias: str) -> None:
    """What is read has the one name (site/manual/contradictions.md, K8, K11, K16)."""
    value = {"payload_format": 1, "user_properties": [{"name": "a", "value": "b"}]}.get(name, "a.b")
    assert read_wire({"protocol": protocol, alias: value}).as_json() == {"protocol": protocol, name: value}


@pytest.mark.parametrize(
    ("key", "flat"),
    [
        ({"key": "abc"}, {"key": ("abc",), "key_base64": ("YWJj",)}),
        ({"key_base64": "YWJj"}, {"key": ("abc",), "key_base64": ("YWJj",)}),
        ({"key_base64": "gA=="}, {"key_base64": ("gA==",)}),
    ],
)
def test_a_key_of_kafka_is_found_as_text_and_as_bytes(key: dict[str, str], flat: dict[str, tuple[str]]) -> None:
    """A definition may state either."""
    assert flatten(read_wire({"protocol": "KAFKA", **key})) == flat


def test_a_number_that_amqp_knows_stays_one() -> None:
    """A message-id may be an unsigned long, or bytes."""
    wire = read_wire({"protocol": "AMQP", "properties": {"message-id": 2**64 - 1, "user-id": {"base64": "gA=="}}})
    assert wire.fields == {"properties": {"message-id": 2**64 - 1, "user-id": b"\x80"}}
    assert read_wire({"protocol": "HTTP", "status": 200}).fields == {"status": "200"}


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (None, {}),
        (b"", {"body": ""}),
        (b"null", {"body": "null"}),
        (b'{"a":1}', {"body": {"a": 1}}),
        (b'{"a": 1}', {"body": '{"a": 1}'}),
        (b'{"a":1,"a":1}', {"body": '{"a":1,"a":1}'}),
        (b"[1.0,1e2]", {"body": "[1.0,1e2]"}),
        (b"\x80", {"body_base64": "gA=="}),
    ],
)
def test_a_payload_is_written_so_that_nothing_is_lost(body: bytes | None, written: dict[str, object]) -> None:
    """As JSON where that gives the same bytes, as text where it is text, and in base 64."""
    assert Wire("NATS", {}, body).as_json() == {"protocol": "NATS", **written}
    assert read_wire({"protocol": "NATS", **written}).body == body
