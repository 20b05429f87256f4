"""Messages that are none: one error that says all that is wrong, on one line, in bounded time."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocols.strategies import JSON, PROTOCOLS
from tests.steps import at_most
from xregit.protocols import (
    Event,
    WireError,
    assemble,
    bind,
    bind_batch,
    event_problems,
    extract,
    flatten,
    read_event,
    read_wire,
)
from xregit.protocols.binding import percent_decode
from xregit.protocols.canonical_text import LONG_MIN, ULONG_MAX
from xregit.protocols.json import json_bytes, json_value
from xregit.protocols.message_layout import message_layout

MQTT, HTTP, KAFKA, AMQP, NATS = "MQTT/5.0", "HTTP", "KAFKA", "AMQP/1.0", "NATS"
EVENT = {"specversion": "1.0", "id": "1", "source": "/s", "type": "t"}


def deep(levels: int) -> Any:
    """Return lists within lists."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


BAD: list[tuple[Any, list[str]]] = [
    (None, ["A message must be a JSON object, but is null."]),
    ([EVENT], ["A message must be a JSON object, but is a list."]),
    ({"protocol": 5}, ['"protocol" must be the name of a protocol, but is 5.']),
    ({"protocol": ""}, ['"protocol" must be the name of a protocol, but is "".']),
    ({"protocol": "a" * 129}, [f'"protocol" must be the name of a protocol, but is "{"a" * 59}…".']),
    (
        {"protocol": MQTT, "topicname": "a", "qos": 3, "retain": "yes", "body": 1, "body_base64": ""},
        [
            'A message has "body" or "body_base64", not both.',
            'A message of MQTT/5.0 has no "topicname". Did you mean "topic_name"?',
            '"qos" must be 0, 1 or 2, but is 3.',
            '"retain" must be true or false, but is "yes".',
        ],
    ),
    (
        {"protocol": "mqtt/3", "user_properties": []},
        ['A message of MQTT/3.1.1 has no "user_properties". It may have qos, retain or topic_name.'],
    ),
    (
        {"protocol": MQTT, "payload_format": 1, "payload_format_indicator": 1},
        ['"payload_format" and "payload_format_indicator" are the same; leave one out.'],
    ),
    (
        {"protocol": MQTT, "message_expiry_interval": 2**32},
        ['"message_expiry_interval" must be a whole number from 0 to 4294967295, but is 4294967296.'],
    ),
    (
        {"protocol": MQTT, "message_expiry_interval": 2**64},
        [f'"message_expiry_interval" must be from {LONG_MIN} to {ULONG_MAX}, but is {2**64}.'],
    ),
    (
        {"protocol": MQTT, "topic_name": "a\0b"},
        ['"topic_name" has characters that its protocol can\'t carry: "a\\x00b".'],
    ),
    ({"protocol": MQTT, "topic_name": "\ud800"}, ['"topic_name" has a lone surrogate.']),
    ({"protocol": MQTT, "topic_name": {"a": 1}}, ['"topic_name" must be a text, but is a map.']),
    ({"protocol": MQTT, "correlation_data": {"base64": "A"}}, ['"correlation_data" must be bytes in base 64.']),
    ({"protocol": MQTT, "correlation_data": {"base64": 5}}, ['"correlation_data" must be bytes in base 64, but is 5.']),
    (
        {"protocol": MQTT, "user_properties": "a"},
        ['"user_properties" must be a list of names with values, but is "a".'],
    ),
    (
        {"protocol": MQTT, "user_properties": [{"name": "a"}, 5, {"name": 1, "value": "x"}]},
        [f'Item {number} of "user_properties" must have "name", a text, and "value".' for number in (1, 2, 3)],
    ),
    (
        {
            "protocol": HTTP,
            "headers": [
                {"name": "X-A", "value": "a\r\nX-Evil: 1"},
                {"name": "a b", "value": "c"},
                {"name": "", "value": "c"},
                {"name": "X", "value": [1]},
            ],
        },
        [
            '"headers/X-A" has characters that its protocol can\'t carry: "a\\r\\nX-Evil: 1".',
            'A name in "headers" must be letters, digits and some signs, without spaces, but is "a b".',
            'A name in "headers" must be letters, digits and some signs, without spaces, but is "".',
            '"headers/X" must be a text, but is a list.',
        ],
    ),
    (
        {"protocol": NATS, "headers": [{"name": "a\n", "value": "x"}, {"name": "a", "value": "\0"}]},
        [
            'A name in "headers" must be printable ASCII characters, without spaces and colons, but is "a\\n".',
            '"headers/a" has characters that its protocol can\'t carry: "\\x00".',
        ],
    ),
    (
        {"protocol": KAFKA, "key": "a", "key_base64": "YQ=="},
        ['A message of KAFKA has "key" or "key_base64", not both.'],
    ),
    ({"protocol": KAFKA, "key_base64": "YQ"}, ['"key_base64" must be bytes in base 64.']),
    ({"protocol": KAFKA, "partition": "first"}, ['"partition" must be a whole number, but is "first".']),
    (
        {
            "protocol": AMQP,
            "properties": {"subjct": "a", "group-sequence": 1.5, "creation-time": "now"},
            "header": [],
            "application-properties": {"n": 2**64, "x": deep(60), "f": float("nan")},
        },
        [
            '"properties" has no "subjct". Did you mean "subject"?',
            '"properties/group-sequence" must be a whole number, but is 1.5.',
            '"properties/creation-time" must be a time such as 2026-05-22T10:30:00Z, but is "now".',
            '"header" must be an object, but is an empty list.',
            f'"application-properties/n" must be from {LONG_MIN} to {ULONG_MAX}.',
            '"application-properties/x" must be a JSON value, nested at most 50 times.',
            '"application-properties/f" must be a number that fits 64 bits.',
        ],
    ),
    (
        {"protocol": AMQP, "application-properties": [{"name": "a", "value": 1}, {"name": "a", "value": 2}]},
        ['"application-properties" has "a" twice.'],
    ),
    (
        {"protocol": AMQP, "application-properties": {"a": object()}},
        ['"application-properties/a" must be a JSON value, nested at most 50 times.'],
    ),
    ({"protocol": HTTP, "body": "\ud800"}, ['"body" must not have a lone surrogate.']),
    (
        {"protocol": HTTP, "body": {"a": "\ud800", "b": 2**70}},
        ['"body" must not have a lone surrogate.'],
    ),
    ({"protocol": HTTP, "body": deep(5000)}, ['"body" must not nest that deep.']),
    (
        {"protocol": HTTP, "body": [float("inf"), 2**70]},
        ['"body" must be a JSON value, with numbers that are finite.'],
    ),
    ({"protocol": HTTP, "body_base64": "AAE"}, ['"body_base64" must be bytes in base 64.']),
    ({"protocol": HTTP, "body_base64": [1]}, ['"body_base64" must be bytes in base 64, but is a list.']),
    (
        {**EVENT, "n": 1.5, "x": {"a": 1}, "data": 1, "data_base64": "AA=="},
        [
            'The attribute "n" must be a text, a whole number, true or false.',
            'The attribute "x" must be a text, a whole number, true or false.',
            'An event has "data" or "data_base64", not both.',
        ],
    ),
    ({**EVENT, "data_base64": "A"}, ['"data_base64" must be bytes in base 64.']),
    (
        {**EVENT, "datacontenttype": "text/plain", "data": "\ud800"},
        ['"data" must not have a lone surrogate.'],
    ),
    ({}, ['A message has "protocol", or "specversion" if it is a CloudEvent; this has neither.']),
    ({"specversion": None}, ['A message has "protocol", or "specversion" if it is a CloudEvent; this has neither.']),
    ({"topic_name": "a"}, ['A message has "protocol", or "specversion" if it is a CloudEvent; this has neither.']),
]


