"""YAML text to values, problems and places."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml import YAMLError

from tests.source.values import mappings
from xregit.diagnostics import Span
from xregit.source import yaml_loader
from xregit.source.parse_result import MAX_DEPTH, MAX_INTEGER_DIGITS
from xregit.source.scalars import PlainFloat, PlainInt, without_text
from xregit.source.yaml_diagnostics import syntax_problem
from xregit.source.yaml_emitter import to_yaml
from xregit.source.yaml_loader import PARSER, EventSource, PurePythonParser, survey

BOTH = pytest.mark.parametrize("parser", [PARSER, PurePythonParser], ids=["libyaml", "pure"])
Parser = Callable[[bytes], EventSource]
Keys = tuple[str | int, ...]
Place = tuple[int, int, int, int]

SCALARS = {
    "no": "no", "yes": "yes", "on": "on", "off": "off", "y": "y", "~": None, "null": None, "Null": None,
    "NULL": None, "": None, "nULL": "nULL", "true": True, "True": True, "TRUE": True, "false": False,
    "tRUE": "tRUE", "1": 1, "-1": -1, "012": 12, "+1": 1, "0o14": 12, "0x1F": 31, "0b11": "0b11", "1_000": "1_000",
    "12:30:45": "12:30:45", "2024-01-01": "2024-01-01", "2024-01-01T00:00:00Z": "2024-01-01T00:00:00Z", "1.10": 1.1,
    "1.0": 1.0, "1e3": 1000.0, ".5": 0.5, "1.": 1.0, "-90.0": -90.0, "1.2.3": "1.2.3", "=": "=", "<<": "<<",
    ".": ".", "+": "+", "1e": "1e", "nan": "nan", "inf": "inf", "0x": "0x", "0xg": "0xg", "1e400x": "1e400x",
    "Nobody": "Nobody", "fine": "fine", "9" * MAX_INTEGER_DIGITS: int("9" * MAX_INTEGER_DIGITS),
}  # fmt: skip

SIGNS = "ab:- \n[]{}\"'#&*!|>%@\t,?\\\ufeff\u2028é"

PROBLEMS: dict[str, tuple[bytes, str, tuple[int, int], str]] = {
    # name: text, rule, line and column, part of the message
    "duplicate key": (b"a: 1\nb: 2\na: 3\n", "yaml-duplicate-key", (3, 1), "line 1"),
    "duplicate key inside": (b"a:\n  - {b: 1, b: 2}\n", "yaml-duplicate-key", (2, 12), '"b"'),
    "alias": (b"a: *x\n", "yaml-alias", (1, 4), '"*x"'),
    "alias as key": (b"*x : 1\n", "yaml-alias", (1, 1), '"*x"'),
    "anchor": (b"a: &x 1\n", "yaml-alias", (1, 4), '"&x"'),
    "tag": (b"a: !!str 1\n", "yaml-tag", (1, 4), '"!!str"'),
    "own tag": (b"a: !secret x\n", "yaml-tag", (1, 4), '"!secret"'),
    "tag on a mapping": (b"a: !x {b: 1}\n", "yaml-tag", (1, 4), '"!x"'),
    "bad UTF-8": (b"a: 1\nb: \xc3\xa9\xff\n", "yaml-encoding", (2, 5), "0xFF"),
    "UTF-16": ("a: 1".encode("utf-16"), "yaml-encoding", (1, 1), "UTF-8"),
    "NUL": (b"a: 1\nb: x\x00y\n", "yaml-encoding", (2, 5), "U+0000"),
    "control character": (b"a: \x07\n", "yaml-encoding", (1, 4), "U+0007"),
    "old line break": ("a: x\u2028b: y\n".encode(), "yaml-encoding", (1, 5), "U+2028"),
    "list as key": (b"? [a]\n: b\n", "yaml-key", (1, 3), "list"),
    "mapping as key": (b"{{vin}: x}", "yaml-key", (1, 2), "mapping"),
    "mappings as keys": (b"{{{{a: b}: c}: d}: e}", "yaml-key", (1, 2), "mapping"),
    "empty key": (b"? \n: b\n", "yaml-key", (1, 2), "empty"),
    "infinity": (b"a: -.inf\n", "yaml-number", (1, 4), "-.inf"),
    "no number": (b"a: .NaN\n", "yaml-number", (1, 4), ".NaN"),
    "too large": (b"a: 1e400\n", "yaml-number", (1, 4), "too large"),
    "huge": (b"a: " + b"1" * 5000, "yaml-number", (1, 4), "5000 digits"),
    "deep": (b"[" * 900, "yaml-depth", (1, MAX_DEPTH + 1), "100"),
    "deep lists": (b"- " * 200_000, "yaml-depth", (1, 2 * MAX_DEPTH + 1), "100"),
    "documents": (b"a: 1\n---\nb: 2\n", "yaml-documents", (2, 1), "second"),
    "after the end": (b"a: 1\n...\nb: 2\n", "yaml-documents", (3, 1), "end of the document"),
    "empty": (b"", "yaml-empty", (1, 1), "no value"),
    "only comments": (b"# nothing\n\n", "yaml-empty", (1, 1), "no value"),
    "only a start": (b"---\n", "yaml-empty", (2, 1), "no value"),
    "tab as indentation": (b"a:\n\tb: 1\n", "yaml-syntax", (2, 1), "tab"),
    "tab before an item": (b"a:\n-\tb\n", "yaml-syntax", (2, 2), "tab"),
    "at sign": (b"a: @x\n", "yaml-syntax", (1, 4), '"@"'),
    "second colon": (b"a: b: c\n", "yaml-syntax", (1, 5), "colon"),
    "a space from a web page": ("a:\u00a0b\nc: 1\n".encode(), "yaml-syntax", (1, 3), "U+00A0"),
    "such a space at the end": ("c: 1\na:\u00a0b\n".encode(), "yaml-syntax", (2, 3), "U+00A0"),
    "no colon": (b"a: 1\nb\nc: 2\n", "yaml-syntax", (2, 1), "name: value"),
    "no colon in the first line": (b"a b\nc: 2\n", "yaml-syntax", (1, 1), "name: value"),
    "no colon below a key": (b"a:\n  b c\n  d: 1\n", "yaml-syntax", (2, 3), "name: value"),
    "colon in a text of several lines": (b"a: b\n  c d\n  e: 1\n", "yaml-syntax", (3, 4), "colon"),
    "open quotes below a comment": (b'# c\na: "x\n', "yaml-syntax", (2, 4), "never closed"),
    "second colon below a comment": (b"# c\na: b: c\n", "yaml-syntax", (2, 5), "colon"),
    "colon in an item": (b"a:\n- b\n  c: 1\n", "yaml-syntax", (3, 4), "colon"),
    "conflict": (b"a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x\n", "yaml-syntax", (2, 1), "conflict"),
    "rest of a conflict": (b"a: 1\r\n>>>>>>> x\r\nb: [\r\n", "yaml-syntax", (2, 1), "conflict"),
    "conflict after a fault": (b"a: [\n<<<<<<< HEAD\n", "yaml-syntax", (2, 1), "conflict"),
    "open quotes": (b'a: 1\nb: "x\nc: 1\n', "yaml-syntax", (2, 4), "never closed"),
    "truncated": (b"a:\n  b: 'x", "yaml-syntax", (2, 6), "never closed"),
    "open bracket": (b"a: [1, 2\nb: 3\n", "yaml-syntax", (1, 4), "bracket"),
    "open bracket at the end": (b"a:\n  - [[1], \n\n# x\n", "yaml-syntax", (2, 5), "not closed"),
    "open brace at the end": (b"a: {b:", "yaml-syntax", (1, 4), "not closed"),
    "open bracket around a pair": (b"a: [b: ", "yaml-syntax", (1, 4), "not closed"),
    "brackets in brackets": (b"a: [{b: [1]}, {c: [\n", "yaml-syntax", (1, 19), "not closed"),
    "another bracket": (b"a: [x, }\n", "yaml-syntax", (1, 8), "value is expected"),
    "outdented": (b"a:\n  b: 1\n c: 2\n", "yaml-syntax", (3, 2), "does not fit"),
    "behind quotes": (b"a: 'It's here'\n", "yaml-syntax", (1, 8), "after the closing quote"),
    "behind quotes and a space": (b'a: "One" and more\n', "yaml-syntax", (1, 10), "after the closing quote"),
    "template": (b"a: {vin}\n", "yaml-key", (1, 5), '"vin" has no value'),
    "template with more": (b"a: {vin}/x\n", "yaml-key", (1, 5), '"vin" has no value'),
    "escape": (b'a: "\\uZZ"\n', "yaml-syntax", (1, 7), "backslash"),
    "star": (b"a: * x\n", "yaml-syntax", (1, 5), '"*"'),
    "list after key": (b"a: - b\n", "yaml-syntax", (1, 4), "list"),
    "closing bracket": (b"a: ]\n", "yaml-syntax", (1, 4), "value is expected"),
    "after a bar": (b"a: |x\n  b\n", "yaml-syntax", (1, 5), "next line"),
    "version": (b"%YAML 3.0\n---\na: 1\n", "yaml-syntax", (1, 1), "incompatible"),
}


@BOTH
@pytest.mark.parametrize(("text", "value"), SCALARS.items())
def test_unquoted_text_is_read_by_the_core_schema(text: str, value: object, parser: Parser) -> None:
    """YAML 1.2 leaves many words texts that YAML 1.1 turns into something else."""
    parsed = yaml_loader.parse(f"a: {text}\n".encode(), parser)
    assert parsed.problems == ()
    assert repr(without_text(parsed.value)) == repr({"a": value})


@BOTH
@pytest.mark.parametrize("key", ["on", "2", "1.0", "true", "null", "~", "<<", "2024-01-01", ".inf"])
def test_keys_are_the_text_that_was_written(key: str, parser: Parser) -> None:
    """No key turns into a boolean, number or date."""
    assert yaml_loader.parse(f"{key}: x\n".encode(), parser).value == {key: "x"}


@BOTH
@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_wrong_is_said_once_at_its_place(name: str, parser: Parser) -> None:
    """One fault is one problem, with a rule, a place, a sentence and help."""
    data, rule, place, words = PROBLEMS[name]
    (problem,) = yaml_loader.parse(data, parser).problems
    assert (problem.rule, problem.span.line, problem.span.column) == (rule, *place)
    assert (problem.span.endline, problem.span.endcolumn) >= place
    assert words in problem.message
    assert problem.help


@BOTH
def test_brackets_are_nested_deeper_than_any_parser_goes(parser: Parser) -> None:
    """The parser itself may stop before we do, as it reads ahead."""
    (problem,) = yaml_loader.parse(b"[" * 200_000, parser).problems
    assert problem.rule == "yaml-depth"


def test_every_duplicate_key_is_reported() -> None:
    """Several faults of one file come in one run, in the order of their places."""
    problems = yaml_loader.parse(b"a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\nd: !x 1\n").problems
    assert [(problem.rule, problem.span.line) for problem in problems] == [
        ("yaml-duplicate-key", 2),
        ("yaml-duplicate-key", 3),
        ("yaml-duplicate-key", 4),
        ("yaml-tag", 5),
    ]


def test_an_alias_bomb_stays_small() -> None:
    """Nothing is expanded, and each name is reported once."""
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    parsed = yaml_loader.parse("\n".join(lines).encode())
    assert len(parsed.problems) == 19
    assert len(repr(parsed.value)) < 2000


@BOTH
@pytest.mark.parametrize("data", [b"a: 1\nb: [x\n", b"\xff", b"a: 1\x00", b"[" * 1000, b""])
def test_what_cannot_be_read_has_no_value(data: bytes, parser: Parser) -> None:
    """None comes only with a problem that says why."""
    parsed = yaml_loader.parse(data, parser)
    assert parsed.value is None
    assert parsed.problems


@BOTH
def test_what_surrounds_a_document_is_no_problem(parser: Parser) -> None:
    """A byte order mark, comments, document markers, CRLF and a null are ordinary."""
    for data in (b"\xef\xbb\xbfa: 1", b"# x\n---\na: 1\n...\n", b"a: 1\r\n", b"%YAML 1.2\n---\na: 1\n"):
        assert (yaml_loader.parse(data, parser).value, yaml_loader.parse(data, parser).problems) == ({"a": 1}, ())
    assert yaml_loader.parse(b"null", parser).problems == ()
    assert yaml_loader.parse(b'"": 1', parser).value == {"": 1}


@BOTH
def test_escaped_control_characters_are_text(parser: Parser) -> None:
    """What a person wrote as an escape was meant."""
    assert yaml_loader.parse(b'a: "\\0\\x07\\u2028"', parser).value == {"a": "\0\x07\u2028"}


@BOTH
def test_half_a_surrogate_pair_is_refused(parser: Parser) -> None:
    """What UTF-8 can't encode never gets in."""
    assert [problem.rule for problem in yaml_loader.parse(b'a: "\\ud800"', parser).problems] == ["yaml-syntax"]


