"""Content models of XML Schema as regular expressions over the names of elements."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.payloads.compatibility.budget import Budget

NOTHING: tuple[Any, ...] = ("nothing",)
EMPTY: tuple[Any, ...] = ("empty",)
_STEPS_PER_PAIR = 20

Model = tuple[Any, ...]
_Pair = tuple[Model, Model]


def content_model(type_: Any) -> Model:
    """Return the model of a complex type's children."""
    model = _particle_model(type_.content)
    opened = open_content(type_)
    if opened is None:
        return model
    others: Model = ("rep", ("leaf", frozenset(), opened.any_element), 0, None)
    return _sequence(model, others) if opened.mode == "suffix" else ("all", frozenset(enumerate((model, others))))


def open_content(type_: Any) -> Any:
    """Return what else may stand in a type of version 1.1, or None."""
    opened = getattr(type_, "open_content", None)
    return None if opened is None or opened.mode == "none" else opened


def _particle_model(particle: Any) -> Model:
    """Return the model of a particle of the library: a group, an element or a wildcard."""
    if hasattr(particle, "model"):
        inner = _group(particle.model, [_particle_model(item) for item in particle])
    elif particle.name is None:
        inner = ("leaf", frozenset(), particle)
    else:
        inner = ("leaf", frozenset(item.name for item in substitutes(particle)), None)
    return _repeat(inner, particle.min_occurs, particle.max_occurs)


def substitutes(element: Any) -> Iterator[Any]:
    """Yield the declarations that may stand in an element's place: its own, and those of its group."""
    if not element.abstract:
        yield element
    blocked = f"{element.block} {getattr(element.type, 'block', '')}".split()
    if "substitution" in element.block:
        return
    for item in element.iter_substitutes():
        if not item.abstract and not any(item.type.is_derived(element.type, name) for name in blocked):
            yield item


def wildcard_matches(wildcard: Any, name: str, declared: Mapping[str, Any]) -> bool:
    """Return whether a wildcard allows a name: a strict one only those that are ``declared`` at the top of a schema."""
    if wildcard.process_contents == "strict" and name not in declared:
        return False
    if "##definedSibling" in wildcard.not_qname and any(
        item.name is not None and item.is_matching(name) for item in wildcard.parent.iter_elements()
    ):
        return False
    return bool(wildcard.is_matching(name))


def _group(kind: str, parts: list[Model]) -> Model:
    if kind == "choice":
        return _either(parts) if parts else NOTHING
    if kind == "all":
        return ("all", frozenset(enumerate(parts))) if parts else EMPTY
    model = EMPTY
    for part in reversed(parts):
        model = _sequence(part, model)
    return model


def _repeat(inner: Model, least: int, most: int | None) -> Model:
    if inner in (NOTHING, EMPTY) or (least, most) == (1, 1):
        return EMPTY if inner == NOTHING and not least else inner
    return EMPTY if most == 0 else ("rep", inner, least, most)


def _sequence(first: Model, second: Model) -> Model:
    if NOTHING in (first, second):
        return NOTHING
    return second if first == EMPTY else first if second == EMPTY else ("seq", first, second)


def _either(models: Iterable[Model]) -> Model:
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
    """Return what is left of a model after an element.

    Raises:
        TooLargeError: it can't be found within the budget.
    """
    kind = item[0]
    if kind == "leaf":
        return EMPTY if _is_name(item, name) else NOTHING
    budget.spend(len(item[1]) if kind in {"alt", "all"} else 1)
    if kind == "seq":
        first = _sequence(derivative(item[1], name, budget), item[2])
        return _either((first, derivative(item[2], name, budget))) if is_nullable(item[1]) else first
    if kind == "alt":
        return _either(derivative(inner, name, budget) for inner in item[1])
    if kind == "rep":
        most = None if item[3] is None else item[3] - 1
        return _sequence(derivative(item[1], name, budget), _derive_repeat(item[1], max(item[2] - 1, 0), most))
    if kind == "all":
        return _either(_derive_all(item[1], pair, name, budget) for pair in item[1])
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


def _is_name(leaf: Model, name: str) -> bool:
    return name in leaf[1] or (leaf[2] is not None and wildcard_matches(leaf[2], name, leaf[2].maps.elements))


def find_difference(writer: Model, reader: Model, names: Iterable[str], budget: Budget) -> tuple[str, ...] | None:
    """Return the shortest list of children that the first model allows and the second refuses; None if there is none.

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
