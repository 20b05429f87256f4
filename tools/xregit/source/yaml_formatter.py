"""YAML text in its canonical form: comments, order, brackets and the lines of blocks stay."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from xregit.source import yaml_loader
from xregit.source.parse_result import UTF8_BOM
from xregit.source.scalars import scalar as value_of
from xregit.source.yaml_emitter import (
    MAX_BRACKET_CHARS,
    MAX_KEY_CHARS,
    atom,
    folded_or_quoted,
    quoted,
    quoted_if_needed,
    quoted_in_brackets,
)
from xregit.source.yaml_loader import PARSER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xregit.source.parse_result import Problem
    from xregit.source.yaml_loader import Parser


_BLOCK_HEADER = re.compile(r"[|>][0-9+-]*[ \t]*(?P<comment>#.*)?")
_STARTS = (MappingStartEvent, SequenceStartEvent)
_ENDS = (MappingEndEvent, SequenceEndEvent)


@dataclass(slots=True)
class Entry:
    """One entry of a mapping or item of a list, with the lines above it and the comment beside it.

    ``key`` is None for items. Of the lines, an empty one stands for any number of blank lines.
    """

    key: str | None = None
    value: Scalar | Collection | None = None
    above: list[str] = field(default_factory=list)
    beside: str = ""


@dataclass(slots=True)
class Scalar:
    """One single value: its text as the parser reads it, its style, and for a block its lines as they stand."""

    text: str
    style: str | None
    is_plain: bool
    raw: str


@dataclass(slots=True)
class Collection:
    """A mapping or list, with the comments at its end; ``indent`` is the column at which it begins."""

    keyed: bool
    in_brackets: bool
    indent: int
    entries: list[Entry] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Line:
    """A line between values: a comment and its column, or a blank one."""

    text: str
    column: int


def tree(text: str, parser: Parser = PARSER) -> Collection:
    """Return the tree of a text that holds one mapping, and that `yaml.parse` has nothing against.

    Raises:
        TypeError: the text holds something else.
    """
    return _TreeReader(text, parser).root()


class _TreeReader:
    """One pass over the parse events; ``end`` is the offset up to which all is read, ``seen`` the last value's end."""

    def __init__(self, text: str, parser: Parser) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.events = parser(text.encode())
        self.end = self.seen = 0
        self.lines: list[Line] = []
        self.boxes: list[Collection] = []
        self.top = Entry()
        self.last: Entry | None = None
        self.due: Entry | None = self.top

    def root(self) -> Collection:
        while (event := self.events.get_event()) is not None:
            if isinstance(event, _STARTS):
                self.start(event)
            elif isinstance(event, ScalarEvent):
                self.scalar(event)
            elif isinstance(event, _ENDS):
                self.finish(event)
        self.gap(len(self.text))
        box = self.top.value
        if not isinstance(box, Collection):
            message = "the text holds no mapping"
            raise TypeError(message)
        box.below += _texts(self.lines)
        return box

    def start(self, event: Any) -> None:
        """Take the start of a mapping or list."""
        begin = self.offset(event.start_mark)
        self.gap(begin)
        box = Collection(isinstance(event, MappingStartEvent), bool(event.flow_style), event.start_mark.column)
        entry = self.entry(is_box=True)
        entry.value = box
        self.boxes.append(box)
        self.due = None
        if box.in_brackets:
            self.end = self.seen = begin + 1
            self.last = entry

    def scalar(self, event: Any) -> None:
        """Take a key or a single value."""
        begin, end = self.offset(event.start_mark), self.offset(event.end_mark)
        self.gap(begin)
        box = self.boxes[-1] if self.boxes else None
        raw = self.text[begin:end]
        if box is not None and box.keyed and self.due is None:
            self.due = self.last = self.added(box, event.value)
            self.end = self.seen = end
            return
        entry = self.last = self.entry(is_box=False)
        self.due = None
        if event.style in {"|", ">"}:
            raw = raw.removesuffix("\n") if "+" in raw.partition("\n")[0] else _without_blank_end(raw)
            header = _BLOCK_HEADER.match(raw)
            entry.beside = entry.beside or (header["comment"] or "" if header else "").rstrip()
            end = begin + len(raw)
        entry.value = Scalar(event.value, event.style, bool(event.implicit[0]), raw)
        self.end = self.seen = min(end, len(self.text))

    def finish(self, event: Any) -> None:
        """Take the end of a mapping or list; comments that stand at its column or deeper are its own."""
        box = self.boxes.pop()
        if box.in_brackets:
            begin = self.offset(event.start_mark)
            self.gap(begin)
            while self.lines and not self.lines[-1].text:
                self.lines.pop()  # blank lines before a bracket part nothing
            box.below += _texts(self.lines)
            self.lines = []
            self.end = self.seen = begin + 1
            owner = self.boxes[-1].entries[-1] if self.boxes else self.top
            self.last = owner
        else:
            self.gap(self.offset(event.start_mark))
            count = self.own_lines(box, event.start_mark.column)
            box.below += _texts(self.lines[:count])
            self.lines = self.lines[count:]
        self.due = None

    def own_lines(self, box: Collection, following: int) -> int:
        """Return how many of the lines before what follows belong to a box that ends."""
        count = 0
        for number, line in enumerate(self.lines, 1):
            if line.text and (line.column < box.indent or line.column <= following):
                break
            count = number if line.text else count
        return count

    def entry(self, *, is_box: bool) -> Entry:
        """Return the entry whose value comes next: the key's that waits for one, else a new item."""
        if self.due is not None:
            entry, self.due = self.due, None
            if not is_box or entry is self.top:
                entry.above += _texts(self.lines) if entry is not self.top else []
                self.lines = self.lines if entry is self.top else []
            return entry
        return self.added(self.boxes[-1], None)

    def added(self, box: Collection, key: str | None) -> Entry:
        entry = Entry(key, above=_texts(self.lines))
        self.lines = []
        box.entries.append(entry)
        return entry

    def gap(self, begin: int) -> None:
        """Take the comments and blank lines between the last visible part and the next."""
        if begin <= self.end:
            return
        first, *others = self.text[self.end : begin].split("\n")
        comment = _comment(first)
        if comment is not None and self.last is not None and not self.last.beside and self.end == self.seen:
            self.last.beside = comment.text
        elif comment is not None:
            before = self.text.rfind("\n", 0, self.end) + 1
            self.lines.append(Line(comment.text, self.end - before + comment.column))
        for number, line in enumerate(others):
            found = _comment(line)
            if found is not None:
                self.lines.append(found)
            elif not line.strip() and number < len(others) - 1:
                self.lines.append(Line("", 0))
        self.end = begin

    def offset(self, mark: Any) -> int:
        """Return the place of a mark in the text."""
        line, column = int(mark.line), int(mark.column)
        begin = self.starts[line] if line < len(self.starts) else len(self.text)
        return min(begin + column, len(self.text))


