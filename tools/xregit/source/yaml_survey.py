"""YAML text to its value, all that is wrong with it, and the place of every key and item, in one slow pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from yaml import YAMLError
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from xregit.diagnostics import Span
from xregit.source.plain import PlainFloat, PlainInt
from xregit.source.scalars import scalar
from xregit.source.text import MAX_DEPTH, NOWHERE, Positions, Problem, Spot, Survey, in_order
from xregit.source.yaml_faults import bad_character, syntax_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.source.events import EventSource

NO_TAGS = 'remove the tag; put the value in quotes if it must be text, as in "1.0"'
NO_ALIASES = "write the value out at each place; messages share attributes through basemessage"
ONE_DOCUMENT = 'keep one document per file: remove the "---" and what follows it'
TEXT_KEYS = "write the key as plain text"


def survey(data: bytes, parser: Callable[[bytes], EventSource]) -> Survey:
    """Return all that can be said about a YAML text that has no byte order mark."""
    character = bad_character(data)
    if character:
        return Survey(None, (character,), Positions(Spot(NOWHERE)))
    reading = _Reading()
    try:
        reading.read(parser(data))
    except YAMLError as error:
        reading.unreadable(syntax_problem(error, data))
    value = reading.top.box[0] if reading.top.box else None
    root = reading.top.spot.inside.get(0, Spot(NOWHERE))
    return Survey(value, in_order(reading.problems), Positions(root), plain=reading.plain)


@dataclass(slots=True)
class _Frame:
    """One mapping or list that is still being read; ``key`` is None where its next value is to be dropped."""

    box: Any
    spot: Spot
    keyed: bool = False
    key_read: bool = False
    key: str | None = None
    key_span: Span = NOWHERE
    is_key: bool = False


class _StopError(Exception):
    """The rest of the text isn't worth reading."""


@dataclass(slots=True)
class _Reading:
    """What is known of a document so far."""

    top: _Frame = field(default_factory=lambda: _Frame([], Spot(NOWHERE)))
    frames: list[_Frame] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    end: tuple[int, int] = (1, 1)
    documents: int = 0
    plain: bool = False

    def read(self, source: EventSource) -> None:
        """Take all events of the first document."""
        self.frames.append(self.top)
        handlers: dict[type, Callable[[Any], None]] = {
            DocumentStartEvent: self._document,
            DocumentEndEvent: lambda _: None,
            AliasEvent: self._alias,
            ScalarEvent: self._scalar,
            MappingStartEvent: self._start,
            SequenceStartEvent: self._start,
            MappingEndEvent: self._end,
            SequenceEndEvent: self._end,
        }
        source.get_event()
        try:
            while type(event := source.get_event()) is not StreamEndEvent:
                handlers[type(event)](event)
        except _StopError:
            return
        if not self.documents:
            self._empty(Span(1, 1, 1, 1))

    def unreadable(self, problem: Problem) -> None:
        """Note what ends the reading; nothing of the value is kept."""
        self.problems.append(problem)
        self.top.box = []

    def _report(self, rule: str, message: str, help_text: str, span: Span) -> None:
        self.problems.append(Problem(rule, message, help_text, span))

    def _document(self, event: DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            self._report("yaml-documents", "a second document begins here", ONE_DOCUMENT, _span(event))
            raise _StopError

    def _empty(self, span: Span) -> None:
        self._report("yaml-empty", "the file holds no value", "write its attributes, or remove the file", span)

    def _alias(self, event: AliasEvent) -> None:
        self._anchor(f"*{event.anchor}", "alias", event)
        frame = self.frames[-1]
        if frame.keyed and not frame.key_read:
            frame.key_read, frame.key = True, None
        else:
            self._place(None, _span(event))

    def _anchor(self, name: str, kind: str, event: Any) -> None:
        if name not in self.anchors:
            self.anchors.add(name)
            self._report("yaml-alias", f'the {kind} "{name}" is not supported', NO_ALIASES, _span(event))

    def _node(self, event: ScalarEvent | MappingStartEvent | SequenceStartEvent) -> None:
        if event.anchor is not None:
            self._anchor(f"&{event.anchor}", "anchor", event)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._report("yaml-tag", f'the tag "{tag}" is not supported', NO_TAGS, _span(event))

    def _scalar(self, event: ScalarEvent) -> None:
        self._node(event)
        self.end = _end(event)
        frame = self.frames[-1]
        span = _span(event)
        if frame.keyed and not frame.key_read:
            self._key(frame, event, span)
            return
        if frame is self.top and not event.value and event.implicit[0]:
            self._empty(span)
        self._place(self._resolved(event, span), span)

    def _resolved(self, event: ScalarEvent, span: Span) -> str | int | float | bool | None:
        if not event.implicit[0]:
            return event.value
        try:
            value = scalar(event.value)
        except ValueError as error:
            self._report("yaml-number", str(error), "put the value in quotes if it is text", span)
            return event.value
        self.plain = self.plain or isinstance(value, PlainInt | PlainFloat)
        return value

    def _key(self, frame: _Frame, event: ScalarEvent, span: Span) -> None:
        text = event.value
        first = frame.spot.inside.get(text)
        if not text and event.implicit[0]:
            self._report("yaml-key", "a key is empty", TEXT_KEYS, span)
        elif first:
            message = f'the key "{text}" stands twice in this mapping, before on line {first.key.line}'
            self._report("yaml-duplicate-key", message, "keep one of the two", span)
        frame.key_read, frame.key, frame.key_span = True, text, span

    def _start(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        self._node(event)
        keyed = type(event) is MappingStartEvent
        box: Any = {} if keyed else []
        frame = self.frames[-1]
        if len(self.frames) > MAX_DEPTH:
            message = f"the value is nested more than {MAX_DEPTH} levels deep"
            self.unreadable(Problem("yaml-depth", message, "use fewer levels", _span(event)))
            raise _StopError
        if frame.keyed and not frame.key_read:
            kind = "mapping" if keyed else "list"
            self._report("yaml-key", f"a key is a {kind}", TEXT_KEYS, _span(event))
            self.frames.append(_Frame(box, Spot(NOWHERE), keyed, is_key=True))
        else:
            self.frames.append(_Frame(box, self._place(box, _span(event)), keyed))

    def _end(self, event: MappingEndEvent | SequenceEndEvent) -> None:
        frame = self.frames.pop()
        span = _span(event)
        if (span.line, span.column) != (span.endline, span.endcolumn):
            self.end = _end(event)
        start = frame.spot.value
        frame.spot.value = Span(start.line, start.column, *self.end)
        if frame.is_key:
            self.frames[-1].key_read, self.frames[-1].key = True, None

    def _place(self, value: Any, span: Span) -> Spot:
        frame = self.frames[-1]
        part: str | int | None = frame.key if frame.keyed else len(frame.box)
        spot = Spot(frame.key_span if frame.keyed else NOWHERE, span)
        frame.key_read = False
        if part is None:
            return spot
        if frame.keyed:
            frame.box[part] = value
        else:
            frame.box.append(value)
        frame.spot.inside[part] = spot
        return spot


def _span(event: Any) -> Span:
    start = event.start_mark
    return Span(start.line + 1, start.column + 1, *_end(event))


def _end(event: Any) -> tuple[int, int]:
    return event.end_mark.line + 1, event.end_mark.column + 1
