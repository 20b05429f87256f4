"""Definitions of messages drawn from the model: any protocol, envelope, mode, type of property and base message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from xregit.model import builtin, names, siblings
from xregit.model.language import AttributeModel

NAMES = ("a", "b_1", "Vin9")
ATTRIBUTES = builtin().groups["messagegroups"].resources["messages"].attributes
BASE = "/messagegroups/g/messages/base"


def _texts(*literals: str) -> st.SearchStrategy[str]:
    """Return texts of literals and placeholders, no two of which stand side by side."""
    parts = st.sampled_from([*literals, *(f"{{{name}}}" for name in NAMES)])
    return st.lists(parts, min_size=1, max_size=4).map("".join).filter(lambda text: "}{" not in text)


TEXTS = _texts("a", "B 9", "/", ".-_", ":é%20?#", "=&+~;,")
URIS = _texts("a", "/x/", "urn:x:", "%20", "b.c", "http://h/p", "?q=", "#f", "é")
TIMES = st.sampled_from(["2026-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "2026-01-01T23:59:60.123+01:30"])
MEDIA = st.sampled_from(
    ["application/json", "Text/Plain; charset=utf-8", "application/{a}", "{b_1}", "application/cloudevents+json"]
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "any": TEXTS | st.integers(-5, 5) | st.booleans(),
    "binary": st.sampled_from(["", "AAEC", "aGVsbG8="]),
    "boolean": st.sampled_from([True, False, "true"]),
    "duration": st.sampled_from(["PT5M", "P1Y2M", "P3W", "PT0.5S"]),
    "integer": st.sampled_from([0, 5, -3, "7", 2**31 - 1]),
    "number": st.sampled_from([1.5, 2, "1e3", 1e300]),
    "string": TEXTS,
    "symbol": _texts("ab", "Z_9"),
    "timestamp": TIMES,
    "ulong": st.sampled_from([0, 2**64 - 1, "5"]),
    "uri": URIS,
    "uritemplate": URIS,
    "uuid": st.sampled_from(["6f1b0f53-2f61-4d8a-b5a8-9b8d0b3f4a55", "6F1B0F53-2F61-4D8A-B5A8-9B8D0B3F4A55"]),
}
# What most properties of these names hold, as others would be refused.
USUAL: dict[str, st.SearchStrategy[Any]] = {
    "content-encoding": st.sampled_from(["gzip", "{a}"]),
    "content-type": MEDIA,
    "content_type": MEDIA,
    "datacontenttype": MEDIA,
    "id": st.sampled_from(["x", "{a}"]),
    "method": st.sampled_from(["POST", "get", "{a}"]),
    "payload_format": st.integers(0, 1),
    "qos": st.integers(0, 2),
    "specversion": st.just("1.0"),
    "status": st.sampled_from(["200", "{a}", 404]),
    "subject": _texts("a", ".", "b", "-"),
    "time": TIMES,
    "topic": _texts("a", ".", "-"),
    "topic_name": _texts("a", "/", "b c", "é"),
}
ENTRIES = (
    *("x", "X-Y", "x_y", "content-type", "Content-Type", "type", "id", "subject", "é"),
    *("ce-type", "CE-Source", "ce-foo", "ce_type", "ce_foo", "cloudEvents_type", "cloudEvents:foo"),
)
OPTIONS = st.sampled_from(
    [{}, {"mode": "binary"}, {"mode": "structured"}, {"format": "application/cloudevents+json"}, {"mode": "binary"}]
)


@st.composite
def definitions(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the messages of a group: one that is called "m", perhaps with a base message that says some of it."""
    message = draw(_messages())
    if draw(st.integers(0, 2)):
        return {"m": message}
    left = {name: item for name, item in message.items() if draw(st.booleans())}
    return {"m": {**left, "basemessage": BASE}, "base": draw(_messages())}


@st.composite
def _messages(draw: st.DrawFn) -> dict[str, Any]:
    result: dict[str, Any] = {}
    if draw(st.integers(0, 4)):
        models = siblings(ATTRIBUTES, {"envelope": "CloudEvents/1.0"})["envelopemetadata"].attributes
        wanted = {name: model for name, model in models.items() if name != "*" and draw(st.booleans())}
        wanted |= {name: models["*"] for name in ("foo", "traceparent") if not draw(st.integers(0, 2))}
        metadata = {name: draw(_property(model, name)) for name, model in wanted.items()}
        result |= {"envelope": "CloudEvents/1.0", "envelopemetadata": metadata, "envelopeoptions": draw(OPTIONS)}
    if draw(st.integers(0, 4)) or not result:
        protocol = draw(st.sampled_from(sorted(names("protocol"))))
        options = siblings(ATTRIBUTES, {"protocol": protocol})["protocoloptions"].attributes
        result |= {"protocol": protocol, "protocoloptions": draw(_several(options))}
    return result


@st.composite
def _several(draw: st.DrawFn, models: Mapping[str, AttributeModel]) -> dict[str, Any]:
    return {name: draw(_option(model, name)) for name, model in models.items() if draw(st.booleans())}


@st.composite
def _option(draw: st.DrawFn, model: AttributeModel, name: str) -> Any:
    if model.property:
        stated = draw(_property(model, name))
        return stated["value"] if model.type == "any" and "value" in stated and draw(st.booleans()) else stated
    if model.item is None:
        return draw(_several(model.attributes))
    entries = draw(st.lists(st.sampled_from(ENTRIES), max_size=3, unique=model.type == "map"))
    results = [(entry, draw(_property(model.item, entry.lower()))) for entry in entries]
    return dict(results) if model.type == "map" else [{"name": entry, **stated} for entry, stated in results]


@st.composite
def _property(draw: st.DrawFn, model: AttributeModel, name: str) -> dict[str, Any]:
    kind = draw(st.none() | st.sampled_from(model.attributes["type"].enum))
    usual = USUAL.get(name) if draw(st.integers(0, 4)) else None
    value = VALUES[kind or str(model.attributes["type"].default)] if usual is None else usual
    stated = {"value": draw(value)} if draw(st.integers(0, 4)) else {}
    return {
        **stated,
        **({"type": kind} if kind else {}),
        **draw(st.fixed_dictionaries({}, optional={"required": st.booleans()})),
    }
