"""What is said of Avro and Protobuf schemas, held against readers of others that read what was written."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from math import isinf
from typing import Any

import fastavro
import pytest
from fastavro.schema import SchemaParseException
from google.protobuf import json_format, message_factory
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.payloads.compatibility_page import Case, cases
from tests.sizes import some
from xregit.payloads import SchemaError, parse
from xregit.payloads.compatibility import Answer, compare

AVRO = "Avro/1.11.1"
slow = settings(max_examples=some(150), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

NAMES = st.sampled_from(("a", "b", "c"))
PRIMITIVES = st.sampled_from(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
SYMBOLS = st.lists(st.sampled_from(("A", "B", "C")), min_size=1, max_size=3, unique=True)
NAMED = st.one_of(
    st.builds(lambda symbols: {"type": "enum", "name": "E", "symbols": symbols}, SYMBOLS),
    st.builds(lambda symbols: {"type": "enum", "name": "E", "symbols": symbols, "default": symbols[0]}, SYMBOLS),
    st.builds(lambda size: {"type": "fixed", "name": "F", "size": size}, st.integers(1, 2)),
)
# A name is defined at its first place alone, so that each kind of named type stands in one field.
TYPES = st.recursive(
    PRIMITIVES,
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda values: {"type": "map", "values": values}, inner),
        st.lists(PRIMITIVES, min_size=1, max_size=3, unique=True),
    ),
    max_leaves=3,
)
DEFAULTS: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "int": 1,
    "long": 1,
    "float": 1.5,
    "double": 1.5,
    "string": "d",
}


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a record whose fields have defaults, aliases, and types of all kinds."""
    fields = []
    for name in draw(st.lists(NAMES, max_size=3, unique=True)):
        type_ = draw(TYPES)
        field: dict[str, Any] = {"name": name, "type": type_}
        if isinstance(type_, str) and type_ in DEFAULTS and draw(st.booleans()):
            field["default"] = DEFAULTS[type_]
        if draw(st.integers(0, 4)) == 0:
            field["aliases"] = [draw(NAMES)]
        fields.append(field)
    if draw(st.booleans()):
        fields.append({"name": "named", "type": draw(NAMED)})
    return {"type": "record", "name": "R", "fields": fields}


def value_of(schema: Any, draw: Callable[[st.SearchStrategy[Any]], Any]) -> Any:
    """Draw a value of an Avro type."""
    if isinstance(schema, list):
        return value_of(draw(st.sampled_from(schema)), draw)
    kind = schema if isinstance(schema, str) else schema["type"]
    if kind == "record":
        return {field["name"]: value_of(field["type"], draw) for field in schema["fields"]}
    if kind == "array":
        return [value_of(schema["items"], draw) for _ in range(draw(st.integers(0, 2)))]
    if kind == "map":
        return {str(index): value_of(schema["values"], draw) for index in range(draw(st.integers(0, 2)))}
    result: dict[str, st.SearchStrategy[Any]] = {
        "null": st.none(),
        "boolean": st.booleans(),
        "int": st.integers(-(2**31), 2**31 - 1),
        "long": st.integers(-(2**63), 2**63 - 1),
        "float": st.floats(width=32, allow_nan=False),
        "double": st.floats(allow_nan=False),
        # Bytes that are read as text are those of a text.
        "bytes": st.text(max_size=3).map(str.encode),
        "string": st.text(max_size=3),
    }
    if kind == "enum":
        return draw(st.sampled_from(schema["symbols"]))
    return draw(st.binary(min_size=schema["size"], max_size=schema["size"]) if kind == "fixed" else result[kind])


