"""YAML text in its canonical form: comments, order, brackets and the lines of blocks stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from xregit.source import yaml_loader
from xregit.source.parse_result import UTF8_BOM, Problem
from xregit.source.scalars import scalar as scalar_value
from xregit.source.yaml_emitter import (
    MAX_FLOW_CHARS,
    MAX_KEY_CHARS,
    atom,
    fold_or_quote,
    quote,
    quote_if_needed,
    quote_in_flow,
)
from xregit.source.yaml_loader import PARSER, Parser

_BLOCK_HEADER = re.compile(
    r"(?P<style>[|>])(?P<indent>[0-9]*)(?P<chomping>[+-]?)(?P<late_indent>[0-9]*)[ \t]*(?P<comment>#.*)?"
)
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
    flow: bool
    indent: int
    entries: list[Entry] = field(default_factory=list)
    below: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Line:
    """A line between values: a comment and its column, or a blank one."""

    text: str
    column: int


def parse_tree(text: str, parser: Parser = PARSER) -> Collection:
    """Return the tree of a text that holds one mapping, and in which `yaml_loader.parse` finds no problem.

    Raises:
        TypeError: the text holds something else.
    """
    return _TreeReader(text, parser).read()


class _TreeReader:
    """One pass over the parse events.

    ``end`` is the offset up to which all is read, ``value_end`` where the last value ends. ``gap_lines`` are comments
    and blank lines that belong to no entry yet; ``keyed_entry`` has a key, and its value comes next.
    """

    def __init__(self, text: str, parser: Parser) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.events = parser(text.encode())
        self.end = self.value_end = 0
        self.gap_lines: list[Line] = []
        self.boxes: list[Collection] = []
        self.top = Entry()
        self.last: Entry | None = None
        self.keyed_entry: Entry | None = self.top

    def read(self) -> Collection:
        while (event := self.events.get_event()) is not None:
            if isinstance(event, _STARTS):
                self.start_collection(event)
            elif isinstance(event, ScalarEvent):
                self.scalar(event)
            elif isinstance(event, _ENDS):
                self.end_collection(event)
        self.read_gap(len(self.text))
        box = self.top.value
        if not isinstance(box, Collection):
            raise TypeError("the text holds no mapping")
        box.below += _texts(self.gap_lines)
        return box

    def start_collection(self, event: Any) -> None:
        """Begin a mapping or list."""
        begin = self.offset(event.start_mark)
        self.read_gap(begin)
        box = Collection(isinstance(event, MappingStartEvent), bool(event.flow_style), event.start_mark.column)
        entry = self.next_entry(is_box=True)
        entry.value = box
        self.boxes.append(box)
        self.keyed_entry = None
        if box.flow:
            self.end = self.value_end = begin + 1
            self.last = entry

    def scalar(self, event: Any) -> None:
        """Read a key or a single value."""
        begin, end = self.offset(event.start_mark), self.offset(event.end_mark)
        self.read_gap(begin)
        box = self.boxes[-1] if self.boxes else None
        raw = self.text[begin:end]
        if box is not None and box.keyed and self.keyed_entry is None:
            self.keyed_entry = self.last = self.add_entry(box, event.value)
            self.end = self.value_end = end
            return
        entry = self.last = self.next_entry(is_box=False)
        self.keyed_entry = None
        if event.style in {"|", ">"}:
            raw = raw.removesuffix("\n") if "+" in raw.partition("\n")[0] else _without_blank_end(raw)
            header = _BLOCK_HEADER.match(raw)
            entry.beside = entry.beside or (header["comment"] or "" if header else "").rstrip()
            end = begin + len(raw)
        entry.value = Scalar(event.value, event.style, bool(event.implicit[0]), raw)
        self.end = self.value_end = min(end, len(self.text))

    def end_collection(self, event: Any) -> None:
        """End a mapping or list; comments that stand at its column or deeper are its own."""
        box = self.boxes.pop()
        if box.flow:
            begin = self.offset(event.start_mark)
            self.read_gap(begin)
            while self.gap_lines and not self.gap_lines[-1].text:
                self.gap_lines.pop()  # blank lines before a bracket separate nothing
            box.below += _texts(self.gap_lines)
            self.gap_lines = []
            self.end = self.value_end = begin + 1
            self.last = self.boxes[-1].entries[-1] if self.boxes else self.top
        else:
            self.read_gap(self.offset(event.start_mark))
            count = self.count_own_lines(box, event.start_mark.column)
            box.below += _texts(self.gap_lines[:count])
            self.gap_lines = self.gap_lines[count:]
        self.keyed_entry = None

    def count_own_lines(self, box: Collection, following: int) -> int:
        """Return how many of the pending lines belong to a collection that ends."""
        count = 0
        for number, line in enumerate(self.gap_lines, 1):
            if line.text and (line.column < box.indent or line.column <= following):
                break
            count = number if line.text else count
        return count

    def next_entry(self, *, is_box: bool) -> Entry:
        """Return the entry of the next value: that of the key before it, else a new item."""
        if self.keyed_entry is not None:
            entry, self.keyed_entry = self.keyed_entry, None
            if not is_box or entry is self.top:
                entry.above += _texts(self.gap_lines) if entry is not self.top else []
                self.gap_lines = self.gap_lines if entry is self.top else []
            return entry
        return self.add_entry(self.boxes[-1], None)

    def add_entry(self, box: Collection, key: str | None) -> Entry:
        entry = Entry(key, above=_texts(self.gap_lines))
        self.gap_lines = []
        box.entries.append(entry)
        return entry

    def read_gap(self, begin: int) -> None:
        """Read the comments and blank lines between the last visible part and the next."""
        if begin <= self.end:
            return
        first, *others = self.text[self.end : begin].split("\n")
        comment = _comment(first)
        if comment is not None and self.last is not None and not self.last.beside and self.end == self.value_end:
            self.last.beside = comment.text
        elif comment is not None:
            before = self.text.rfind("\n", 0, self.end) + 1
            self.gap_lines.append(Line(comment.text, self.end - before + comment.column))
        for number, line in enumerate(others):
            comment = _comment(line)
            if comment is not None:
                self.gap_lines.append(comment)
            elif not line.strip() and number < len(others) - 1:
                self.gap_lines.append(Line("", 0))
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


class UnformattableError(ValueError):
    """A text that can't be formatted; ``problems`` say why where the text itself is wrong."""

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        """Keep the problems, so that they can become diagnostics."""
        self.problems = problems
        super().__init__(message)


