"""Patterns of texts: whether all that one matches is matched by another, and the shortest text that shows it is not."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any
from warnings import catch_warnings

from xregit.payloads.compatibility.base import Budget, TooLargeError
from xregit.payloads.compatibility.regular_models import EMPTY, Model, either, find_difference, repeat, sequence

# Code points, each range with its last one.
Ranges = tuple[tuple[int, int], ...]

_parser: Any = import_module("re._parser")
_LAST = sys.maxunicode
_ALL: Ranges = ((0, _LAST),)
# No text has these.
_SURROGATES = (0xD800, 0xE000)
_LINE_ENDS: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_SPACES: Ranges = (
    *((0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)),
    *((0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF)),
)
# What the classes mean in ECMA-262; in other languages they mean more.
_CLASSES: Mapping[str, Ranges] = {
    "DIGIT": ((0x30, 0x39),),
    "WORD": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
    "SPACE": _SPACES,
}
# What Python reads otherwise, or as something else than what it is in ECMA-262.
_FOREIGN = re.compile(r"\\[AZpPckux]\{|\\[AZpPck]|\[\^?\]|\{,|\[[^\]]*\[|&&|\(\?[^:]")
_MAX_STEPS = 200_000
_STEPS_PER_PAIR = 500
_MAX_RANGES = 400
_MAX_CHARACTERS = 2_000


class _UnknownError(Exception):
    """A pattern that isn't understood here."""


def includes(reader: str, writer: str, budget: Budget) -> bool:
    """Return whether it is certain that a pattern matches all texts that another one does."""
    try:
        return reader == writer or difference([writer], [reader], budget) is None
    except TooLargeError:
        return False


def difference(writers: Sequence[str], readers: Sequence[str], budget: Budget) -> str | None:
    """Return a text that one of the first patterns matches and none of the others, else None.

    The patterns are those of ECMA-262, which are found anywhere in a text.

    Raises:
        TooLargeError: it can't be told here: a pattern uses what no regular language has, or they are too large.
    """
    budget.spend(_STEPS_PER_PAIR)
    work = Budget(min(budget.steps, _MAX_STEPS))
    given = work.steps
    try:
        sides = [[_parse(text) for text in texts] for texts in (writers, readers)]
        alphabet = _Alphabet([ranges for side in sides for tree in side for ranges in tree[1]])
        one, other = (either([_search(tree[0], alphabet) for tree in side]) for side in sides)
        result = find_difference(one, other, alphabet.symbols, work)
    except (_UnknownError, RecursionError) as error:
        raise TooLargeError from error
    finally:
        budget.spend(given - max(work.steps, 0))
    return None if result is None else "".join(result)


class _Alphabet:
    """One character for each kind of characters that no pattern tells apart, the plainest of each kind."""

    def __init__(self, sets: Iterable[Ranges]) -> None:
        distinct = set(sets)
        if sum(map(len, distinct)) > _MAX_RANGES:
            raise _UnknownError
        ends = (end for item in distinct for first, last in item for end in (first, last + 1))
        points = sorted({0, *_SURROGATES, *ends})
        kinds: dict[tuple[bool, ...], str] = {}
        ordered = list(distinct)
        for first, after in zip(points, [*points[1:], _LAST + 1], strict=True):
            kind = tuple(any(low <= first <= high for low, high in item) for item in ordered)
            if first <= _LAST and not _SURROGATES[0] <= first < _SURROGATES[1]:
                character = _plain(first, after - 1)
                if kind not in kinds or _rank(character) < _rank(kinds[kind]):
                    kinds[kind] = character
        self.symbols = tuple(kinds.values())

    def leaf(self, ranges: Ranges) -> Model:
        """Return the model of a set of characters."""
        members = (item for item in self.symbols if any(low <= ord(item) <= high for low, high in ranges))
        return ("leaf", frozenset(members), None)


def _plain(first: int, last: int) -> str:
    """Return a character in a range, one that can be read if there is one."""
    return next((item for item in "aA0x-_é !" if first <= ord(item) <= last), chr(first))


def _rank(character: str) -> tuple[bool, bool, str]:
    return not character.isalnum(), not character.isprintable(), character


