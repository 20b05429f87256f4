"""YAML text to its value, event by event.

Nothing here composes nodes or recurses: libyaml's own composer overflows the stack on deeply nested text.
"""

from __future__ import annotations

import re
from sys import intern
from typing import TYPE_CHECKING, Any

from yaml import YAMLError
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from xregit.source.events import PARSER
from xregit.source.plain import PlainFloat, PlainInt
from xregit.source.scalars import FIRST_CHARACTERS, scalar
from xregit.source.text import MAX_DEPTH, Parsed, Positions
from xregit.source.yaml_survey import survey

if TYPE_CHECKING:
    from xregit.source.events import EventSource, Parser

_ENDS = frozenset((MappingEndEvent, SequenceEndEvent))
_PLAIN = frozenset((PlainInt, PlainFloat))
_OLD_LINE_BREAK = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]")

_Place = tuple[int, int]


class _UnusualError(Exception):
    """The text isn't one ordinary document; the survey finds out why."""


def parse(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return the value of a text without a byte order mark, and everything that is wrong with it."""
    parser = parser or PARSER
    try:
        _refuse_bad_characters(data)
        value, plain = _document(parser(data))
    except (_UnusualError, ValueError, YAMLError):
        found = survey(data, parser)
        return Parsed(found.value, found.problems, found.plain)
    return Parsed(value, plain=plain)


def positions(data: bytes, parser: Parser | None = None) -> Positions:
    """Return where the parts of such a text stand, as far as it can be read."""
    return survey(data, parser or PARSER).positions


def texts(data: bytes, parser: Parser | None = None) -> list[tuple[_Place, _Place]]:
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


def _document(source: EventSource) -> tuple[Any, bool]:
    source.get_event()
    if type(source.get_event()) is not DocumentStartEvent:
        raise _UnusualError
    value, plain = _value(source)
    if value is None or type(source.get_event()) is not StreamEndEvent:
        raise _UnusualError
    return value, plain


def _value(source: EventSource) -> tuple[Any, bool]:  # noqa: C901, PLR0912 - one loop, because calls cost time
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