def format_yaml(data: bytes) -> bytes:
    """Return a YAML file's canonical form.

    Raises:
        UnformattableError: it is no mapping in YAML, something is wrong with its text, or it would not stay the same.
    """
    parsed = yaml_loader.parse_mapping(data)
    if parsed.problems:
        raise UnformattableError(parsed.problems[0].message, parsed.problems)
    text = _unify_line_breaks(data)
    result = tree_to_text(parse_tree(text))
    if text != result and not _means_the_same(text, result):
        raise UnformattableError("it has a form that can't be kept as it is; simplify it by hand")
    return result.encode()


def edit_yaml(data: bytes, edit: Callable[[Collection], None]) -> bytes:
    """Return a YAML file's canonical form after an edit of its tree.

    Raises:
        UnformattableError: as for `format_yaml`.
    """
    box = parse_tree(_unify_line_breaks(format_yaml(data)))
    edit(box)
    return tree_to_text(box).encode()


def tree_to_text(box: Collection) -> str:
    """Return the canonical text of a tree, which is used up."""
    while box.below and not box.below[-1]:
        box.below.pop()
    return "\n".join([*_collection_lines(box, 0), *_comment_lines(box.below, 0, first=False)]) + "\n"


def _unify_line_breaks(data: bytes) -> str:
    return data.removeprefix(UTF8_BOM).decode().replace("\r\n", "\n").replace("\r", "\n")


def _means_the_same(old: str, new: str) -> bool:
    """Return whether two texts hold the same values and the same comments, which is what formatting must keep."""
    was, now = yaml_loader.parse(old.encode()), yaml_loader.parse(new.encode())
    return (
        not now.problems
        and repr(was.value) == repr(now.value)
        and _all_comments(parse_tree(old)) == _all_comments(parse_tree(new))
    )


def _all_comments(box: Collection) -> list[str]:
    """Return all comments below a box, sorted, since one that stands beside a bracket may move above it."""
    comments = [line for line in box.below if line]
    for entry in box.entries:
        comments += [line for line in (*entry.above, entry.beside) if line]
        if isinstance(entry.value, Collection):
            comments += _all_comments(entry.value)
    return sorted(comments)


def _collection_lines(box: Collection, indent: int) -> Iterator[str]:
    if not box.entries:
        yield " " * indent + ("{}" if box.keyed else "[]")
    for number, entry in enumerate(box.entries):
        yield from _entry_lines(entry, indent, first=number == 0)