@pytest.mark.parametrize(("value", "problems"), BAD)
def test_a_message_that_is_none_says_all_that_is_wrong(value: Any, problems: list[str]) -> None:
    """Each fault is a sentence, and together they are one line."""
    with pytest.raises(WireError) as error:
        read_wire(value)
    assert list(error.value.problems) == problems
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    ("protocol", "fields", "problem"),
    [
        (MQTT, {"topic_name": ["a", "b"]}, '"topic_name" has 2 values, but takes one.'),
        (MQTT, {"topic_name": []}, '"topic_name" has 0 values, but takes one.'),
        (MQTT, {"headers/a": ["b"]}, 'A message of MQTT/5.0 has no "headers/a".'),
        (AMQP, {"properties/a": ["b"]}, '"properties" has no "a".'),
        (HTTP, {"headers/x": ["a\nb"]}, '"headers/x" has characters that its protocol can\'t carry: "a\\nb".'),
        (KAFKA, {"key": ["a"], "key_base64": [b"b"]}, 'A message of KAFKA has "key" or "key_base64", not both.'),
    ],
)
def test_a_message_that_can_not_be_is_not_assembled(protocol: str, fields: dict[str, Any], problem: str) -> None:
    """The same faults as in a message that is read."""
    with pytest.raises(WireError) as error:
        assemble(protocol, fields)
    assert str(error.value).startswith(problem)


