"""What `check` finds, and laws that hold for whatever it is given."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.model.cases import attributes_of, brief, cases, expected_of, found_in
from tests.steps import at_most
from xregit.model import builtin, check, normalise, siblings
from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, SYNTAXES, matches_syntax
from xregit.model.error_messages import MERGE_KEY
from xregit.model.suggestions import EXAMPLES

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NOON = "2026-01-01T12:00:00Z"
LIST = 'Write a list, each item behind a hyphen on a line of its own, such as "- name: a".'
INTERVAL = "Write, for example, message_expiry_interval: 1."
ALONE = 'Write "basemessage: /messagegroups/<id>/messages/m", with the id of its group.'
SLASHES = "Begin with a slash; then follow, with slashes between them, the type and the id of each entity on the way."
LINES = 'Write "name: value" lines under it, or {} if there is nothing to say.'
NAMED = 'Write each name before a colon, such as "type:", and the rest of its item on lines below that.'
TOPIC = 'Write, for example, topic_name: "orders/{order}".'
BRACES = "Write each placeholder between two braces, as {name}."
EXPANDED = 'Write "topic_name: a/{b}/{c}{d}".'
MESSAGE = attributes_of("message")
ENDPOINT = attributes_of("endpoint")
# Far more than it takes; a pattern that backtracks would take hours.
MAX_STEPS = 10_000_000
NAMES = sorted({*MESSAGE, *ENDPOINT, "protocoloptions", "envelopemetadata", "envelopeoptions"})
SELECTORS = {
    "protocol": st.sampled_from(["AMQP/1.0", "MQTT/3.1.1", "mqtt", "Kafka", "HTTP/2", "NATS", "Bunny", 5, None]),
    "envelope": st.sampled_from(["CloudEvents/1.0", "Other/1", "", None]),
}
OPTION_NAMES = sorted(
    {name for clause in MESSAGE["protocol"].ifvalues.values() for name in clause["protocoloptions"].attributes}
)
OPTIONS = st.dictionaries(st.sampled_from(OPTION_NAMES), JSON, max_size=4)
VALUES = st.builds(
    lambda rest, chosen, options: {**rest, **chosen, "protocoloptions": options},
    st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), JSON, max_size=6),
    st.fixed_dictionaries(SELECTORS),
    OPTIONS | JSON,
)


@pytest.mark.parametrize("case", cases())
def test_check_finds_each_fault_once(case: dict[str, Any]) -> None:
    """Every fault of a case is found at its place, and nothing else is."""
    assert brief(found_in(case)) == expected_of(case)


OURS = {*MESSAGE, *ENDPOINT, "protocoloptions", "envelopemetadata", "envelopeoptions"} - {
    name for attributes in (MESSAGE, ENDPOINT) for name, item in attributes.items() if item.core
}


@pytest.mark.parametrize("case", cases())
def test_what_is_wrong_with_an_attribute_of_ours_cites_a_requirement(case: dict[str, Any]) -> None:
    """A part of an attribute that has no requirement of its own cites that of the attribute; core ones have none."""
    for finding in found_in(case):
        if finding.rule == "invalid-attribute" and finding.path and finding.path[0] in OURS:
            assert finding.requirement, finding


REQUIREMENTS = {
    "MSG-54": ("envelopemetadata", {"subject": {"required": "yes"}}),
    "MSG-60": ("envelopemetadata", {"source": {"value": ""}}),
    "MSG-68": ("envelopemetadata", {"My-Own": {}}),
    "MSG-70": ("envelopemetadata", {"specversion": {"value": "1.1"}}),
    "MSG-71": ("envelopemetadata", {"id": {"required": False}}),
    "MSG-79": ("envelopemetadata", {"time": {"type": "string"}}),
    "EP-3": ("usage", ["Producer"]),
    "EP-32": ("protocoloptions", {"authorization": [{"granttypes": [""]}]}),
    "EP-38": ("messagegroups", ["/messagegroups/g/messages/m"]),
}


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_finding_cites_what_is_most_to_the_point(requirement: str) -> None:
    """The requirement is that of the part that is wrong."""
    name, value = REQUIREMENTS[requirement]
    stated = {"envelope": "CloudEvents/1.0", "protocol": "HTTP", "protocoloptions": {}, "envelopemetadata": {}}
    attributes = ENDPOINT if requirement.startswith("EP") else MESSAGE
    assert requirement in [finding.requirement for finding in check(attributes, {**stated, name: value})]


@pytest.mark.requirement("MSG-92", "MSG-99", "MSG-101", "MSG-105", "MSG-107")
@pytest.mark.parametrize(
    ("protocol", "options", "requirement"),
    [
        ("AMQP/1.0", {"propertis": {}}, "MSG-92"),
        ("AMQP/1.0", {"properties": {"subjekt": {}}}, "MSG-92"),
        ("AMQP/1.0", {"header": {"prioritie": 1}}, "MSG-99"),
        ("KAFKA", {"tpic": "a"}, "MSG-105"),
        ("MQTT/5.0", {"qoss": 1}, "MSG-101"),
        ("MQTT/3.1.1", {"user_properties": []}, "MSG-101"),
        ("NATS", {"subjct": "a"}, "MSG-107"),
    ],
)
def test_unknown_option_cites_what_lists_those_of_its_protocol(protocol: str, options: Any, requirement: str) -> None:
    """What a protocol has not is against the table of what it has; HTTP has none, so the rule's own is cited there."""
    (result,) = check(MESSAGE, {"protocol": protocol, "protocoloptions": options})
    assert (result.rule, result.requirement) == ("unknown-attribute", requirement)


