"""Envelope and protocol parts of a message become one flat list of properties."""

from __future__ import annotations

from typing import Any

import pytest

from xregit.model import builtin, siblings
from xregit.pages.properties import Property, Text, properties, texts

CASES: list[tuple[str, dict[str, Any], list[tuple[str, str, str, bool, Any]]]] = [
    (
        "cloudevents",
        {
            "envelope": "CloudEvents/1.0",
            "envelopemetadata": {"type": {"value": "a"}, "source": {}, "x": {"type": "integer", "value": 3}},
        },
        [
            ("CloudEvents attributes", "type", "string", True, "a"),
            ("CloudEvents attributes", "source", "uritemplate", True, None),
            ("CloudEvents attributes", "x", "integer", False, 3),
        ],
    ),
    (
        "mqtt",
        {
            "protocol": "MQTT/5.0",
            "protocoloptions": {"topic_name": "a/{b}", "qos": 1, "user_properties": [{"name": "n", "value": "v"}]},
        },
        [
            ("MQTT options", "topic_name", "uritemplate", False, "a/{b}"),
            ("MQTT options", "qos", "integer", False, 1),
            ("MQTT user properties", "n", "string", False, "v"),
        ],
    ),
    (
        "amqp",
        {
            "protocol": "AMQP/1.0",
            "protocoloptions": {
                "properties": {"to": {"value": "/q/{x}"}},
                "application-properties": {"type": {"value": "t", "required": True}, "value": {"value": "v"}},
            },
        },
        [
            ("AMQP properties", "to", "uritemplate", False, "/q/{x}"),
            ("AMQP application properties", "type", "string", True, "t"),
            ("AMQP application properties", "value", "string", False, "v"),
        ],
    ),
    (
        "kafka",
        {"protocol": "KAFKA", "protocoloptions": {"topic": "t", "headers": {"h": {"value": "{k}"}}}},
        [("KAFKA options", "topic", "string", False, "t"), ("KAFKA headers", "h", "string", False, "{k}")],
    ),
    (
        "unknown protocol",
        {"protocol": "Pigeon/1", "protocoloptions": {"loft": "north", "ring": {"value": "{id}", "type": "string"}}},
        [("Pigeon options", "loft", "any", False, "north"), ("Pigeon options", "ring", "string", False, "{id}")],
    ),
    ("wrong shapes", {"envelopemetadata": ["x"], "protocoloptions": "y", "protocol": 7}, []),
]


@pytest.mark.parametrize(("name", "attributes", "expected"), CASES, ids=[case[0] for case in CASES])
def test_properties_are_flat(
    name: str, attributes: dict[str, Any], expected: list[tuple[str, str, str, bool, Any]]
) -> None:
    """Each property has its section, name, type, whether it is required, and its value."""
    models = siblings(builtin().groups["messagegroups"].resources["messages"].attributes, attributes)
    found = properties(attributes, models)
    assert [(item.section, item.name, item.type, item.required, item.value) for item in found] == expected, name


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a/{b}/c", (Text("a/"), Text("{b}", "b"), Text("/c"))),
        ("{b}{c}", (Text("{b}", "b"), Text("{c}", "c"))),
        ("[0-9]{17}", (Text("[0-9]{17}"),)),
        ("", ()),
    ],
)
def test_value_is_cut_at_placeholders(value: str, expected: tuple[Text, ...]) -> None:
    """A placeholder is a name in braces; a count in a regular expression is none."""
    assert texts(value) == expected


def test_value_of_any_type_is_shown() -> None:
    """A value that is no text is shown as JSON."""
    item = Property("s", "n", ("p",), "any", required=False, value={"a": [1, None]}, description="")
    assert item.texts == (Text('{"a": [1, null]}'),)
