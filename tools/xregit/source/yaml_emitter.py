"""Values as YAML that a person would write, and that readers of YAML 1.1 and 1.2 understand alike."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

# A first character after which neither version sees an indicator, a number, a date or a merge key.
_PLAIN = re.compile(r"[^\W\d][^\n]*|[/$(_][^\n]*")
# What ends or changes unquoted text: a comment, a key's colon, blanks at its end.
_UNSAFE = re.compile(r" #|:(?:\s|$)|\s$|\t")
_UNSAFE_IN_FLOW = re.compile(r"[,\[\]{}:#?]")
_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
_ATOMS = {None: "null", True: "true", False: "false"}
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def quote_if_needed(text: str) -> str:
    """Return the text as a value or key of its own line."""
    return text if _is_plain(text) else quote(text)


def quote_in_flow(text: str) -> str:
    """Return the text as a value or key of a flow collection, which stands between brackets."""
    return text if _is_plain(text) and not _UNSAFE_IN_FLOW.search(text) else quote(text)


def quote(text: str) -> str:
    """Return the text in quotes: single ones where double ones would need escapes for nothing but themselves."""
    if _UNPRINTABLE.search(text):
        return '"' + _UNPRINTABLE.sub(_escape, text.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def is_printable(text: str) -> bool:
    """Return whether the text's only unprintable characters are line feeds and tabs."""
    return _UNPRINTABLE.search(text.replace("\n", "").replace("\t", "")) is None


def atom(value: float | None) -> str:
    """Return a number, boolean or null; a number that remembers how it was written is written so again.

    Raises:
        ValueError: the number is infinite or NaN.
    """
    if value is None or isinstance(value, bool):
        return _ATOMS[value]
    text = getattr(value, "text", None)
    if isinstance(text, str):
        return text
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} can't be written as YAML that is also JSON")
    mantissa, exponent, power = repr(value).partition("e")
    return mantissa + (".0" if exponent and "." not in mantissa else "") + exponent + power


def _is_plain(text: str) -> bool:
    if text.isascii() and text.isidentifier():  # as most keys are, quicker than the rest
        return text.lower() not in _WORDS
    return (
        _PLAIN.fullmatch(text) is not None
        and text.casefold() not in _WORDS
        and not _UNSAFE.search(text)
        and not _UNPRINTABLE.search(text)
    )


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    return short or (f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}")  # noqa: PLR2004


MAX_LINE_CHARS = 100
MAX_FLOW_CHARS = 80  # where a line with a flow collection ends at the latest
MAX_FLOW_ENTRIES = 5
MAX_KEY_CHARS = 1000  # a reader may refuse a key of 1024 characters and more that has no "?" before it
_MIN_FOLDED_CHARS = 40

_SINGLE = (str, int, float, NoneType)
_FOLD = re.compile(r"(?<=\S) (?=\S)")
_BLANK_LINE = re.compile(r"^[ \t]+$|[ \t]\Z", re.MULTILINE)


def to_yaml(value: Mapping[str, Any], *, comment: str = "") -> str:
    """Return a mapping as a YAML file, keys in their order, below the comment if there is one.

    Raises:
        ValueError: a number is infinite or NaN.
        TypeError: something isn't a JSON value.
    """
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += _mapping_lines(value, 0) if value else ["{}"]
    return "\n".join(lines) + "\n"


def _mapping_lines(value: Mapping[str, Any], indent: int) -> list[str]:
    lines, margin = [], " " * indent
    for key, item in value.items():
        name = quote_if_needed(key)
        if len(name) > MAX_KEY_CHARS:
            lines.append(f"{margin}? {quote(key)}")
            name = ""
        head, body = _block_or_flow(item, indent + 2, indent + len(name) + 2)
        lines.append(f"{margin}{name}: {head}" if head else f"{margin}{name}:")
        lines += body
    return lines