@pytest.mark.parametrize(
    ("text", "kind"), [("1.10", PlainFloat), ("1e3", PlainFloat), ("007", PlainInt), ("0x1F", PlainInt)]
)
def test_numbers_remember_how_they_were_written(text: str, kind: type) -> None:
    """A text that is due may still be what the writer typed, also after a copy."""
    parsed = yaml_loader.parse(f"a: [{text}]".encode())
    number = parsed.value["a"][0]
    assert parsed.plain
    for same in (number, copy.deepcopy(number), pickle.loads(pickle.dumps(number))):  # noqa: S301 - our own bytes
        assert (type(same), same.text) == (kind, text)
    assert type(without_text(parsed.value)["a"][0]) in {int, float}


@pytest.mark.parametrize("text", ["1", "-3", "1.5", "1.0", "true", "x", "'1.10'"])
def test_other_values_are_not_marked_plain(text: str) -> None:
    """Python writes these numbers as they stand."""
    assert not yaml_loader.parse(f"a: {text}".encode()).plain
    assert not yaml_loader.parse(f"a: {text}\nb: !x y".encode()).plain


def test_plain_numbers_beside_a_problem_are_marked() -> None:
    """The slow pass marks them too."""
    assert yaml_loader.parse(b"a: 1.10\na: 1.20").plain


