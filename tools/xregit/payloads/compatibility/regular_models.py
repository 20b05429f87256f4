"""Regular expressions over symbols, such as characters or names of elements, compared by their derivatives.

Source: J. A. Brzozowski, Derivatives of Regular Expressions (1964). A model is a tuple: its kind, then its parts. A
``leaf`` is one of a set of symbols, or what a predicate allows; ``seq``, ``alt`` and ``rep`` are as anywhere, and the
members of ``all`` may be interleaved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from xregit.payloads.compatibility.base import Budget

NOTHING: tuple[Any, ...] = ("nothing",)
EMPTY: tuple[Any, ...] = ("empty",)
_STEPS_PER_PAIR, _STEPS_PER_WILDCARD = 20, 5

Model = tuple[Any, ...]
_Pair = tuple[Model, Model]


def repeat(inner: Model, least: int, most: int | None) -> Model:
    """Return the model of so many of one in a row; None for any number."""
    if inner in (NOTHING, EMPTY) or (least, most) == (1, 1):
        return EMPTY if inner == NOTHING and not least else inner
    return EMPTY if most == 0 else ("rep", inner, least, most)


def sequence(first: Model, second: Model) -> Model:
    """Return the model of one after the other."""
    if NOTHING in (first, second):
        return NOTHING
    return second if first == EMPTY else first if second == EMPTY else ("seq", first, second)


def either(models: Iterable[Model]) -> Model:
    """Return the model of any of several."""
    flat = {inner for item in models for inner in (item[1] if item[0] == "alt" else (item,))} - {NOTHING}
    if len(flat) < 2:  # noqa: PLR2004 - a choice of one is that one
        return next(iter(flat), NOTHING)
    return ("alt", frozenset(flat))


def is_nullable(item: Model) -> bool:
    """Return whether a model allows that nothing follows."""
    kind = item[0]
    if kind == "seq":
        return is_nullable(item[1]) and is_nullable(item[2])
    if kind == "alt":
        return any(is_nullable(inner) for inner in item[1])
    if kind == "rep":
        return not item[2] or is_nullable(item[1])
    if kind == "all":
        return all(is_nullable(inner) for _, inner in item[1])
    return item == EMPTY


def derivative(item: Model, name: str, budget: Budget) -> Model:
    """Return what is left of a model after a symbol.

    Raises:
        TooLargeError: it can't be found within the budget.
    """
    kind = item[0]
    if kind == "leaf":
        budget.spend(_STEPS_PER_WILDCARD if item[2] is not None else 0)
        return EMPTY if name in item[1] or (item[2] is not None and item[2](name)) else NOTHING
    budget.spend(len(item[1]) if kind in {"alt", "all"} else 1)
    if kind == "seq":
        first = sequence(derivative(item[1], name, budget), item[2])
        return either((first, derivative(item[2], name, budget))) if is_nullable(item[1]) else first
    if kind == "alt":
        return either(derivative(inner, name, budget) for inner in item[1])
    if kind == "rep":
        most = None if item[3] is None else item[3] - 1
        return sequence(derivative(item[1], name, budget), _derive_repeat(item[1], max(item[2] - 1, 0), most))
    if kind == "all":
        return either(_derive_all(item[1], pair, name, budget) for pair in item[1])
    return NOTHING


def _derive_repeat(inner: Model, least: int, most: int | None) -> Model:
    return inner if (least, most) == (1, 1) else EMPTY if most == 0 else ("rep", inner, least, most)


def _derive_all(pairs: frozenset[tuple[int, Model]], pair: tuple[int, Model], name: str, budget: Budget) -> Model:
    remainder = derivative(pair[1], name, budget)
    if remainder == NOTHING:
        return NOTHING
    rest = pairs - {pair}
    budget.spend(len(rest))
    # What is left of one member may still come, anywhere among the others.
    members = rest if remainder == EMPTY else rest | {(pair[0], remainder)}
    return ("all", members) if members else EMPTY


def find_difference(writer: Model, reader: Model, names: Iterable[str], budget: Budget) -> tuple[str, ...] | None:
    """Return the shortest list of symbols that the first model allows and the second refuses; None if there is none.

    Raises:
        TooLargeError: it can't be found within the budget.
    """
    if writer == reader:
        return None
    alphabet = sorted(names)
    waiting = deque([(writer, reader)])
    # Each pair with the pair and the element that lead to it.
    origins: dict[_Pair, tuple[_Pair, str] | None] = {(writer, reader): None}
    while waiting:
        first, second = waiting.popleft()
        if is_nullable(first) and not is_nullable(second):
            return _path(origins, (first, second))
        for name in alphabet:
            pair = derivative(first, name, budget), derivative(second, name, budget)
            if pair[0] != NOTHING and pair not in origins:
                budget.spend(_STEPS_PER_PAIR)
                origins[pair] = (first, second), name
                waiting.append(pair)
    return None


def _path(origins: Mapping[_Pair, tuple[_Pair, str] | None], pair: _Pair) -> tuple[str, ...]:
    """Return the elements that lead to a pair of models."""
    names: list[str] = []
    while origin := origins[pair]:
        pair, name = origin
        names.append(name)
    return tuple(reversed(names))
