"""Lines with carets under them: tabs, wide and zero-width characters, long lines, characters that steer a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.diagnostics import Diagnostic, Severity
from xregit.reports.text import MAX_COLUMNS, coloured, escape_control, excerpt, plain, terminal_width, text

LONG = "a: " + "x" * 5000 + " HERE " + "y" * 5000
CASES = {
    "plain": ("name: Door", 1, 5, "name: Door", "^^^^"),
    "in the middle": ("name: Door", 7, 11, "name: Door", "      ^^^^"),
    "end not known": ("name: Door", 7, 0, "name: Door", "      ^"),
    "nothing known": ("name: Door", 0, 0, "name: Door", "^"),
    "behind the end": ("name:", 9, 12, "name:", "     ^"),
    "empty line": ("", 1, 2, "", "^"),
    "tab before": ("\tname: x", 2, 6, "    name: x", "    ^^^^"),
    "tab after a letter": ("a\tname", 3, 7, "a   name", "    ^^^^"),
    "tab inside": ("a: b\tc", 4, 7, "a: b    c", "   ^^^^^^"),
    "wide": ("\u6f22\u5b57: \u540d", 5, 6, "\u6f22\u5b57: \u540d", "      ^^"),
    "emoji": ("\U0001f69a: x", 4, 5, "\U0001f69a: x", "    ^"),
    "combining": ("e\u0301tat: x", 1, 6, "e\u0301tat: x", "^^^^"),
    "zero width": ("a\u200bb: x", 5, 6, "a\\u200bb: x", "         ^"),
    "space of another kind": ("a:\u00a0b", 3, 4, "a:\\xa0b", "  ^^^^"),
    "letter without a shape": ("a\u3164\ufe0f: x", 2, 4, "a\\u3164\\ufe0f: x", " ^^^^^^^^^^^^"),
    "escape": ("a: \x1b[31mred", 5, 6, "a: \\x1b[31mred", "       ^"),
    "right to left": ("a: \u202etxt", 4, 5, "a: \\u202etxt", "   ^^^^^^"),
    "half a character": ("a: \udc80", 4, 5, "a: \\udc80", "   ^^^^^^"),
}


@pytest.mark.parametrize(("line", "column", "end", "shown", "carets"), CASES.values(), ids=CASES.keys())
def test_carets_stand_under_the_span(line: str, column: int, end: int, shown: str, carets: str) -> None:
    """Columns count characters, carets stand where a terminal shows them."""
    result = excerpt(line, column, end)
    assert (result.line, result.carets) == (shown, carets)


def test_long_line_is_cut_around_the_span() -> None:
    """What stands around the span stays, and both cuts are marked."""
    result = excerpt(LONG, LONG.index("HERE") + 1, LONG.index("HERE") + 5)
    assert result.line.startswith("…x")
    assert result.line.endswith("y…")
    assert result.line[result.carets.index("^") :].startswith("HERE")
    assert result.carets.count("^") == 4


def test_long_span_is_underlined_as_far_as_it_is_shown() -> None:
    """The carets end where the line is cut."""
    result = excerpt(LONG, 4, len(LONG))
    assert terminal_width(result.carets) <= MAX_COLUMNS
    assert terminal_width(result.line) <= MAX_COLUMNS + 1


@given(st.text(st.characters(exclude_characters="\r\n"), max_size=300), st.integers(0, 310), st.integers(0, 310))
def test_any_line_is_shown_safely(line: str, column: int, end: int) -> None:
    """Nothing that steers a terminal comes out, and neither line nor carets grow without bound."""
    result = excerpt(line, column, end)
    assert not any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in result.line)
    assert terminal_width(result.line) <= MAX_COLUMNS + 2
    assert set(result.carets) <= {" ", "^"}
    assert "^" in result.carets


@given(st.text(st.characters(codec="ascii"), min_size=1, max_size=80), st.data())
def test_carets_cover_the_characters_of_the_span(line: str, data: st.DataObject) -> None:
    """On a line of visible ASCII they stand exactly there."""
    line = "".join(character for character in line if character.isprintable()) or "a"
    start = data.draw(st.integers(1, len(line)))
    end = data.draw(st.integers(start + 1, len(line) + 1))
    result = excerpt(line, start, end)
    assert result.line == line
    assert line[start - 1 : end - 1] == "".join(a for a, b in zip(line, result.carets, strict=False) if b == "^")


def test_texts_are_one_line() -> None:
    """Line breaks in ids and messages are shown, not followed."""
    assert escape_control("a\nb\x07\u2028") == "a\\nb\\x07\\u2028"


LINES = {
    ("registry/tabs.yaml", 2): "a:\tb",
    ("registry/wide.yaml", 1): "\u6f22\u5b57: {bad: \u540d}",
    ("registry/wide.yaml", 4): "e\u0301: \x1b[31m",
    ("registry/wide.yaml", 5): "a: >-",
    ("registry/long.json", 1): LONG,
}
FOUND = (
    Diagnostic("yaml-syntax", Severity.ERROR, "registry/tabs.yaml", "Tab.", 2, 4, 2, 5, help="Use spaces."),
    Diagnostic("unknown-attribute", Severity.ERROR, "registry/wide.yaml", "Unknown.", 1, 6, 1, 9),
    Diagnostic("id-with-value", Severity.WARNING, "registry/wide.yaml", 'Steers "\x1b[31m".', 4, 5, 4, 10),
    Diagnostic(
        "description-missing", Severity.INFO, "registry/wide.yaml", "Several lines.", 5, 1, 9, 1, help="Say it."
    ),
    Diagnostic("unknown-attribute", Severity.ERROR, "registry/long.json", "Long.", 1, 5005, 1, 5009),
    Diagnostic("file-size", Severity.ERROR, "registry/gone.yaml", "Its lines are not at hand.", 7, 1, 7, 2),
)


def test_finding_that_is_repeated_is_shown_once() -> None:
    """The first with its line and help, ten more by their places alone; so a few others are not lost among them."""
    repeats = [
        Diagnostic("description-missing", Severity.INFO, f"{number}.yaml", "No description.", 1, 1, help="Write one.")
        for number in range(20)
    ]
    other = Diagnostic("yaml-syntax", Severity.ERROR, "10.yaml", "Tab.", 2, 4)
    report = text([*repeats[:11], other, *repeats[11:]], lambda *_: "id: 1", plain).splitlines()
    assert report[:5] == [
        "0.yaml:1:1: info description-missing: No description.",
        "  1 | id: 1",
        "    | ^",
        "    help: Write one.",
        "    also: 1.yaml:1:1",
    ]
    assert report[13:16] == [
        "          10.yaml:1:1",
        '          and 9 more, which "--format json" lists',
        "10.yaml:2:4: error yaml-syntax: Tab.",
    ]
    assert report[-3:-1] == ["   1  error    yaml-syntax", "  20  info     description-missing"]


def test_line_with_a_credential_is_not_shown() -> None:
    """What a rule found to be a secret does not go on into logs."""
    item = Diagnostic("credential-in-endpoint", Severity.ERROR, "a.yaml", "It holds a credential.", 1, 1, 1, 9)
    assert "hunter2" not in text((item,), lambda *_: "password: hunter2", plain)


@pytest.mark.parametrize(("name", "paint"), [("excerpts", plain), ("colours", coloured)])
def test_text_shows_lines_as_reviewed(
    name: str, paint: Callable[[str, str], str], golden: Callable[[str, str], None]
) -> None:
    """Each finding with its line where that is at hand, with and without colours; then what to do next."""
    golden(f"reports/{name}.txt", text(FOUND, lambda path, number: LINES.get((path, number)), paint) + "\n")