@given(mappings())
def test_both_passes_read_the_same(value: dict[str, object]) -> None:
    """The pass that finds problems gives the value that the fast one gives."""
    data = to_yaml(value).encode()
    result = survey(data, PARSER)
    assert result.problems == ()
    assert repr(result.value) == repr(yaml_loader.parse(data).value)


@BOTH
@given(data=st.binary(max_size=40) | st.text(alphabet=SIGNS, max_size=30).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes, parser: Parser) -> None:
    """No input raises, and every value can be written again."""
    parsed, slowly = yaml_loader.parse(data, parser), survey(data, parser)
    assert (repr(parsed.value), parsed.problems) == (repr(slowly.value), slowly.problems)
    assert parsed.problems or isinstance(yaml_loader.parse(to_yaml({"a": parsed.value}).encode()).value, dict)
    positions = yaml_loader.positions(data, parser)
    assert positions.span(("a", 0)).line <= data.count(b"\n") + data.count(b"\r") + 2


TEXT = b"""\
name: x
labels:
  domain: fleet   # why
  "1.0": {a: b, c: [d, e]}
list:
- first
- k: |
    two
    lines

  l:
"""


@pytest.mark.parametrize(
    ("path", "on_key", "place"),
    [
        ((), False, (1, 1, 11, 5)),
        ((), True, (1, 1, 1, 5)),
        (("name",), False, (1, 7, 1, 8)),
        (("name",), True, (1, 1, 1, 5)),
        (("labels",), False, (3, 3, 4, 27)),
        (("labels", "domain"), False, (3, 11, 3, 16)),
        (("labels", "1.0"), True, (4, 3, 4, 8)),
        (("labels", "1.0", "c"), False, (4, 20, 4, 26)),
        (("labels", "1.0", "c", 1), False, (4, 24, 4, 25)),
        (("list", 1), True, (7, 3, 7, 4)),
        (("list", 1, "k"), False, (7, 6, 11, 1)),
        (("list", 1, "l"), False, (11, 5, 11, 5)),
        (("labels", "missing"), False, (2, 1, 2, 7)),
        (("labels", "missing", "deeper", 3), True, (2, 1, 2, 7)),
        (("list", 7), False, (5, 1, 5, 5)),
        (("name", "inside"), False, (1, 1, 1, 5)),
        (("missing",), False, (1, 1, 1, 5)),
    ],
)
def test_every_value_and_key_has_its_place(path: Keys, *, on_key: bool, place: Place) -> None:
    """Unknown paths are shown at the key of their nearest known ancestor."""
    assert yaml_loader.positions(TEXT).span(path, on_key) == Span(*place)