def _entry_lines(entry: Entry, indent: int, *, first: bool) -> Iterator[str]:
    above = [*entry.above, *_hoisted_comments(entry)]
    yield from _comment_lines(above, indent, first=first)
    name = "-" if entry.key is None else f"{quote_if_needed(entry.key)}:"
    if len(name) > MAX_KEY_CHARS:
        yield f"{' ' * indent}? {quote(entry.key or '')}"
        name = ":"
    head, body = _value_lines(entry, indent + 2, indent + len(name) + 1)
    if entry.key is None and not head and body:
        head, body = body[0].lstrip(" "), body[1:]
    beside = f"  {entry.beside}" if entry.beside else ""
    if entry.key is None and _is_spread(entry) and beside:
        beside = ""  # it was hoisted
    yield f"{' ' * indent}{name}{f' {head}' if head else ''}{beside}"
    yield from body


def _hoisted_comments(entry: Entry) -> list[str]:
    """Return the comments that move above an item which begins on its dash's line: its own and its first entry's."""
    if entry.key is not None or not _is_spread(entry) or not isinstance(entry.value, Collection):
        return []
    first = entry.value.entries[0]
    inner = [line for line in first.above if line]
    first.above = []
    return [*([entry.beside] if entry.beside else []), *inner, *_hoisted_comments(first)]


def _is_spread(entry: Entry) -> bool:
    """Return whether the value stands on lines of its own."""
    return isinstance(entry.value, Collection) and bool(entry.value.entries) and not _flow_text(entry.value)


def _value_lines(entry: Entry, indent: int, column: int) -> tuple[str, list[str]]:
    """Return what follows a key or dash on its line, and the lines below."""
    value = entry.value
    if isinstance(value, Collection):
        if not value.entries:  # a comment below it is read as its entry's neighbour
            return "{}" if value.keyed else "[]", list(_comment_lines(value.below, indent - 2, first=False))
        below = list(_comment_lines(value.below, indent, first=False))
        flow = _flow_text(value)
        if flow and column + len(flow) <= MAX_FLOW_CHARS:
            return flow, []
        value.flow = False
        return "", [*_collection_lines(value, indent), *below]
    return ("null", []) if value is None else _scalar_lines(value, indent, column)


def _flow_text(box: Collection) -> str:
    """Return a small flow collection on one line; nothing where it is spread out or has comments."""
    if not box.flow or box.below:
        return ""
    items = []
    for entry in box.entries:
        if any(entry.above) or entry.beside:
            return ""
        value = entry.value
        if isinstance(value, Collection):
            text = _flow_text(value)
        else:
            text = "null" if value is None else _plain_text(value) or quote_in_flow(value.text)
        if not text:
            return ""
        items.append(text if entry.key is None else f"{quote_in_flow(entry.key)}: {text}")
    inside = ", ".join(items)
    return f"{{{inside}}}" if box.keyed else f"[{inside}]"


def _plain_text(value: Scalar) -> str:
    """Return a number, boolean or null as it stands in the file; nothing for a text."""
    if not value.is_plain:
        return ""
    number = scalar_value(value.text)
    return "" if isinstance(number, str) else atom(number)


def _scalar_lines(value: Scalar, indent: int, column: int) -> tuple[str, list[str]]:
    plain = _plain_text(value)
    if plain:
        return plain, []
    if value.style in {"|", ">"}:
        return _block_lines(value, indent)
    if "\n" in value.raw.rstrip("\n"):
        return fold_or_quote(value.text, indent, column)
    return quote_if_needed(value.text), []


def _block_lines(value: Scalar, indent: int) -> tuple[str, list[str]]:
    """Return a block with its lines as they are, at another indent."""
    first, *lines = value.raw.split("\n")
    header = _BLOCK_HEADER.match(first)
    filled = [line for line in lines if line.strip()]
    if header is None or not filled:
        return quote_if_needed(value.text), []
    text = value.text.lstrip("\n")
    spaces_of_text = len(text) - len(text.lstrip(" "))
    depth = len(filled[0]) - len(filled[0].lstrip(" ")) - spaces_of_text
    moved = [f"{' ' * indent}{line[depth:]}" if line[depth:] else "" for line in lines]
    indicator = "2" if header["indent"] or header["late_indent"] else ""
    return f"{header['style']}{indicator}{header['chomping']}", moved


def _comment_lines(lines: list[str], indent: int, *, first: bool) -> Iterator[str]:
    """Yield comments at an indent; of blank lines one at a time stays, and none at the beginning."""
    blank = first
    for line in lines:
        if line:
            yield f"{' ' * indent}{line}"
        elif not blank:
            yield ""
        blank = not line
