"""Values to YAML as a person would write it: block text for long strings, short leaves between brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

from xregit.source.quoting import atom, is_printable, quoted, quoted_if_needed, quoted_in_brackets

MAX_LINE_CHARS = 100
MAX_BRACKET_CHARS = 80  # where a line with brackets ends at the latest
MAX_BRACKET_ENTRIES = 5
MAX_KEY_CHARS = 1000  # a reader may refuse a key of 1024 characters and more that has no "?" before it
_MIN_FOLDED_CHARS = 40

# Asked of every value, so made once.
_SINGLE = (str, int, float, NoneType)
_FOLD = re.compile(r"(?<=\S) (?=\S)")
_BLANK_LINE = re.compile(r"^[ \t]+$|[ \t]\Z", re.MULTILINE)


def to_yaml(value: Mapping[str, Any], *, comment: str = "") -> str:
    """Return a mapping as a YAML file, keys in their order, below the comment if there is one.

    Raises:
        ValueError: a number is infinite or none.
        TypeError: something isn't a JSON value.
    """
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    lines += _mapping_lines(value, 0) if value else ["{}"]
    return "\n".join(lines) + "\n"


def _mapping_lines(value: Mapping[str, Any], indent: int) -> Iterator[str]:
    for key, item in value.items():
        name = quoted_if_needed(key)
        if len(name) > MAX_KEY_CHARS:
            yield f"{' ' * indent}? {quoted(key)}"
            name = ""
        head, body = _shape(item, indent + 2, indent + len(name) + 2)
        yield f"{' ' * indent}{name}:{' ' if head else ''}{head}"
        yield from body


def _list_lines(value: Sequence[Any], indent: int) -> Iterator[str]:
    for item in value:
        head, body = _shape(item, indent + 2, indent + 2)
        if not head:
            head, body = body[0].lstrip(" "), body[1:]
        yield f"{' ' * indent}- {head}"
        yield from body


def _shape(value: Any, indent: int, column: int) -> tuple[str, list[str]]:
    """Return what follows a key or dash on its line, which begins at the column, and the indented lines below."""
    if isinstance(value, str):
        return folded_or_quoted(value, indent, column)
    if value is None or isinstance(value, int | float):
        return atom(value), []
    if isinstance(value, bytes) or not isinstance(value, Mapping | Sequence):
        message = f"a {type(value).__name__} is no JSON value"
        raise TypeError(message)
    brackets = _brackets(value)
    if not value or (brackets and column + len(brackets) <= MAX_BRACKET_CHARS):
        return brackets, []
    return "", list(_mapping_lines(value, indent) if isinstance(value, Mapping) else _list_lines(value, indent))


def _brackets(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return a small mapping or list of single values on one line; nothing where it has to be spread out."""
    items = list(value.values() if isinstance(value, Mapping) else value)
    if not all(isinstance(item, _SINGLE) for item in items):
        return ""
    words = [quoted_in_brackets(item) if isinstance(item, str) else atom(item) for item in items]
    if not isinstance(value, Mapping):
        return f"[{', '.join(words)}]"
    if len(words) > MAX_BRACKET_ENTRIES:
        return ""
    pairs = zip(value, words, strict=True)
    return "{" + ", ".join(f"{quoted_in_brackets(key)}: {word}" for key, word in pairs) + "}"


def folded_or_quoted(value: str, indent: int, column: int) -> tuple[str, list[str]]:
    """Return a text as it follows a key or dash on its line, at the column, and the indented lines below."""
    if _suits_block(value):
        return _literal(value, indent)
    line = quoted_if_needed(value)
    if column + len(line) > MAX_LINE_CHARS and is_printable(value):
        folded = _folded(value, max(MAX_LINE_CHARS - indent, _MIN_FOLDED_CHARS))
        if len(folded) > 1:
            return ">-", [" " * indent + part for part in folded]
    return line, []


def _suits_block(value: str) -> bool:
    return "\n" in value.strip() and is_printable(value) and not _BLANK_LINE.search(value)


def _literal(value: str, indent: int) -> tuple[str, list[str]]:
    stripped = value.rstrip("\n")
    ending = {0: "-", 1: ""}.get(len(value) - len(stripped), "+")
    depth = "2" if value[0] in " \t\n" else ""
    lines = value.removesuffix("\n").split("\n")
    return f"|{depth}{ending}", [" " * indent + line if line else "" for line in lines]


def _folded(value: str, width: int) -> list[str]:
    """Return the text in lines that a reader joins with single spaces; one line where it can't be folded."""
    if value != value.strip() or "\t" in value or "\n" in value:
        return [value]
    lines = [""]
    for word in _FOLD.split(value):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return lines
