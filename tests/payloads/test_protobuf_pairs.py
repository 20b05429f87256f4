"""Every type of a Protobuf field held against every other, in both forms, with Protobuf itself as the judge."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from google.protobuf import json_format, message_factory
from hypothesis import given
from hypothesis import strategies as st

from xregit.payloads import parse
from xregit.payloads.compatibility import Answer, compare

LABELS = ("", "optional ", "repeated ")
DECLARED = "enum E { Z = 0; O = 1; T = 2; } message M { int32 x = 1; string y = 2; }"
SIGNED = {bits: (0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))) for bits in (32, 64)}
UNSIGNED = {bits: (0, 1, 2**bits - 1, 2 ** (bits - 1)) for bits in (32, 64)}
VALUES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("int32", "sint32", "sfixed32"), SIGNED[32]),
    **dict.fromkeys(("int64", "sint64", "sfixed64"), (*SIGNED[64], 2**31, 2**32)),
    **dict.fromkeys(("uint32", "fixed32"), UNSIGNED[32]),
    **dict.fromkeys(("uint64", "fixed64"), (*UNSIGNED[64], 2**32)),
    "bool": (False, True),
    "string": ("", "a", "é", "1", "\x08\x01"),
    "bytes": (b"", b"a", b"\xff", b"\x08\x01", b"\x69\xb7\x1d"),
    "double": (0.0, 1.5, 1e300, -1.0),
    "float": (0.0, 1.5, -1.0),
    "E": (0, 1, 2),
    "M": ({}, {"x": 1}, {"x": -5, "y": "abc"}),
    "map<int32, string>": ({}, {1: "a"}),
    "map<string, string>": ({}, {"a": "b"}),
    "map<string, int32>": ({}, {"a": 1}),
}
FIELDS = tuple((label, kind) for kind in VALUES for label in LABELS if not (label and kind.startswith("map")))
Message = Any


@cache
def schema(label: str, kind: str) -> Any:
    """Return a message with one field."""
    text = f'syntax = "proto3"; message R {{ {label}{kind} f = 1; }} {DECLARED}'
    return parse("Protobuf/3", text.encode(), fragment="R")


def messages(label: str, kind: str) -> Iterator[Message]:
    """Yield messages with each value of a type, once and, where it repeats, twice."""
    class_ = message_factory.GetMessageClass(schema(label, kind).message)
    yield class_()
    for value in VALUES[kind]:
        for count in (1, 2) if label == "repeated " else (1,):
            yield class_(f=[value] * count if label == "repeated " else value)


def values(message: Message, kind: str) -> list[Any]:
    """Return the values that a reader sees: none where the field is left out, or has its type's default."""
    field = message.DESCRIPTOR.fields[0]
    if kind.startswith("map"):
        return [dict(message.f)]
    if field.is_repeated:
        items = list(message.f)
    else:
        items = [message.f] if not field.has_presence or message.HasField("f") else []
    if kind == "M":
        return [item.SerializeToString(deterministic=True) for item in items]
    return [item.encode() if isinstance(item, str) else item for item in items]


def is_same(written: Message, read: Message, kinds: tuple[str, str], labels: tuple[str, str]) -> bool:
    """Return whether the values are the same; a default may be none, unless it is a message that is there."""
    before, after = values(written, kinds[0]), values(read, kinds[1])
    if labels[0] == "repeated " or labels == ("", "optional "):
        return before == after
    if kinds == ("M", "bytes") and before and not read.ListFields():
        return False
    return list(filter(None, before)) == list(filter(None, after))


def is_broken(writer: tuple[str, str], reader: tuple[str, str], contenttype: str) -> bool:
    """Return whether a value is read as another one, or not at all."""
    class_ = message_factory.GetMessageClass(schema(*reader).message)
    if contenttype and writer[1] == "bool" != reader[1]:
        # Python's library takes true for the number 1.
        return True
    for message in messages(*writer):
        try:
            if contenttype:
                got = json_format.Parse(json_format.MessageToJson(message), class_())
            else:
                got = class_.FromString(message.SerializeToString())
        except Exception:  # noqa: BLE001 - however the library says that it can't be read
            return True
        if not is_same(message, got, (writer[1], reader[1]), (writer[0], reader[0])):
            return True
    return False


