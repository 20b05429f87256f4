"""Whether two JSON Schemas have no value in common, as far as types, lists of values and their properties show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.payloads.compatibility.jsonschema.said import Said

if TYPE_CHECKING:
    from xregit.payloads.compatibility.jsonschema.parts import Part, Space

_MAX_DEPTH = 3


def disjoint(said: Said, space: Space, part: Part, depth: int = 0) -> bool:
    """Tell whether nothing that parts say together fits a schema."""
    other = Said(tuple(space.flat(part)), space)
    if not said.types & other.types:
        return True
    if said.finite is not None:
        validator = space.validator((part,))
        return not any(validator.is_valid(value) for value in said.finite)
    if said.types & other.types != {"object"} or depth > _MAX_DEPTH:
        return False
    return any(_apart(said, other, name, depth) for name in said.required)


def _apart(said: Said, other: Said, name: str, depth: int) -> bool:
    """Tell whether a property that is always there can't be what both want."""
    inner = tuple(flat for part in said.of_name(name) for flat in said.space.flat(part))
    return bool(inner) and any(
        disjoint(Said(inner, said.space), other.space, part, depth + 1) for part in other.of_name(name)
    )
