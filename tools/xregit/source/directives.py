"""Comments in YAML that are addressed to xregit, each with the line that it is about."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.diagnostics import Span
from xregit.source.parse_result import UTF8_BOM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xregit.source.yaml_loader import Parser


_MARK = re.compile(rb"#[ \t]*+xregit(?::|[ \t-]++ignore(?:-file)?[ \t])")
# Without the colon it asks for nothing, and whoever forgot that is to be told so: the name stays part of the text then.
_ADDRESS = r"(?:xregit:[ \t]*|(?=xregit[ \t-]++ignore(?:-file)?[ \t]))"
_DIRECTIVE = rf"(?:^|(?<=[ \t]))#[ \t]*{_ADDRESS}(?P<text>(?:[^ \t]++|[ \t]++(?!$))*+)"
_LINE_BREAK = "\r\n|\n|\r"
_BLANK = r"[ \t]*(?:#.*)?$"

_Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment ``# xregit: <text>`` and the number of the line that it is ``about``.

    That is its own line, or the next one with content if the comment stands alone; 0 if no such line follows.
    """

    text: str
    span: Span
    about: int


def addresses(data: bytes) -> bool:
    """Tell whether a YAML text may have comments that are addressed to this tool."""
    return b"xregit" in data and _MARK.search(data) is not None


def directives(data: bytes, parser: Parser | None = None) -> tuple[Directive, ...]:
    """Return the comments of a YAML text that begin with ``xregit:``; none if the text can't be read.

    Those that ask for something without the colon are among them, as what they are.
    """
    if not addresses(data):
        return ()
    from yaml import YAMLError  # few files have such comments

    from xregit.source import yaml_loader

    data = data.removeprefix(UTF8_BOM)
    try:
        texts = yaml_loader.text_spans(data, parser)
        lines = re.split(_LINE_BREAK, data.decode())
    except (YAMLError, UnicodeDecodeError):
        return ()
    about = _about(lines)
    found = ((number, re.search(_DIRECTIVE, line)) for number, line in enumerate(lines, 1))
    return tuple(
        Directive(match["text"], Span(number, match.start() + 1, number, match.end() + 1), about[number - 1])
        for number, match in found
        if match and not _inside(texts, (number, match.start() + 1))
    )


def _inside(spans: Sequence[tuple[_Place, _Place]], place: _Place) -> bool:
    at = bisect_right(spans, (place, (0, 0))) - 1
    return at >= 0 and spans[at][0] <= place < spans[at][1]


def _about(lines: Sequence[str]) -> Sequence[int]:
    """Return for each line its own number, or that of the next with content where it has none; 0 past the last."""
    about, later = [0] * len(lines), 0
    for number in range(len(lines), 0, -1):
        later = later if re.match(_BLANK, lines[number - 1]) else number
        about[number - 1] = later
    return about
