"""Ordinary YAML line by line: mappings and lists in block style, texts of one line, and texts set off by indentation.

So are lists and mappings of such texts that stand on one line, as ``xregit fmt`` writes them.

Nearly every file of a catalog is of this kind, and most of its lines stand in other files too. So each line is analysed
once and remembered, and so is what stands before a value, as many lines differ only in their values. pyyaml spends
three quarters of its time on making event objects, which are not needed here. A text that holds anything else, right or
wrong, is left to `yaml_events`; nothing here says what is wrong with it.
"""

from __future__ import annotations

import re
from sys import intern
from typing import Any

from xregit.source.plain import PlainFloat, PlainInt
from xregit.source.scalars import FIRST_CHARACTERS, scalar

MAX_LEVELS = 50
REMEMBERED_LINES = 8192

# Tabs, line breaks other than "\n", and all else that YAML does not call printable; nor does Python, which is faster.
_UNUSUAL = "[\x00-\t\v-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
_LINE = re.compile(r"""( *)(- +)?(?:([A-Za-z0-9_$][A-Za-z0-9_.$/-]{,99}|"[^"\\]{1,99}"):(?: +|$))?(.*)""")
_QUOTES = frozenset("\"'")
_QUOTED = re.compile(r"\"([^\"\\]*)\"|'([^']*)'")
# What begins with no sign of YAML, holds neither ": " nor " #", and does not end with a colon or a space.
_PLAIN = re.compile(r"(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`]|-(?=\S))[^:#]*(?:(?::(?=\S)|(?<=\S)#)[^:#]*)*(?<=\S)")
# What is a text, number or constant between brackets and braces, too; compiled where a catalog has some of these.
_WORD = r"""[A-Za-z0-9_/](?:[A-Za-z0-9_./+ -]*[A-Za-z0-9_./+-])?|"[^"\\]*"|'[^']*'"""
_NAME = r"[A-Za-z0-9_$][A-Za-z0-9_.$/-]{,99}"
_LIST = rf"\[(?:(?:{_WORD})(?:, *(?!\])|(?=\])))*\]"
_PAIRS = rf"\{{(?:{_NAME}: +(?:{_WORD})(?:, *(?!\}})|(?=\}})))*\}}"
_PAIR = rf"({_NAME}): +({_WORD})"
_BREAKS = re.compile("\n+")
_NUMBERS = frozenset({PlainInt, PlainFloat})
_BLOCKS = frozenset((">", ">-", "|", "|-"))
_EMPTY = "{}\n"
_SHARED, _BELOW, _NUMBER = "a list or mapping", "on the lines below", "a number that knows its text"


class NotOrdinaryError(Exception):
    """The text holds something that is not read here."""


# What stands before a value: the columns in which a line and its key begin, whether it begins with a dash, its key.
_Head = tuple[int, int, bool, "str | None"]
# A line of a mapping or list: the same, its value, and a form, which is empty where that is the value, and else says
# what is still to be done for it.
_Line = tuple[int, int, bool, "str | None", Any, str]

_lines: dict[str, _Line | None] = {}
_heads: dict[str, _Head] = {}


def mapping(text: str) -> tuple[dict[str, Any], bool]:  # noqa: C901, PLR0912, PLR0915 - one loop: calls cost time
    """Return the mapping that a text holds, and whether a number in it knows its text.

    Raises:
        NotOrdinaryError: it holds something else than ordinary lines.
        ValueError: a number can't be kept.
    """
    if text == _EMPTY:
        return {}, False
    lines = text.split("\n")
    if lines[-1]:
        raise NotOrdinaryError
    top: dict[str, Any] = {}
    box: Any = top
    column, listed, plain = 0, False, False
    outer: list[tuple[Any, int, bool]] = []
    below: str | None = None
    here, count = 0, len(lines)
    while here < count:
        try:
            line = _lines[lines[here]]
        except KeyError:
            line = _learned(lines[here])
        here += 1
        if line is None:
            continue
        indent, start, dash, key, value, form = line
        if below is not None:
            if indent > column or (dash and indent == column):
                outer.append((box, column, listed))
                box[below] = box = [] if dash else {}
                column, listed = indent, dash
                if len(outer) > MAX_LEVELS:
                    raise NotOrdinaryError
            below = None
        while indent < column or (listed and not dash and indent == column):
            box, column, listed = outer.pop()
        if indent != column or dash is not listed:
            raise NotOrdinaryError
        if form:  # as few lines have
            if form is _BELOW:
                below = key
            elif form is _NUMBER:
                plain = True
            elif form is _SHARED:
                value = value.copy()
            else:
                value, here = _block(lines, here, start, form)
        if key is None:
            box.append(value)
            continue
        if dash:
            outer.append((box, column, listed))
            inner: dict[str, Any] = {}
            box.append(inner)
            box, column, listed = inner, start, False
        if key in box:
            raise NotOrdinaryError
        box[key] = value
    if not top:
        raise NotOrdinaryError
    return top, plain


