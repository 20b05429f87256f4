"""YAML text to values by the core schema of YAML 1.2, and to the places where they stand.

What is ordinary is read line by line, any other sound text event by event, both without places; only if something is
wrong does a third and slower pass say what. Nothing here composes nodes or
recurses: libyaml's own composer overflows the stack on deeply nested text.
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

from xregit.source import yaml_lines
from xregit.source.events import PARSER
from xregit.source.plain import PlainFloat, PlainInt
from xregit.source.scalars import FIRST_CHARACTERS, scalar
from xregit.source.text import MAX_DEPTH, UTF8_BOM, Parsed, Positions, Problem
from xregit.source.yaml_lines import NotOrdinaryError
from xregit.source.yaml_survey import survey

if TYPE_CHECKING:
    from collections.abc import Callable

    from xregit.source.events import EventSource

_ENDS = frozenset((MappingEndEvent, SequenceEndEvent))
_PLAIN = frozenset((PlainInt, PlainFloat))
_OLD_LINE_BREAK = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]")


class _UnusualError(Exception):
    """The text isn't one ordinary document; the survey finds out why."""


def parse(data: bytes, parser: Callable[[bytes], EventSource] = PARSER) -> Parsed:
    """Return the value of a file that holds one YAML document, and everything that is wrong with its text."""
    data = data.removeprefix(UTF8_BOM)
    try:
        value, plain = _read(data, parser)
    except (_UnusualError, ValueError, YAMLError):
        found = survey(data, parser)
        return Parsed(found.value, found.problems, found.plain)
    return Parsed(value, plain=plain)


def positions(data: bytes, parser: Callable[[bytes], EventSource] = PARSER) -> Positions:
    """Return where the parts of the document stand, as far as it can be read."""
    return survey(data.removeprefix(UTF8_BOM), parser).positions


def mapping(data: bytes, parser: Callable[[bytes], EventSource] = PARSER) -> Parsed:
    """Return what ``parse`` does, with a problem where the document is anything but a mapping."""
    parsed = parse(data, parser)
    if isinstance(parsed.value, dict) or parsed.problems:
        return parsed
    kind = "a list" if isinstance(parsed.value, list) else "a single value"
    message = f'the file holds {kind}, but lines such as "name: value" are expected'
    place = positions(data, parser).root.mark()
    return Parsed(None, (Problem("yaml-syntax", message, 'write each attribute as "name: value"', place),))


def _read(data: bytes, parser: Callable[[bytes], EventSource]) -> tuple[Any, bool]:
    try:
        return yaml_lines.mapping(data.decode())
    except (NotOrdinaryError, ValueError):
        _refuse_bad_characters(data)
        return _document(parser(data))


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