@lru_cache(maxsize=256)
def _parse(text: str) -> tuple[Any, tuple[Ranges, ...]]:
    """Return the tree of a pattern, and the sets of characters in it.

    Raises:
        _UnknownError: it isn't a regular expression as they are in mathematics.
    """
    if len(text) > _MAX_CHARACTERS or _FOREIGN.search(text):
        raise _UnknownError
    try:
        with catch_warnings(action="ignore"):
            tree = _parser.parse(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise _UnknownError from error
    if tree.state.flags & ~re.UNICODE:
        raise _UnknownError
    return tree, tuple(_sets(tree))


def _sets(tree: Any) -> Iterator[Ranges]:
    for operation, argument in tree:
        name = str(operation)
        if name in {"MAX_REPEAT", "MIN_REPEAT"}:
            yield from _sets(argument[2])
        elif name == "SUBPATTERN":
            yield from _sets(argument[3])
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _sets(branch)
        elif name != "AT":
            yield _ranges(name, argument)


def _search(tree: Any, alphabet: _Alphabet) -> Model:
    """Return the model of texts in which a pattern is found; its branches may be held to either end."""
    items = list(tree)
    if len(items) == 1 and str(items[0][0]) == "BRANCH":
        return either([_search(branch, alphabet) for branch in items[0][1][1]])
    if len(items) == 1 and str(items[0][0]) == "SUBPATTERN" and not (items[0][1][1] or items[0][1][2]):
        return _search(items[0][1][3], alphabet)
    anything = repeat(alphabet.leaf(_ALL), 0, None)
    starts = bool(items) and _is_anchor(items[0], "AT_BEGINNING")
    ends = len(items) > starts and _is_anchor(items[-1], "AT_END")
    model = _model(items[starts : len(items) - ends], alphabet)
    return _chain([*([] if starts else [anything]), model, *([] if ends else [anything])])


def _is_anchor(item: tuple[Any, Any], name: str) -> bool:
    return str(item[0]) == "AT" and str(item[1]) == name


def _chain(models: Sequence[Model]) -> Model:
    """Return one model after the other, nested to the right as derivatives have them."""
    result = EMPTY
    for model in reversed(models):
        result = sequence(model, result)
    return result


def _model(items: Iterable[tuple[Any, Any]], alphabet: _Alphabet) -> Model:
    return _chain([_item_model(str(operation), argument, alphabet) for operation, argument in items])


def _item_model(name: str, argument: Any, alphabet: _Alphabet) -> Model:
    if name in {"MAX_REPEAT", "MIN_REPEAT"}:
        least, most, tree = argument
        return repeat(_model(tree, alphabet), int(least), None if most == _parser.MAXREPEAT else int(most))
    if name == "SUBPATTERN":
        _, added, removed, tree = argument
        if added or removed:
            raise _UnknownError
        return _model(tree, alphabet)
    if name == "BRANCH":
        return either([_model(branch, alphabet) for branch in argument[1]])
    return alphabet.leaf(_ranges(name, argument))


def _ranges(name: str, argument: Any) -> Ranges:
    """Return the characters of a set."""
    if name == "LITERAL":
        return ((argument, argument),)
    if name == "NOT_LITERAL":
        return _complement(((argument, argument),))
    if name == "ANY":
        return _complement(_LINE_ENDS)
    if name == "RANGE":
        return ((argument[0], argument[1]),)
    if name == "CATEGORY":
        kind = str(argument).removeprefix("CATEGORY_")
        ranges = _CLASSES.get(kind.removeprefix("NOT_"))
        if ranges is None:
            raise _UnknownError
        return _complement(ranges) if kind.startswith("NOT_") else ranges
    if name == "IN":
        negated = str(argument[0][0]) == "NEGATE"
        members = [_ranges(str(kind), value) for kind, value in argument[negated:]]
        ranges = tuple(sorted(item for member in members for item in member))
        return _complement(ranges) if negated else ranges
    raise _UnknownError


def _complement(ranges: Ranges) -> Ranges:
    """Return all other characters."""
    others: list[tuple[int, int]] = []
    begin = 0
    for first, last in sorted(ranges):
        if first > begin:
            others.append((begin, first - 1))
        begin = max(begin, last + 1)
    return (*others, (begin, _LAST)) if begin <= _LAST else tuple(others)
