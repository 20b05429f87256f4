"""Simple types of XML Schema: whether all texts of one are texts of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.payloads.sample_texts import matching_text
from xregit.payloads.xsd.fields import built_in, facet
from xregit.payloads.xsd.schema import XSD, UncheckedError
from xregit.payloads.xsd.values import simple_example

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANY = frozenset(("anySimpleType", "anyAtomicType"))
_SAMPLES = (
    *("text", "", "0", "1", "-1", "2", "1.5", "true", "a b"),
    *("2026-01-31", "2026-01-31T09:30:00Z", "09:30:00", "P1D"),
)
_LOWER, _UPPER = ("minInclusive", "minExclusive"), ("maxInclusive", "maxExclusive")
_AT_MOST = ("maxLength", "totalDigits", "fractionDigits")
_LENGTHS = ("length", "minLength", "maxLength")
_MAX_CHARACTERS = 400


def is_subtype(writer: Any, reader: Any) -> bool:
    """Return whether it is certain that all texts of one type are texts of another."""
    if reader.local_name in _ANY:
        return True
    if _members(writer):
        return all(is_subtype(item, reader) for item in _members(writer))
    if writer.enumeration:
        return all(is_valid(reader, str(value)) for value in writer.enumeration)
    if _members(reader) and not reader.enumeration and reader.patterns is None:
        return any(is_subtype(writer, item) for item in _members(reader))
    return _is_free(reader) or (_derives(writer, reader) and not reader.enumeration and _facets_follow(writer, reader))


def _derives(writer: Any, reader: Any) -> bool:
    """Return whether both types restrict the same built-in type, or are lists of types that do."""
    if writer.is_list() or reader.is_list():
        return bool(writer.is_list() and reader.is_list() and is_subtype(writer.item_type, reader.item_type))
    return built_in(reader) in _ancestors(writer)


def example(writer: Any, reader: Any) -> str | None:
    """Return a text of one type that another refuses, if one is found."""
    return next(
        (text for text in _candidate_texts(writer, reader) if is_valid(writer, text) and not is_valid(reader, text)),
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
    return tuple(getattr(type_, "member_types", None) or ())


def _is_free(type_: Any) -> bool:
    """Return whether any text will do."""
    return bool(built_in(type_) == "string" and not type_.is_list() and not _constrained(type_))


def _constrained(type_: Any) -> bool:
    names = (*_LENGTHS, "enumeration")
    return type_.patterns is not None or any(facet(type_, item) is not None for item in names)


def _ancestors(type_: Any) -> frozenset[str]:
    """Return the built-in types that a type restricts, one after the other."""
    names = set()
    while type_ is not None:
        if (type_.name or "").startswith(f"{{{XSD}}}"):
            names.add(type_.local_name)
        type_ = type_.base_type
    return frozenset(names)


def _facets_follow(writer: Any, reader: Any) -> bool:
    try:
        bounded = _bounds_follow(writer, reader, _LOWER, 1) and _bounds_follow(writer, reader, _UPPER, -1)
    except TypeError:
        # Two kinds of dates, with and without a zone, have no order.
        return False
    return bounded and _lengths_follow(writer, reader) and _patterns_follow(writer, reader)


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


def _patterns_follow(writer: Any, reader: Any) -> bool:
    required = set(reader.patterns.regexps) if reader.patterns is not None else set()
    inherited = set(writer.patterns.regexps) if writer.patterns is not None else set()
    return required <= inherited and not getattr(reader, "assertions", ())


def _candidate_texts(writer: Any, reader: Any) -> Iterator[str]:
    """Yield texts at which two types may differ."""
    yield simple_example(writer)
    for type_ in (writer, reader):
        yield from map(str, type_.enumeration or ())
        if type_.patterns is not None:
            yield from filter(None, (matching_text(text) for text in type_.patterns.regexps))
        for item in (*_LOWER, *_UPPER):
            bound = facet(type_, item)
            yield str(bound)
            if hasattr(bound, "__add__") and not isinstance(bound, str):
                yield from _neighbour_texts(bound)
        for item in _LENGTHS:
            length = facet(type_, item)
            yield from ("x" * size for size in _neighbours(length) if 0 <= size <= _MAX_CHARACTERS)
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
