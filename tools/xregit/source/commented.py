"""YAML text to a tree of its values that keeps comments, blank lines, the order and the authors' brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from yaml.events import (
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from xregit.source.events import PARSER

if TYPE_CHECKING:
    from xregit.source.events import Parser

_BLOCK_HEADER = re.compile(r"[|>][0-9+-]*[ \t]*(?P<comment>#.*)?")
_STARTS = (MappingStartEvent, SequenceStartEvent)
_ENDS = (MappingEndEvent, SequenceEndEvent)


@dataclass(slots=True)
class Entry:
    """One entry of a mapping or item of a list, with the lines above it and the comment beside it.

    ``key`` is None for items. Of the lines, an empty one stands for any number of blank lines.
    """

    key: str | None = None
    value: Scalar | Box | None = None
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
class Box:
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


def tree(text: str, parser: Parser = PARSER) -> Box:
    """Return the tree of a text that holds one mapping, and that `yaml.parse` has nothing against.

    Raises:
        TypeError: the text holds something else.
    """
    return _Reading(text, parser).root()


class _Reading:
    """One pass over the parse events; ``end`` is the offset up to which all is read, ``seen`` the last value's end."""

    def __init__(self, text: str, parser: Parser) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.events = parser(text.encode())
        self.end = self.seen = 0
        self.lines: list[Line] = []
        self.boxes: list[Box] = []
        self.top = Entry()
        self.last: Entry | None = None
        self.due: Entry | None = self.top

    def root(self) -> Box:
        while (event := self.events.get_event()) is not None:
            if isinstance(event, _STARTS):
                self.start(event)
            elif isinstance(event, ScalarEvent):
                self.scalar(event)
            elif isinstance(event, _ENDS):
                self.finish(event)
        self.gap(len(self.text))
        box = self.top.value
        if not isinstance(box, Box):
            message = "the text holds no mapping"
            raise TypeError(message)
        box.below += _texts(self.lines)
        return box

    def start(self, event: Any) -> None:
        """Take the start of a mapping or list."""
        begin = self.offset(event.start_mark)
        self.gap(begin)
        box = Box(isinstance(event, MappingStartEvent), bool(event.flow_style), event.start_mark.column)
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

    def own_lines(self, box: Box, following: int) -> int:
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

    def added(self, box: Box, key: str | None) -> Entry:
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