def test_positions_of_a_text_that_breaks_off_reach_to_the_break() -> None:
    """What stands before a syntax error keeps its place; a text that can't be decoded has none."""
    assert yaml_loader.positions(b"\xff").span(("a",)) == Span()
    assert yaml_loader.positions(b"").span(("a",)) == Span()


def test_a_file_of_attributes_is_a_mapping() -> None:
    """A list or single value at the top is a problem of its own, but never beside another one."""
    assert yaml_loader.parse_mapping(b"a: 1").value == {"a": 1}
    assert [problem.message for problem in yaml_loader.parse_mapping(b"- a").problems] == [
        'the file holds a list, but lines such as "name: value" are expected'
    ]
    assert "a single value" in yaml_loader.parse_mapping(b"text").problems[0].message
    assert [problem.rule for problem in yaml_loader.parse_mapping(b"- !x a").problems] == ["yaml-tag"]


def test_without_libyaml_the_pure_parser_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation of pyyaml without its C part works, only slower."""
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    assert yaml_loader.fastest_parser() is PurePythonParser


def test_a_complaint_without_a_place_is_still_a_problem() -> None:
    """Whatever a parser of the future raises has a sentence."""
    problem = syntax_problem(YAMLError("something else"), b"")
    assert (problem.rule, problem.span) == ("yaml-syntax", Span(1, 1, 1, 1))
    assert "something else" in problem.message
