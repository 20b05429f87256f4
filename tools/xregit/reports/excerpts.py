"""A line of a file and a span in it → the line as a terminal shows it, with carets under the span."""

from __future__ import annotations

import unicodedata

from xregit.records import record

MAX_COLUMNS = 100
# How many characters before the span are shown of a line that is too long to be shown whole.
CHARS_BEFORE = 40
# And how many columns at most, so that what is marked has room behind them.
MAX_COLUMNS_BEFORE = 90
TAB = 4
_MORE = "…"
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ON_TOP = frozenset({"Mn", "Me"})


@record
class Excerpt:
    """A line as it is shown, and the carets that stand under its span."""

    line: str
    carets: str


def excerpt(line: str, column: int, endcolumn: int) -> Excerpt:
    """Return what to show of a line; columns count characters from 1, the end is exclusive, 0 where not known.

    Tabs become spaces, what can't be seen or would steer a terminal becomes an escape. Of a long line a part is shown.
    """
    start = min(max(column - 1, 0), len(line))
    end = min(endcolumn - 1, len(line)) if endcolumn > column else start + 1
    first = max(start - CHARS_BEFORE, 0) if len(line) > MAX_COLUMNS else 0
    before = _shown(line[first:start], 1 if first else 0)
    # Escapes take more room than the characters that they stand for.
    while columns(before) > MAX_COLUMNS_BEFORE:
        first += 1
        before = _shown(line[first:start], 1)
    # A tab within the span or behind it is counted from where it really stands.
    marked = _shown(line[start:end], columns(before))
    after = _shown(line[end : end + MAX_COLUMNS], columns(before + marked))
    room = MAX_COLUMNS - columns(before)
    carets = min(max(columns(marked), 1), room)
    head = _MORE if first else ""
    shown = _cut(head + before + marked + after, whole=len(line) <= end + MAX_COLUMNS)
    return Excerpt(shown, " " * columns(head + before) + "^" * carets)


def safe(text: str) -> str:
    """Return a text in one line, with an escape for all that can't be seen or would steer a terminal."""
    return "".join(_escaped(character) for character in text)


def in_bytes(path: str) -> bytes:
    """Return a path, or an address that ends in one, as the file system has it, or as near to it as UTF-8 can come."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "replace")


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_width(character) for character in text)


def _shown(text: str, at: int) -> str:
    """Return a stretch of a line that begins in a column, counted from 0, as it is shown."""
    if "\t" not in text:
        return safe(text)
    parts: list[str] = []
    for character in text:
        shown = " " * (TAB - at % TAB) if character == "\t" else _escaped(character)
        at += columns(shown)
        parts.append(shown)
    return "".join(parts)


def _cut(text: str, *, whole: bool) -> str:
    """Return as much of a text as there is room for."""
    if whole and columns(text) <= MAX_COLUMNS + 1:
        return text
    taken, width = 0, 0
    while taken < len(text) and width + _width(text[taken]) <= MAX_COLUMNS:
        width += _width(text[taken])
        taken += 1
    return text[:taken] + _MORE


def _escaped(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    if unicodedata.category(character) in _UNSEEN:
        return character.encode("unicode_escape", "surrogatepass").decode()
    return character


def _width(character: str) -> int:
    if unicodedata.category(character) in _ON_TOP:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
