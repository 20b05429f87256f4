"""Comments in YAML that are addressed to xregit, each with the line that it applies to."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from yaml import YAMLError
from yaml.events import ScalarEvent, StreamEndEvent

from xregit.diagnostics import Span
from xregit.source.parse_result import UTF8_BOM
from xregit.source.yaml_loader import PARSER, EventSource, Parser

_MARK = re.compile(rb"#[ \t]*+xregit(?::|[ \t-]++ignore(?:-file)?[ \t])")
# A comment without the colon has no effect, and a rule reports that it is missing: the name stays part of the text.
_ADDRESS = r"(?:xregit:[ \t]*|(?=xregit[ \t-]++ignore(?:-file)?[ \t]))"
_DIRECTIVE = rf"(?:^|(?<=[ \t]))#[ \t]*{_ADDRESS}(?P<text>[^\n]*)"
_LINE_BREAK = "\r\n|\n|\r"
_BLANK = r"[ \t]*(?:#.*)?$"

_Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment ``# xregit: <text>``, and the number of the ``line`` that it applies to.

    That is its own line, or the next one with content if the comment stands alone; 0 if no such line follows.
    """

    text: str
    span: Span
    line: int


def may_have_directives(data: bytes) -> bool:
    """Return whether a YAML text may have comments that are addressed to xregit."""
    return b"xregit" in data and _MARK.search(data) is not None


def directives(data: bytes, parser: Parser | None = None) -> tuple[Directive, ...]:
    """Return the comments of a YAML text that begin with ``xregit:``; none if the text can't be read.

    Comments that ask to ignore something but lack the colon are among them; their ``text`` begins with ``xregit``.
    """
    if not may_have_directives(data):
        return ()
    data = data.removeprefix(UTF8_BOM)
    try:
        texts = _text_spans((parser or PARSER)(data))
        lines = re.split(_LINE_BREAK, data.decode())
    except (YAMLError, UnicodeDecodeError):
        return ()
    targets = _target_lines(lines)
    matches = ((number, re.search(_DIRECTIVE, line)) for number, line in enumerate(lines, 1))
    return tuple(
        _directive(match, number, targets[number - 1])
        for number, match in matches
        if match and not _inside(texts, (number, match.start() + 1))
    )


def _directive(match: re.Match[str], number: int, target: int) -> Directive:
    text = match["text"].rstrip(" \t")
    return Directive(text, Span(number, match.start() + 1, number, match.start("text") + len(text) + 1), target)


def _text_spans(source: EventSource) -> list[tuple[_Place, _Place]]:
    """Return where each scalar of a document begins and ends, by line and column."""
    spans: list[tuple[_Place, _Place]] = []
    event: Any = None
    while type(event) is not StreamEndEvent:
        event = source.get_event()
        if type(event) is ScalarEvent:
            spans.append((_place(event.start_mark), _place(event.end_mark)))
    return spans


def _place(mark: Any) -> _Place:
    return mark.line + 1, mark.column + 1


def _inside(spans: Sequence[tuple[_Place, _Place]], place: _Place) -> bool:
    index = bisect_right(spans, (place, (0, 0))) - 1
    return index >= 0 and spans[index][0] <= place < spans[index][1]


def _target_lines(lines: Sequence[str]) -> Sequence[int]:
    """Return for each line its own number, or that of the next with content where it has none; 0 past the last."""
    targets, later = [0] * len(lines), 0
    for number in range(len(lines), 0, -1):
        later = later if re.match(_BLANK, lines[number - 1]) else number
        targets[number - 1] = later
    return targets
