"""JSON, strictly by RFC 8259: the value of a text, its problems, and the position of every part."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from xregit.diagnostics import Span
from xregit.model.excerpts import cut
from xregit.source.parse_result import (
    MAX_DEPTH,
    MAX_INTEGER_DIGITS,
    UTF8_BOM,
    Parsed,
    Positions,
    Problem,
    StopError,
    ValueBuilder,
    conflict_problem,
    encoding_problem,
)

# RFC 8259, with words and single characters beside it for what isn't JSON.
_TOKEN = re.compile(
    r"""[ \t\n\r]*+
    (?: (?P<string> "(?>(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)" )
      | (?P<number> -?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?(?![0-9A-Za-z_.+-]) )
      | (?P<word> [0-9A-Za-z_.+-]++ )
      | (?P<sign> [\[\]{},:] )
      | (?P<end> \Z )
      | (?P<other> . )
    )""",
    re.VERBOSE | re.DOTALL,
)
_STRING_START = re.compile(r'"(?>(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)')
_WORDS = {"true": True, "false": False, "null": None}
_NOT_NUMBERS = frozenset(("NaN", "Infinity", "-Infinity"))
_MAX_QUOTED_CHARS = 30
_CLOSING = {"{": "}", "[": "]"}
_ODD_SIGNS = {
    "'": ("JSON knows only double quotes", 'write " instead'),
    "/": ("JSON has no comments", "remove it"),
    "#": ("JSON has no comments", "remove it"),
}


class _UnusualError(Exception):
    """The text may not be ordinary JSON; `survey` finds out."""


def parse(data: bytes) -> Parsed:
    """Return the value of a JSON text, and everything that is wrong with the text."""
    try:
        text = data.removeprefix(UTF8_BOM).decode()
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
        )
    except (_UnusualError, ValueError, RecursionError):
        return survey(data)
    may_have_surrogates = "\\ud" in text or "\\uD" in text
    return survey(data) if may_have_surrogates or _is_too_deep(value) else Parsed(value)


def positions(data: bytes) -> Positions:
    """Return where the parts of the text's value stand, as far as it can be read."""
    return survey(data).positions


def survey(data: bytes) -> Parsed:
    """Return what `parse` does, with the positions of all parts."""
    data = data.removeprefix(UTF8_BOM)
    undecodable = encoding_problem(data, "json-encoding")
    if undecodable:
        return Parsed(None, (undecodable,))
    survey = _Survey(data.decode())
    with suppress(StopError):
        survey.read()
    return survey.builder.result()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _UnusualError
    return value


def _integer(text: str) -> int:
    if len(text) > MAX_INTEGER_DIGITS:
        raise _UnusualError
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _UnusualError
    return value


def _constant(_: str) -> None:
    raise _UnusualError


