"""Simple types of XML Schema: whether all texts of one are texts of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from xregit.payloads.sample_texts import matching_text
from xregit.payloads.xsd.codec import simple_example
from xregit.payloads.xsd.fields import built_in, facet, item_type
from xregit.payloads.xsd.schema import XSD, UncheckedError

_ANY = frozenset(("anySimpleType", "anyAtomicType"))
_SAMPLES = (
    *("text", "", "0", "1", "-1", "2", "01", "1.0", "1.5", "0.25", "true", "a b", "   ", " 1 "),
    *("2026-01-31", "2026-01-31Z", "2026-01-31T09:30:00Z", "2026-01-31T09:30:00", "09:30:00", "P1D"),
)
# Facets that bound values: those that imply each, with 1 for a least value and -1 for a greatest.
_BOUNDS = {
    **dict.fromkeys(("minInclusive", "minExclusive"), (("minInclusive", "minExclusive"), 1)),
    **dict.fromkeys(("maxInclusive", "maxExclusive"), (("maxInclusive", "maxExclusive"), -1)),
    "minLength": (("minLength", "length"), 1),
    "maxLength": (("maxLength", "length"), -1),
    "totalDigits": (("totalDigits",), -1),
    "fractionDigits": (("fractionDigits",), -1),
}
_SAME = ("length", "explicitTimezone")
_BLANKS = ("preserve", "replace", "collapse")
_MAX_CHARACTERS = 400


def is_subtype(writer: Any, reader: Any) -> bool:
    """Return whether it is certain that all texts of one type are texts of another."""
    if reader.local_name in _ANY or _is_free(reader) or writer is reader:
        return True
    if writer.enumeration:
        return _values_follow(writer, reader)
    members = _members(reader)
    if members and not _members(writer):
        return not _facets(reader) and any(is_subtype(writer, item) for item in members)
    return _derives(writer, reader) and _facets_follow(writer, reader)


def same_number(types: Sequence[Any], texts: Sequence[str]) -> bool:
    """Return whether texts stand for the same number, where all types are decimal: 1, 01 and 1.0 do."""
    is_decimal = all(type_ is not None and "decimal" in _ancestors(type_) for type_ in types)
    return is_decimal and len(set(map(Decimal, texts))) == 1


def value_space(type_: Any) -> Any:
    """Return what is equal for types in which the same texts have equal values; None if elements are inside."""
    if type_ is None:
        return None
    if type_.is_list():
        return "list", value_space(item_type(type_))
    if members := _members(type_):
        return tuple(map(value_space, members))
    primitive = getattr(type_, "primitive_type", None)  # which xs:anySimpleType has not
    return primitive.local_name if primitive else "", _blanks(type_)


def _values_follow(writer: Any, reader: Any) -> bool:
    """Return whether all texts of an enumeration's values are texts of another type."""
    if not all(is_valid(reader, text) for text in _enumerated_texts(writer)):
        return False
    if not writer.is_list() and not _members(writer) and "string" in _ancestors(writer):
        # Blanks that the one takes away may be too many for the other.
        return _blanks(writer) <= _blanks(reader)
    # A number has many texts: 1, 01, 1.0.
    return _derives(writer, reader) and not _patterns(reader) and "assertion" not in _facets(reader)


def _enumerated_texts(type_: Any) -> list[str]:
    """Return the values of an enumeration as the schema has them."""
    facets = type_.get_facet(f"{{{XSD}}}enumeration") or ()
    return [str(item.get("value", "")) for item in facets]


def _derives(writer: Any, reader: Any) -> bool:
    """Return whether both types restrict the same built-in type, or lists or unions of such types."""
    if writer.is_list() or reader.is_list():
        return bool(writer.is_list() and reader.is_list() and is_subtype(item_type(writer), item_type(reader)))
    members = _members(writer), _members(reader)
    if any(members):
        pairs = list(zip(*members, strict=False))
        same = len(members[0]) == len(members[1])
        return same and all(is_subtype(one, other) and is_subtype(other, one) for one, other in pairs)
    return built_in(reader) in _ancestors(writer)


def _facets_follow(writer: Any, reader: Any) -> bool:
    """Return whether a type keeps to the facets of another; dates with and without a zone have no order."""
    facets = _facets(reader)
    if "enumeration" in facets or (facets and _blanks(writer) != _blanks(reader)):
        return False
    try:
        is_bounded = all(_is_within(writer, name, facet(reader, name)) for name in _BOUNDS)
    except TypeError:
        return False
    return (
        is_bounded
        and all(facet(reader, name) in {None, "optional", facet(writer, name)} for name in _SAME)
        and all(any(one <= other for one in _patterns(writer)) for other in _patterns(reader))
        and _assertions(reader) <= _assertions(writer)
    )


def _is_within(type_: Any, name: str, limit: Any) -> bool:
    """Return whether the values of a type keep to a bound."""
    names, sign = _BOUNDS[name]
    bounds = ((item, facet(type_, item)) for item in names)
    return limit is None or any(
        (bound > limit if sign > 0 else bound < limit)
        or (bound == limit and ("Exclusive" not in name or "Exclusive" in item))
        for item, bound in bounds
        if bound is not None
    )


def example(writer: Any, reader: Any) -> str | None:
    """Return a text of one type that another refuses, if one is found."""
    texts = (text for text in _candidates(writer, reader) if is_valid(writer, text) and not is_valid(reader, text))
    return next(texts, None)


def _candidates(writer: Any, reader: Any) -> Iterator[str]:
    """Yield texts at which two types may differ."""
    yield simple_example(writer)
    if writer.is_list() and reader.is_list():
        yield from _candidates(item_type(writer), item_type(reader))
    for type_ in (writer, reader):
        yield from _enumerated_texts(type_)
        if type_.patterns is not None:
            yield from filter(None, map(matching_text, type_.patterns.regexps))
        for name in (*_BOUNDS, "length"):
            bound = facet(type_, name)
            if "ength" not in name and "Digits" not in name:
                yield from _neighbours(bound)
                continue
            for size in (0, 1, -1) if bound is not None else ():
                number = min(max(bound + size, 0), _MAX_CHARACTERS)
                yield "1" * number
                yield " ".join([simple_example(item_type(type_))] * number) if type_.is_list() else f"1.{'1' * number}"
    yield from _SAMPLES


def _neighbours(bound: Any) -> Iterator[str]:
    yield str(bound)
    with suppress(TypeError, ValueError, ArithmeticError):
        yield from (str(bound + 1), str(bound - 1))


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
    return next((tuple(item.member_types) for item in _chain(type_) if getattr(item, "member_types", None)), ())


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
    """Return the patterns of each derivation step of a type; a value must match one pattern of each step."""
    steps = (item.facets.get(f"{{{XSD}}}pattern") for item in _chain(type_))
    return {frozenset(pattern.pattern for pattern in item.patterns) for item in steps if item is not None}


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
