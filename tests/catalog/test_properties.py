"""The properties that a message declares, with the types and requirements that the model gives them."""

from __future__ import annotations

from typing import Any

import pytest
import uritemplate
from hypothesis import given
from hypothesis import strategies as st

from xregit.catalog.properties import Property, Text, properties, texts
from xregit.model import builtin

MESSAGE = builtin().groups["messagegroups"].resources["messages"]


CLOUDEVENT = {"envelope": "CloudEvents/1.0"}


CASES: list[tuple[dict[str, Any], list[tuple[str, str, str, bool, Any]]]] = [
    ({}, []),
    (
        CLOUDEVENT | {"envelopemetadata": {"type": {"value": "a"}, "source": {}, "mine": {"required": True}}},
        [
            ("/envelopemetadata/type", "type", "string", True, "a"),
            ("/envelopemetadata/source", "source", "uritemplate", True, None),
            ("/envelopemetadata/mine", "mine", "string", True, None),
        ],
    ),
    (
        {
            "protocol": "MQTT/5.0",
            "protocoloptions": {"qos": 1, "topic_name": "{a}", "user_properties": [{"name": "u"}]},
        },
        [
            ("/protocoloptions/qos", "qos", "integer", False, 1),
            ("/protocoloptions/topic_name", "topic_name", "uritemplate", False, "{a}"),
            ("/protocoloptions/user_properties/0", "u", "string", False, None),
        ],
    ),
    (
        {
            "protocol": "AMQP/1.0",
            "protocoloptions": {
                "properties": {"to": {"value": "q"}},
                "application-properties": {"a/b": {"type": "integer", "value": 3}},
            },
        },
        [
            ("/protocoloptions/properties/to", "to", "uritemplate", False, "q"),
            ("/protocoloptions/application-properties/a~1b", "a/b", "integer", False, 3),
        ],
    ),
    (
        {"protocol": "HTTP", "protocoloptions": {"method": "POST", "headers": [{"name": "X", "value": "1"}]}},
        [
            ("/protocoloptions/method", "method", "string", False, "POST"),
            ("/protocoloptions/headers/0", "X", "string", False, "1"),
        ],
    ),
    (
        {"protocol": "PIGEON/1", "protocoloptions": {"leg": {"ring": {"type": "uri", "value": "u:1"}}, "speed": 80}},
        [
            ("/protocoloptions/leg/ring", "ring", "uri", False, "u:1"),
            ("/protocoloptions/speed", "speed", "any", False, 80),
        ],
    ),
    (
        {"protocol": "PIGEON/1", "protocoloptions": {"lofts": ["north", "south"], "rings": [{"name": "left"}]}},
        [
            ("/protocoloptions/lofts", "lofts", "any", False, ["north", "south"]),
            ("/protocoloptions/rings/0", "left", "string", False, None),
        ],
    ),
    (
        {
            "protocol": "AMQP/1.0",
            "protocoloptions": {
                "properties": {},
                "application-properties": {"type": {"value": "t", "required": True}, "value": {"value": "v"}},
            },
        },
        [
            ("/protocoloptions/application-properties/type", "type", "string", True, "t"),
            ("/protocoloptions/application-properties/value", "value", "string", False, "v"),
        ],
    ),
    (
        {"protocol": "KAFKA", "protocoloptions": {"topic": "t", "headers": {"h": {"value": "{k}"}}}},
        [
            ("/protocoloptions/topic", "topic", "string", False, "t"),
            ("/protocoloptions/headers/h", "h", "string", False, "{k}"),
        ],
    ),
    ({"protocol": "KAFKA", "protocoloptions": ["wrong"], "envelopemetadata": "wrong"}, []),
]


@pytest.mark.parametrize(("attributes", "expected"), CASES)
def test_properties_are_those_declared(
    attributes: dict[str, Any], expected: list[tuple[str, str, str, bool, Any]]
) -> None:
    """Every declared property is there once, with the model's type where it has none of its own."""
    results = [
        (item.pointer, item.name, item.type, item.required, item.value) for item in properties(MESSAGE, attributes)
    ]
    assert results == expected


def test_placeholders_are_named_once_in_order() -> None:
    """A placeholder that stands twice is named once; braces around anything else are no placeholder."""
    result = Property(("a",), "a", "uritemplate", required=False, value="{b}/{a}/{b}/{ x }/{}", description="")
    assert result.placeholders == ("b", "a")


def test_section_is_what_holds_the_property() -> None:
    """The section is the property's path without its last step."""
    result = Property(("protocoloptions", "headers", "0"), "X", "string", required=False, value=None, description="")
    assert result.section == "protocoloptions/headers"
    assert result.placeholders == ()


def test_property_says_what_the_message_and_the_model_say() -> None:
    """The author's words, the model's, and the members that the message states stay apart."""
    definition = {"name": "topic_name", "value": "{a}", "description": "Where.", "specurl": "https://spec.example"}
    result = next(properties(MESSAGE, {"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": definition}}))
    assert (result.description, result.specurl) == ("Where.", "https://spec.example")
    assert result.members == ("value", "description", "specurl")
    assert result.meaning
    bare = next(properties(MESSAGE, {"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": "a"}}))
    assert (bare.description, bare.meaning, bare.members) == ("", result.meaning, ())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a/{b}/c", (Text("a/"), Text("{b}", "b"), Text("/c"))),
        ("{b}{c}", (Text("{b}", "b"), Text("{c}", "c"))),
        ("{b-c}{+d}", (Text("{b-c}{+d}"),)),
        ("", ()),
    ],
)
def test_value_is_cut_at_placeholders(value: str, expected: tuple[Text, ...]) -> None:
    """A placeholder is a name of letters, digits and underscores in braces; other braces stand for themselves."""
    assert texts(value) == expected


NAMES = st.text("abcXYZ019_", min_size=1, max_size=8)


LITERALS = st.text(st.characters(codec="ascii", min_codepoint=33, exclude_characters="{}<>\\^`|\"'%"), max_size=12)


TEMPLATES = st.lists(st.one_of(LITERALS, NAMES.map("{{{}}}".format)), max_size=6).map("".join)


def placeholders(template: str) -> list[str]:
    """Return the names of a template's placeholders, each once."""
    return list(dict.fromkeys(part.placeholder for part in texts(template) if part.placeholder))


@given(TEMPLATES)
def test_placeholders_are_the_variables_of_the_template(template: str) -> None:
    """Names come in the order in which they first stand there, each once."""
    assert placeholders(template) == list(uritemplate.variables(template))


@given(TEMPLATES, st.data())
def test_filling_every_placeholder_is_expanding_the_template(template: str, data: st.DataObject) -> None:
    """No part of a template is left over or lost."""
    values: dict[str, Any] = {name: data.draw(st.text("abc-._~", min_size=1)) for name in placeholders(template)}
    filled = "".join(values.get(part.placeholder, part.text) for part in texts(template))
    assert filled == uritemplate.expand(template, values)
