"""Whatever comes from outside is an error or a non-match, in a time that its size explains."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xregit
from tests.messages.catalogs import GROUP, registry_of
from xregit.messages.encoder import MessageError

EVENT = {"specversion": "1.0", "id": "1", "type": "t", "source": "/s"}
TYPED = {"envelope": "CloudEvents/1.0", "envelopemetadata": {"type": {"value": "t"}}}
BOMB = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>'


def backtracking(kind: str) -> dict[str, Any]:
    """Return a definition whose schema has a pattern that careless engines take for ever on."""
    schema = {"type": kind, "properties": {"a": {"pattern": "^(a+)+$"}}}
    return {**TYPED, "dataschemaformat": "JsonSchema/draft-07", "dataschema": schema}


@cache
def registry() -> xregit.Registry:
    """Return definitions of each kind, two of them with schemas."""
    folder = TemporaryDirectory()
    header = {"headers": [{"name": "x", "value": "{a}"}, {"name": "y", "value": "{a}"}]}
    definitions: dict[str, Any] = {
        "object": backtracking("object"),
        "array": backtracking("array"),
        "topic": {"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": "a/{b}-{c}-{d}/e"}},
        "headers": {"protocol": "HTTP", "protocoloptions": header},
        "twice": {
            "protocol": "HTTP",
            "protocoloptions": {"headers": [*header["headers"], {"name": "z", "value": "{a}"}]},
        },
    }
    result = registry_of(Path(folder.name), definitions)
    folder.cleanup()
    return result


@cache
def matcher() -> xregit.Matcher:
    """Return the matcher of the definitions."""
    return xregit.Matcher(registry())


BAD: dict[str, Any] = {
    "line breaks in a header": {"protocol": "HTTP", "headers": [{"name": "x", "value": "a\r\nb: c"}]},
    "a null in a topic": {"protocol": "MQTT/5.0", "topic_name": "a/\0/b"},
    "wrong base 64": {"protocol": "NATS", "subject": "a", "body_base64": "AAAA="},
    "a lone surrogate": {"protocol": "NATS", "subject": "\ud800"},
    "a number beyond 64 bits": {**EVENT, "level": 2**70},
    "an enormous number": b'{"specversion":"1.0","id":"1","type":"t","source":"/s","level":1' + b"0" * 100_000 + b"}",
    "a number that is none": b'{"specversion":"1.0","id":"1","type":"t","source":"/s","data":NaN}',
    "an attribute that is an object": {**EVENT, "level": {}},
    "an attribute with a bad name": {**EVENT, "My-Level": "x"},
    "both payloads": {**EVENT, "data": 1, "data_base64": "AA=="},
    "an object nobody knows": {"type": "t"},
    "an empty protocol": {"protocol": ""},
    "deep JSON in an event": b'{"specversion":"1.0","id":"1","type":"t","source":"/s","data":' + b"[" * 100_000,
    "a value that almost fits": {"protocol": "MQTT/5.0", "topic_name": "a/" + "-" * 200_000 + "x/f"},
    "many levels": {"protocol": "MQTT/5.0", "topic_name": "a/" * 200_000},
    "bad UTF-8": b'{"protocol":"NATS","subject":"\xff"}',
}


@pytest.mark.parametrize("name", BAD)
def test_bad_messages_fit_nothing(name: str) -> None:
    """A bad message is no match, and never more than that."""
    assert matcher().match(BAD[name], explain=True).outcome == "none"


@pytest.mark.parametrize("text", ["a" * 100_000 + "!", "a" * 30 + "!"])
def test_patterns_that_backtrack_end(text: str) -> None:
    """Where payloads decide between candidates, no pattern of a schema takes for ever."""
    result = matcher().match({**EVENT, "data": {"a": text}})
    assert f"{GROUP}object" not in {item.xid for item in result.matches} or len(text) > 1000


def test_xml_bomb_is_a_payload_like_any() -> None:
    """A payload that nobody asked for is not looked into."""
    message = {"protocol": "HTTP", "headers": [{"name": "x", "value": "1"}, {"name": "y", "value": "1"}], "body": BOMB}
    assert [item.xid for item in matcher().match(message).matches] == [f"{GROUP}headers"]


def test_repeated_headers_are_tried_in_bounds() -> None:
    """Many values of several headers are no product of possibilities."""
    many = [{"name": name, "value": f"{name}{number}"} for name in "xyz" for number in range(2_000)]
    assert matcher().match({"protocol": "HTTP", "headers": many}).outcome == "none"
    last = [{"name": name, "value": "same"} for name in "xyz"]
    assert matcher().match({"protocol": "HTTP", "headers": many[:600] + many[-600:] + last}).outcome in {"none", "many"}


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=10,
)
KEYS = st.sampled_from(
    ["protocol", "specversion", "type", "id", "source", "headers", "topic_name", "body", "data", "time"]
)
WORDS = st.sampled_from(["HTTP", "MQTT/5.0", "1.0", "t", "x", "2026-05-22T10:30:00Z"])


@given(st.dictionaries(KEYS, st.one_of(JSON, WORDS)))
def test_any_object_has_an_answer(message: dict[str, Any]) -> None:
    """No object makes matching fail, and as text it has the same answer."""
    result = matcher().match(message, explain=True)
    assert json.loads(json.dumps(result.as_json(), default=str))
    try:
        text = json.dumps(message, allow_nan=False)
    except ValueError:
        return
    assert matcher().match(text).outcome == result.outcome


@given(st.binary(max_size=60))
def test_any_bytes_have_an_answer(message: bytes) -> None:
    """No bytes make matching fail."""
    assert matcher().match(message).outcome == "none"


@given(st.sampled_from(["object", "topic", "headers"]), st.dictionaries(st.text(max_size=3), JSON), JSON)
def test_making_from_anything_is_an_error_at_most(name: str, context: dict[str, Any], data: Any) -> None:
    """Whatever a context or payload holds, the one error there is says what is wrong."""
    message = registry()[f"{GROUP}{name}"]
    given_ = {"b": "1", "c": "2", "d": "3", "a": "4", "source": "/s", **context}
    try:
        xregit.new(message, given_, data, now=datetime(2026, 5, 22, tzinfo=UTC), new_id="1")
    except MessageError as error:
        problems = error.problems
        assert problems