def _is_too_deep(value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        boxes = [box.values() if type(box) is dict else box for box in level]
        level = [item for box in boxes for item in box if type(item) is dict or type(item) is list]
        if not level:
            return False
    return bool(level)


class _Token(NamedTuple):
    """One part of the text; ``kind`` is a group of _TOKEN, for a sign the sign itself. There are very many."""

    kind: str
    text: str
    start: int
    end: int


_Step: TypeAlias = "Callable[[_Token], _Step]"


@dataclass(slots=True)
class _Survey:
    """A text that is being read; each step takes one token and returns the step for the next."""

    text: str
    builder: ValueBuilder = field(default_factory=lambda: ValueBuilder("json"))
    opened: list[_Token] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def read(self) -> None:
        """Read all tokens.

        Raises:
            StopError: the rest can't be read; the problem is added.
        """
        self.lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        step: _Step = self._value
        for token in _tokens(self.text):
            step = step(token)

    def _value(self, token: _Token) -> _Step:
        if token.kind in _CLOSING:
            self.builder.open(keyed=token.kind == "{", span=self._span(token))
            self.opened.append(token)
            return self._first_key if token.kind == "{" else self._first_item
        if token.kind not in {"string", "number"} and token.text not in _WORDS and token.text not in _NOT_NUMBERS:
            self._stop(token, "a value")
        self.builder.place(self._single_value(token), self._span(token))
        return self._after

    def _first_item(self, token: _Token) -> _Step:
        return self._after(token) if token.kind == "]" else self._value(token)

    def _first_key(self, token: _Token) -> _Step:
        return self._after(token) if token.kind == "}" else self._key(token)

    def _key(self, token: _Token) -> _Step:
        if token.kind != "string":
            self._stop(token, "a key in double quotes")
        self.builder.key(self._string(token), self._span(token))
        return self._colon

    def _colon(self, token: _Token) -> _Step:
        if token.kind != ":":
            self._stop(token, "a colon")
        return self._value

    def _after(self, token: _Token) -> _Step:
        if not self.opened:
            if token.kind != "end":
                self._stop(token, "the end of the text")
            return self._after
        bracket = self.opened[-1].kind
        if token.kind == ",":
            return self._key if bracket == "{" else self._value
        if token.kind != _CLOSING[bracket]:
            self._stop(token, f'a comma or "{_CLOSING[bracket]}"')
        self.opened.pop()
        span = self._span(token)
        self.builder.close((span.endline, span.endcolumn))
        return self._after

    def _single_value(self, token: _Token) -> Any:
        if token.kind == "string":
            return self._string(token)
        if token.text in _WORDS:
            return _WORDS[token.text]
        if re.fullmatch(r"-?[0-9]+", token.text):
            if len(token.text) <= MAX_INTEGER_DIGITS:
                return int(token.text)
            message = f"the integer has {len(token.text)} digits; at most {MAX_INTEGER_DIGITS} are kept"
        elif token.text in _NOT_NUMBERS:
            message = f"{token.text} is not a number that JSON can hold"
        elif math.isfinite(float(token.text)):
            return float(token.text)
        else:
            message = f"the number {token.text[:MAX_INTEGER_DIGITS]} is too large"
        self.builder.report("number", message, "put the value in quotes if it is text", self._span(token))
        return token.text

    def _string(self, token: _Token) -> str:
        value: str = json.loads(token.text)
        try:
            value.encode()
        except UnicodeEncodeError:
            message = "the text holds one half of a surrogate pair, which is not a character"
            self.builder.report("encoding", message, "write both halves, or the character itself", self._span(token))
            return value.encode(errors="replace").decode()
        return value

    def _stop(self, token: _Token, expected: str) -> None:
        message, advice = _fault(token, expected, self.text)
        if token.kind == "end" and self.opened:
            bracket = self.opened[-1]
            message = f'the text ends, but the "{bracket.kind}" of line {self._span(bracket).line} is not closed'
        problem = Problem("json-syntax", message, advice, self._span(token))
        self.builder.unreadable(conflict_problem(self.text.encode(), problem.rule) or problem)
        raise StopError

    def _span(self, token: _Token) -> Span:
        return Span(*self._place(token.start), *self._place(token.end))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.lines, offset)
        return line, offset - self.lines[line - 1] + 1


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        word = match[kind]
        start, end = match.span(kind)
        yield _Token(word if kind == "sign" else kind, word, start, end)


def _fault(token: _Token, expected: str, text: str) -> tuple[str, str]:
    """Return what is wrong with a token that isn't what is expected, and what to do."""
    if token.text == '"':
        return _string_fault(text, token.start)
    if token.text in _ODD_SIGNS:
        return _ODD_SIGNS[token.text]
    if token.kind == "end":
        return ("the file holds no value" if not text.strip() else "the text ends too early"), "complete it"
    if token.kind in _CLOSING.values() and text[: token.start].rstrip().endswith(","):
        return f'there is a comma before the closing "{token.text}"', "remove the comma"
    begins_value = token.kind in {"string", "number", "word", *_CLOSING}
    advice = "add the comma" if expected.startswith("a comma") and begins_value else "check the text before it"
    return f"found {cut(token.text, _MAX_QUOTED_CHARS)}, but expected {expected}", advice


def _string_fault(text: str, start: int) -> tuple[str, str]:
    good = _STRING_START.match(text, start)
    stop = text[good.end() : good.end() + 1] if good else ""
    if stop == "\\":
        return "the text in these quotes has a backslash without a valid escape", "write two backslashes for one"
    if stop in {"", "\n", "\r"}:
        return "the quotes that open here are not closed on their line", "add the closing quote"
    return f"the text in these quotes holds the character U+{ord(stop):04X}", f'write it as "\\u{ord(stop):04x}"'