@pytest.mark.parametrize("contenttype", ["", "application/json"])
@pytest.mark.parametrize("kind", VALUES)
def test_each_answer_has_its_reason(kind: str, contenttype: str) -> None:
    """What is said to be read is read, and what is said not to be has a value that shows it."""
    wrong = []
    for label, reader in itertools.product(LABELS, FIELDS):
        if (label, kind) in FIELDS:
            writer = label, kind
            answer = compare(schema(*writer), schema(*reader), contenttype=contenttype).backward
            if answer is not Answer.UNCLEAR and is_broken(writer, reader, contenttype) is (answer is Answer.YES):
                wrong.append(f"{label}{kind} → {''.join(reader)}: {answer}")
    assert not wrong, "\n".join(wrong)


ENUMS = ("A = 0;", "B = 1;", "A = 0; B = 1;", "B = 1; A = 0;", "A = 1; B = 0;")
INNER = {"int64": (0, 5), "string": ("", "x")}
DEFAULTS = {"int32": "7", "string": '"x"'}
# One field of proto2, or an extension in its place, with what it stands for and holds.
DRAWN = st.tuples(
    st.sampled_from(["optional", "repeated"]),
    st.sampled_from(["int32", "string", "E", "M"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(ENUMS),
    st.sampled_from(sorted(INNER)),
)
Drawn = tuple[str, str, bool, bool, str, str]


@cache
def drawn_schema(drawn: Drawn) -> Any:
    """Return a message with what was drawn."""
    label, kind, defaulted, extends, values, inner = drawn
    default = f" [default = {DEFAULTS[kind]}]" if defaulted and label == "optional" and kind in DEFAULTS else ""
    field = f"{label} {kind} f = 1{default};"
    home = f"message R {{ extensions 1 to 9; }} extend R {{ {field} }}" if extends else f"message R {{ {field} }}"
    text = f'syntax = "proto2"; {home} enum E {{ {values} }} message M {{ optional {inner} v = 1; }}'
    return parse("Protobuf/2", text.encode(), fragment="R")


def field_of(message: Message) -> Any:
    """Return the field or the extension."""
    fields = (*message.DESCRIPTOR.fields, *message.DESCRIPTOR.file.pool.FindAllExtensions(message.DESCRIPTOR))
    return fields[0]


def seen(message: Message, *, by_name: bool) -> list[Any]:
    """Return what a reader sees, the default of a single value included."""
    field = field_of(message)
    value = message.Extensions[field] if field.is_extension else message.f
    items = list(value) if field.is_repeated else [value]
    if field.message_type is not None:
        return [item.v for item in items if field.is_repeated or item.ListFields()]
    return [field.enum_type.values_by_number[item].name if field.enum_type and by_name else item for item in items]


def drawn_messages(drawn: Drawn) -> Iterator[Message]:
    """Yield a message without the field, and one with each of a few values."""
    class_: Any = message_factory.GetMessageClass(drawn_schema(drawn).message)
    yield class_()
    field = field_of(class_())
    values = {"int32": (0, 1, 5), "string": ("", "a", "x")}.get(
        drawn[1], tuple(getattr(field.enum_type, "values_by_number", ()))
    )
    for value in INNER[drawn[5]] if drawn[1] == "M" else values:
        message = class_()
        if drawn[1] == "M":
            holder = message.Extensions[field] if field.is_extension else message.f
            (holder.add() if field.is_repeated else holder).v = value
        elif field.is_repeated:
            (message.Extensions[field] if field.is_extension else message.f).append(value)
        elif field.is_extension:
            message.Extensions[field] = value
        else:
            message.f = value
        yield message


@pytest.mark.parametrize("contenttype", ["", "application/json"])
@given(writer=DRAWN, reader=DRAWN)
def test_what_is_said_to_be_read_is_read(contenttype: str, writer: Drawn, reader: Drawn) -> None:
    """Whatever else changes about a field, defaults, first values of enums and what it holds are looked into."""
    one, other = drawn_schema(writer), drawn_schema(reader)
    if compare(one, other, contenttype=contenttype).backward is not Answer.YES:
        return
    for message in drawn_messages(writer):
        got = message_factory.GetMessageClass(other.message)()
        if contenttype:
            json_format.Parse(json_format.MessageToJson(message), got, descriptor_pool=other.message.file.pool)
        else:
            got.ParseFromString(message.SerializeToString())
        before, after = (seen(item, by_name=bool(contenttype)) for item in (message, got))
        # A field that is left out has a default where it is single, and nothing where it is repeated.
        assert before == after or (not message.ListFields() and not after)
