"""Content models as regular expressions over names: which child elements one allows and another doesn't.

A model is followed name by name, by what is left of it after each (its derivatives, after Brzozowski). Its forms are
NOTHING, which allows nothing, EMPTY, which allows no child, and tuples: ("leaf", names, wildcard), ("seq", one, other),
("alt", models), ("rep", model, least, most) and ("all", models).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

NOTHING: tuple[Any, ...] = ("nothing",)
EMPTY: tuple[Any, ...] = ("empty",)
_MAX_STATES = 4_000

Model = tuple[Any, ...]


class TooLargeError(Exception):
    """The models have too many states to be compared."""


def model(particle: Any) -> Model:
    """Return the model of a particle of the library: a group, an element or a wildcard."""
    if hasattr(particle, "model"):
        parts = [model(item) for item in particle]
        inner = _group(particle.model, parts)
    elif particle.name is None:
        inner = ("leaf", frozenset(), particle)
    else:
        names = {particle.name, *(item.name for item in particle.iter_substitutes())}
        inner = ("leaf", frozenset(names), None)
    return _repeated(inner, particle.min_occurs, particle.max_occurs)


def _group(kind: str, parts: list[Model]) -> Model:
    if kind == "choice":
        return _either(parts) if parts else NOTHING
    if kind == "all":
        return ("all", frozenset(enumerate(parts))) if parts else EMPTY
    made = EMPTY
    for part in reversed(parts):
        made = _sequence(part, made)
    return made


def _repeated(inner: Model, least: int, most: int | None) -> Model:
    if inner in (NOTHING, EMPTY) or (least, most) == (1, 1):
        return EMPTY if inner == NOTHING and not least else inner
    return EMPTY if most == 0 else ("rep", inner, least, most)


def _sequence(one: Model, other: Model) -> Model:
    if NOTHING in (one, other):
        return NOTHING
    return other if one == EMPTY else one if other == EMPTY else ("seq", one, other)


def _either(models: Iterable[Model]) -> Model:
    flat = {inner for item in models for inner in (item[1] if item[0] == "alt" else (item,))} - {NOTHING}
    if len(flat) < 2:  # noqa: PLR2004 - a choice of one is that one
        return next(iter(flat), NOTHING)
    return ("alt", frozenset(flat))


def may_end(item: Model) -> bool:
    """Tell whether a model allows that nothing follows."""
    kind = item[0]
    if kind == "seq":
        return may_end(item[1]) and may_end(item[2])
    if kind == "alt":
        return any(may_end(inner) for inner in item[1])
    if kind == "rep":
        return not item[2] or may_end(item[1])
    if kind == "all":
        return all(may_end(inner) for _, inner in item[1])
    return item == EMPTY


def after(item: Model, name: str) -> Model:
    """Return what is left of a model after an element."""
    kind = item[0]
    if kind == "leaf":
        return EMPTY if _is_name(item, name) else NOTHING
    if kind == "seq":
        first = _sequence(after(item[1], name), item[2])
        return _either((first, after(item[2], name))) if may_end(item[1]) else first
    if kind == "alt":
        return _either(after(inner, name) for inner in item[1])
    if kind == "rep":
        most = None if item[3] is None else item[3] - 1
        return _sequence(after(item[1], name), _repeated_again(item[1], max(item[2] - 1, 0), most))
    if kind == "all":
        return _either(_of_all(item[1], pair, name) for pair in item[1])
    return NOTHING


def _repeated_again(inner: Model, least: int, most: int | None) -> Model:
    return inner if (least, most) == (1, 1) else EMPTY if most == 0 else ("rep", inner, least, most)


def _of_all(pairs: frozenset[tuple[int, Model]], pair: tuple[int, Model], name: str) -> Model:
    rest = pairs - {pair}
    left = after(pair[1], name)
    if left == NOTHING:
        return NOTHING
    # What is left of one member may still come, anywhere among the others.
    members = rest if left == EMPTY else rest | {(pair[0], left)}
    return ("all", members) if members else EMPTY


def _is_name(leaf: Model, name: str) -> bool:
    return name in leaf[1] or (leaf[2] is not None and bool(leaf[2].is_matching(name)))


def difference(written: Model, read: Model, names: Iterable[str]) -> tuple[str, ...] | None:
    """Return the shortest list of children that the first model allows and the second refuses; None if there is none.

    Raises:
        TooLargeError: it can't be found within bounds.
    """
    alphabet = sorted(names)
    waiting: deque[tuple[Model, Model, tuple[str, ...]]] = deque([(written, read, ())])
    seen = {(written, read)}
    while waiting:
        one, other, path = waiting.popleft()
        if may_end(one) and not may_end(other):
            return path
        for name in alphabet:
            pair = after(one, name), after(other, name)
            if pair[0] != NOTHING and pair not in seen:
                seen.add(pair)
                waiting.append((*pair, (*path, name)))
        if len(seen) > _MAX_STATES:
            raise TooLargeError
    return None
