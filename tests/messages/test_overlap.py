"""Definitions that nothing tells apart are found, those that anything tells apart are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

import xregit
from tests.messages.catalogs import registry_of
from xregit.messages.overlap import MAX_OVERLAPS, overlaps

TYPED = {"envelope": "CloudEvents/1.0"}


def event(**attributes: str) -> dict[str, object]:
    """Return a definition of events with these values."""
    stated = {name: {"value": value, "type": "uritemplate"} for name, value in attributes.items()}
    return {**TYPED, "envelopemetadata": stated}


def mqtt(**options: object) -> dict[str, object]:
    """Return a definition of MQTT messages."""
    return {"protocol": "MQTT/5.0", "protocoloptions": options}


def http(**options: object) -> dict[str, object]:
    """Return a definition of HTTP messages."""
    return {"protocol": "HTTP", "protocoloptions": options}


def nats(subject: str) -> dict[str, object]:
    """Return a definition of NATS messages."""
    return {"protocol": "NATS", "protocoloptions": {"subject": subject}}


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [
        (event(type="a"), event(type="b"), False),
        (event(type="a"), event(type="a"), True),
        (event(type="a"), event(), True),
        (event(type="a", source="/x/{y}"), event(type="a", source="/z/{y}"), False),
        (event(type="a", source="/x/{y}"), event(type="a", source="/x/y/z"), False),
        (event(type="a", source="/x/{y}"), event(type="a", source="/{y}/z"), True),
        (event(type="a", source="{y}"), event(type="a", source="/x/{y}"), True),
        (event(type="a"), mqtt(topic_name="a"), False),
        (mqtt(topic_name="a/{b}"), mqtt(topic_name="a/b"), True),
        (mqtt(topic_name="a/{b}"), mqtt(topic_name="a/b/c"), False),
        (mqtt(topic_name="a/x{b}"), mqtt(topic_name="a/y{b}"), False),
        (mqtt(topic_name="a/{b}x"), mqtt(topic_name="a/{b}y"), False),
        (mqtt(topic_name="a", content_type="a/b"), mqtt(topic_name="a", content_type="A/B"), True),
        (mqtt(topic_name="a", content_type="a/b"), mqtt(topic_name="a", content_type="a/c"), False),
        (mqtt(topic_name="a", qos=0), mqtt(topic_name="a", qos=1), True),
        (http(method="GET"), http(status="200"), False),
        (http(method="GET"), http(path="/a"), True),
        (nats("a.{b}.c"), nats("a.{b}.d"), False),
        (nats("a.{b}.c.{d}"), nats("a.{b}.x.{d}"), False),
        (nats("a.{b}.c"), nats("a.b.{c}"), True),
    ],
)
def test_overlap(one: Mapping[str, object], other: Mapping[str, object], overlap: bool, tmp_path: Path) -> None:
    """Two definitions overlap if one message can satisfy both; what delivery sets does not count."""
    registry = registry_of(tmp_path, {"one": one, "other": other})
    result = overlaps(registry)
    assert bool(result) == overlap
    assert [item.endpoints for item in result] == [("/endpoints/all",)] * len(result)
    assert all(item.first < item.second and not item.by_payload for item in result)


def test_payload_may_tell(tmp_path: Path) -> None:
    """Where schemas differ, the overlap says so."""
    schemas = (
        {"dataschemaformat": "JsonSchema/draft-07", "dataschema": {"type": kind}} for kind in ("object", "array")
    )
    one, other = ({**event(type="a"), **schema} for schema in schemas)
    (result,) = overlaps(registry_of(tmp_path, {"one": one, "other": other}))
    assert result.by_payload


def test_overlaps_of_many_are_few_comparisons(tmp_path: Path) -> None:
    """Among many definitions, only those pairs are found that overlap."""
    topics = {f"m{number}": mqtt(topic_name=f"a/{{b}}/{number}") for number in range(300)}
    more = {"all": mqtt(topic_name="a/b/{c}"), "other": mqtt(topic_name="{a}/{b}"), "type": event(type="a")}
    result = overlaps(registry_of(tmp_path, topics | more))
    assert len(result) == 300
    assert all(item.first.endswith("/all") for item in result)


def test_example_catalog_overlaps_only_where_payloads_differ(root: Path) -> None:
    """In the example catalog every message can be told from all others on its endpoints."""
    registry = xregit.read(root / "registry")
    assert [item for item in overlaps(registry) if not item.by_payload] == []


def test_very_many_overlaps_are_cut(tmp_path: Path) -> None:
    """Of messages that are all alike, each is paired with no more others than anyone looks at."""
    count = MAX_OVERLAPS + 20
    result = overlaps(registry_of(tmp_path, {f"m{number:03}": event(type="a") for number in range(count)}))
    pairs = Counter(item.second for item in result)
    assert len(pairs) == count - 1
    assert max(pairs.values()) == MAX_OVERLAPS
