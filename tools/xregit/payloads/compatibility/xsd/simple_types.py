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


def is_subtype(written: Any, read: Any) -> bool:
    """Return whether it is certain that all texts of one type are texts of another."""
    if read.local_name in _ANY:
        return True
    if _members(written):
        return all(is_subtype(item, read) for item in _members(written))
    if written.enumeration:
        return all(is_valid(read, str(value)) for value in written.enumeration)
    if _members(read) and not read.enumeration and read.patterns is None:
        return any(is_subtype(written, item) for item in _members(read))
    return _is_free(read) or (_derives(written, read) and not read.enumeration and _facets_follow(written, read))


def _derives(written: Any, read: Any) -> bool:
    """Return whether one type restricts what the other restricts too, and both are lists of such or neither is a list."""
    if written.is_list() or read.is_list():
        return bool(written.is_list() and read.is_list() and is_subtype(written.item_type, read.item_type))
    return built_in(read) in _ancestors(written)


def example(written: Any, read: Any) -> str | None:
    """Return a text of one type that another refuses, if one is found."""
    return next(
        (text for text in _candidate_texts(written, read) if is_valid(written, text) and not is_valid(read, text)), None
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
    found = set()
    while type_ is not None:
        if (type_.name or "").startswith(f"{{{XSD}}}"):
            found.add(type_.local_name)
        type_ = type_.base_type
    return frozenset(found)


def _facets_follow(written: Any, read: Any) -> bool:
    try:
        bounded = _bounds_follow(written, read, _LOWER, 1) and _bounds_follow(written, read, _UPPER, -1)
    except TypeError:
        # Two kinds of dates, with and without a zone, have no order.
        return False
    return bounded and _lengths_follow(written, read) and _patterns_follow(written, read)


def _bounds_follow(written: Any, read: Any, names: tuple[str, str], sign: int) -> bool:
    """Return whether the bounds of one type lie within those of another; a sign turns the upper ones round."""
    for item in names:
        due = facet(read, item)
        if due is None:
            continue
        stated = [(facet(written, other), other) for other in names]
        if not any(
            value is not None
            and (_beyond(value, due, sign) or (value == due and (other == names[1] or item == names[0])))
            for value, other in stated
        ):
            return False
    return True


def _beyond(value: Any, due: Any, sign: int) -> bool:
    return bool(value > due if sign > 0 else value < due)


def _lengths_follow(written: Any, read: Any) -> bool:
    exact = facet(written, "length")
    for item in (*_LENGTHS, *_AT_MOST):
        due, own = facet(read, item), facet(written, item)
        own = exact if own is None and item in _LENGTHS else own
        if due is None:
            continue
        if own is None or (own != due if item == "length" else own > due if item in _AT_MOST else own < due):
            return False
    return True


def _patterns_follow(written: Any, read: Any) -> bool:
    due = set(read.patterns.regexps) if read.patterns is not None else set()
    inherited = set(written.patterns.regexps) if written.patterns is not None else set()
    return due <= inherited and not getattr(read, "assertions", ())


def _candidate_texts(written: Any, read: Any) -> Iterator[str]:
    """Yield texts at which two types may differ."""
    yield simple_example(written)
    for type_ in (written, read):
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
