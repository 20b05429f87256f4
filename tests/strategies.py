"""Hypothesis strategies for what the readers read: texts of YAML, documents, registry folders, messages on the wire."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.protocols.strategies import events, wires
from tests.source.values import NASTY, leaves, mappings, texts, values
from xregit.source.yaml_emitter import to_yaml

__all__ = [
    "documents", "events", "folders", "leaves", "mappings", "texts", "values", "wires", "yaml_bytes",
]  # fmt: skip

IDS = st.text("abcXYZ019._-~:@", min_size=1, max_size=8).map(lambda text: f"a{text}")
# What any entity may say of itself.
COMMON = {
    "name": texts().filter(str.strip),
    "description": texts().filter(str.strip),
    "labels": st.fixed_dictionaries({"a": texts()}),
}
PROPERTY = st.fixed_dictionaries(
    {},
    optional={
        "value": st.sampled_from(["a", "{b}", "/x/{b}/{c}"]),
        "required": st.booleans(),
        "description": st.just("x"),
    },
)
BOUND = (
    {"protocol": "MQTT/5.0", "protocoloptions": {"topic_name": "a/{b}", "qos": 1}},
    {"protocol": "KAFKA", "protocoloptions": {"topic": "a", "key": "{b}"}},
    {"protocol": "HTTP", "protocoloptions": {"method": "POST", "headers": [{"name": "x", "value": "{b}"}]}},
)
GROUPS = {"messagegroups": "messagegroup", "endpoints": "endpoint", "schemagroups": "schemagroup"}
SCHEMAS = (("JsonSchema/draft-07", {"type": "object"}), ("Avro/1.11.1", {"type": "array", "items": "int"}))


def yaml_bytes() -> st.SearchStrategy[bytes]:
    """Return bytes that are nearly YAML: files as we write them, lines of awkward texts, and anything at all."""
    written = mappings().map(lambda value: to_yaml(value).encode(errors="replace"))
    lines = st.lists(st.sampled_from([*NASTY, "- ", "? ", ": ", "a: ", "  "]), max_size=6)
    return written | lines.map(lambda parts: "".join(parts).encode(errors="replace")) | st.binary(max_size=40)


@st.composite
def documents(draw: st.DrawFn, *, loose: bool = False) -> dict[str, Any]:
    """Draw an xRegistry document without faults; ``loose`` gives some attributes any value instead."""
    names = draw(st.lists(IDS, min_size=1, max_size=4, unique_by=str.lower))
    result = {
        name: draw(_messages(f"/messagegroups/g/messages/{names[0]}" if name != names[0] else "")) for name in names
    }
    document = {
        "specversion": "1.0-rc2",
        "registryid": draw(IDS),
        **draw(_common()),
        "messagegroups": {"g": {**draw(_common()), "messages": result}},
        "endpoints": {"e": {**draw(_common()), "usage": ["consumer"], "messagegroups": ["/messagegroups/g"]}},
        "schemagroups": {"s": {"schemas": {"x": draw(_schemas())}}},
    }
    return _spoiled(draw, document) if loose else document


@st.composite
def folders(draw: st.DrawFn, *, loose: bool = False) -> dict[str, bytes]:
    """Draw the files of a registry folder, each at the place of its entity."""
    document = draw(documents())
    files: dict[str, Any] = {"registry.yaml": {"registryid": document["registryid"]}}
    for plural, singular in GROUPS.items():
        for name, group in document[plural].items():
            files[f"{plural}/{name}/{singular}.yaml"] = _spoiled(draw, group) if loose else group
    result = {path: to_yaml(value) if isinstance(value, dict) else json.dumps(value) for path, value in files.items()}
    return {path: text.encode(errors="replace") for path, text in result.items()}


def _common() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=COMMON)


@st.composite
def _messages(draw: st.DrawFn, base: str) -> dict[str, Any]:
    metadata = {"type": {"value": draw(IDS)}, **draw(st.dictionaries(st.sampled_from(["subject", "more"]), PROPERTY))}
    envelope = {"envelope": "CloudEvents/1.0", "envelopemetadata": metadata}
    stated = draw(st.sampled_from([envelope, {**envelope, **draw(st.sampled_from(BOUND))}]))
    return {**draw(_common()), **stated, **({"basemessage": base} if base and draw(st.booleans()) else {})}


@st.composite
def _schemas(draw: st.DrawFn) -> dict[str, Any]:
    format_, content = draw(st.sampled_from(SCHEMAS))
    return {"versions": {"1": {"format": format_, "schema": content}}}


def _spoiled(draw: st.DrawFn, value: Any) -> Any:
    """Return the value with anything in place of some of its parts."""
    if isinstance(value, dict):
        result = {name: _spoiled(draw, item) for name, item in value.items()}
        return result if draw(st.integers(0, 9)) else draw(values())
    return draw(values()) if not draw(st.integers(0, 9)) else value
