"""Counterexamples: values of one JSON Schema at its bounds and at those of another, which the other may refuse."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xregit.payloads.compatibility.json_schema.constraints import Constraints, is_number
from xregit.payloads.sample_texts import SAMPLE_TEXTS, matching_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.json_pointer import NamePath
    from xregit.payloads.compatibility.json_schema.constraints import Parts, Space

_MAX_DEPTH = 6
_MAX_INSIDE = 24
_MAX_VALUES = 600
_MAX_LENGTH = 40
_MAX_NAMES = 2_000
_UNDESCRIBED = "undescribed"
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const")


@dataclass(frozen=True, slots=True)
class Sampler:
    """Makes values of schemas of one document, with an eye on what another says and on where a path leads."""

    written: Space
    read: Space
    known: dict[tuple[Any, ...], list[Any]] = field(default_factory=dict)

    def values(self, parts: Parts, others: Parts, depth: int = 0, focus: NamePath = ()) -> list[Any]:
        """Return values that fit all parts, the plainest first, at the bounds that either side states."""
        key = (*(part.key for part in parts), "", *(part.key for part in others), depth, focus)
        if key not in self.known:
            self.known[key] = self.made(parts, others, depth, focus)
        return self.known[key]

    def made(self, parts: Parts, others: Parts, depth: int, focus: NamePath) -> list[Any]:
        """Return such values, made anew."""
        said = Constraints(tuple(flat for part in parts for flat in self.written.flat(part)), self.written)
        other = Constraints(tuple(flat for part in others for flat in self.read.flat(part)), self.read)
        validator = self.written.validator(parts)
        found: dict[str, Any] = {}
        most = _MAX_INSIDE if depth or focus else _MAX_VALUES
        for value in self.candidates(said, other, depth, focus):
            if len(found) >= most:
                break
            if repr(value) not in found and validator.is_valid(value):
                found[repr(value)] = value
        return list(found.values())

    def candidates(self, said: Constraints, other: Constraints, depth: int, focus: NamePath) -> Iterator[Any]:
        """Yield values that may fit."""
        if said.finite is not None:
            yield from said.finite
            return
        cases = list(said.branches())
        if cases and depth < _MAX_DEPTH:
            for case in cases:
                yield from self.candidates(Constraints(case, said.space), other, depth + 1, focus)
            return
        if other.finite is not None:
            yield from other.finite
        names = said.types
        if "object" in names and (focus or depth < _MAX_DEPTH):
            yield from self.objects(said, other, depth, focus)
        if "string" in names:
            yield from _sample_texts(said, other)
        if "integer" in names:
            yield from _sample_numbers(said, other, fractions="fraction" in names)
        yield from (value for name, value in (("boolean", True), ("boolean", False), ("null", None)) if name in names)
        if "array" in names and (focus or depth < _MAX_DEPTH):
            yield from self.arrays(said, other, depth, focus)

    def objects(self, said: Constraints, other: Constraints, depth: int, focus: NamePath) -> Iterator[dict[str, Any]]:
        """Yield objects: with everything, with what must be there, with one property left out or of another value.

        Raises:
            ValueError: there are too many properties to try each.
        """
        names = dict.fromkeys((*said.declared, *sorted(said.required)))
        if len(names) > _MAX_NAMES:
            message = f"an object has {len(names):,} properties"
            raise ValueError(message)
        values = {name: self.values(said.of_name(name), other.of_name(name), depth + 1) for name in names}
        for text in said.patterns:
            name = matching_text(text)
            if name is not None and name not in values:
                values[name] = self.values(said.of_name(name), other.of_name(name), depth + 1)
        whole = {name: found[0] for name, found in values.items() if found}
        least = {name: value for name, value in whole.items() if name in said.required}
        for name in focus[:1]:
            inner = self.values(said.of_name(name), other.of_name(name), depth + 1, focus[1:]) if name in values else []
            yield {key: value for key, value in whole.items() if key != name}
            yield from ({**base, name: value} for value in inner for base in (whole, least))
        yield from (whole, least)
        beyond = self.values(said.others, other.others, depth + 1)
        yield from ({**base, _UNDESCRIBED: value} for base in (whole, least) for value in beyond)
        for name, value in whole.items():
            yield {key: other for key, other in whole.items() if key != name}
            yield {**least, name: value}
        for name, found in values.items():
            yield from ({**base, name: value} for value in found[1:] for base in (whole, least))

    def arrays(self, said: Constraints, other: Constraints, depth: int, focus: NamePath) -> Iterator[list[Any]]:
        """Yield arrays of the lengths at which something changes."""
        places = max(said.places, other.places, 1)
        if focus:
            inner = self.values(said.item(places), other.item(places), depth + 1, focus[1:])
            yield from ([value] for value in inner)
        items = [self.values(said.item(index), other.item(index), depth + 1) for index in range(places + 1)]
        first = [found[0] for found in items if found]
        lengths = {0, 1, 2, places, places + 1}
        for keyword in ("minItems", "maxItems"):
            for bound in (*said.stated(keyword), *other.stated(keyword)):
                lengths |= {int(bound) - 1, int(bound), int(bound) + 1}
        if len(first) == len(items):
            for length in sorted(length for length in lengths if 0 <= length <= _MAX_LENGTH):
                yield (first + first[-1:] * length)[:length]
        yield list(items[-1])
        for index, found in enumerate(items):
            yield from ([*first[:index], value] for value in found)
            yield from ([*first[:index], value, *first[index + 1 :]] for value in found)


def _sample_texts(said: Constraints, other: Constraints) -> Iterator[str]:
    """Yield texts by format, pattern and length."""
    for form in (*said.stated("format"), *other.stated("format")):
        if form in SAMPLE_TEXTS:
            yield SAMPLE_TEXTS[form]
    least, most = said.largest("minLength"), said.smallest("maxLength")
    for text in (*said.stated("pattern"), *other.stated("pattern")):
        for length in {0, int(least or 0)}:
            found = matching_text(text, length, None if most is None else int(most))
            if found is not None:
                yield found
    yield from ("text", "", "0", "1.5", "A")
    for keyword in ("minLength", "maxLength"):
        for bound in (*said.stated(keyword), *other.stated(keyword)):
            for length in (int(bound), int(bound) + 1, int(bound) - 1):
                if 0 <= length <= 10 * _MAX_LENGTH:
                    yield "x" * length


def _sample_numbers(said: Constraints, other: Constraints, *, fractions: bool) -> Iterator[Any]:
    """Yield numbers at and beside the bounds."""
    stated = [item for side in (said, other) for name in _BOUNDS for item in side.stated(name) if is_number(item)]
    yield from (1, 0, -1)
    for bound in stated:
        whole = int(bound) if abs(bound) < 2**200 else 0
        yield from (whole, whole + 1, whole - 1, whole * 2, whole * 3)
    if fractions:
        yield from (1.5, 0.5)
        yield from (value for bound in stated if abs(bound) < 2**50 for value in (bound, bound + 0.5, bound - 0.5))
