"""The complaints of a YAML parser, as problems that say what the author probably meant."""

from __future__ import annotations

import re
from typing import NamedTuple

from yaml import YAMLError
from yaml.error import Mark, MarkedYAMLError

from xregit.diagnostics import Span
from xregit.source.parse_result import NOWHERE, Problem, character_span, depth_problem, encoding_problem

# YAML 1.2, 5.1 (printable characters), without the three line breaks that YAML 1.1 had and libyaml still has.
_FORBIDDEN = re.compile("[\x00-\x08\v\f\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_NO_SPACE = re.compile(r"[ \t]*(?:- +)*([A-Za-z0-9_.-]+):[^\s/:](?!.*: )")
_ODD_SPACE = re.compile(r"[ \t]*(?:- +)*[A-Za-z0-9_.-]+:([\u00a0\u2000-\u200a\u202f\u3000])")  # as web pages have them
_ODD_INDENT = re.compile(r"[ \t]*([\u00a0\u2000-\u200a\u202f\u3000])")
_QUOTES = "put the value in quotes"
_AROUND = "put the whole value in quotes of the other kind; inside single quotes, a single quote is written twice"


class _Complaint(NamedTuple):
    """Parts of a parser's sentence, our own sentence and help, and which of the parser's two places is better."""

    fragments: tuple[str, ...]
    message: str
    help: str
    at_context: bool = False


_NO_PAIR = _Complaint(
    ("could not find expected ':'",),
    'this line is no "name: value" pair',
    "add the colon and the value, or indent the line if it continues the text above",
    at_context=True,
)
_COMPLAINTS = (
    _Complaint(
        ("mapping values are not allowed",),
        "a colon is not expected here",
        "put the value in quotes if the colon is part of it; otherwise check how far the line is indented",
    ),
    _NO_PAIR,
    _Complaint(
        ("unexpected end of stream",),
        "the quotes that open here are never closed",
        "add the closing quote",
        at_context=True,
    ),
    _Complaint(
        ("expected ',' or",),
        "the bracket that opens here is not closed, or a comma is missing inside",
        "close it, or put the value in quotes if the bracket is part of it",
        at_context=True,
    ),
    _Complaint(
        ("expected key", "expected <block end>"),
        "this text does not fit the lines above it",
        'indent it like its neighbours; put a value that begins with a quote, "{" or "[" in quotes as a whole',
    ),
    _Complaint(
        ("escape", "hexdecimal", "hexadecimal"),
        "this backslash does not begin a YAML escape",
        "write two backslashes for one, or use single quotes",
    ),
    _Complaint(("alphabetic or numeric character",), 'a value can\'t begin with "*" or "&"', _QUOTES),
    _Complaint(
        ("sequence entries are not allowed",),
        "a list can't begin on the line of its key",
        'begin it on the next line, each item with "- ", or put the value in quotes',
    ),
    _Complaint(
        ("expected '-' indicator",),
        "a list item is expected here",
        'begin it with "- ", or check how far the line is indented',
    ),
    _Complaint(("node content",), "a value is expected here", _QUOTES),
    _Complaint(("comment or line break", "chomping"), 'the text after "|" or ">" begins on the next line', _QUOTES),
)

_UNCLOSED = _Complaint((), "the bracket that opens here is not closed", "close it")


def bad_character(data: bytes) -> Problem | None:
    """Return the first thing that keeps the bytes from being YAML characters at all, or None."""
    undecodable = encoding_problem(data, "yaml-encoding")
    if undecodable:
        return undecodable
    text = data.decode()
    match = _FORBIDDEN.search(text)
    if not match:
        return None
    code = f"{ord(match[0]):04X}"
    advice = f'remove it, or write it as "\\u{code}" inside double quotes'
    span = character_span(text[: match.start()])
    return Problem("yaml-encoding", f"the character U+{code} is not allowed", advice, span)


def syntax_problem(  # noqa: PLR0911 - one return for each kind of complaint
    error: YAMLError, data: bytes, quoted: Span = NOWHERE, bracket: Span = NOWHERE
) -> Problem:
    """Return the parser's complaint in our words, at the better of its places.

    ``quoted`` is the span of the last text in quotes: what does not fit behind it may have been meant to be inside.
    ``bracket`` is that of the innermost bracket that is open.
    """
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return Problem("yaml-syntax", f"the text is not YAML: {error}", "check the file", Span(1, 1, 1, 1))
    sentence, span, text = error.problem or "", _span(error.problem_mark), data.decode()
    lines = [*_LINE_BREAK.split(text), ""]  # the parser may stand behind the last line
    if "nesting depth" in sentence:  # brackets are read ahead, as far as libyaml goes
        return depth_problem("yaml", span)
    if "<document start>" in sentence:
        directive = _DIRECTIVE.search(text)
        if directive:
            message = "a line that begins with % is a YAML directive, which is not supported"
            return Problem("yaml-syntax", message, "remove it", character_span(text[: directive.start()]))
        advice = 'keep one document per file: remove the "..." or what follows it'
        return Problem("yaml-documents", "text follows the end of the document", advice, span)
    if "start any token" in sentence or "tab character" in sentence:
        character = lines[span.line - 1][span.column - 1 : span.column]
        if character == "\t":
            return Problem("yaml-syntax", "there is a tab where YAML allows only spaces", "indent with spaces", span)
        return Problem("yaml-syntax", f'a value can\'t begin with "{character}"', _QUOTES, span)
    complaint = next((item for item in _COMPLAINTS if any(part in sentence for part in item.fragments)), None)
    if complaint is None:
        return Problem("yaml-syntax", f"the text is not YAML: {sentence}", "check this line", span)
    if complaint.at_context and error.context_mark:
        span = _span(error.context_mark)
    rest_of_text = (lines[span.line - 1][span.column - 1 :], *lines[span.line :])
    if "node content" in sentence and bracket is not NOWHERE and not any(map(str.strip, rest_of_text)):
        complaint, span = _UNCLOSED, bracket
    return _earlier_mistake(span, lines, quoted) or Problem("yaml-syntax", complaint.message, complaint.help, span)


def _earlier_mistake(  # noqa: PLR0911 - one return for each kind of mistake
    span: Span, lines: list[str], quoted: Span
) -> Problem | None:
    """Return the mistake of an earlier line that the parser notices only here, or one that nobody sees; else None."""
    follows_quotes = quoted.endline == span.line and 0 <= span.column - quoted.endcolumn <= 1
    if follows_quotes and quoted.line < span.line:
        message = f"the quotes that open here close only in line {quoted.endline}"
        return Problem("yaml-syntax", message, "add the closing quote", quoted)
    if follows_quotes:
        return Problem("yaml-syntax", "there is text after the closing quote", _AROUND, span)
    previous = next((number for number in range(span.line - 1, 0, -1) if lines[number - 1].strip()), 0)
    indents = ((number, _ODD_INDENT.match(lines[number - 1])) for number in range(span.line, 0, -1))
    indented = next(((number, match) for number, match in indents if match), None)
    if indented:
        message = f"this line is indented with U+{ord(indented[1][1]):04X}, which is not a space in YAML"
        place = Span(indented[0], indented[1].start(1) + 1, indented[0], indented[1].end(1) + 1)
        return Problem("yaml-syntax", message, "indent it with ordinary spaces", place)
    for number in filter(None, (previous, span.line)):
        if space := _ODD_SPACE.match(lines[number - 1]):
            message = f"the space behind this colon is U+{ord(space[1]):04X}, which is not a space in YAML"
            place = Span(number, space.start(1) + 1, number, space.end(1) + 1)
            return Problem("yaml-syntax", message, "write an ordinary space", place)
    if not previous:
        return None
    line = lines[previous - 1]
    pair = _NO_SPACE.match(line)
    if pair and ":" in lines[span.line - 1][: span.column]:
        place = Span(previous, pair.end(1) + 1, previous, pair.end(1) + 2)
        return Problem("yaml-syntax", "a space is missing after this colon", "add the space", place)
    if _lacks_colon(lines, previous, span.line):
        place = Span(previous, _indent(line) + 1, previous, len(line.rstrip()) + 1)
        return Problem("yaml-syntax", _NO_PAIR.message, _NO_PAIR.help, place)
    return None


def _lacks_colon(lines: list[str], number: int, next_number: int) -> bool:
    """Return whether a line has no colon, though it begins where names do, as the next one does."""
    line, indent = lines[number - 1], _indent(lines[number - 1])
    if ":" in line or line.lstrip().startswith(("- ", "#")) or _indent(lines[next_number - 1]) != indent:
        return False
    above = (text for text in reversed(lines[: number - 1]) if text.strip() and _indent(text) < indent)
    return indent == 0 or next(above, "").rstrip().endswith(":")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _span(mark: Mark) -> Span:
    return Span(mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