def _without_blank_end(text: str) -> str:
    """Return the text without the blank lines at its end."""
    end = text.find("\n", len(text.rstrip(" \t\n")))
    return text if end < 0 else text[:end]


def _comment(line: str) -> Line | None:
    """Return the comment of a stretch of text that holds no value."""
    before, sign, after = line.partition("#")
    return Line(f"#{after}".rstrip(), len(before)) if sign else None


def _texts(lines: list[Line]) -> list[str]:
    return [line.text for line in lines]


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
    parsed = yaml_loader.parse_mapping(data)
    if parsed.problems:
        raise UnformattableError(parsed.problems[0].message, parsed.problems)
    text = _unified(data)
    result = written(tree(text))
    if text != result and not _is_same(text, result):
        message = "it has a form that can't be kept as it is; simplify it by hand"
        raise UnformattableError(message)
    return result.encode()


def edited(data: bytes, edit: Callable[[Collection], None]) -> bytes:
    """Return a YAML file's canonical form after an edit of its tree.

    Raises:
        UnformattableError: as for `formatted`.
    """
    box = tree(_unified(formatted(data)))
    edit(box)
    return written(box).encode()


def written(box: Collection) -> str:
    """Return the canonical text of a tree; the tree is changed on the way and of no use afterwards."""
    while box.below and not box.below[-1]:
        box.below.pop()
    return "\n".join([*_lines(box, 0), *_spaced(box.below, 0, first=False)]) + "\n"


def _unified(data: bytes) -> str:
    return _BREAKS.sub("\n", data.removeprefix(UTF8_BOM).decode())


def _is_same(old: str, new: str) -> bool:
    """Tell whether two texts hold the same values and equally many comments, which is all that may not change."""
    was, now = yaml_loader.parse(old.encode()), yaml_loader.parse(new.encode())
    return not now.problems and repr(was.value) == repr(now.value) and _comments(tree(old)) == _comments(tree(new))


def _comments(box: Collection) -> list[str]:
    """Return all comments below a box, sorted, since one that stands beside a bracket may move above it."""
    found = [line for line in box.below if line]
    for entry in box.entries:
        found += [line for line in (*entry.above, entry.beside) if line]
        if isinstance(entry.value, Collection):
            found += _comments(entry.value)
    return sorted(found)


def _lines(box: Collection, indent: int) -> Iterator[str]:
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
    if entry.key is not None or not _is_spread(entry) or not isinstance(entry.value, Collection):
        return []
    first = entry.value.entries[0]
    inner = [line for line in first.above if line]
    first.above = []
    return [*([entry.beside] if entry.beside else []), *inner, *_hoisted(first)]


def _is_spread(entry: Entry) -> bool:
    """Tell whether the value stands on lines of its own."""
    return isinstance(entry.value, Collection) and bool(entry.value.entries) and not _brackets(entry.value)


def _shape(entry: Entry, indent: int, column: int) -> tuple[str, list[str]]:
    """Return what follows a key or dash on its line, and the lines below."""
    value = entry.value
    if isinstance(value, Collection):
        if not value.entries:  # a comment below it is read as its entry's neighbour
            return _empty(value), list(_spaced(value.below, indent - 2, first=False))
        below = list(_spaced(value.below, indent, first=False))
        brackets = _brackets(value)
        if brackets and column + len(brackets) <= MAX_BRACKET_CHARS:
            return brackets, []
        value.in_brackets = False
        return "", [*_lines(value, indent), *below]
    return ("null", []) if value is None else _scalar(value, indent, column)


def _brackets(box: Collection) -> str:
    """Return a small box on one line, as its author wrote it; nothing where it is spread out or has comments."""
    if not box.in_brackets or box.below:
        return ""
    words = []
    for entry in box.entries:
        if any(entry.above) or entry.beside:
            return ""
        value = entry.value
        word = _brackets(value) if isinstance(value, Collection) else _word(value)
        if not word:
            return ""
        words.append(word if entry.key is None else f"{quoted_in_brackets(entry.key)}: {word}")
    inside = ", ".join(words)
    return f"{{{inside}}}" if box.keyed else f"[{inside}]"


def _empty(box: Collection) -> str:
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
