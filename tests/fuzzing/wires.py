"""Readers of messages: their JSON shape, CloudEvents, what matching and routing make of them, and templates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import yaml

import xregit
from xregit.messages.template import Template
from xregit.protocols import Wire, WireError, bind, event_json, extract, flatten, read_event, read_wire
from xregit.protocols.json import json_bytes, json_value

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
PROTOCOLS = ("HTTP", "AMQP/1.0", "MQTT/3.1.1", "MQTT/5.0", "KAFKA", "NATS")
KINDS = ("string", "uritemplate", "uri")


@cache
def _matcher() -> xregit.Matcher:
    return xregit.Matcher(xregit.load(ROOT / "registry"))


def match(data: bytes) -> None:
    """Match a line: it has an answer that can be printed, with reasons; what is written of it reads as the same."""
    for item in _matcher().each(data, explain=True):
        json_bytes(item.as_json())
    try:
        result = read_wire(json_value(data))
    except (ValueError, WireError):
        return
    assert read_wire(json_value(json_bytes(result.as_json()))) == result
    extract(result)
    if result.protocol:
        flatten(result)


def event(data: bytes) -> None:
    """Read an event: it reads back, and every protocol that carries it gives it back."""
    try:
        result = read_event(json_value(data))
    except (ValueError, WireError):
        return
    assert event_json(read_event(event_json(result))) == event_json(result)
    for protocol in PROTOCOLS:
        try:
            sent = bind(result, protocol)
        except WireError:
            continue
        back = extract(read_wire(json_value(json_bytes(sent.as_json()))))
        assert not back.problems, (protocol, back.problems)


def route(data: bytes) -> None:
    """Match lines as a stream has them, and the parts of a Kafka record, which need not be text."""
    lines = data.split(b"\n")
    for line in lines:
        for item in _matcher().each(line):
            json_bytes(item.as_json())
    key, value, topic, name, header, *_ = [*lines, b"", b"", b"", b"", b""]
    headers = {name.decode(errors="replace"): (_text(header), _text(key))}
    text = _text(key)
    fields = {
        "topic": topic.decode(errors="replace"),
        "key_base64" if isinstance(text, bytes) else "key": text,
        "partition": 1,
        "headers": headers,
    }
    record = Wire("KAFKA", fields, value or None)
    record.as_json()
    for item in _matcher().each(record, explain=True):
        json_bytes(item.as_json())


def _text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def template(data: bytes) -> None:
    """Read a template, and a text by it: what a clear one makes of the values found is read as the same values."""
    text, _, value = data.decode(errors="replace").partition("\n")
    for kind in KINDS:
        result = Template.parse(text, kind)
        context: dict[str, str] = {}
        fits = result.read(value, context)
        # Where placeholders stand side by side, a text can be read in several ways.
        if fits and result.clear and not any(result.faults(context)):
            again: dict[str, str] = {}
            results = result.expand(context)
            assert result.read(results, again), (text, value, results)
            assert again == context, (text, value, results)


def wire_seeds() -> Iterator[bytes]:
    """Give the messages of the cases and of the example."""
    for case in yaml.safe_load((CASES / "protocols" / "received.yaml").read_text(encoding="utf-8")):
        if "wire" in case:
            yield json.dumps(case["wire"], default=str).encode()
    yield from (CASES / "recognise" / "example.jsonl").read_bytes().splitlines()


def event_seeds() -> Iterator[bytes]:
    """Give events."""
    yield from (line for line in wire_seeds() if b'"protocol"' not in line)
    yield b'{"specversion":"1.0","id":"1","source":"/a","type":"t","time":"2026-05-22T10:30:00Z","a":1,"data":[]}'
    yield b'{"specversion":"1.0","id":"1","source":"/a","type":"t","datacontenttype":"text/plain","data":"x"}'
    yield b'{"specversion":"1.0","id":"\\u20ac%","source":"/a","type":"t","data_base64":"AAE="}'


def route_seeds() -> Iterator[bytes]:
    """Give several lines."""
    yield from wire_seeds()
    yield b'key\n{"a": 1}\ntopic\nce_type\nt'
    yield b"\n".join(list(wire_seeds())[:3])


def template_seeds() -> Iterator[bytes]:
    """Give templates, each with a text that fits."""
    yield b"fleet/{vin}/position\nfleet/W1/position"
    yield b"{a}\nx/y"
    yield b"/a/{b}-{c}?{b}\n/a/1-2%20?1"