@given(VALUES, st.sampled_from([MESSAGE, ENDPOINT]))
def test_check_takes_any_value(value: dict[str, Any], attributes: Any) -> None:
    """Whatever a file or document holds is reported or accepted, never a crash."""
    for finding in check(attributes, value):
        assert finding.message.endswith(".")
        assert finding.rule.islower()


@given(VALUES, st.sampled_from([MESSAGE, ENDPOINT]))
def test_null_counts_as_absent(value: dict[str, Any], attributes: Any) -> None:
    """A value with nulls has the same findings as one without those attributes."""
    without = {name: item for name, item in value.items() if item is not None}
    assert check(attributes, without) == check(attributes, value)


@given(VALUES)
def test_every_path_leads_to_something(value: dict[str, Any]) -> None:
    """A finding's path leads to what it is about."""
    for finding in check(MESSAGE, value):
        result: Any = value
        for key in finding.path:
            result = result[key]


def test_a_finding_says_all_that_a_reader_needs() -> None:
    """The text names the attribute, what is there and what is due; the requirement is cited."""
    (finding,) = check(MESSAGE, {"datacontenttype": "json"})
    assert finding.message == '"datacontenttype" must be a media type such as application/json, but is "json".'
    assert finding.requirement == "MSG-48"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"protocl": 1}, 'Did you mean "protocol"?'),
        ({"<<": {"a": "b"}}, MERGE_KEY),
        ({"Description": ""}, 'Did you mean "description"?'),
        ({"envelopeoptions": {}}, 'It goes with the line "envelope: CloudEvents/1.0", which is missing.'),
        ({"protocol": "MQTT/3.1.1", "protocoloptions": {"ears": 1}}, "Known here: qos, retain, topic_name."),
        ({"deprecated": {"remuval": ""}}, 'Did you mean "removal"?'),
        (
            {"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": {"value": "a"}}, "qos": 1},
            'Move it into "protocoloptions": indent it below that.',
        ),
        ({"mode": "binary"}, "Remove it, or declare it in model.yaml."),
        ({"envelope": "CloudEvents/1.0", "metadata": {}}, 'Did you mean "envelopemetadata"?'),
        ({"envelope": "CloudEvents/1.0", "type": "a"}, 'Move it into "envelopemetadata": indent it below that.'),
        ({"protocol": "MQTT/5.0", "protocoloptions": {"topic": "a"}}, 'Did you mean "topic_name"?'),
        (
            {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "a"}}, "mode": "binary"},
            'Move it into "envelopeoptions": indent it below that.',
        ),
        ({"zzzzzzzzz": 1}, "Remove it, or declare it in model.yaml."),
        ({"x" * 5000: 1}, "Remove it, or declare it in model.yaml."),
    ],
)  # fmt: skip
def test_unknown_attributes_get_a_hint(value: dict[str, Any], expected: str) -> None:
    """An attribute that the model lacks comes with the likely fix, if there is one, and points at its key."""
    (finding,) = check(MESSAGE, value)
    assert finding.help == expected
    assert finding.on_key


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"dataschemaformat": "JsonSchema"}, 'Write "dataschemaformat: JsonSchema/draft-07".'),
        ({"dataschemaformat": "proto"}, 'Write "dataschemaformat: Protobuf/3".'),
        ({"dataschemaformat": "Mine"}, "Write, for example, dataschemaformat: JsonSchema/draft-07."),
        ({"documentation": {"title": "Orders", "url": "https://a.example/b"}}, 'Write "documentation: https://a.example/b".'),
        ({"documentation": {"text": "All of it.", "url": "README.md"}}, 'Write "documentation: README.md".'),
        ({"documentation": "All about orders."}, 'Write the address of a page; prose belongs in "description".'),
        ({"documentation": " https://a.example "}, "Remove the spaces around it."),
        ({"name": ["a"]}, 'Write "name: a".'),
        ({"name": ["a", "b"]}, "Write a single value."),
        ({"name": 5}, "Put it in quotes if it is meant as text."),
        ({"name": {"bag": None}}, 'Braces begin a map; put a template in quotes: "{bag}".'),
        ({"labels": "a"}, 'Write "name: value" lines under it, or {} if there is nothing to say.'),
        ({"labels": [{"a": "b"}]}, 'Write "name: value" lines under it, without hyphens or brackets.'),
        (
            {"protocol": "HTTP", "protocoloptions": {"headers": "X-Region: eu"}},
            'Write "headers: [{name: X-Region, value: eu}]".',
        ),
        ({"labels": {"A B": "x"}}, 'Rename it, for example to "a_b".'),
        ({"createdat": "yesterday"}, 'Write, for example, createdat: "2026-05-22T10:30:00Z".'),
        ({"deprecated": {"removal": "2027-06-30"}}, 'Write "removal: 2027-06-30T00:00:00Z".'),
        ({"deprecated": {"removal": "2027-06-30 10:30"}}, 'Write "removal: 2027-06-30T10:30:00Z".'),
        ({"deprecated": {"removal": "2027-06-31"}}, 'Write, for example, removal: "2026-05-22T10:30:00Z".'),
        ({"epoch": "5"}, "Write it without quotes."),
        ({"protocol": "MQTT/5.0", "protocoloptions": {"qos": 7}}, "Write, for example, qos: 0."),
        ({"protocol": "MQTT/5.0", "protocoloptions": {"qos": "high"}}, "Write, for example, qos: 0."),
        ({"protocol": "MQTT/5.0", "protocoloptions": {"message_expiry_interval": "long"}}, INTERVAL),
        ({"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": 5}}, "Put it in quotes if it is meant as text."),
        ({"deprecated": {"removal": {"value": NOON}}}, f'Write "removal: {NOON}".'),
        ({"protocol": "HTTP", "protocoloptions": {"query": "a"}}, 'Write "query: [{name: a}]".'),
        (
            {"envelope": "CloudEvents/1.0", "envelopemetadata": {"subject": "a/{b}"}},
            "Write \"subject: {value: 'a/{b}'}\".",
        ),
        ({"envelope": "CloudEvents/1.0", "envelopemetadata": {"order-id": {}}}, 'Rename it, for example to "orderid".'),
        ({"protocol": "HTTP", "protocoloptions": {"query": {"a": 1}}}, LIST),
        ({"basemessage": "/messagegroups/g/schemas/m"}, SLASHES),
        ({"basemessage": "messagegroups/g/messages/m"}, 'Write "basemessage: /messagegroups/g/messages/m".'),
        ({"basemessage": "/messagegroup/g/message/m"}, 'Write "basemessage: /messagegroups/g/messages/m".'),
        ({"basemessage": "../../g/messages/m.yaml"}, 'Write "basemessage: /messagegroups/g/messages/m".'),
        ({"basemessage": "../messages/m.yaml"}, ALONE),
        ({"basemessage": "messages/m"}, ALONE),
        ({"basemessage": "m"}, ALONE),
        ({"basemessage": "g/m"}, SLASHES),
        (
            {"basemessage": "other.json#/messagegroups/g/messages/m"},
            'Write "basemessage: /messagegroups/g/messages/m".',
        ),
        (
            {"basemessage": "../../messagegroups/g/messages/m.yaml"},
            'Write "basemessage: /messagegroups/g/messages/m".',
        ),
        (
            {"envelope": "CloudEvents/1.0", "envelopemetadata": {"id": {"required": "no"}}},
            'Write "required: false".',
        ),
        (
            {"envelope": "CloudEvents/1.0", "envelopemetadata": {"id": {"required": "On"}}},
            'Write "required: true".',
        ),
        ({"envelope": "CloudEvents/1.0", "envelopemetadata": [{"name": "type", "value": "a"}]}, NAMED),
        ({"envelope": "CloudEvents/1.0", "envelopemetadata": ["type"]}, LINES),
        ({"protocol": "HTTP", "protocoloptions": {"method": "GET /orders"}}, "Write, for example, method: POST."),
        ({"protocol": "HTTP", "protocoloptions": {"method": {"value": "A B"}}}, "Write, for example, value: POST."),
        ({"protocol": "HTTP", "protocoloptions": {"path": "/a b"}}, 'Write, for example, path: "/orders/{order}".'),
        ({"protocol": "HTTP", "protocoloptions": {"path": "/{a"}}, BRACES),
        ({"protocol": "HTTP", "protocoloptions": {"path": "/{a b}/{c-d}"}}, 'Write "path: /{a_b}/{c_d}".'),
        ({"protocol": "HTTP", "protocoloptions": {"path": "{a b}"}}, "Write \"path: '{a_b}'\"."),
        ({"protocol": "HTTP", "protocoloptions": {"path": {"value": "/a{?b,c*}"}}}, 'Write "value: /a?b={b}&c={c}".'),
        ({"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": "a{/b,c}{+d:3}"}}, EXPANDED),
        ({"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": "a/{}"}}, TOPIC),
        ({"protocol": "HTTP"}, "Add it: what an HTTP request or response must look like."),
    ],
)  # fmt: skip
def test_faults_say_what_to_write(value: dict[str, Any], expected: str) -> None:
    """Whoever made a mistake is told the right form of what they wrote, else an example."""
    (finding,) = check(MESSAGE, value)
    assert finding.help == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"protocoloptions": {"endpoints": "mqtt://a"}}, 'Write "endpoints: [{uri: mqtt://a}]".'),
        ({"protocoloptions": {"endpoints": ["mqtt://a"]}}, 'Write "uri: mqtt://a".'),
        ({"protocoloptions": {"authorization": ["Plain"]}}, 'Write "type: Plain".'),
        ({"messagegroups": ["orders"]}, 'Write "/messagegroups/orders".'),
        ({"messagegroups": "orders"}, 'Write "messagegroups: [/messagegroups/orders]".'),
        ({"messagegroups": ["/messagegroup/orders"]}, 'Write "/messagegroups/orders".'),
        ({"messagegroups": ["../messagegroups/orders/messagegroup.yaml"]}, 'Write "/messagegroups/orders".'),
        ({"messagegroups": ["/messagegroups/orders/messages/placed"]}, 'Write "/messagegroups/orders".'),
    ],
)
def test_faults_of_endpoints_say_what_to_write(value: dict[str, Any], expected: str) -> None:
    """What is written as one text comes with the list or map that it stands for, so that no next fault follows."""
    endpoint = {"usage": ["producer"], "protocol": "MQTT/5.0", **value}
    (finding,) = check(builtin().groups["endpoints"].attributes, endpoint)
    assert finding.help == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"baseurl": "catalog.example.com/api"}, 'Write "baseurl: https://catalog.example.com/api".'),
        ({"repository": "javascript:alert(1)"}, "Write, for example, repository: https://example.com/orders."),
        ({"rules": {"unused_schema": "off"}}, 'Rename it, for example to "unused-schema".'),
        ({"rules": {"unused-schema": False}}, "It may be error, warning, info or off."),
    ],
)
def test_faults_of_settings_say_what_to_write(value: dict[str, Any], expected: str) -> None:
    """An address without scheme, one to clone from, a rule with underscores and a truth value have an answer."""
    (finding,) = check(builtin().settings, value)
    assert finding.help == expected


