"""JSON Schema and JSON Structure: why a schema may not read what was written with another.

Either all values of the one are values of the other, or an example shows that they are not, or neither can be shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import jsonschema_rs

from xregit.json_pointer import KeyPath, NamePath
from xregit.model.excerpts import to_json
from xregit.payloads.base import PayloadError
from xregit.payloads.compatibility.base import ROOT, Answer, Budget, Reason, TooLargeError
from xregit.payloads.compatibility.json_schema.constraints import Constraints, Part, Parts, Space
from xregit.payloads.compatibility.json_schema.subsumption import ANY, ITEM, Gap, Proof
from xregit.payloads.json_schema.codec import JsonSchema
from xregit.payloads.json_schema.lint import is_number
from xregit.payloads.sample_texts import SAMPLE_TEXTS, matching_text

_MAX_DEPTH = 6
_MAX_INSIDE = 24
_MAX_VALUES = 600
_MAX_LENGTH = 40
_MAX_NAMES = 2_000
_STEPS_PER_TEXT = 500
_UNDESCRIBED = "undescribed"
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const")


@dataclass(frozen=True, slots=True)
class Sampler:
    """Makes values of a writer's schemas, at the bounds of both sides and along a path."""

    writer: Space
    reader: Space
    cache: dict[tuple[Any, ...], list[Any]] = field(default_factory=dict)

    def values(self, parts: Parts, others: Parts, depth: int = 0, focus: NamePath = ()) -> list[Any]:
        """Return values that fit all parts, the plainest first, at the bounds of either side."""
        key = (*(part.key for part in parts), "", *(part.key for part in others), depth, focus)
        if key in self.cache:
            return self.cache[key]
        constraints = Constraints(tuple(flat for part in parts for flat in self.writer.flat(part)), self.writer)
        other = Constraints(tuple(flat for part in others for flat in self.reader.flat(part)), self.reader)
        validator = self.writer.validator(parts)
        values: dict[str, Any] = {}
        most = _MAX_INSIDE if depth or focus else _MAX_VALUES
        for value in self.candidates(constraints, other, depth, focus):
            if len(values) >= most:
                break
            text = repr(value)
            if text not in values:
                self.writer.spend_on(text)
                if validator.is_valid(value):
                    values[text] = value
        self.cache[key] = list(values.values())
        return self.cache[key]

    def candidates(self, constraints: Constraints, other: Constraints, depth: int, focus: NamePath) -> Iterator[Any]:
        """Yield values that may fit."""
        if constraints.finite is not None:
            yield from constraints.finite
            return
        cases = list(constraints.branches())
        if cases and depth < _MAX_DEPTH:
            for case in cases:
                yield from self.candidates(Constraints(case, constraints.space), other, depth + 1, focus)
            return
        if other.finite is not None:
            yield from other.finite
        names = constraints.types
        if "object" in names and (focus or depth < _MAX_DEPTH):
            yield from self.objects(constraints, other, depth, focus)
        if "string" in names:
            yield from _sample_texts(constraints, other)
        if "integer" in names:
            yield from _sample_numbers(constraints, other, fractions="fraction" in names)
        yield from (value for name, value in (("boolean", True), ("boolean", False), ("null", None)) if name in names)
        if "array" in names and (focus or depth < _MAX_DEPTH):
            yield from self.arrays(constraints, other, depth, focus)

    def objects(
        self, constraints: Constraints, other: Constraints, depth: int, focus: NamePath
    ) -> Iterator[dict[str, Any]]:
        """Yield objects: with everything, with what must be there, with one property left out or of another value.

        Raises:
            ValueError: there are too many properties to try each.
        """
        names = dict.fromkeys((*constraints.declared, *sorted(constraints.required), *focus[:1]))
        if len(names) > _MAX_NAMES:
            raise ValueError(f"an object has {len(names):,} properties")
        values = {name: self.values(constraints.of_name(name), other.of_name(name), depth + 1) for name in names}
        for text in constraints.patterns:
            constraints.space.budget.spend(_STEPS_PER_TEXT)
            name = matching_text(text)
            if name is not None and name not in values:
                values[name] = self.values(constraints.of_name(name), other.of_name(name), depth + 1)
        whole = {name: choices[0] for name, choices in values.items() if choices}
        least = {name: value for name, value in whole.items() if name in constraints.required}
        for name in focus[:1]:
            yield {key: value for key, value in whole.items() if key != name}
            if name in values:
                inner = self.values(constraints.of_name(name), other.of_name(name), depth + 1, focus[1:])
                yield from ({**base, name: value} for value in inner for base in (whole, least))
        yield from (whole, least)
        beyond = self.values(constraints.others, other.others, depth + 1)
        yield from ({**base, _UNDESCRIBED: value} for base in (whole, least) for value in beyond)
        for name, value in whole.items():
            yield {key: other for key, other in whole.items() if key != name}
            yield {**least, name: value}
        for name, choices in values.items():
            yield from ({**base, name: value} for value in choices[1:] for base in (whole, least))

    def arrays(self, constraints: Constraints, other: Constraints, depth: int, focus: NamePath) -> Iterator[list[Any]]:
        """Yield arrays of the lengths at which something changes."""
        places = max(constraints.places, other.places, 1)
        if focus:
            inner = self.values(constraints.item(places), other.item(places), depth + 1, focus[1:])
            yield from ([value] for value in inner)
        items = [self.values(constraints.item(index), other.item(index), depth + 1) for index in range(places + 1)]
        first = [values[0] for values in items if values]
        lengths = {0, 1, 2, places, places + 1}
        for keyword in ("minItems", "maxItems"):
            for bound in (*constraints.values_of(keyword), *other.values_of(keyword)):
                lengths |= {int(bound) - 1, int(bound), int(bound) + 1}
        if len(first) == len(items):
            for length in sorted(length for length in lengths if 0 <= length <= _MAX_LENGTH):
                yield (first + first[-1:] * length)[:length]
        yield list(items[-1])
        for index, values in enumerate(items):
            yield from ([*first[:index], value] for value in values)
            yield from ([*first[:index], value, *first[index + 1 :]] for value in values)


