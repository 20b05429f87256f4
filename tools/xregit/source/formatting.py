"""YAML text to the same text in its canonical form: comments, order, brackets and the lines of blocks stay.

What changes is how it is indented, quoted, spaced and ended. Formatting twice gives the same as once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xregit.source import yaml
from xregit.source.commented import Box, Scalar, tree
from xregit.source.emitting import MAX_BRACKET_CHARS, MAX_KEY_CHARS, folded_or_quoted
from xregit.source.quoting import atom, quoted, quoted_if_needed, quoted_in_brackets
from xregit.source.scalars import scalar as value_of
from xregit.source.text import UTF8_BOM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xregit.source.commented import Entry
    from xregit.source.text import Problem

_HEADER = re.compile(r"([|>])([0-9]*)([+-]?)([0-9]*)")
_BREAKS = re.compile("\r\n?")


class UnformattableError(ValueError):
    """A text that can't be formatted; ``problems`` say why where the text itself is wrong."""

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        """Keep the problems, so that they can become diagnostics."""
        self.problems = problems
        super().__init__(message)


def formatted(data: bytes) -> bytes:
    """Return a YAML file's canonical form.

    Raises:
        UnformattableError: it is no mapping in YAML, something is wrong with its text, or it would not stay the same.
    """
    parsed = yaml.mapping(data)
    if parsed.problems:
        raise UnformattableError(parsed.problems[0].message, parsed.problems)
    text = _unified(data)
    result = written(tree(text))
    if text != result and not _is_same(text, result):
        message = "it has a form that can't be kept as it is; simplify it by hand"
        raise UnformattableError(message)
    return result.encode()


def edited(data: bytes, edit: Callable[[Box], None]) -> bytes:
    """Return a YAML file's canonical form after an edit of its tree.

    Raises:
        UnformattableError: as for `formatted`.
    """
    box = tree(_unified(formatted(data)))
    edit(box)
    return written(box).encode()


def written(box: Box) -> str:
    """Return the canonical text of a tree; the tree is changed on the way and of no use afterwards."""
    while box.below and not box.below[-1]:
        box.below.pop()
    return "\n".join([*_lines(box, 0), *_spaced(box.below, 0, first=False)]) + "\n"


def _unified(data: bytes) -> str:
    return _BREAKS.sub("\n", data.removeprefix(UTF8_BOM).decode())


def _is_same(old: str, new: str) -> bool:
    """Tell whether two texts hold the same values and equally many comments, which is all that may not change."""
    was, now = yaml.parse(old.encode()), yaml.parse(new.encode())
    return not now.problems and repr(was.value) == repr(now.value) and _comments(tree(old)) == _comments(tree(new))


def _comments(box: Box) -> list[str]:
    """Return all comments below a box, sorted, since one that stands beside a bracket may move above it."""
    found = [line for line in box.below if line]
    for entry in box.entries:
        found += [line for line in (*entry.above, entry.beside) if line]
        if isinstance(entry.value, Box):
            found += _comments(entry.value)
    return sorted(found)


def _lines(box: Box, indent: int) -> Iterator[str]:
    if not box.entries:
        yield " " * indent + ("{}" if box.keyed else "[]")
    for number, entry in enumerate(box.entries):
        yield from _entry(entry, indent, first=number == 0)


def _entry(entry: Entry, indent: int, *, first: bool) -> Iterator[str]:
    above = [*entry.above, *_hoisted(entry)]
    yield from _spaced(above, indent, first=first)
    name = "-" if entry.key is None else f"{quoted_if_needed(entry.key)}:"
    if len(name) > MAX_KEY_CHARS:
        yield f"{' ' * indent}? {quoted(entry.key or '')}"
        name = ":"
    head, body = _shape(entry, indent + 2, indent + len(name) + 1)
    if entry.key is None and not head and body:
        head, body = body[0].lstrip(" "), body[1:]
    beside = f"  {entry.beside}" if entry.beside else ""
    if entry.key is None and _is_spread(entry) and beside:
        beside = ""  # it was hoisted
    yield f"{' ' * indent}{name}{f' {head}' if head else ''}{beside}"
    yield from body


