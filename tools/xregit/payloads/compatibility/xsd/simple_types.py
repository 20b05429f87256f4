"""Simple types of XML Schema: whether all texts of one are texts of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from xregit.payloads.compatibility.base import Budget, TooLargeError
from xregit.payloads.compatibility.patterns import difference
from xregit.payloads.sample_texts import matching_text
from xregit.payloads.xsd.codec import simple_example
from xregit.payloads.xsd.fields import built_in, facet, item_type
from xregit.payloads.xsd.schema import XSD, UncheckedError

_ANY = frozenset(("anySimpleType", "anyAtomicType"))
_SAMPLES = (
    *("text", "", "0", "1", "-1", "2", "01", "1.0", "1.5", "0.25", "true", "a b", "   "),
    *("2026-01-31", "2026-01-31Z", "2026-01-31T09:30:00Z", "2026-01-31T09:30:00", "09:30:00", "P1D"),
)
_LOWER, _UPPER = ("minInclusive", "minExclusive"), ("maxInclusive", "maxExclusive")
_AT_MOST = ("maxLength", "totalDigits", "fractionDigits")
_LENGTHS = ("length", "minLength", "maxLength")
_BLANKS = ("preserve", "replace", "collapse")
_MAX_CHARACTERS = 400
_CLASS = re.compile(r"\\[dDwWsS]")


def is_subtype(writer: Any, reader: Any, budget: Budget) -> bool:
    """Return whether it is certain that all texts of one type are texts of another."""
    if reader.local_name in _ANY or _is_free(reader) or writer is reader:
        return True
    if writer.enumeration:
        return _values_follow(writer, reader, budget)
    members = _members(writer)
    if members and all(is_subtype(item, reader, budget) for item in members):
        return True
    if _members(reader) and not members:
        return not _facets(reader) and any(is_subtype(writer, item, budget) for item in _members(reader))
    return _derives(writer, reader, budget) and _facets_follow(writer, reader, budget)


def _values_follow(writer: Any, reader: Any, budget: Budget) -> bool:
    """Return whether all texts of an enumeration's values are texts of another type."""
    if not all(is_valid(reader, text) for text in _enumerated_texts(writer)):
        return False
    if not writer.is_list() and not _members(writer) and "string" in _ancestors(writer):
        # Blanks that the one takes away may be too many for the other.
        return _blanks(writer) <= _blanks(reader)
    # A number has many texts: 1, 01, 1.0.
    return _derives(writer, reader, budget) and not _patterns(reader) and "assertion" not in _facets(reader)


def _enumerated_texts(type_: Any) -> list[str]:
    """Return the values of an enumeration as the schema has them."""
    facets = type_.get_facet(f"{{{XSD}}}enumeration") or ()
    return [str(item.get("value", "")) for item in facets]


def _derives(writer: Any, reader: Any, budget: Budget) -> bool:
    """Return whether both types restrict the same built-in type, or lists or unions of types that do."""
    if writer.is_list() or reader.is_list():
        return bool(writer.is_list() and reader.is_list() and is_subtype(item_type(writer), item_type(reader), budget))
    members = _members(writer), _members(reader)
    if any(members):
        pairs = list(zip(*members, strict=False))
        same = len(members[0]) == len(members[1])
        return same and all(is_subtype(one, other, budget) and is_subtype(other, one, budget) for one, other in pairs)
    return built_in(reader) in _ancestors(writer)


def example(writer: Any, reader: Any, budget: Budget) -> str | None:
    """Return a text of one type that another refuses, if one is found."""
    return next(
        (
            text
            for text in _candidate_texts(writer, reader, budget)
            if is_valid(writer, text) and not is_valid(reader, text)
        ),
        None,
    )


def is_valid(type_: Any, text: str) -> bool:
    """Return whether a text is one of a type; one whose pattern can't be matched in bounded time counts as none."""
    try:
        return bool(type_.is_valid(text))
    except UncheckedError:
        return False


def type_name(type_: Any) -> str:
    """Return how a sentence names a type."""
    return type_.local_name or f"a restricted {built_in(type_)}"


def _members(type_: Any) -> tuple[Any, ...]:
    """Return the members of a union, or of what restricts one."""
    for item in _chain(type_):
        members = getattr(item, "member_types", None)
        if members:
            return tuple(members)
    return ()


def _chain(type_: Any) -> Iterator[Any]:
    """Yield a type and those that it restricts, up to the built-in one."""
    while type_ is not None:
        yield type_
        type_ = None if (type_.name or "").startswith(f"{{{XSD}}}") else type_.base_type


def _facets(type_: Any) -> frozenset[str]:
    """Return the names of the facets that a schema adds to a built-in type, a list or a union; blanks aside."""
    added = [item for item in _chain(type_) if not (item.name or "").startswith(f"{{{XSD}}}")]
    names = (name.rpartition("}")[2] for item in added for name in item.facets if name is not None)
    return frozenset(names) - {"whiteSpace"}


def _patterns(type_: Any) -> set[frozenset[str]]:
    """Return the patterns of each step of a type, as regular expressions: one of those of each step must match."""
    steps = (item.facets.get(f"{{{XSD}}}pattern") for item in _chain(type_))
    return {frozenset(pattern.pattern for pattern in item.patterns) for item in steps if item is not None}