@pytest.mark.parametrize("form", sorted({*DATATYPES, *PROPERTY_TYPES, *SYNTAXES}))
def test_every_form_has_an_example_that_fits(form: str) -> None:
    """What a help line proposes is right, read as YAML."""
    example = yaml.safe_load(EXAMPLES[form])
    for table in (DATATYPES, PROPERTY_TYPES, SYNTAXES):
        assert form not in table or table[form].test(example) or matches_syntax(form, example)


@given(VALUES)
def test_every_fault_comes_with_help(value: dict[str, Any]) -> None:
    """There is no fault without a word on what to do."""
    assert [finding for finding in check(MESSAGE, value) if not finding.help] == []


def test_many_unknown_attributes_are_cheap() -> None:
    """A document of nothing but unknown attributes is reported in full, without guessing at each."""
    findings = check(MESSAGE, {f"x{number}": 1 for number in range(20_000)})
    assert len(findings) == 20_000


def test_long_text_is_cut_short() -> None:
    """A value of any length makes a message of readable length."""
    (finding,) = check(MESSAGE, {"datacontenttype": "x" * 100_000})
    assert len(finding.message) < 200


@pytest.mark.parametrize(
    "text", ["a" * 200_000, "{" * 200_000, "{a" * 100_000, "a/" * 100_000, "a; " * 60_000, "%" * 200_000]
)
@pytest.mark.parametrize("kind", ["string", "symbol", "uri", "uritemplate", "binary", "timestamp", "duration", "uuid"])
def test_long_text_is_checked_in_bounded_steps(kind: str, text: str) -> None:
    """Text made to keep a backtracking pattern busy is judged; a pattern that backtracks would take hours."""
    properties = {"correlation-id": {"type": kind, "value": text}, "content-type": {"value": text}}
    value = {"protocol": "AMQP/1.0", "protocoloptions": {"properties": properties}, "documentation": text}
    with at_most(MAX_STEPS):
        check(MESSAGE, {**value, "datacontenttype": text, "basemessage": text, "dataschemaformat": text})


