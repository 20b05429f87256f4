"""Messages and CloudEvents for property tests, made from the same tables that the code reads."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from xregit.model.datatypes import SYNTAXES
from xregit.protocols import Event, Wire
from xregit.protocols.json import json_bytes
from xregit.protocols.message_layout import MAP, ONE, Field, MessageLayout, message_layout

PROTOCOLS = ("HTTP", "AMQP/1.0", "MQTT/3.1.1", "MQTT/5.0", "KAFKA", "NATS")
TOKENS = st.text("abcXYZ019!#$%&'*+-.^_`|~", min_size=1, max_size=12)
WHOLE = st.integers(-(2**63), 2**64 - 1)
SINGLE = {
    "boolean": st.booleans(),
    "integer": st.integers(0, 1),
    "timestamp": st.datetimes().map(lambda moment: f"{moment.isoformat()}Z"),
}
TIMES = st.one_of(SINGLE["timestamp"], st.just("2016-12-31T23:59:60.5-01:30"))
# What an attribute may have: all but controls, surrogates and what Unicode calls noncharacters.
ATTRIBUTE = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cc", "Cs")).filter(
            lambda char: ord(char) & 0xFFFE != 0xFFFE and not 0xFDD0 <= ord(char) <= 0xFDEF
        ),
        st.sampled_from(' %"\\?#/+*>.{};,=&é€😀\u00a0\u2028\ufeff%20%C0%A0'),
    ),
    min_size=1,
    max_size=12,
)
RESERVED = frozenset({"data", "time", "specversion", "id", "source", "type", "datacontenttype"})
EXTENSIONS = st.text("abcxyz019", min_size=1, max_size=20).filter(lambda name: name not in RESERVED)
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False, allow_infinity=False),
        ATTRIBUTE,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ATTRIBUTE, inner, max_size=3)),
    max_leaves=8,
)
# A payload with the media type that it has, or none.
PAYLOADS: SearchStrategy[tuple[str | None, bytes | None]] = st.one_of(
    st.tuples(
        st.sampled_from(["application/json", "Application/X+JSON; charset=utf-8", "text/json"]), JSON.map(json_bytes)
    ),
    st.tuples(st.sampled_from(["text/plain", "application/xml", "image/svg+xml"]), st.text().map(str.encode)),
    st.tuples(
        st.sampled_from(["application/avro", "text/plain; charset=latin1", "application/json", "text/xml"]),
        st.sampled_from([b"", b"\x80\x01", b"{", b"\0"]),
    ),
    st.tuples(st.sampled_from([None, "application/json"]), st.none()),
)


@st.composite
def events(draw: st.DrawFn, values: SearchStrategy[Any] = ATTRIBUTE) -> Event:
    """Draw a valid event whose extensions have such values."""
    contenttype, data = draw(PAYLOADS)
    attributes: dict[str, Any] = {
        "specversion": "1.0",
        "id": draw(ATTRIBUTE),
        "source": draw(ATTRIBUTE),
        "type": draw(ATTRIBUTE),
        **draw(st.fixed_dictionaries({}, optional={"time": TIMES, "subject": ATTRIBUTE})),
        **draw(st.dictionaries(EXTENSIONS, values, max_size=3)),
    }
    if contenttype is not None:
        attributes["datacontenttype"] = contenttype
    return Event(attributes, data)


@st.composite
def wires(draw: st.DrawFn) -> Wire:
    """Draw a message of any protocol, with any of its fields."""
    known = message_layout(draw(st.sampled_from(PROTOCOLS)))
    assert known is not None
    drawn = {name: _values(known, field) for name, field in known.fields.items() if not field.twin}
    fields = draw(st.fixed_dictionaries({}, optional=drawn))
    if "key" not in fields and "key_base64" in known.fields and draw(st.booleans()):
        fields["key_base64"] = draw(st.binary()) + b"\xff"
    return Wire(
        known.protocol, fields, draw(st.one_of(st.none(), st.binary(), st.text().map(str.encode), JSON.map(json_bytes)))
    )


def _values(known: MessageLayout, field: Field) -> SearchStrategy[Any]:
    texts = _texts(known)
    if field.kind == ONE:
        return SINGLE.get(field.model.property, texts)
    if field.kind == MAP and field.model.attributes:
        single = {name: SINGLE.get(model.property, texts) for name, model in field.model.attributes.items()}
        return st.fixed_dictionaries({}, optional=single).filter(bool)
    # Headers of HTTP are read in lower case; those of NATS have all characters of these names too.
    plain = field.namesyntax in {"token", "natsheader"}
    names = TOKENS.map(str.lower) if plain else texts.filter(SYNTAXES[field.namesyntax or "nonempty"].test)
    if field.kind == MAP and field.repeated:
        values = st.one_of(texts, st.just(b"\xff"))
        several = st.one_of(values, st.lists(values, min_size=2, max_size=3).map(tuple))
        return st.dictionaries(names, several, min_size=1, max_size=3)
    if field.kind == MAP:
        single_values = st.one_of(
            texts, WHOLE, st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.binary()
        )
        return st.dictionaries(names, single_values, min_size=1, max_size=3)
    repeated = st.dictionaries(names, st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=3)
    return repeated.map(lambda found: tuple((name, text) for name, values in found.items() for text in values))


def _texts(known: MessageLayout) -> SearchStrategy[str]:
    forbidden = known.forbidden
    texts = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("/%é€😀\r\n\0")), max_size=8)
    return texts.map(lambda text: forbidden.sub("", text)) if forbidden else texts