def _includes(reader: frozenset[str], writer: frozenset[str], budget: Budget) -> bool:
    """Return whether all texts that some patterns match are matched by others."""
    try:
        return writer <= reader or _pattern_difference(writer, reader, budget) is None
    except TooLargeError:
        return False


def _pattern_difference(writer: frozenset[str], reader: frozenset[str], budget: Budget) -> str | None:
    """Return a text that one of some patterns matches and none of others, else None.

    Raises:
        TooLargeError: it can't be told; the classes of XML Schema have more characters than those of other languages.
    """
    if any(_CLASS.search(text) for text in (*writer, *reader)):
        raise TooLargeError
    return difference(sorted(writer), sorted(reader), budget)


def _assertions(type_: Any) -> frozenset[str]:
    steps = (item.facets.get(f"{{{XSD}}}assertion") for item in _chain(type_))
    return frozenset(str(item.path) for step in steps for item in (step if isinstance(step, list) else [step]) if item)


def _blanks(type_: Any) -> int:
    """Return how many blanks a type takes away from a text before it looks at it."""
    if type_.is_list() or _members(type_):
        return _BLANKS.index("collapse")
    return _BLANKS.index(type_.white_space or "preserve")


def _is_free(type_: Any) -> bool:
    """Return whether any text will do."""
    is_text = built_in(type_) in {"string", "normalizedString", "token"}
    return is_text and not type_.is_list() and not _members(type_) and not _facets(type_)


def _ancestors(type_: Any) -> frozenset[str]:
    """Return the built-in types that a type restricts, one after the other."""
    names = set()
    while type_ is not None:
        if (type_.name or "").startswith(f"{{{XSD}}}"):
            names.add(type_.local_name)
        type_ = type_.base_type
    return frozenset(names)


def _facets_follow(writer: Any, reader: Any, budget: Budget) -> bool:
    facets = _facets(reader)
    if "enumeration" in facets or (facets and _blanks(writer) != _blanks(reader)):
        return False
    try:
        bounded = _bounds_follow(writer, reader, _LOWER, 1) and _bounds_follow(writer, reader, _UPPER, -1)
    except TypeError:
        # Two kinds of dates, with and without a zone, have no order.
        return False
    zones = facet(writer, "explicitTimezone"), facet(reader, "explicitTimezone")
    return (
        bounded
        and _lengths_follow(writer, reader)
        and (zones[1] in {None, "optional"} or zones[0] == zones[1])
        and all(any(_includes(other, one, budget) for one in _patterns(writer)) for other in _patterns(reader))
        and _assertions(reader) <= _assertions(writer)
    )


def _bounds_follow(writer: Any, reader: Any, names: tuple[str, str], sign: int) -> bool:
    """Return whether the bounds of one type lie within those of another; a sign turns the upper ones round."""
    for item in names:
        limit = facet(reader, item)
        if limit is None:
            continue
        bounds = [(facet(writer, other), other) for other in names]
        if not any(
            (value > limit if sign > 0 else value < limit)
            or (value == limit and (other == names[1] or item == names[0]))
            for value, other in bounds
            if value is not None
        ):
            return False
    return True


def _lengths_follow(writer: Any, reader: Any) -> bool:
    exact = facet(writer, "length")
    for item in (*_LENGTHS, *_AT_MOST):
        limit, actual = facet(reader, item), facet(writer, item)
        actual = exact if actual is None and item in _LENGTHS else actual
        if limit is None:
            continue
        if actual is None or (actual > limit and item in _AT_MOST) or (actual < limit and item not in _AT_MOST):
            return False
        if actual != limit and item == "length":
            return False
    return True


def _candidate_texts(writer: Any, reader: Any, budget: Budget) -> Iterator[str]:
    """Yield texts at which two types may differ, plain ones before those with further blanks."""
    for one in _patterns(writer):
        for other in _patterns(reader):
            with suppress(TooLargeError):
                text = _pattern_difference(one, other, budget)
                yield from () if text is None else (text,)
    texts = dict.fromkeys(_plain_texts(writer, reader))
    yield from texts
    for text in texts:
        yield from (f" {text} ", text.replace(" ", "  "))


def _plain_texts(writer: Any, reader: Any) -> Iterator[str]:
    """Yield texts at which two types may differ."""
    yield simple_example(writer)
    for type_ in (writer, reader):
        yield from _enumerated_texts(type_)
        if type_.patterns is not None:
            yield from filter(None, (matching_text(text) for text in type_.patterns.regexps))
        for item in (*_LOWER, *_UPPER):
            bound = facet(type_, item)
            yield str(bound)
            if hasattr(bound, "__add__") and not isinstance(bound, str):
                yield from _neighbour_texts(bound)
        for item in _LENGTHS:
            length = facet(type_, item)
            for size in _neighbours(length):
                if 0 <= size <= _MAX_CHARACTERS:
                    yield " ".join([simple_example(item_type(type_))] * size) if type_.is_list() else "x" * size
        for item in ("totalDigits", "fractionDigits"):
            digits = facet(type_, item)
            yield from ("1" * size for size in _neighbours(digits) if size > 0)
            yield from (f"1.{'1' * size}" for size in _neighbours(digits) if size > 0)
    yield from _SAMPLES


def _neighbours(number: int | None) -> tuple[int, ...]:
    return () if number is None else (number, number + 1, number - 1)


def _neighbour_texts(bound: Any) -> Iterator[str]:
    try:
        yield from (str(bound + 1), str(bound - 1))
    except (TypeError, ValueError, ArithmeticError):
        return
