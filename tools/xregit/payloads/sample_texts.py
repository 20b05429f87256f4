"""Sample texts for examples, by format or by regular expression; always the same ones."""

from __future__ import annotations

import re
from importlib import import_module
from string import ascii_lowercase
from typing import Any
from warnings import catch_warnings

# By the names of JSON Schema's "format" keyword; other languages use those that fit.
SAMPLE_TEXTS = {
    "date-time": "2026-01-31T09:30:00Z",
    "date": "2026-01-31",
    "time": "09:30:00Z",
    "duration": "PT15M",
    "uuid": "7f1c8d5e-2b0a-4c1e-9d55-0a6f3c2b1e90",
    "uri": "https://example.com/item",
    "iri": "https://example.com/item",
    "uri-reference": "https://example.com/item",
    "iri-reference": "https://example.com/item",
    "uri-template": "https://example.com/{item}",
    "email": "someone@example.com",
    "idn-email": "someone@example.com",
    "hostname": "www.example.com",
    "idn-hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "json-pointer": "/item",
    "relative-json-pointer": "0",
    "regex": "^a$",
    "byte": "Ynl0ZXM=",
    "local-time": "09:30:00",
    "decimal": "1.5",
}


# The parser behind ``re``: a tree of (operation, argument) pairs.
_parser: Any = import_module("re._parser")
_MAX_CHARACTERS = 10_000
_MAX_PATTERN_CHARS = 2_000
_TRIES = 70
# Tried in this order where a set allows several characters.
_CHARACTERS = "aA0b1Bc2-_. x@/:#z\t\n~é"
_LETTERS = ascii_lowercase
_DIGITS = "1234567890"
_CATEGORIES = {"CATEGORY_DIGIT": _DIGITS, "CATEGORY_WORD": _LETTERS, "CATEGORY_SPACE": " "}
_OPPOSITES = {"CATEGORY_NOT_DIGIT": _LETTERS, "CATEGORY_NOT_WORD": "-", "CATEGORY_NOT_SPACE": _LETTERS}
# Digits that are arranged as in a date or a time become one.
_DATES = tuple(
    (re.compile(rf"(?<![0-9]){form}(?![0-9])"), sample)
    for form, sample in (
        (r"[0-9]{4}-[0-9]{2}-[0-9]{2}", SAMPLE_TEXTS["date"]),
        (r"[0-9]{2}:[0-9]{2}:[0-9]{2}", SAMPLE_TEXTS["local-time"]),
        (r"[0-9]{2}:[0-9]{2}", SAMPLE_TEXTS["local-time"][:5]),
    )
)


def matching_text(pattern: str, minimum: int = 0, maximum: int | None = None) -> str | None:
    """Return a text that a pattern matches as a whole, of a length within bounds; None where none was found.

    Look-arounds are ignored: check the text against the pattern where that matters.
    """
    if len(pattern) > _MAX_PATTERN_CHARS:
        return None
    most = _MAX_CHARACTERS if maximum is None else maximum
    try:
        with catch_warnings(action="ignore"):  # a pattern may hold what Python's regular expressions frown at
            tree = _parser.parse(pattern)
        for more in range(_TRIES):
            text = _Writer(more, most).text(tree)
            if len(text) >= minimum:
                return _Writer(more, most, wish=_with_dates(text)).text(tree)
    except (re.error, OverflowError, RecursionError, _LongError):
        return None
    return None


def _with_dates(text: str) -> str:
    for form, sample in _DATES:
        text = form.sub(sample, text)
    return text


class _LongError(Exception):
    """The text grows too long to be an example."""


class _Writer:
    """Writes a text that a pattern matches, with the characters of a ``wish`` where it allows them.

    What may repeat does so ``more`` times above its minimum.
    """

    def __init__(self, more: int, most: int, wish: str = "") -> None:
        """Begin an empty text of ``most`` characters at most."""
        self._more, self._most, self._wish = more, most, wish
        self._characters: list[str] = []
        self._groups: dict[int, str] = {}

    def text(self, tree: Any) -> str:
        """Return the text of a pattern.

        Raises:
            _LongError: it has more than the most characters.
        """
        self._sequence(tree)
        return "".join(self._characters)

    def _sequence(self, tree: Any) -> None:
        for operation, argument in tree:
            self._part(str(operation), argument)

    def _part(self, operation: str, argument: Any) -> None:
        if operation in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            self._repeat(*argument)
        elif operation == "SUBPATTERN":
            start = len(self._characters)
            self._sequence(argument[3])
            self._groups[argument[0]] = "".join(self._characters[start:])
        elif operation == "BRANCH":
            self._sequence(argument[1][0])
        elif operation == "ATOMIC_GROUP":
            self._sequence(argument)
        elif operation == "GROUPREF":
            self._write(self._groups.get(argument, ""))
        elif operation in {"LITERAL", "ANY", "NOT_LITERAL", "IN"}:
            position = len(self._characters)
            self._write(_character(operation, argument, position, self._wish[position : position + 1]))

    def _repeat(self, least: int, most: int, tree: Any) -> None:
        for _ in range(min(int(most), int(least) + self._more)):
            start = len(self._characters)
            self._sequence(tree)
            if len(self._characters) == start:
                return

    def _write(self, text: str) -> None:
        self._characters += text
        if len(self._characters) > self._most:
            raise _LongError


def _character(operation: str, argument: Any, position: int, wish: str) -> str:
    """Return the wish, which may be empty, if it is allowed at a position, else a character that is."""
    if operation == "LITERAL":
        return chr(argument)
    items = argument
    if operation == "ANY":
        items = [("NEGATE", None), ("LITERAL", ord("\n"))]
    elif operation == "NOT_LITERAL":
        items = [("NEGATE", None), ("LITERAL", argument)]
    if wish and _allows(items, wish):
        return wish
    if str(items[0][0]) == "NEGATE":
        candidates = (_LETTERS[position % len(_LETTERS)], *_CHARACTERS)
        return next((item for item in candidates if _allows(items, item)), "")
    return _member(str(items[0][0]), items[0][1], position)


def _member(kind: str, argument: Any, position: int) -> str:
    """Return a character of one part of a set, the next in its order with each position."""
    if kind == "CATEGORY":
        characters = {**_CATEGORIES, **_OPPOSITES}.get(str(argument), "")
        return characters[position % len(characters)] if characters else ""
    if kind != "RANGE":
        return chr(argument)
    first, last = argument
    if not chr(first).isalnum() or not chr(last).isalnum():
        return _LETTERS[0] if first <= ord(_LETTERS[0]) <= last else chr(first)
    return chr(first + (position + (chr(first) == "0")) % (min(last, first + len(_LETTERS)) - first + 1))


def _allows(items: Any, character: str) -> bool:
    negated = str(items[0][0]) == "NEGATE"
    return negated != any(_fits(str(kind), argument, character) for kind, argument in items[negated:])


def _fits(kind: str, argument: Any, character: str) -> bool:
    if kind == "RANGE":
        return bool(argument[0] <= ord(character) <= argument[1])
    if kind == "LITERAL":
        return bool(argument == ord(character))
    classes = {
        "DIGIT": character.isdigit(),
        "WORD": character.isalnum() or character == "_",
        "SPACE": character.isspace(),
    }
    name = str(argument).removeprefix("CATEGORY_")
    return not classes[name.removeprefix("NOT_")] if name.startswith("NOT_") else classes[name]