def _sample_texts(constraints: Constraints, other: Constraints) -> Iterator[str]:
    """Yield texts by format, pattern and length."""
    for form in (*constraints.values_of("format"), *other.values_of("format")):
        if form in SAMPLE_TEXTS:
            yield SAMPLE_TEXTS[form]
    least, limit = constraints.largest("minLength"), constraints.smallest("maxLength")
    for text in (*constraints.values_of("pattern"), *other.values_of("pattern")):
        constraints.space.budget.spend(_STEPS_PER_TEXT)
        for length in {0, int(least or 0)}:
            match = matching_text(text, length, None if limit is None else int(limit))
            if match is not None:
                yield match
    yield from ("text", "", "0", "1.5", "A")
    for keyword in ("minLength", "maxLength"):
        for bound in (*constraints.values_of(keyword), *other.values_of(keyword)):
            for length in (int(bound), int(bound) + 1, int(bound) - 1):
                if 0 <= length <= 10 * _MAX_LENGTH:
                    yield "x" * length


def _sample_numbers(constraints: Constraints, other: Constraints, *, fractions: bool) -> Iterator[Any]:
    """Yield numbers at and beside the bounds."""
    values = [item for name in _BOUNDS for item in (*constraints.values_of(name), *other.values_of(name))]
    bounds = list(filter(is_number, values))
    yield from (1, 0, -1)
    for bound in bounds:
        whole = int(bound) if abs(bound) < 2**200 else 0
        yield from (whole, whole + 1, whole - 1, whole * 2, whole * 3)
    if fractions:
        yield from (1.5, 0.5)
        yield from (value for bound in bounds if abs(bound) < 2**50 for value in (bound, bound + 0.5, bound - 0.5))


def reasons(writer: JsonSchema, reader: JsonSchema, budget: Budget) -> Iterator[Reason]:
    """Yield why the second schema may not accept a value of the first."""
    try:
        yield from _find_reasons(writer, reader, budget)
    except (LookupError, ValueError, jsonschema_rs.ReferencingError):
        # A reference that can't be followed, or a schema that can't be taken out of its document, allows no proof.
        yield Reason("large", ROOT, words={"proof": ""})