def _learned(text: str) -> _Line | None:
    """Return what a line states, and remember it.

    Raises:
        NotOrdinaryError: it does not belong to a mapping or list, or states something that is not read here.
        ValueError: it holds a number that can't be kept.
    """
    _refuse_unusual(text)
    before, _, stated = text.partition(": ")
    head = _heads.get(before)
    line = (*head, *_value(stated)) if head and stated and stated[0] != " " else _line(text, before)
    if len(_lines) >= REMEMBERED_LINES:
        _lines.clear()
    _lines[text] = line
    return line


def _refuse_unusual(text: str) -> None:
    """Stop at what only other readers judge.

    Raises:
        NotOrdinaryError: there is something of the kind.
    """
    if not text.isprintable() and re.search(_UNUSUAL, text):
        raise NotOrdinaryError


def _line(text: str, before: str) -> _Line | None:
    """Return what a line states, None where it is empty or a comment; ``before`` is what may be its head."""
    found = _LINE.fullmatch(text)
    indent, dash, key, stated = found.groups() if found else ("", None, None, "?")
    if key is None and not stated and dash is not None:  # an item whose value is empty, or stands below
        raise NotOrdinaryError
    if dash is None and key is None:
        if stated and stated[0] != "#":
            raise NotOrdinaryError
        return None
    column = len(indent)
    if key is None:
        return column, column, dash is not None, None, *_value(stated)
    name = intern(key.strip('"'))  # files share their keys: a third less memory
    head = (column, column + len(dash or ""), dash is not None, name)
    if before.endswith(key):
        if len(_heads) >= REMEMBERED_LINES:
            _heads.clear()
        _heads[before] = head
    return *head, *(_value(stated) if stated else (None, _BELOW))


def _value(stated: str) -> tuple[Any, str]:
    """Return the value that is stated, and what is still to be done for it."""
    quoted = _QUOTED.fullmatch(stated) if stated[0] in _QUOTES else None
    if quoted:
        return quoted[1] if quoted[2] is None else quoted[2], ""
    if _PLAIN.fullmatch(stated):
        if stated[0] not in FIRST_CHARACTERS:
            return stated, ""
        number = scalar(stated)
        return number, _NUMBER if type(number) in _NUMBERS else ""
    if stated in _BLOCKS:
        return None, stated
    if re.fullmatch(_LIST, stated):
        return [_word(item) for item in re.findall(_WORD, stated)], _SHARED
    if re.fullmatch(_PAIRS, stated):
        pairs = re.findall(_PAIR, stated)
        value = {intern(name): _word(word) for name, word in pairs}
        if len(value) == len(pairs):
            return value, _SHARED
    raise NotOrdinaryError


def _word(stated: str) -> Any:
    """Return the value of a word that is not alone on its line."""
    if stated[0] in _QUOTES:
        return stated[1:-1]
    value = scalar(stated) if stated[0] in FIRST_CHARACTERS else stated
    if type(value) in _NUMBERS:
        raise NotOrdinaryError
    return value


def _block(lines: list[str], here: int, column: int, sign: str) -> tuple[str, int]:
    """Return the text that is set off further than a column, and where the lines after it begin.

    Raises:
        NotOrdinaryError: a line of it is nothing but spaces, or it is to be folded and has lines set off further.
    """
    first = lines[here]
    width = len(first) - len(first.lstrip(" "))
    if width <= column or width == len(first):
        raise NotOrdinaryError
    margin, end = first[:width], here + 1
    while end < len(lines) and (lines[end].startswith(margin) or not lines[end]):
        end += 1
    if lines[end : end + 1] and not lines[end].lstrip(" "):
        raise NotOrdinaryError
    block = lines[here:end]
    _refuse_unusual("".join(block))
    text = "\n".join([line[width:] for line in block]).rstrip("\n")
    if sign[0] == ">":
        if "\n " in text:
            raise NotOrdinaryError
        text = _BREAKS.sub(_folded, text) if "\n\n" in text else text.replace("\n", " ")
    return (text if sign[-1] == "-" else text + "\n"), end


def _folded(breaks: re.Match[str]) -> str:
    """Return what stands for line breaks in folded text: one is a space, of several the first is left out."""
    return breaks[0][1:] or " "