def is_read(written: Any, read: Any, value: Any) -> bool:
    """Tell whether fastavro reads a value of one schema with another."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(written), value)
    try:
        fastavro.schemaless_reader(
            io.BytesIO(out.getvalue()), fastavro.parse_schema(written), fastavro.parse_schema(read)
        )
    except (fastavro.read.SchemaResolutionError, ValueError, TypeError, KeyError, EOFError, IndexError):
        return False
    return True


@slow
@given(records(), records(), st.booleans(), st.data())
def test_what_is_said_to_be_read_is_read_by_another(old: Any, new: Any, alike: bool, data: st.DataObject) -> None:
    """What one schema writes, fastavro reads with the other wherever the verdict says so, in both directions."""
    if alike:
        changed = {field["name"]: field for field in (*old["fields"], *new["fields"][:1])}
        new = {**old, "fields": list(changed.values())}
    try:
        result = compare(*(parse(AVRO, json.dumps(item).encode()) for item in (old, new)))
        for written, read, answer in ((old, new, result.backward), (new, old, result.forward)):
            if answer is Answer.YES:
                assert is_read(written, read, value_of(written, data.draw))
    except (SchemaError, SchemaParseException):
        assume(False)  # noqa: FBT003 - Hypothesis' own parameter


@pytest.mark.parametrize("case", [case for case in cases() if case.language == "Avro"], ids=lambda case: case.change)
@settings(max_examples=some(20))
@given(st.data())
def test_each_case_agrees_with_another_reader(case: Case, data: st.DataObject) -> None:
    """Of the cases of the page, those that are compatible are read by fastavro."""
    documents = [json.loads(item) for item in (case.before, case.after)]
    for written, read, answer in zip(documents, reversed(documents), case.answers, strict=True):
        if answer == "yes" and "logicalType" not in str(documents) and '"R"}' not in str(written):
            assert is_read(written, read, _value(written, data))


def _value(schema: Any, data: st.DataObject) -> Any:
    """Draw a value; a type that holds itself ends at once."""
    fields = [field for field in schema["fields"] if field["name"] != "next"]
    return {**value_of({**schema, "fields": fields}, data.draw), "next": None}


SCALARS = ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "sfixed32", "fixed64", "sfixed64")
OTHERS = ("bool", "string", "bytes", "double", "float")
LABELS = ("", "optional ", "repeated ")
FIELD = st.tuples(st.sampled_from(LABELS), st.sampled_from((*SCALARS, *OTHERS)), st.sampled_from("ffffg"))
MESSAGES = st.dictionaries(st.integers(1, 4), FIELD, max_size=4)


def proto(fields: dict[int, tuple[str, str, str]]) -> bytes:
    """Return a message with these fields, each called after its number."""
    inside = " ".join(f"{label}{kind} {name}{number} = {number};" for number, (label, kind, name) in fields.items())
    return f'syntax = "proto3"; message R {{ {inside} }}'.encode()


def number_of(kind: str) -> st.SearchStrategy[Any]:
    """Return values of a scalar type."""
    if kind in OTHERS:
        result: dict[str, st.SearchStrategy[Any]] = {
            "bool": st.booleans(),
            "string": st.text(max_size=3),
            "bytes": st.binary(max_size=3),
            "double": st.floats(allow_nan=False),
            # Python's reader of the JSON form refuses the largest ones as its writer rounds them.
            "float": st.floats(width=32, allow_nan=False).filter(lambda value: isinf(value) or abs(value) < 3.4e38),
        }
        return result[kind]
    bits = 64 if "64" in kind else 32
    least = 0 if kind.startswith(("u", "fixed")) else -(2 ** (bits - 1))
    return st.integers(least, least + 2**bits - 1)


@pytest.mark.parametrize("contenttype", ["", "application/json"])
@slow
@given(MESSAGES, MESSAGES, st.booleans(), st.data())
def test_a_round_trip_keeps_every_value(contenttype: str, old: Any, new: Any, alike: bool, data: st.DataObject) -> None:
    """Where the verdict says that old messages are read, each field that both know has the value that was written."""
    if alike:
        new = {**old, **dict(list(new.items())[:1])}
    schemas: list[Any] = [parse("Protobuf/3", proto(fields)) for fields in (old, new)]
    result = compare(*schemas, contenttype=contenttype)
    classes = [message_factory.GetMessageClass(schema.message) for schema in schemas]
    for (written, read), (one, other), answer in (
        ((old, new), classes, result.backward),
        ((new, old), classes[::-1], result.forward),
    ):
        if answer is not Answer.YES:
            continue
        message = one()
        for number, (label, kind, name) in written.items():
            drawn = data.draw(number_of(kind))
            if label == "repeated ":
                getattr(message, f"{name}{number}").append(drawn)
            else:
                setattr(message, f"{name}{number}", drawn)
        if contenttype:
            got = json_format.Parse(json_format.MessageToJson(message), other())
        else:
            got = other.FromString(message.SerializeToString())
        for number in written.keys() & read.keys():
            names = (f"{fields[number][2]}{number}" for fields in (written, read))
            values = [getattr(item, name) for item, name in zip((message, got), names, strict=True)]
            assert _same(*values)


def _same(one: Any, other: Any) -> bool:
    """Compare values as those who update a type see them: one value is a list of one, a default may be none."""
    lists = [list(item) if hasattr(item, "append") else [item] for item in (one, other)]
    plain = [[item.encode() if isinstance(item, str) else item for item in listed] for listed in lists]
    single = not (hasattr(one, "append") and hasattr(other, "append"))
    return plain[0] == plain[1] or (single and list(filter(None, plain[0])) == list(filter(None, plain[1])))
