"""Values to YAML text that says the same to every reader."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import given

from tests.source.values import NASTY, mappings
from xregit.source import yaml_loader
from xregit.source.scalars import without_text
from xregit.source.yaml_emitter import MAX_FLOW_CHARS, to_yaml
from xregit.source.yaml_loader import PurePythonParser

MESSAGE = {
    "name": "Bag loaded",
    "description": "A bag went into the hold of a plane, and the scanner beside its belt read the tag.",
    "documentation": "Every bag that is loaded says so once; a bag that is unloaded again, because its owner "
    "has not come on board, says so too.",
    "versionid": "1.0",
    "labels": {"domain": "luggage", "no": "no"},
    "envelopemetadata": {
        "type": {"value": "com.example.bag.loaded", "type": "string", "required": True},
        "source": {"value": "/belts/{belt}", "type": "uritemplate"},
    },
    "protocoloptions": {
        "user_properties": [{"name": "tenant", "value": "{tenant}"}, {"name": "weight", "value": -90.0}],
        "qos": {},
    },
    "usage": ["producer", "consumer"],
    "schema": 'syntax = "proto3";\n\nmessage Bag {\n  string tag = 1;\n}\n',
}
MESSAGE_TEXT = """\
# yaml-language-server: $schema=message.schema.json
name: Bag loaded
description: A bag went into the hold of a plane, and the scanner beside its belt read the tag.
documentation: >-
  Every bag that is loaded says so once; a bag that is unloaded again, because its owner has not
  come on board, says so too.
versionid: "1.0"
labels: {domain: luggage, "no": "no"}
envelopemetadata:
  type: {value: com.example.bag.loaded, type: string, required: true}
  source: {value: "/belts/{belt}", type: uritemplate}
protocoloptions:
  user_properties:
    - {name: tenant, value: "{tenant}"}
    - {name: weight, value: -90.0}
  qos: {}
usage: [producer, consumer]
schema: |
  syntax = "proto3";

  message Bag {
    string tag = 1;
  }
"""


def test_a_message_looks_as_if_written_by_hand() -> None:
    """Short leaves stand between brackets, long texts in blocks, and quotes only where they are needed."""
    assert to_yaml(MESSAGE, comment="yaml-language-server: $schema=message.schema.json") == MESSAGE_TEXT


@given(mappings())
def test_reading_gives_back_what_was_written(value: dict[str, Any]) -> None:
    """Both parsers read what was written, with the same types."""
    text = to_yaml(value).encode()
    for parsed in (yaml_loader.parse(text), yaml_loader.parse(text, PurePythonParser)):
        assert parsed.problems == ()
        assert repr(without_text(parsed.value)) == repr(value)


@given(mappings())
def test_writing_twice_gives_the_same_text(value: dict[str, Any]) -> None:
    """What was read again is written the same."""
    text = to_yaml(value)
    assert to_yaml(yaml_loader.parse(text.encode()).value) == text


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_readers_of_yaml_1_1_see_the_same_texts(text: str) -> None:
    """Booleans, numbers and dates of YAML 1.1 are quoted, as keys too."""
    value = {"outside": text, "inside": [text, {"a": text}], text: 1}
    assert pyyaml.safe_load(to_yaml(value)) == value


@pytest.mark.parametrize("number", [0.1, -90.0, 1e-07, 1e16, 1.5e300, 10**39, -(2**60), 0, True, False, None])
def test_readers_of_yaml_1_1_see_the_same_numbers(number: float | None) -> None:
    """An exponent has the point and sign that YAML 1.1 wants."""
    assert repr(pyyaml.safe_load(to_yaml({"a": number}))["a"]) == repr(number)


def test_numbers_are_written_as_they_were_read() -> None:
    """A number that was written in another way than Python's keeps it."""
    text = "a: 1.10\nb: 0x1F\nc: [1e3, 007]\n"
    assert to_yaml(yaml_loader.parse(text.encode()).value) == text


def test_an_empty_mapping_is_a_file_too() -> None:
    """Nothing to say is said in brackets."""
    assert to_yaml({}, comment="nothing\nhere") == "# nothing\n# here\n{}\n"


def test_long_brackets_are_spread_out() -> None:
    """A list that would pass the end of the line has an item per line."""
    value = {"references": [f"/messagegroups/group{number}" for number in range(5)]}
    lines = to_yaml(value).splitlines()
    assert lines[:2] == ["references:", "  - /messagegroups/group0"]
    assert max(map(len, lines)) <= MAX_FLOW_CHARS


@pytest.mark.parametrize(("short", "ends"), [({"b": "c"}, "}"), (["b", "c"], "]")])
def test_brackets_end_where_their_room_does(short: dict[str, str] | list[str], ends: str) -> None:
    """A line with brackets may be as long as it may, and no longer."""
    line = to_yaml({"a": short})
    fits = "k" * (MAX_FLOW_CHARS - len(line.rstrip()) + 1)
    assert to_yaml({fits: short}).rstrip().endswith(ends)
    assert len(to_yaml({fits: short}).rstrip()) == MAX_FLOW_CHARS
    assert not to_yaml({f"{fits}k": short}).rstrip().endswith(ends)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_json_lacks_is_refused(number: float) -> None:
    """Infinity can't be written."""
    with pytest.raises(ValueError, match="can't be written"):
        to_yaml({"a": [number]})


@pytest.mark.parametrize("value", [b"bytes", {1, 2}, object()])
def test_what_is_no_json_value_is_refused(value: object) -> None:
    """Only JSON's types can be written."""
    with pytest.raises(TypeError, match="no JSON value"):
        to_yaml({"a": value})
