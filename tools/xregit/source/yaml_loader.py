"""YAML by the core schema of YAML 1.2: the value of a file, its problems, and the position of every part.

Sound text is read event by event, without positions. Only where something is wrong, or a position is asked for, does a
second and slower pass survey the whole text. Nothing here composes nodes or recurses: libyaml's own composer overflows
the stack on deeply nested text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from sys import intern
from typing import TYPE_CHECKING, Any, Protocol, cast

from yaml import SafeLoader, YAMLError
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
from yaml.scanner import ScannerError

from xregit.diagnostics import Span
from xregit.source.parse_result import (
    MAX_DEPTH,
    NOWHERE,
    UTF8_BOM,
    Parsed,
    Positions,
    Problem,
    Spot,
    StopError,
    Survey,
    ValueBuilder,
    conflict_problem,
)
from xregit.source.scalars import FIRST_CHARACTERS, PlainFloat, PlainInt, scalar
from xregit.source.yaml_diagnostics import bad_character, syntax_problem

if TYPE_CHECKING:
    from yaml.error import Mark


class EventSource(Protocol):
    """One text that hands out its parse events in turn and raises ``yaml.YAMLError`` where it is no YAML."""

    def get_event(self) -> Any:
        """Return the next event, of one of pyyaml's event classes."""


Parser = Callable[[bytes], EventSource]


class PurePythonParser(SafeLoader):
    """pyyaml's own parser, as strict about escaped surrogates as libyaml."""

    def get_event(self) -> Any:
        """Return the next event.

        Raises:
            ScannerError: a text holds half of a surrogate pair, which UTF-8 can't encode.
        """
        event = super().get_event()  # type: ignore[no-untyped-call]
        if isinstance(event, ScalarEvent) and not event.value.isascii():
            _refuse_surrogates(event)
        return event


def _refuse_surrogates(event: ScalarEvent) -> None:
    try:
        event.value.encode()
    except UnicodeEncodeError as error:
        problem = "found invalid Unicode character escape code"
        raise ScannerError(None, None, problem, cast("Mark", event.start_mark)) from error


def _parser() -> Parser:
    try:
        from yaml._yaml import CParser
    except ImportError:
        return PurePythonParser
    return CParser


PARSER = _parser()


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
    reading = _YamlSurvey()
    try:
        reading.read(parser(data))
    except YAMLError as error:
        left = conflict_problem(data, "yaml-syntax")
        reading.building.unreadable(left or syntax_problem(error, data, reading.quoted, reading.bracket))
    except StopError:
        pass
    return reading.building.survey()


@dataclass(slots=True)
class _YamlSurvey:
    """A document that is being read.

    ``end`` is where its last visible part ended, ``quoted`` where the last text in quotes stands; ``opened`` says for
    each mapping and list that is open where its bracket stands.
    """

    building: ValueBuilder = field(default_factory=lambda: ValueBuilder("yaml"))
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


_ENDS = frozenset((MappingEndEvent, SequenceEndEvent))
_PLAIN = frozenset((PlainInt, PlainFloat))
_OLD_LINE_BREAK = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]")

_Place = tuple[int, int]


class _UnusualError(Exception):
    """The text isn't one ordinary document; the survey finds out why."""


def _parse(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return the value of a text without a byte order mark, and everything that is wrong with it."""
    parser = parser or PARSER
    try:
        _refuse_bad_characters(data)
        value, plain = _parse_document(parser(data))
    except (_UnusualError, ValueError, YAMLError):
        found = survey(data, parser)
        return Parsed(found.value, found.problems, found.plain)
    return Parsed(value, plain=plain)


def _positions(data: bytes, parser: Parser | None = None) -> Positions:
    """Return where the parts of such a text stand, as far as it can be read."""
    return survey(data, parser or PARSER).positions


def text_spans(data: bytes, parser: Parser | None = None) -> list[tuple[_Place, _Place]]:
    """Return where each text of a document begins and ends, by line and column.

    Raises:
        YAMLError: it can't be read.
    """
    source = (parser or PARSER)(data)
    spans: list[tuple[_Place, _Place]] = []
    event: Any = None
    while type(event) is not StreamEndEvent:
        event = source.get_event()
        if type(event) is ScalarEvent:
            spans.append((_place(event.start_mark), _place(event.end_mark)))
    return spans


def _place(mark: Any) -> _Place:
    return mark.line + 1, mark.column + 1


def _refuse_bad_characters(data: bytes) -> None:
    if data.isascii():
        return
    data.decode()
    if _OLD_LINE_BREAK.search(data):
        raise _UnusualError


def _parse_document(source: EventSource) -> tuple[Any, bool]:
    source.get_event()
    if type(source.get_event()) is not DocumentStartEvent:
        raise _UnusualError
    value, plain = _parse_value(source)
    if value is None or type(source.get_event()) is not StreamEndEvent:
        raise _UnusualError
    return value, plain


def _parse_value(source: EventSource) -> tuple[Any, bool]:  # noqa: C901, PLR0912 - one loop, because calls cost time
    """Read one document's events; nearly all of the time that reading takes is spent here."""
    event_of = source.get_event
    outer: list[tuple[Any, bool]] = []
    box: Any = []
    keyed = plain = False
    key: str | None = None
    while True:
        event = event_of()
        kind = type(event)
        if kind in _ENDS:
            box, keyed = outer.pop()
            continue
        if kind is DocumentEndEvent:
            return box[0], plain
        if event.anchor is not None or event.tag is not None:
            raise _UnusualError
        value: Any
        if kind is ScalarEvent:
            value = event.value
            if keyed and key is None:
                if not value or value in box:
                    raise _UnusualError
                key = intern(value)  # files share their keys: a third less memory
                continue
            if event.implicit[0] and (not value or value[0] in FIRST_CHARACTERS):
                value = scalar(value)
                plain = plain or type(value) in _PLAIN
        else:
            value = {} if kind is MappingStartEvent else []
        if not keyed:
            box.append(value)
        elif key is not None:
            box[key], key = value, None
        else:
            raise _UnusualError
        if kind is not ScalarEvent:
            if len(outer) == MAX_DEPTH:
                raise _UnusualError
            outer.append((box, keyed))
            box, keyed = value, kind is MappingStartEvent


def parse(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return the value of a file that holds one YAML document, and everything that is wrong with its text."""
    return _parse(data.removeprefix(UTF8_BOM), parser)


def positions(data: bytes, parser: Parser | None = None) -> Positions:
    """Return where the parts of the document stand, as far as it can be read."""
    return _positions(data.removeprefix(UTF8_BOM), parser)


def mapping(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return what ``parse`` does, with a problem where the document is anything but a mapping."""
    parsed = parse(data, parser)
    if isinstance(parsed.value, dict) or parsed.problems:
        return parsed
    kind = "a list" if isinstance(parsed.value, list) else "a single value"
    message = f'the file holds {kind}, but lines such as "name: value" are expected'
    place = positions(data, parser).root.mark()
    return Parsed(None, (Problem("yaml-syntax", message, 'write each attribute as "name: value"', place),))