def _find_reasons(writer: JsonSchema, reader: JsonSchema, budget: Budget) -> Iterator[Reason]:
    spaces = Space(writer.loaded, writer.formats, budget), Space(reader.loaded, reader.formats, budget)
    parts = spaces[0].root(writer.pointer), spaces[1].root(reader.pointer)
    drafts = writer.loaded.draft, reader.loaded.draft
    if drafts[0] != drafts[1] and any(draft.number <= jsonschema_rs.Draft4 for draft in drafts):
        # Up to draft 04, 1.0 is no integer, and other keywords are older.
        gaps = [Gap("draft", (), "", drafts[0].name, drafts[1].name)]
    else:
        gaps = list(dict.fromkeys(Proof(*spaces).gaps(parts[:1], parts[1], ())))
    if gaps:
        # An example may show what the proof had no budget left to find, so looking for one has a budget of its own.
        examples = Budget()
        sampler = Sampler(replace(spaces[0], budget=examples), replace(spaces[1], budget=examples))
        values = _sample(writer, sampler, parts, gaps)
        yield from _reasons(gaps, list(_find_refused(writer, reader, values, sampler)))


def _sample(writer: JsonSchema, sampler: Sampler, parts: tuple[Part, Part], gaps: list[Gap]) -> Iterator[Any]:
    """Yield values of the one schema, and for each gap those that differ at its place."""
    with suppress(PayloadError):
        yield writer.example()
    # A part that has an address of its own can't be taken out of its document.
    with suppress(LookupError, ValueError, jsonschema_rs.ReferencingError, TooLargeError):
        for path in ((), *dict.fromkeys(gap.path for gap in gaps[:_MAX_FOCUSED] if not gap.undescribed)):
            yield from sampler.values(parts[:1], parts[1:], 0, path)


_MAX_FOCUSED = 16


# A value that is refused, with each place and keyword that refuses it.
Refused = tuple[Any, list[tuple[KeyPath, str]]]


def _find_refused(writer: JsonSchema, reader: JsonSchema, values: Iterable[Any], sampler: Sampler) -> Iterator[Refused]:
    with suppress(TooLargeError):
        for value in values:
            text = repr(value)
            sampler.writer.spend_on(text)
            sampler.reader.spend_on(text)
            if writer.accepts(value) and not reader.accepts(value):
                # A schema that is false as a whole has no keyword that refuses.
                errors = [
                    (tuple(error.instance_path), "".join(map(str, error.schema_path[-1:])))
                    for error in reader.validator.iter_errors(value)
                ]
                sampler.reader.budget.spend((20 + len(text) // 20) * len(errors))
                if errors:
                    yield value, errors


def _reasons(gaps: list[Gap], refused: list[Refused]) -> Iterator[Reason]:
    """Yield a reason for each gap, with an example of it; a refusal that no gap explains counts for the first."""
    shortest = sorted(refused, key=lambda item: (len(item[1]), len(repr(item[0]))))
    examples = {gap: next((value for value, errors in shortest if _shows(gap, value, errors)), _NONE) for gap in gaps}
    described = [gap for gap in gaps if not gap.undescribed] or gaps
    if refused and all(value is _NONE for value in examples.values()):
        examples[described[0]] = shortest[0][0]
    for gap, value in examples.items():
        shows = value is not _NONE
        words = {"proof": f"; for example {to_json(value)}" if shows else "", "keyword": gap.keyword}
        where = "".join(step if step == ITEM else f".{step}" for step in gap.path).lstrip(".") or ROOT
        yield Reason(gap.kind, where, gap.writer, gap.reader, words, Answer.NO if shows else None)


_NONE = object()


def _shows(gap: Gap, value: Any, errors: list[tuple[KeyPath, str]]) -> bool:
    return not gap.undescribed and any(
        _matches_place(gap.place, path) and gap.keyword in {"", keyword} and _lacks(gap, value, path)
        for path, keyword in errors
    )


def _lacks(gap: Gap, value: Any, path: KeyPath) -> bool:
    """Return whether the value there lacks the property that a gap is about, if it is about a required one."""
    for step in path:
        value = value[step]
    return gap.keyword != "required" or gap.path[-1] not in value


def _matches_place(place: NamePath, path: KeyPath) -> bool:
    return len(place) == len(path) and all(
        isinstance(step, int) if name == ITEM else name in {ANY, step} for name, step in zip(place, path, strict=True)
    )
