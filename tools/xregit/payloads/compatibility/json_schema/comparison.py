"""JSON Schema and JSON Structure: why a schema may not read what was written with another.

Either all values of the one are values of the other, or an example shows that they are not, or it can't be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.json_pointer import KeyPath, NamePath
from xregit.model.quoting import to_json
from xregit.payloads.base import PayloadError
from xregit.payloads.compatibility.json_schema.constraints import Part, Space
from xregit.payloads.compatibility.json_schema.counterexamples import Sampler
from xregit.payloads.compatibility.json_schema.subsumption import ANY, ITEM, Gap, Proof
from xregit.payloads.compatibility.verdicts import ROOT, Answer, Reason
from xregit.payloads.json_schema.codec import JsonSchema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xregit.payloads.json_structure.schema import JsonStructure


def reasons(written: JsonSchema | JsonStructure, read: JsonSchema | JsonStructure) -> Iterator[Reason]:
    """Yield why the second schema may not accept a value of the first."""
    try:
        yield from _find_reasons(written, read)
    except (LookupError, ValueError, jsonschema_rs.ReferencingError):
        # A reference that can't be followed, or a schema that can't be taken out of its document, allows no proof.
        yield Reason("large", ROOT, words={"proof": ""})


def _find_reasons(written: JsonSchema | JsonStructure, read: JsonSchema | JsonStructure) -> Iterator[Reason]:
    one, other = _json_schema(written), _json_schema(read)
    spaces = Space(one.loaded, _has_formats(written, one)), Space(other.loaded, _has_formats(read, other))
    root, reader = spaces[0].root(one.pointer), spaces[1].root(other.pointer)
    gaps = list(dict.fromkeys(Proof(*spaces).gaps((root,), reader, ())))
    if gaps:
        values = [*_own_example(one), *_sample(Sampler(*spaces), root, reader, gaps)]
        refused = list(_find_refused(other, [value for value in values if one.validator.is_valid(value)]))
        yield from _reasons(gaps, refused)


def _sample(sampling: Sampler, root: Part, reader: Part, gaps: list[Gap]) -> list[Any]:
    """Return values of the one schema, and for each gap those that differ at its place."""
    try:
        found = sampling.values((root,), (reader,))
        paths = dict.fromkeys(gap.path for gap in gaps[:_MAX_FOCUSED])
        return [*found, *(value for path in paths for value in sampling.values((root,), (reader,), 0, path))]
    except (LookupError, ValueError, jsonschema_rs.ReferencingError):
        # A part that has an address of its own can't be taken out of its document.
        return []


_MAX_FOCUSED = 16


# A value that is refused, with each place and keyword that refuses it.
Refused = tuple[Any, list[tuple[KeyPath, str]]]


def _find_refused(read: JsonSchema, values: list[Any]) -> Iterator[Refused]:
    for value in values:
        # A schema that is false as a whole has no keyword that refuses.
        errors = [
            (tuple(error.instance_path), "".join(map(str, error.schema_path[-1:])))
            for error in read.validator.iter_errors(value)
        ]
        if errors:
            yield value, errors


def _reasons(gaps: list[Gap], refused: list[Refused]) -> Iterator[Reason]:
    """Yield a reason for each gap, with the first example of it; what no gap explains is told of the first one."""
    shortest = sorted(refused, key=lambda item: (len(item[1]), len(repr(item[0]))))
    examples = {gap: next((value for value, errors in shortest if _shows(gap, value, errors)), _NONE) for gap in gaps}
    told = [gap for gap in gaps if not gap.undescribed] or gaps
    if refused and all(value is _NONE for value in examples.values()):
        examples[told[0]] = shortest[0][0]
    for gap, value in examples.items():
        shows = value is not _NONE
        words: Mapping[str, str] = {"proof": f", as {to_json(value)} shows" if shows else ""}
        where = _place_text(gap.path)
        yield Reason(gap.kind, where, gap.written, gap.read, words, Answer.NO if shows else None)


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
        isinstance(step, int) if due == ITEM else due in {ANY, step} for due, step in zip(place, path, strict=True)
    )


def _place_text(path: NamePath) -> str:
    return "".join(step if step == ITEM else f".{step}" for step in path).lstrip(".") or ROOT


def _json_schema(stated: JsonSchema | JsonStructure) -> JsonSchema:
    return stated if isinstance(stated, JsonSchema) else stated.schema


def _has_formats(stated: JsonSchema | JsonStructure, schema: JsonSchema) -> bool:
    """Return whether "format" refuses values: in JSON Schema only up to draft 07, later ones take it for a remark."""
    return not isinstance(stated, JsonSchema) or schema.loaded.draft.number <= jsonschema_rs.Draft7


def _own_example(schema: JsonSchema) -> list[Any]:
    """Return the example that the schema makes of itself."""
    try:
        return [schema.example()]
    except PayloadError:
        return []