def _list_lines(value: Sequence[Any], indent: int) -> list[str]:
    lines = []
    for item in value:
        head, body = _block_or_flow(item, indent + 2, indent + 2)
        if not head:
            head, body = body[0].lstrip(" "), body[1:]
        lines.append(f"{' ' * indent}- {head}")
        lines += body
    return lines


def _block_or_flow(value: Any, indent: int, column: int) -> tuple[str, list[str]]:
    """Return what follows a key or dash on its line, beginning at the column, and the indented lines below."""
    if isinstance(value, str):
        return fold_or_quote(value, indent, column)
    if value is None or isinstance(value, int | float):
        return atom(value), []
    if isinstance(value, Mapping):
        flow = _flow_mapping(value, MAX_FLOW_CHARS - column) if value else "{}"
        return (flow, []) if flow else ("", _mapping_lines(value, indent))
    if isinstance(value, bytes) or not isinstance(value, Sequence):
        raise TypeError(f"a {type(value).__name__} is no JSON value")
    flow = _flow_list(value, MAX_FLOW_CHARS - column) if value else "[]"
    return (flow, []) if flow else ("", _list_lines(value, indent))


def _flow_mapping(value: Mapping[str, Any], room: int) -> str:
    """Return a small mapping of single values on one line; nothing where it takes more than that."""
    if len(value) > MAX_FLOW_ENTRIES:
        return ""
    pairs = []
    for key, item in value.items():
        if not isinstance(item, _SINGLE):
            return ""
        pair = f"{quote_in_flow(key)}: {_flow_scalar(item)}"
        room -= len(pair) + 2  # what stands before and after them is as long as what stands between two
        if room < 0:
            return ""
        pairs.append(pair)
    return "{" + ", ".join(pairs) + "}"


def _flow_list(value: Sequence[Any], room: int) -> str:
    """Return a list of single values on one line; nothing where it takes more than that."""
    words = []
    for item in value:
        if not isinstance(item, _SINGLE):
            return ""
        word = _flow_scalar(item)
        room -= len(word) + 2
        if room < 0:
            return ""
        words.append(word)
    return f"[{', '.join(words)}]"


def _flow_scalar(item: str | float | None) -> str:
    return quote_in_flow(item) if isinstance(item, str) else atom(item)


def fold_or_quote(value: str, indent: int, column: int) -> tuple[str, list[str]]:
    """Return a text as it follows a key or dash on its line, at the column, and the indented lines below."""
    if "\n" in value.strip() and is_printable(value) and not _BLANK_LINE.search(value):
        return _literal_block(value, indent)
    line = quote_if_needed(value)
    if column + len(line) > MAX_LINE_CHARS and is_printable(value):
        lines = _fold(value, max(MAX_LINE_CHARS - indent, _MIN_FOLDED_CHARS))
        if len(lines) > 1:
            return ">-", [" " * indent + part for part in lines]
    return line, []


def _literal_block(value: str, indent: int) -> tuple[str, list[str]]:
    stripped = value.rstrip("\n")
    ending = {0: "-", 1: ""}.get(len(value) - len(stripped), "+")
    depth = "2" if value[0] in " \t\n" else ""
    lines = value.removesuffix("\n").split("\n")
    return f"|{depth}{ending}", [" " * indent + line if line else "" for line in lines]


def _fold(value: str, width: int) -> list[str]:
    """Return the text in lines that a reader joins with single spaces; one line where it can't be lines."""
    if value != value.strip() or "\t" in value or "\n" in value:
        return [value]
    # Where there are two spaces, or one that is not the plain one, they belong to a word.
    words = value.split(" ") if value.isascii() and "  " not in value else _FOLD.split(value)
    lines, start, length = [], 0, len(words[0])
    for number in range(1, len(words)):
        length += 1 + len(words[number])
        if length > width:
            lines.append(" ".join(words[start:number]))
            start, length = number, len(words[number])
    return [*lines, " ".join(words[start:])]