@pytest.mark.parametrize(
    "text",
    [
        b"{" * 1_000_000,
        b"[" * 1_000_000,
        b'{"a":' * 100_000,
        b'"' + b"\\" * 999_999,
        b"\xff" * 1000,
        b"",
        b"NaN",
        b"1" * 1_000_000,
        b"-" * 1000,
        b'"\\ud800"',
        b'{"n":' + b"[" * 2000 + b"1234567890123456789012345" + b"]" * 2000 + b"}",
    ],
    ids=range(11),
)
@pytest.mark.parametrize("contenttype", ["application/cloudevents+json", "application/cloudevents-batch+json", ""])
def test_a_payload_that_is_no_json_is_a_problem_or_no_event(text: bytes, contenttype: str) -> None:
    """However long or deep it is."""
    with pytest.raises(ValueError, match=r"."):
        json_value(text)
    wire = assemble(HTTP, {"headers/content-type": [contenttype]}, text)
    assert extract(wire).events == ()
    assert bool(extract(wire).problems) == bool(contenttype)
    assert extract(assemble("MQTT/3.1.1", {}, text)).events == ()
    assert read_wire(wire.as_json()) == wire


@given(
    st.one_of(JSON, st.dictionaries(st.sampled_from(["specversion", "id", "data", "data_base64", "time", "é"]), JSON))
)
def test_any_json_is_an_event_or_an_error(value: object) -> None:
    """Nothing else can happen."""
    with suppress(WireError):
        event = read_event(value)
        with suppress(WireError):
            bind(event, "HTTP", "binary")


@given(st.data())
def test_any_json_in_any_field_is_a_message_or_an_error(data: st.DataObject) -> None:
    """What is read can be flattened, looked into and written."""
    protocol = data.draw(st.sampled_from(PROTOCOLS))
    known = message_layout(protocol)
    assert known is not None
    fields = data.draw(st.dictionaries(st.sampled_from([*known.fields, *known.aliases, "body", "body_base64"]), JSON))
    with suppress(WireError):
        wire = read_wire({"protocol": protocol, **fields})
        flatten(wire)
        extract(wire)
        assert read_wire(json.loads(json.dumps(wire.as_json()))) == wire


@given(st.binary())
def test_any_bytes_are_json_or_an_error(data: bytes) -> None:
    """What is read can be written, and read again."""
    with suppress(ValueError):
        value = json_value(data)
        assert json_value(json_bytes(value)) == value


def test_an_event_with_half_a_character_is_not_valid() -> None:
    """No encoding could write it."""
    assert event_problems({**EVENT, "subject": "\ud800"}) == ('"subject" has a lone surrogate.',)


def test_a_name_without_a_value_is_not_there() -> None:
    """An entry that is null counts as absent, so another one of the name is no second one."""
    entries = [{"name": "a", "value": None}, {"name": "a", "value": "x"}, {"name": "a", "value": None}]
    wire = read_wire({"protocol": AMQP, "application-properties": entries})
    assert wire.fields["application-properties"] == {"a": "x"}


def test_a_batch_says_all_that_is_wrong_with_its_events() -> None:
    """Nothing is sent of it then."""
    with pytest.raises(WireError) as error:
        bind_batch([Event(EVENT), Event({**EVENT, "id": ""}), Event({**EVENT, "type": ""})], "HTTP")
    assert error.value.problems == (
        'The attribute "id" is missing or empty.',
        'The attribute "type" is missing or empty.',
    )


def test_long_whole_numbers_in_deep_json_are_read_or_refused() -> None:
    """How deep Python reads depends on its version."""
    with suppress(ValueError):
        assert json_value(b"[" * 1020 + b"1" * 30 + b"]" * 1020)


@pytest.mark.parametrize(
    "text", ['"\\', '"', '"a"', "%C0", "%41", "\\", "%", "a;", "+", " ", "application/cloudevents"]
)
def test_a_long_header_is_read_in_bounded_steps(text: str) -> None:
    """Whatever it is made of: the steps grow with its length, not with the square of it."""
    long = text * (200_000 // len(text))
    headers = [{"name": name, "value": long} for name in ("ce-id", "ce-source", "ce-type", "content-type")]
    wire = read_wire({"protocol": "HTTP", "headers": [*headers, {"name": "ce-specversion", "value": "1.0"}]})
    with at_most(10_000_000):
        result = extract(wire)
    assert all(len(problem) < 1000 for problem in result.problems)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('"a b"', "a b"),
        ('a"b\\"c"d', 'ab"cd'),
        ('"a', '"a'),
        ('"a"b"c', 'ab"c'),
        ('"\\', '"\\'),
        ('""', ""),
        ("a%20%e2%82%ac", "a €"),
    ],
)
def test_a_header_is_unquoted_once_and_decoded_once(value: str, text: str) -> None:
    """A quote that is not closed is a quote."""
    assert percent_decode(value) == text
