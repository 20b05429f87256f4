"""JSON text to values, problems and places."""

from __future__ import annotations

import json as standard
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.values import values
from xregit.diagnostics import Span
from xregit.source import json_loader, yaml_loader
from xregit.source.json_loader import survey
from xregit.source.parse_result import MAX_DEPTH, MAX_INTEGER_DIGITS
from xregit.source.scalars import without_text
from xregit.source.yaml_emitter import to_yaml

Keys = tuple[str | int, ...]
Place = tuple[int, int, int, int]

PROBLEMS: dict[str, tuple[bytes, str, tuple[int, int], str]] = {
    # name: text, rule, line and column, part of the message
    "duplicate key": (b'{"a": 1,\n "a": 2}', "json-duplicate-key", (2, 2), "line 1"),
    "not a number": (b'{"a": NaN}', "json-number", (1, 7), "NaN"),
    "infinity": (b"[-Infinity]", "json-number", (1, 2), "-Infinity"),
    "too large": (b"[1e400]", "json-number", (1, 2), "too large"),
    "huge": (b"[" + b"1" * 5000 + b"]", "json-number", (1, 2), "5000 digits"),
    "just too long": (b"1" * (MAX_INTEGER_DIGITS + 1), "json-number", (1, 1), "41 digits"),
    "deep": (b"[" * 200_000, "json-depth", (1, MAX_DEPTH + 1), "100"),
    "just too deep": (b"[" * 101 + b"]" * 101, "json-depth", (1, MAX_DEPTH + 1), "100"),
    "bad UTF-8": (b'{\n"a": "\xc3\xa9\xff"}', "json-encoding", (2, 8), "0xFF"),
    "half a pair": (b'["\\ud800x"]', "json-encoding", (1, 2), "surrogate"),
    "half a pair in a key": (b'{"\\uDC00": 1}', "json-encoding", (1, 2), "surrogate"),
    "empty": (b" \n", "json-syntax", (2, 1), "no value"),
    "comma before the end": (b'{"a": 1,}', "json-syntax", (1, 9), "a comma before"),
    "comma before the end of a list": (b"[1,\n]", "json-syntax", (2, 1), "a comma before"),
    "no comma": (b'{"a": 1\n "b": 2}', "json-syntax", (2, 2), 'a comma or "}"'),
    "conflict": (b'{"a": 1,\n<<<<<<< HEAD\n"b": 2\n=======\n"b": 3\n>>>>>>> x\n}', "json-syntax", (2, 1), "conflict"),
    "no colon": (b'{"a" 1}', "json-syntax", (1, 6), "a colon"),
    "key without quotes": (b"{a: 1}", "json-syntax", (1, 2), "a key in double quotes"),
    "single quotes": (b"{'a': 1}", "json-syntax", (1, 2), "double quotes"),
    "comment": (b'// x\n{"a": 1}', "json-syntax", (1, 1), "comments"),
    "word": (b'{"a": None}', "json-syntax", (1, 7), "None"),
    "leading zero": (b'{"a": 012}', "json-syntax", (1, 7), "012"),
    "plus": (b'{"a": +1}', "json-syntax", (1, 7), "+1"),
    "truncated": (b'{"a":\n [1', "json-syntax", (2, 4), 'the "[" of line 2'),
    "truncated key": (b'{"a', "json-syntax", (1, 2), "not closed"),
    "line break in quotes": (b'{"a": "x\n"}', "json-syntax", (1, 7), "not closed"),
    "control character": (b'{"a": "\x01"}', "json-syntax", (1, 7), "U+0001"),
    "escape": (b'{"a": "\\q"}', "json-syntax", (1, 7), "backslash"),
    "wrong bracket": (b'{"a": [1}', "json-syntax", (1, 9), 'a comma or "]"'),
    "second value": (b"{}\n{}", "json-syntax", (2, 1), "the end of the text"),
    "only a bracket": (b"]", "json-syntax", (1, 1), "a value"),
    "long word": (b"[" + b"x" * 99 + b"]", "json-syntax", (1, 2), "x…"),
    "other character": ("[€]".encode(), "json-syntax", (1, 2), "€"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_wrong_is_said_once_at_its_place(name: str) -> None:
    """One fault is one problem, with a rule, a place, a sentence and help."""
    data, rule, place, words = PROBLEMS[name]
    (problem,) = json_loader.parse(data).problems
    assert (problem.rule, problem.span.line, problem.span.column) == (rule, *place)
    assert words in problem.message
    assert problem.help


@given(value=values(), indent=st.sampled_from([None, 2]))
def test_both_passes_read_what_json_says(value: Any, indent: int | None) -> None:
    """Whatever Python writes as JSON is read back, fast and slowly, escaped or not."""
    for escaped in (True, False):
        data = standard.dumps(value, ensure_ascii=escaped, indent=indent).encode()
        parsed, found = json_loader.parse(b"\xef\xbb\xbf" + data), survey(data)
        assert parsed.problems == found.problems == ()
        assert repr(parsed.value) == repr(found.value) == repr(value)


@given(st.binary(max_size=30) | st.text(alphabet='[]{}:,"\\u0d8ntrue1-.eE+ \n/é', max_size=30).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """No input raises, and what is accepted is what the standard library accepts."""
    parsed = json_loader.parse(data)
    if not parsed.problems:
        assert repr(parsed.value) == repr(standard.loads(data.decode("utf-8-sig")))
    json_loader.positions(data).span(("a", 0))


def test_large_integers_and_pairs_of_surrogates_are_kept() -> None:
    """Nothing is rounded, and a character that is written as two escapes is one."""
    assert json_loader.parse(b'{"version": 133177391754886860123, "a": "\\ud83d\\ude00", "b": "\\\\udead"}').value == {
        "version": 133177391754886860123,
        "a": "\U0001f600",
        "b": "\\udead",
    }


def test_every_duplicate_key_is_reported() -> None:
    """Readers of JSON take the last of the values; so does this one, and says it."""
    parsed = json_loader.parse(b'{"a": 1, "a": 2, "b": {"c": 1, "c": 2}, "a": 3}')
    assert parsed.value == {"a": 3, "b": {"c": 2}}
    assert [problem.span.column for problem in parsed.problems] == [10, 32, 41]


TEXT = b"""\
{
  "name": "x",
  "\\u00e9": {"a": [1, {"b": null}]},
  "empty": {}
}
"""


@pytest.mark.parametrize(
    ("path", "on_key", "place"),
    [
        ((), False, (1, 1, 5, 2)),
        ((), True, (2, 3, 2, 9)),
        (("name",), False, (2, 11, 2, 14)),
        (("name",), True, (2, 3, 2, 9)),
        (("é", "a", 1), False, (3, 23, 3, 34)),
        (("é", "a", 1, "b"), True, (3, 24, 3, 27)),
        (("é", "a", 1, "b"), False, (3, 29, 3, 33)),
        (("é", "a", 0), True, (3, 20, 3, 21)),
        (("empty",), False, (4, 12, 4, 14)),
        (("empty", "missing"), False, (4, 3, 4, 10)),
        (("é", "a", 9), False, (3, 14, 3, 17)),
    ],
)
def test_every_value_and_key_has_its_place(path: Keys, *, on_key: bool, place: Place) -> None:
    """Unknown paths are shown at the key of their nearest known ancestor."""
    assert json_loader.positions(TEXT).span(path, on_key) == Span(*place)


def test_real_documents_survive_the_way_to_yaml_and_back(shared: Path) -> None:
    """Every public document is read as the standard library reads it, and can be written as YAML without loss."""
    paths = sorted((shared / "corpus").rglob("*.json"))
    assert paths
    for path in paths:
        data = path.read_bytes()
        parsed = json_loader.parse(data)
        assert repr(parsed.value) == repr(standard.loads(data)), path
        back = yaml_loader.parse(to_yaml({"document": parsed.value}).encode())
        assert back.problems == (), path
        assert repr(without_text(back.value["document"])) == repr(parsed.value), path
