"""The properties of a message are shown in sections with titles that readers know."""

from __future__ import annotations

from typing import Any

import pytest

from xregit.catalog import Registry
from xregit.catalog.properties import Property, Text
from xregit.pages.attributes import Value, property_parts, section_title
from xregit.pages.attributes import to_value as attribute

OPTIONS = "protocoloptions"
CASES: list[tuple[dict[str, Any], tuple[str, ...], str]] = [
    ({"envelope": "CloudEvents/1.0"}, ("envelopemetadata", "type"), "CloudEvents attributes"),
    ({"protocol": "MQTT/5.0"}, (OPTIONS, "qos"), "MQTT options"),
    ({"protocol": "MQTT/5.0"}, (OPTIONS, "user_properties", "0"), "MQTT user properties"),
    ({"protocol": "AMQP/1.0"}, (OPTIONS, "application-properties", "type"), "AMQP application properties"),
    ({"protocol": "KAFKA"}, (OPTIONS, "headers", "h"), "KAFKA headers"),
    ({"protocol": 7}, (OPTIONS, "loft"), "protocoloptions options"),
    ({}, ("envelopemetadata", "type"), "envelopemetadata attributes"),
]


@pytest.mark.parametrize(("attributes", "path", "expected"), CASES)
def test_section_has_the_title_that_readers_know(
    attributes: dict[str, Any], path: tuple[str, ...], expected: str
) -> None:
    """A section is titled by what holds the property: the envelope, the protocol, or a part of its options."""
    assert section_title(attributes, _property(path, None)) == expected


def test_value_of_any_type_is_shown() -> None:
    """A value that is no text is shown as JSON, and nothing where any value will do."""
    assert property_parts(_property(("p",), {"a": [1, None]})) == (Text('{"a": [1, null]}'),)
    assert property_parts(_property(("p",), "a/{b}")) == (Text("a/"), Text("{b}", "b"))
    assert property_parts(_property(("p",), None)) == ()


def test_count_in_a_regular_expression_is_no_placeholder(small: Registry) -> None:
    """A number in braces is not marked, so that patterns in other attributes stay as they are."""
    assert attribute(small, "[0-9]{17}{x}") == Value(texts=(Text("[0-9]{17}{x}"),))
    assert attribute(small, "a{x}") == Value(texts=(Text("a"), Text("{x}", "x")))


def _property(path: tuple[str, ...], value: object) -> Property:
    return Property(path, path[-1], "any", required=False, value=value)
