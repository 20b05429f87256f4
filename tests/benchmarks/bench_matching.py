"""How long matching takes: against many definitions and few, and against parsing the message and one look-up.

Measured on one core, for messages as JSON text: CloudEvents of some 400 bytes for constant types and for templates of
source and subject, MQTT messages in their JSON shape for topic templates. Of each, 100 different ones are matched in
turn; their definitions are spread over the catalog.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import xregit
from tests.benchmarks.ratio import ratio

FEW, MANY = 10, 10_000
DIFFERENT = 100
ROUNDS = 60

PAYLOAD = {"value": 3.5, "unit": "bar", "stamps": [1, 2, 3], "name": "pressure of the main line", "ok": True}


def definition(kind: str, number: int) -> dict[str, Any]:
    """Return a definition that only its number tells from others: in its type, in a template's level, in a topic."""
    envelope = {
        "types": {"type": {"value": f"com.example.plant.reading.{number}"}},
        "templates": {
            "type": {"value": "com.example.plant.reading"},
            "source": {"type": "uritemplate", "value": "https://plants.example.com/{plant}/lines/{line}"},
            "subject": {"type": "uritemplate", "value": f"sensors/{{sensor}}/readings/{number}"},
        },
    }
    if kind in envelope:
        return {"envelope": "CloudEvents/1.0", "envelopemetadata": envelope[kind]}
    return {
        "protocol": "MQTT/5.0",
        "protocoloptions": {"topic_name": f"plants/{{plant}}/lines/{{line}}/{number}", "qos": 1},
    }


def message(kind: str, number: int) -> bytes:
    """Return a message of the definition with that number."""
    if kind == "topics":
        return json.dumps(
            {
                "protocol": "MQTT/5.0",
                "topic_name": f"plants/p1/lines/7/{number}",
                "qos": 1,
                "retain": False,
                "content_type": "application/json",
                "user_properties": [{"name": "plant", "value": "p1"}, {"name": "line", "value": "7"}],
                "body": PAYLOAD,
            }
        ).encode()
    event = {
        "specversion": "1.0",
        "type": f"com.example.plant.reading{f'.{number}' if kind == 'types' else ''}",
        "source": "https://plants.example.com/p1/lines/7",
        "id": "01985f6c-2f55-7c4f-9d2a-3a8e64c4e2a1",
        "time": "2026-05-22T10:30:00.123Z",
        "subject": f"sensors/s17/readings/{number}",
        "datacontenttype": "application/json",
        "data": PAYLOAD,
    }
    return json.dumps(event).encode()


@cache
def registry(kind: str, size: int) -> xregit.Registry:
    """Return a registry of that many definitions, read and resolved."""
    groups: dict[str, Any] = {}
    for number in range(size):
        group = groups.setdefault(f"g{number // 50}", {"messages": {}})
        group["messages"][f"m{number}"] = {"messageid": f"m{number}", **definition(kind, number)}
    with TemporaryDirectory() as folder:
        path = Path(folder, "registry.json")
        path.write_text(json.dumps({"registryid": "benchmark", "messagegroups": groups}), encoding="utf-8")
        result = xregit.read(path)
    assert all(item.resolved for item in result.messages)
    return result


@cache
def matcher(kind: str, size: int) -> xregit.Matcher:
    """Return the matcher of that many definitions."""
    return xregit.Matcher(registry(kind, size))


def matching(kind: str, size: int) -> Callable[[], None]:
    """Return a function that matches the messages once."""
    match = matcher(kind, size).match
    texts = messages(kind, size)
    assert all(match(text).outcome == "one" for text in texts)

    def run() -> None:
        for text in texts:
            match(text)

    return run


def messages(kind: str, size: int) -> list[bytes]:
    """Return the messages for a catalog of that size."""
    return [message(kind, number * size // DIFFERENT) for number in range(DIFFERENT)]


@pytest.mark.parametrize("kind", ["types", "templates", "topics"])
def test_many_definitions_against_few(benchmark: BenchmarkFixture, kind: str) -> None:
    """Against 10,000 definitions, and against 10."""
    ratio(benchmark, matching(kind, MANY), matching(kind, FEW), rounds=ROUNDS)


@pytest.mark.parametrize("kind", ["types", "templates"])
def test_matching_against_parsing(benchmark: BenchmarkFixture, kind: str) -> None:
    """Against json.loads of the event and one look-up."""
    texts = messages(kind, MANY)
    table = {json.loads(text)["type"]: text for text in texts}

    def floor() -> None:
        for text in texts:
            table.get(json.loads(text)["type"])

    ratio(benchmark, matching(kind, MANY), floor, rounds=ROUNDS)


def test_long_values_against_short_ones(benchmark: BenchmarkFixture) -> None:
    """Values of ten times the length, whatever they are made of."""
    from xregit.messages.template import Template

    template = Template.parse("a{x}ab{y}ab{z}abc")

    def read(length: int) -> Callable[[], None]:
        texts = ["a" * length, "ab" * (length // 2), "a" + "ab" * (length // 2) + "c", "/" * length]

        def run() -> None:
            for text in texts:
                template.read(text, {})

        return run

    ratio(benchmark, read(1_000_000), read(100_000), rounds=20)
