"""Comments that are addressed to the tool are found where they are comments, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.source.directives import directives
from xregit.source.yaml_loader import PARSER, PurePythonParser

PARSERS = pytest.mark.parametrize("parser", [PARSER, PurePythonParser], ids=["default", "python"])

CASES = {
    "at the end of a line": (b"a: 1\nb: 2  # xregit: ignore x -- y\n", [("ignore x -- y", 2, 2)]),
    "on a line of its own": (b"a: 1\n# xregit: one\n# more\n\nb: 2\n", [("one", 2, 5)]),
    "two above one line": (b"# xregit: one\n#xregit:two\nb: 2\n", [("one", 1, 3), ("two", 2, 3)]),
    "with nothing after it": (b"a: 1\n# xregit: one\n", [("one", 2, 0)]),
    "in a quoted text": (b'a: "x # xregit: one"\n', []),
    "in a block of text": (b"a: |\n  x\n  # xregit: one\n  y\nb: 1\n", []),
    "after a block of text": (b"a: >-\n  x\n\n# xregit: one\nb: 1\n", [("one", 4, 5)]),
    "in a text of two lines": (b'a: "x\n  # xregit: one\n  y"\n', []),
    "joined to what stands before": (b"a: 1#xregit: one\n", []),
    "between items": (b"a:\n  - 1\n  # xregit: one\n  - 2\n", [("one", 3, 4)]),
    "with the line breaks of Windows": (
        b"a: 1\r\n# xregit: one\r\nb: 2 # xregit: two\r\n",
        [("one", 2, 3), ("two", 3, 3)],
    ),
    "after a byte order mark": (b"\xef\xbb\xbf# xregit: one\na: 1\n", [("one", 1, 2)]),
    "in a text that is no YAML": (b'a: "x\n# xregit: one\n', []),
    "in bytes that are no UTF-8": (b"a: \xff\n# xregit: one\n", []),
    "without its colon": (b"# xregit ignore x -- y\na: 1\n", [("xregit ignore x -- y", 1, 2)]),
    "with a hyphen for its colon": (b"a: 1 # xregit-ignore x\n", [("xregit-ignore x", 1, 1)]),
    "in a sentence about the tool": (b"# xregit ignores it\na: 1 # see xregit ignore x\n", []),
    "beside wide letters": ("\u6f22: \u5b57  # xregit: one\n".encode(), [("one", 1, 1)]),
}


@PARSERS
@pytest.mark.parametrize(("data", "expected"), CASES.values(), ids=CASES.keys())
def test_directive_is_found(data: bytes, expected: list[tuple[str, int, int]], parser: type) -> None:
    """Its text, its own line and the line that it is about."""
    assert expected == [(item.text, item.span.line, item.line) for item in directives(data, parser)]


def test_place_is_that_of_the_comment() -> None:
    """From the hash to the last character, counted from one."""
    (result,) = directives("\u6f22: 1  # xregit: one \n".encode())
    assert (result.span.column, result.span.endcolumn) == (7, 20)


@given(st.binary(max_size=60).map(lambda data: data + b"\n# xregit: x\n"))
def test_no_bytes_break_it(data: bytes) -> None:
    """Whatever the bytes, the answer is at most one comment for each line."""
    assert len(directives(data)) <= data.count(b"xregit:")


def test_many_comments_are_about_one_line() -> None:
    """Each comment of a long row is about the line after them all, which is not looked for again for each."""
    many = 100_000
    result = directives(b"# xregit: one\n" * many + b"a: 1\n")
    assert {item.line for item in result} == {many + 1}
    assert len(result) == many
