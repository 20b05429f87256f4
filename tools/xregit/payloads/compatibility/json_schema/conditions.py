"""Conditions of JSON Schema: keywords whose schemas say when another counts, or what must not be there.

Their schemas are compared in both senses: what is narrower inside "not" or "if" is wider outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.payloads.compatibility.json_schema.constraints import Constraints, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from xregit.payloads.compatibility.json_schema.constraints import Parts, Space
    from xregit.payloads.compatibility.json_schema.subsumption import Proof

_DEPENDENTS = ("dependentRequired", "dependentSchemas", "dependencies")
_MAX_DEPTH = 3


def unproved(proof: Proof, constraints: Constraints, part: Part) -> Iterator[str]:
    """Yield the keywords of a part that set conditions of which it isn't proved that the writer keeps them."""
    for keyword, (type_, follows) in _CONDITIONS.items():
        is_about = type_ is None or type_ in constraints.types
        if keyword in part.schema and is_about and not follows(proof, constraints, part):
            yield keyword


def _if_follows(proof: Proof, constraints: Constraints, part: Part) -> bool:
    """Return whether both cases are kept whatever the condition says, or the writer has the same condition for them."""
    targets = {name: part.inner(part.schema[name], name) for name in ("then", "else") if name in part.schema}
    if all(_is_proved(proof, constraints.parts, target) for target in targets.values()):
        return True
    condition = part.inner(part.schema["if"], "if")
    for other in constraints.objects:
        if "if" in other.schema and _is_same(proof, other.inner(other.schema["if"], "if"), condition):
            cases = {name: (other.inner(other.schema[name], name),) for name in targets if name in other.schema}
            if all(
                _is_proved(proof, (*constraints.parts, *cases.get(name, ())), target)
                for name, target in targets.items()
            ):
                return True
    return False


def _not_follows(proof: Proof, constraints: Constraints, part: Part) -> bool:
    """Return whether no value of the writer is what is forbidden, or the writer forbids at least as much."""
    forbidden = part.inner(part.schema["not"], "not")
    if are_disjoint(constraints, proof.reader, forbidden):
        return True
    others = (other.inner(other.schema["not"], "not") for other in constraints.objects if "not" in other.schema)
    return any(_is_proved(proof.reversed(), (forbidden,), other) for other in others)


def _contains_follows(proof: Proof, constraints: Constraints, part: Part) -> bool:
    """Return whether so many items are what the reader counts as it wants."""
    least, most = part.schema.get("minContains", 1), part.schema.get("maxContains")
    wanted = part.inner(part.schema["contains"], "contains")
    actual_least = 0
    for other in constraints.objects:
        if "contains" in other.schema:
            counted = other.inner(other.schema["contains"], "contains")
            if _is_proved(proof, (counted,), wanted):
                actual_least = max(actual_least, other.schema.get("minContains", 1))
            limit = other.schema.get("maxContains")
            if most is not None and limit is not None and limit <= most:
                most = None if _is_proved(proof.reversed(), (wanted,), counted) else most
    length = constraints.smallest("maxItems")
    fits = most is None or (length is not None and length <= most)
    if fits and least > actual_least:
        number = constraints.largest("minItems") or 0
        indexes = range(constraints.places + 1)
        return number >= least and all(_is_proved(proof, constraints.item(index), wanted) for index in indexes)
    return bool(fits)


def _names_follow(proof: Proof, constraints: Constraints, part: Part) -> bool:
    """Return whether all names are allowed: those of closed objects, or as the writer's schema of names has them."""
    wanted = part.inner(part.schema["propertyNames"], "propertyNames")
    names = [
        other.inner(other.schema["propertyNames"], "propertyNames")
        for other in constraints.objects
        if "propertyNames" in other.schema
    ]
    texts: Any = {"type": "string"}
    if any(other.schema is False for other in constraints.others) and not constraints.patterns:
        texts = {"enum": list(constraints.declared)}
    return _is_proved(proof, (*names, _assumption(part, texts)), wanted)


def _dependents_follow(keyword: str) -> Callable[[Proof, Constraints, Part], bool]:
    def follows(proof: Proof, constraints: Constraints, part: Part) -> bool:
        for name, target in part.schema[keyword].items():
            schema = {"required": target} if isinstance(target, list) else target
            present = _assumption(part, {"required": [name]})
            consequences = (inner for other in constraints.objects for inner in _consequences(proof, other, name))
            parts = (*constraints.parts, present, *consequences)
            if any(inner.schema is False for inner in constraints.of_name(name)):
                continue
            if not _is_proved(proof, parts, part.inner(schema, keyword, name)):
                return False
        return True

    return follows


def _consequences(proof: Proof, part: Part, name: str) -> Iterator[Part]:
    """Yield the schemas of a writer's part that count where a property is there."""
    for keyword in _DEPENDENTS:
        # Later drafts have others in its place, and not all readers of theirs heed it.
        is_certain = (
            keyword != "dependencies"
            or proof.writer.draft <= jsonschema_rs.Draft7
            or proof.reader.draft > jsonschema_rs.Draft7
        )
        table = part.schema.get(keyword)
        if is_certain and isinstance(table, dict) and name in table:
            target = table[name]
            yield part.inner({"required": target} if isinstance(target, list) else target, keyword, name)


def _assumption(part: Part, schema: Mapping[str, Any]) -> Part:
    return Part(schema, part.resolver, f"assumption {schema}")


def _is_proved(proof: Proof, parts: Parts, reader: Part) -> bool:
    return not proof.gaps(parts, reader, ())


def _is_same(proof: Proof, writer: Part, reader: Part) -> bool:
    return _is_proved(proof, (writer,), reader) and _is_proved(proof.reversed(), (reader,), writer)


_CONDITIONS: Mapping[str, tuple[str | None, Callable[[Proof, Constraints, Part], bool]]] = {
    "if": (None, _if_follows),
    "not": (None, _not_follows),
    "contains": ("array", _contains_follows),
    "propertyNames": ("object", _names_follow),
    **{keyword: ("object", _dependents_follow(keyword)) for keyword in _DEPENDENTS},
}


def are_disjoint(constraints: Constraints, space: Space, part: Part, depth: int = 0) -> bool:
    """Return whether no value of parts that apply together fits a schema."""
    reader = Constraints(tuple(space.flat(part)), space)
    if not constraints.types & reader.types:
        return True
    if constraints.finite is not None:
        validator = space.validator((part,))
        space.budget.spend(len(constraints.finite))
        return not any(validator.is_valid(value) for value in constraints.finite)
    if constraints.types & reader.types != {"object"} or depth > _MAX_DEPTH:
        return False
    return any(_property_disjoint(constraints, reader, name, depth) for name in constraints.required)


def _property_disjoint(constraints: Constraints, reader: Constraints, name: str, depth: int) -> bool:
    """Return whether a property that is always there can't be what both want."""
    inner = tuple(flat for part in constraints.of_name(name) for flat in constraints.space.flat(part))
    return bool(inner) and any(
        are_disjoint(Constraints(inner, constraints.space), reader.space, part, depth + 1)
        for part in reader.of_name(name)
    )
