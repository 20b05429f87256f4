"""JSON Schema and JSON Structure: why a schema may not read what was written with another.

Either all values of the one are values of the other, or an example shows that they are not, or neither can be shown.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.json_pointer import KeyPath, NamePath
from xregit.model.quoting import to_json
from xregit.payloads.base import PayloadError
from xregit.payloads.compatibility.base import ROOT, Answer, Reason
from xregit.payloads.compatibility.budget import Budget, TooLargeError
from xregit.payloads.compatibility.json_schema.constraints import Part, Space
from xregit.payloads.compatibility.json_schema.counterexamples import Sampler
from xregit.payloads.compatibility.json_schema.subsumption import ANY, ITEM, Gap, Proof

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xregit.payloads.json_schema.codec import JsonSchema


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
        for path in ((), *dict.fromkeys(gap.path for gap in gaps[:_MAX_FOCUSED])):
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
        words: Mapping[str, str] = {"proof": f", as {to_json(value)} shows" if shows else ""}
        where = _place_text(gap.path)
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


def _place_text(path: NamePath) -> str:
    return "".join(step if step == ITEM else f".{step}" for step in path).lstrip(".") or ROOT
