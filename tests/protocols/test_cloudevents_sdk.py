"""The CloudEvents SDK for Python reads what we write, and we read what it writes, for every binding it has."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

import pytest
from cloudevents.core.bindings import amqp, http, kafka
from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from hypothesis import given
from hypothesis import strategies as st

from tests.protocols.strategies import ATTRIBUTE, EXTENSIONS
from xregit.protocols import Event, Wire, bind, event_json, extract, read_event, to_text
from xregit.protocols.json import json_bytes, json_value

FORMAT = JSONFormat()
DATA = st.dictionaries(ATTRIBUTE, st.one_of(ATTRIBUTE, st.integers(), st.booleans()), max_size=3)


class Judge(NamedTuple):
    """One binding of the SDK: the way to write in each mode and to read any, and our messages as its own."""

    binary: Callable[[Any, Any], Any]
    structured: Callable[[Any, Any], Any]
    read: Callable[[Any, Any], Any]
    to_theirs: Callable[[Wire], Any]
    to_ours: Callable[[Any], Wire]


def _http(wire: Wire) -> http.HTTPMessage:
    return http.HTTPMessage(dict(wire.fields["headers"]), wire.body or b"")


def _from_http(message: Any) -> Wire:
    return Wire("HTTP", {"headers": tuple(message.headers.items())}, message.body)


def _kafka(wire: Wire) -> kafka.KafkaMessage:
    headers = {name: value.encode() for name, value in wire.fields["headers"].items()}
    return kafka.KafkaMessage(headers, None, wire.body or b"")


def _from_kafka(message: Any) -> Wire:
    headers = {name: value.decode() for name, value in message.headers.items()}
    return Wire("KAFKA", {"headers": headers}, message.value)


def _amqp(wire: Wire) -> amqp.AMQPMessage:
    properties = dict(wire.fields.get("properties", {}))
    return amqp.AMQPMessage(properties, dict(wire.fields.get("application-properties", {})), wire.body or b"")


def _from_amqp(message: Any) -> Wire:
    fields = {"properties": message.properties, "application-properties": message.application_properties}
    return Wire("AMQP/1.0", fields, message.application_data)


JUDGES = {
    "HTTP": Judge(http.to_binary, http.to_structured, http.from_http, _http, _from_http),
    "KAFKA": Judge(kafka.to_binary, kafka.to_structured, kafka.from_kafka, _kafka, _from_kafka),
    "AMQP/1.0": Judge(amqp.to_binary, amqp.to_structured, amqp.from_amqp, _amqp, _from_amqp),
}


@st.composite
def events(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw the attributes of an event, its time as text, and a payload that is a JSON object."""
    attributes = {
        "specversion": "1.0",
        "id": draw(ATTRIBUTE),
        "source": draw(ATTRIBUTE),
        "type": draw(ATTRIBUTE),
        "datacontenttype": "application/json",
        "time": "2018-04-05T03:56:24Z",  # the SDK adds one that is missing
        **draw(st.fixed_dictionaries({}, optional={"subject": ATTRIBUTE})),
        **draw(st.dictionaries(EXTENSIONS, ATTRIBUTE, max_size=3)),
    }
    return attributes, draw(DATA)


def theirs(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes as the SDK has them: the time is a time."""
    return {name: datetime.fromisoformat(value) if name == "time" else value for name, value in attributes.items()}


@pytest.mark.parametrize("mode", ["binary", "structured"])
@pytest.mark.parametrize("protocol", JUDGES)
@given(drawn=events())
def test_the_sdk_reads_what_we_write(protocol: str, mode: str, drawn: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Every attribute and the payload."""
    attributes, data = drawn
    judge = JUDGES[protocol]
    wire = bind(Event(attributes, json_bytes(data)), protocol, mode)
    result = judge.read(judge.to_theirs(wire), FORMAT)
    assert result.get_attributes() == theirs(attributes)
    assert result.get_data() == data


@pytest.mark.parametrize("mode", ["binary", "structured"])
@pytest.mark.parametrize("protocol", JUDGES)
@given(drawn=events())
def test_we_read_what_the_sdk_writes(protocol: str, mode: str, drawn: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Every attribute and the payload; a time that AMQP has as a number becomes text again."""
    attributes, data = drawn
    judge = JUDGES[protocol]
    write = judge.binary if mode == "binary" else judge.structured
    result = extract(judge.to_ours(write(CloudEvent(theirs(attributes), data), FORMAT)))
    assert (result.mode, result.problems) == (mode, ())
    assert result.events[0].attributes == attributes
    assert json_value(result.events[0].data or b"") == data


@given(drawn=events(), data=st.binary(min_size=1))
def test_the_sdk_and_we_agree_on_bytes_in_the_json_event_format(
    drawn: tuple[dict[str, Any], dict[str, Any]], data: bytes
) -> None:
    """They stand in ``data_base64`` for both."""
    attributes = {**drawn[0], "datacontenttype": "application/octet-stream"}
    written = json_bytes(event_json(Event(attributes, data)))
    assert FORMAT.read(None, written).get_data() == data
    assert read_event(json_value(FORMAT.write(CloudEvent(theirs(attributes), data)))) == Event(attributes, data)


@given(moment=st.datetimes().map(lambda moment: datetime.fromisoformat(f"{moment.isoformat()}Z")))
def test_the_sdk_and_we_agree_on_times(moment: Any) -> None:
    """RFC 3339, with Z for universal time."""
    written = json_value(FORMAT.write(CloudEvent({"id": "1", "source": "/s", "type": "t", "time": moment}, None)))
    assert written["time"] == to_text("timestamp", moment)