def test_siblings_are_the_attributes_in_force() -> None:
    """A selector adds its own attributes, those of a group or base message count too, and "*" stays last."""
    assert "protocoloptions" not in siblings(MESSAGE, {})
    assert "topic" in siblings(MESSAGE, {"protocol": "Kafka/2.0"})["protocoloptions"].attributes
    assert "subject" in siblings(MESSAGE, {}, {"protocol": "NATS"})["protocoloptions"].attributes
    assert list(siblings(ENDPOINT, {"protocol": "NATS"}))[-1] == "*"


@given(VALUES)
def test_normalising_changes_what_is_right_no_more(value: dict[str, Any]) -> None:
    """Normalising twice is normalising once."""
    once = normalise(MESSAGE, value)
    assert normalise(MESSAGE, once) == once


class Plain(float):
    """A number that knows its text, as `xregit.source` reads it."""

    text = "1.10"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"name": Plain(1.1)}, {"name": "1.10"}),
        ({"name": 5, "labels": {"a": True}}, {"name": "5", "labels": {"a": "true"}}),
        ({"name": [1]}, {"name": [1]}),
        ({"epoch": 5}, {"epoch": 5}),
        ({"unknown": 5}, {"unknown": 5}),
        ({"dataschema": {"a": Plain(1.1)}}, {"dataschema": {"a": Plain(1.1)}}),
    ],
)
def test_text_without_quotes_becomes_text(value: dict[str, Any], expected: dict[str, Any]) -> None:
    """What was written where text is due stays as it was written; everything else is left alone."""
    assert normalise(MESSAGE, value) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"query": {"a": 1}}, {"query": [{"name": "a", "value": "1"}]}),
        ({"query": {"a": {"value": "b"}}}, {"query": [{"name": "a", "value": "b"}]}),
        ({"status": 200}, {"status": "200"}),
        ({"status": {"type": "integer", "value": 200}}, {"status": {"type": "integer", "value": 200}}),
        ({"headers": [{"name": 1, "value": 2}]}, {"headers": [{"name": "1", "value": "2"}]}),
        ({"headers": [{"value": 2, "type": "number"}]}, {"headers": [{"value": 2, "type": "number"}]}),
        ({"headers": "x"}, {"headers": "x"}),
    ],
)  # fmt: skip
def test_options_are_written_out(options: dict[str, Any], expected: dict[str, Any]) -> None:
    """A map of parameters becomes a list of them, and a property's value is text where its type says so."""
    value = {"protocol": "HTTP", "protocoloptions": options}
    assert normalise(MESSAGE, value)["protocoloptions"] == expected


@pytest.mark.requirement("MSG-67")
def test_nested_envelope_metadata_is_moved_up() -> None:
    """Attributes under "attributes" move up, unless it is an attribute of that name."""
    value = {"envelope": "CloudEvents/1.0", "envelopemetadata": {"attributes": {"type": {"value": "x"}}}}
    assert normalise(MESSAGE, value)["envelopemetadata"] == {"type": {"value": "x"}}
    value["envelopemetadata"] = {"attributes": {"type": "string", "value": "x"}}
    assert normalise(MESSAGE, value) == value
