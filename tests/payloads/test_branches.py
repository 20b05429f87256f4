"""Which branch of an Avro union a value takes: the one that is named, else the one that keeps it as it is."""

from __future__ import annotations

from json import dumps
from typing import Any

import pytest

from xregit.payloads import parse
from xregit.payloads.compatibility.comparing import compatible

E = {"type": "enum", "name": "E", "symbols": ["x"]}


@pytest.mark.parametrize(
    ("union", "value", "branch", "kept"),
    [
        (["string", "bytes"], "abc", 0, "abc"),
        (["bytes", "string"], "abc", 1, "abc"),
        (["bytes", "string"], "€", 1, "€"),
        (["string", "bytes"], b"abc", 1, b"abc"),
        (["string", "bytes"], {"bytes": "abc"}, 1, b"abc"),
        (["bytes", "string"], {"string": "abc"}, 1, "abc"),
        (["null", "bytes"], "abc", 1, b"abc"),
        (["double", "long"], 2**60 + 1, 1, 2**60 + 1),
        (["float", "double"], 0.1, 1, 0.1),
        (["float", "double"], 2**40 + 1, 1, 2**40 + 1),
        ([E, "string"], "x", 0, "x"),
        ([E, "string"], {"string": "x"}, 1, "x"),
    ],
)
def test_value_takes_the_branch_that_keeps_it(union: list[Any], value: Any, branch: int, kept: Any) -> None:
    """Whatever stands first; the first byte of the payload is the branch's number, doubled."""
    schema = parse("Avro", dumps(union).encode())
    written = schema.encode(value)
    assert (written[0] // 2, schema.decode(written)) == (branch, kept)
    assert schema.decode(schema.encode(value, "application/json"), "application/json") == kept


@pytest.mark.parametrize(
    ("written", "read", "kinds"),
    [
        ("bytes", ["string", "bytes"], ["text can't tell"]),
        ("bytes", ["bytes", "string"], []),
        ("int", ["long", "int"], []),
    ],
)
def test_readers_that_take_another_branch_are_told_of(written: str, read: list[str], kinds: list[str]) -> None:
    """The specification has the first branch that fits; some readers take one of the same type before others."""
    found = compatible("Avro", dumps(written).encode(), dumps(read).encode())
    assert kinds == [f"{item.kind} {item.backward}" for item in found.verdicts if item.kind != "branch"]
