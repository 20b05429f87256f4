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
from xregit.source.building import Building, StopError, Survey
from xregit.source.plain import PlainFloat, PlainInt
from xregit.source.scalars import scalar
from xregit.source.text import NOWHERE, Positions, Spot, conflict_problem
from xregit.source.yaml_faults import bad_character, syntax_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.source.events import EventSource, Parser

_NO_TAGS = 'remove the tag; put the value in quotes if it must be text, as in "1.0"'
_NO_ALIASES = "write the value out at each place; messages share attributes through basemessage"
_ONE_DOCUMENT = 'keep one document per file: remove the "---" and what follows it'
_TEXT_KEYS = "write the key as plain text; put a value that begins with a bracket in quotes"
_QUOTES = frozenset("\"'")
_FILE_START = Span(1, 1, 1, 1)


def survey(data: bytes, parser: Parser) -> Survey:
    """Return all that can be said about a YAML text that has no byte order mark."""
    character = bad_character(data)
    if character:
        return Survey(None, (character,), Positions(Spot(NOWHERE)))
    reading = _Reading()
    try:
        reading.read(parser(data))
    except YAMLError as error:
        left = conflict_problem(data, "yaml-syntax")
        reading.building.unreadable(left or syntax_problem(error, data, reading.quoted, reading.bracket))
    except StopError:
        pass
    return reading.building.survey()


@dataclass(slots=True)
class _Reading:
    """A document that is being read.

    ``end`` is where its last visible part ended, ``quoted`` where the last text in quotes stands; ``opened`` says for
    each mapping and list that is open where its bracket stands.
    """

    building: Building = field(default_factory=lambda: Building("yaml"))
    anchors: set[str] = field(default_factory=set)
    end: tuple[int, int] = (1, 1)
    quoted: Span = NOWHERE
    opened: list[Span] = field(default_factory=list)
    documents: int = 0

    @property
    def bracket(self) -> Span:
        """Where the innermost bracket stands that is open, if there is one."""
        return next((span for span in reversed(self.opened) if span is not NOWHERE), NOWHERE)

    def read(self, source: EventSource) -> None:
        """Take all events of the first document.

        Raises:
            StopError: the rest needs no reading.
        """
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
        while type(event := source.get_event()) is not StreamEndEvent:
            handlers[type(event)](event)
        if not self.documents:
            self._empty(_FILE_START)

    def _document(self, event: DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            self.building.report("documents", "a second document begins here", _ONE_DOCUMENT, _span(event))
            raise StopError

    def _empty(self, span: Span) -> None:
        self.building.report("empty", "the file holds no value", "write its attributes, or remove the file", span)

    def _alias(self, event: AliasEvent) -> None:
        self._anchor(f"*{event.anchor}", "alias", event)
        if self.building.frame.key_due:
            self.building.no_key()
        else:
            self.building.place(None, _span(event))

    def _anchor(self, name: str, kind: str, event: Any) -> None:
        if name not in self.anchors:
            self.anchors.add(name)
            self.building.report("alias", f'the {kind} "{name}" is not supported', _NO_ALIASES, _span(event))

    def _properties(self, event: ScalarEvent | MappingStartEvent | SequenceStartEvent) -> None:
        if event.anchor is not None:
            self._anchor(f"&{event.anchor}", "anchor", event)
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self.building.report("tag", f'the tag "{tag}" is not supported', _NO_TAGS, _span(event))

    def _scalar(self, event: ScalarEvent) -> None:
        self._properties(event)
        span = _span(event)
        self.end = span.endline, span.endcolumn
        if event.style in _QUOTES:
            self.quoted = span
        written = bool(event.value) or not event.implicit[0]
        if not self.building.frame.key_due:
            if not written and len(self.building.frames) == 1:
                self._empty(span)
            self.building.place(self._value(event, span), span)
        elif written:
            self.building.key(event.value, span)
        else:
            self.building.report("key", "a key is empty", _TEXT_KEYS, span)
            self.building.no_key()

    def _value(self, event: ScalarEvent, span: Span) -> str | int | float | bool | None:
        if not event.implicit[0]:
            return event.value
        try:
            value = scalar(event.value)
        except ValueError as error:
            self.building.report("number", str(error), "put the value in quotes if it is text", span)
            return event.value
        self.building.plain = self.building.plain or isinstance(value, PlainInt | PlainFloat)
        return value

    def _start(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        self._properties(event)
        keyed = type(event) is MappingStartEvent
        if self.building.frame.key_due and not any(frame.is_key for frame in self.building.frames):
            kind = "mapping" if keyed else "list"
            self.building.report("key", f"a key is a {kind}", _TEXT_KEYS, _span(event))
        self.opened.append(_bracket(event))
        self.building.open(keyed=keyed, span=_span(event))

    def _end(self, event: MappingEndEvent | SequenceEndEvent) -> None:
        span = _span(event)
        if (span.line, span.column) != (span.endline, span.endcolumn):  # a bracket; indentation ends without a sign
            self.end = span.endline, span.endcolumn
        self.opened.pop()
        self.building.close(self.end)


def _span(event: Any) -> Span:
    start, end = event.start_mark, event.end_mark
    return Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def _bracket(event: MappingStartEvent | SequenceStartEvent) -> Span:
    """Return where the bracket stands with which something begins; a pair inside a list may have none."""
    span = _span(event)
    if not event.flow_style or (span.line, span.column) == (span.endline, span.endcolumn):
        return NOWHERE
    return Span(span.endline, span.endcolumn - 1, span.endline, span.endcolumn)