def _hoisted(entry: Entry) -> list[str]:
    """Return the comments that move above an item that begins on its dash's line: its own and its first entry's."""
    if entry.key is not None or not _is_spread(entry) or not isinstance(entry.value, Box):
        return []
    first = entry.value.entries[0]
    inner = [line for line in first.above if line]
    first.above = []
    return [*([entry.beside] if entry.beside else []), *inner, *_hoisted(first)]


def _is_spread(entry: Entry) -> bool:
    """Tell whether the value stands on lines of its own."""
    return isinstance(entry.value, Box) and bool(entry.value.entries) and not _brackets(entry.value)


def _shape(entry: Entry, indent: int, column: int) -> tuple[str, list[str]]:
    """Return what follows a key or dash on its line, and the lines below."""
    value = entry.value
    if isinstance(value, Box):
        if not value.entries:  # a comment below it is read as its entry's neighbour
            return _empty(value), list(_spaced(value.below, indent - 2, first=False))
        below = list(_spaced(value.below, indent, first=False))
        brackets = _brackets(value)
        if brackets and column + len(brackets) <= MAX_BRACKET_CHARS:
            return brackets, []
        value.in_brackets = False
        return "", [*_lines(value, indent), *below]
    return ("null", []) if value is None else _scalar(value, indent, column)


def _brackets(box: Box) -> str:
    """Return a small box on one line, as its author wrote it; nothing where it is spread out or has comments."""
    if not box.in_brackets or box.below:
        return ""
    words = []
    for entry in box.entries:
        if any(entry.above) or entry.beside:
            return ""
        value = entry.value
        word = _brackets(value) if isinstance(value, Box) else _word(value)
        if not word:
            return ""
        words.append(word if entry.key is None else f"{quoted_in_brackets(entry.key)}: {word}")
    inside = ", ".join(words)
    return f"{{{inside}}}" if box.keyed else f"[{inside}]"


def _empty(box: Box) -> str:
    return "" if box.entries else "{}" if box.keyed else "[]"


def _word(value: Scalar | None) -> str:
    """Return a single value between brackets."""
    if value is None:
        return "null"
    return _plain(value) or quoted_in_brackets(value.text)


def _plain(value: Scalar) -> str:
    """Return a number, boolean or null as it is written; nothing for a text."""
    if not value.is_plain:
        return ""
    found = value_of(value.text)
    return "" if isinstance(found, str) else atom(found)


def _scalar(value: Scalar, indent: int, column: int) -> tuple[str, list[str]]:
    plain = _plain(value)
    if plain:
        return plain, []
    if value.style in {"|", ">"}:
        return _block(value, indent)
    if "\n" in value.raw.rstrip("\n"):
        return folded_or_quoted(value.text, indent, column)
    return quoted_if_needed(value.text), []


def _block(value: Scalar, indent: int) -> tuple[str, list[str]]:
    """Return a block with its lines as they are, at another indent."""
    first, *lines = value.raw.split("\n")
    header = _HEADER.match(first)
    filled = [line for line in lines if line.strip()]
    if header is None or not filled:
        return quoted_if_needed(value.text), []
    begins = len(filled[0]) - len(filled[0].lstrip(" "))
    own = len(value.text.lstrip("\n")) - len(value.text.lstrip("\n").lstrip(" "))  # spaces that are of the text itself
    depth = begins - own
    moved = [f"{' ' * indent}{line[depth:]}" if line[depth:] else "" for line in lines]
    return f"{header[1]}{'2' if header[2] or header[4] else ''}{header[3]}", moved


def _spaced(lines: list[str], indent: int, *, first: bool) -> Iterator[str]:
    """Give comments at an indent; of blank lines one at a time stays, and none at the beginning."""
    blank = first
    for line in lines:
        if line:
            yield f"{' ' * indent}{line}"
        elif not blank:
            yield ""
        blank = not line
