"""Sample texts for examples, by format or by regular expression; always the same ones."""

from __future__ import annotations

import re
from importlib import import_module
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
_TRIES = 70
# Tried in this order where a set allows several characters.
_CHARACTERS = "aA0b1Bc2-_. x@/:#z\t\n~é"
_CATEGORIES = {"CATEGORY_DIGIT": "0", "CATEGORY_WORD": "a", "CATEGORY_SPACE": " "}
_OPPOSITES = {"CATEGORY_NOT_DIGIT": "a", "CATEGORY_NOT_WORD": "-", "CATEGORY_NOT_SPACE": "a"}


def matching_text(pattern: str, minimum: int = 0, maximum: int | None = None) -> str | None:
    """Return a text that a pattern matches as a whole, of a length within bounds; None where none was found.

    Look-arounds are ignored: check the text against the pattern where that matters.
    """
    try:
        with catch_warnings(action="ignore"):  # a pattern may hold what Python's regular expressions frown at
            tree = _parser.parse(pattern)
        lengths = (_text(tree, more, {}) for more in range(_TRIES))
        most = _MAX_CHARACTERS if maximum is None else maximum
        return next((text for text in lengths if minimum <= len(text) <= most), None)
    except (re.error, OverflowError, RecursionError, _LongError):
        return None


class _LongError(Exception):
    """The text grows too long to be an example."""


def _text(tree: Any, more: int, groups: dict[int, str]) -> str:
    """Return the text of a sequence; what may repeat does so ``more`` times above its minimum."""
    text = "".join(_part(str(operation), argument, more, groups) for operation, argument in tree)
    if len(text) > _MAX_CHARACTERS:
        raise _LongError
    return text


def _part(operation: str, argument: Any, more: int, groups: dict[int, str]) -> str:
    if operation in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        return _repeat(argument, more, groups)
    if operation == "SUBPATTERN":
        groups[argument[0]] = _text(argument[3], more, groups)
        return groups[argument[0]]
    if operation == "BRANCH":
        return _text(argument[1][0], more, groups)
    if operation == "ATOMIC_GROUP":
        return _text(argument, more, groups)
    if operation == "GROUPREF":
        return groups.get(argument, "")
    return _character(operation, argument)


def _repeat(argument: tuple[int, int, Any], more: int, groups: dict[int, str]) -> str:
    least, most, tree = argument
    count = min(int(most), int(least) + more)
    once = _text(tree, more, groups) if count else ""
    if len(once) * count > _MAX_CHARACTERS:
        raise _LongError
    return once * count


def _character(operation: str, argument: Any) -> str:
    if operation == "LITERAL":
        return chr(argument)
    if operation == "ANY":
        return "a"
    if operation == "NOT_LITERAL":
        return "b" if argument == ord("a") else "a"
    if operation == "IN":
        return _member(argument)
    return ""


def _member(items: Any) -> str:
    """Return a character of a set."""
    if str(items[0][0]) == "NEGATE":
        return next((item for item in _CHARACTERS if not _contains(items[1:], item)), "")
    first_kind, first = str(items[0][0]), items[0][1]
    if first_kind == "RANGE":
        return chr(first[0])
    if first_kind == "CATEGORY":
        return {**_CATEGORIES, **_OPPOSITES}.get(str(first), "")
    return chr(first)


def _contains(items: Any, character: str) -> bool:
    return any(_fits(str(kind), argument, character) for kind, argument in items)


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
