"""Subsumption: a proof that all values of one JSON Schema are values of another, or the gaps where the proof fails.

Whatever the writer's schema says beyond what is understood here is left out; that may make the proof fail, but it can't
make it wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from xregit.json_pointer import KeyPath, NamePath
from xregit.model.excerpts import comma_list, to_json
from xregit.payloads.compatibility.base import TooLargeError
from xregit.payloads.compatibility.json_schema.constraints import (
    NUMBERS,
    TYPES,
    Constraints,
    Part,
    Parts,
    Space,
    allowed_types,
    compile_pattern,
    prefix_items,
    rest_items,
)
from xregit.payloads.json_schema.lint import is_number
from xregit.payloads.json_schema.subschemas import map_subschemas, subschemas

# Keywords that are not taken apart, by those that they go with, and the type that they are about: the same condition
# is kept, of others nothing can be told.
_CONDITIONS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "if": (("if", "then", "else"), ""),
    "not": (("not",), ""),
    "contains": (("contains", "minContains", "maxContains"), "array"),
    **{
        name: ((name,), "object") for name in ("propertyNames", "dependentRequired", "dependentSchemas", "dependencies")
    },
}
_MAX_DEPTH = 3


def are_disjoint(constraints: Constraints, space: Space, part: Part, depth: int = 0) -> bool:
    """Return whether no value of parts that apply together fits a schema."""
    reader = Constraints(tuple(space.flat(part)), space)
    if not constraints.types & reader.types:
        return True
    if constraints.finite is not None:
        return not any(space.accepted(part, constraints.finite))
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


# Names of properties from the root; ITEM stands for any index, ANY for any name.
ITEM, ANY = "[]", "*"
_MAX_SPLITS = 6
_MAX_LISTED = 5
_UNREAD = ("$dynamicRef", "$recursiveRef")
# What refuses no value by itself.
_DESCRIBING = frozenset(
    {"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment"}
    | {"$schema", "$id", "id", "$anchor", "$defs", "definitions"}
)


@dataclass(frozen=True, slots=True)
class Gap:
    """A place where a value may be written that isn't read; ``keyword`` would refuse it, at ``at`` if not at the place.

    An ``undescribed`` gap is about properties that the writer's schema allows, but does not describe.
    """

    kind: str
    path: NamePath
    keyword: str
    writer: str = ""
    reader: str = ""
    at: NamePath | None = None
    undescribed: bool = False

    @property
    def place(self) -> NamePath:
        """Where a validator reports it."""
        return self.path if self.at is None else self.at


@dataclass(slots=True)
class Proof:
    """One proof; a pair that is met again while it is compared counts as proved, since the rest decides."""

    writer: Space
    reader: Space
    proved: dict[tuple[frozenset[str], str], None] = field(default_factory=dict)

    def gaps(self, parts: Parts, reader: Part, path: NamePath, splits: int = 0) -> list[Gap]:
        """Return the gaps between parts that apply together and a schema that reads."""
        key = frozenset(part.key for part in parts), reader.key
        if key in self.proved:
            return []
        earlier = len(self.proved)
        self.proved[key] = None
        gaps: list[Gap] = []
        try:
            constraints = Constraints(tuple(flat for part in parts for flat in self.writer.flat(part)), self.writer)
            if constraints.types:
                gaps += (gap for part in self.reader.flat(reader) for gap in self.of_part(constraints, part, path))
            if gaps and splits < _MAX_SPLITS:
                gaps = self.split(constraints, reader, path, gaps, splits)
        except TooLargeError:
            gaps.append(Gap("large", path, ""))
        if gaps:
            # Pairs that were proved on the assumption that this one holds are compared again where they are met.
            while len(self.proved) > earlier:
                self.proved.popitem()
        return gaps

    def split(self, constraints: Constraints, reader: Part, path: NamePath, gaps: list[Gap], splits: int) -> list[Gap]:
        """Return the gaps case by case, where the writer has cases: its alternatives, else its types."""
        cases = list(constraints.branches())
        whole = [gap for gap in gaps if gap.kind == "type" and gap.path == path] if not cases else []
        if not cases and any(gap.kind in {"alternatives", "type"} for gap in gaps):
            cases = list(_split_by_type(constraints))
        if not cases:
            return gaps
        by_case = [gap for case in cases for gap in self.gaps(case, reader, path, splits + 1)]
        if whole:
            by_case = [whole[0] if gap.kind == "type" and gap.path == path else gap for gap in by_case]
        return list(dict.fromkeys(by_case))

    def of_part(self, constraints: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps that one schema leaves."""
        self.reader.budget.spend(20 + 5 * len(constraints.parts))
        if part.schema is True:
            return
        if part.schema is False:
            yield Gap("forbidden", path, "")
            return
        finite = constraints.finite
        if finite is not None and constraints.enumerations:
            yield from self.of_values(finite, part, path)
            return
        if not constraints.types <= allowed_types(part.schema):
            yield Gap("type", path, "type", _type_phrase(constraints.types), _type_phrase(allowed_types(part.schema)))
            # The gap for the other types is found: what follows is about the types that are read.
            types = part.inner({"type": part.schema["type"]}, "type")
            constraints = Constraints((*constraints.parts, types), constraints.space)
        elif finite is not None:
            yield from self.of_values(finite, part, path)
            return
        yield from self.of_single(constraints, part, path)
        if "object" in constraints.types:
            yield from self.of_object(constraints, part, path)
        if "array" in constraints.types:
            yield from self.of_array(constraints, part, path)
        yield from self.of_alternatives(constraints, part, path)

    def of_values(self, values: list[Any], part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the values of a list that aren't read."""
        accepted = self.reader.accepted(part, values)
        refused = [value for value, fits in zip(values, accepted, strict=True) if not fits]
        if refused:
            more = len(refused) - _MAX_LISTED
            texts = [*map(to_json, refused[:_MAX_LISTED]), *([f"{more} more"] if more > 0 else [])]
            yield Gap("values", path, "", comma_list(texts))

    def of_single(self, constraints: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield keywords of single values that don't follow, and those that nothing here understands."""
        schema = part.schema
        for keyword, (about, kind, implied) in SCALAR_KEYWORDS.items():
            if keyword in schema and about & constraints.types and not implied(constraints, schema):
                values = constraints.values_of(keyword)
                yield Gap(kind, path, keyword, to_json(values[0]) if values else "", to_json(schema[keyword]))
        if "enum" in schema or "const" in schema:
            yield Gap("enum", path, "enum" if "enum" in schema else "const")
        # Not all drafts know the same formats.
        formats = constraints.values_of("format") if self.writer.draft == self.reader.draft else []
        formats += [] if self.reader.formats else [schema.get("format")]
        if "format" in schema and "string" in constraints.types and schema["format"] not in formats:
            yield Gap("pattern", path, "format", "", to_json(schema["format"]))
        for keyword, (group, type_) in _CONDITIONS.items():
            is_about = not type_ or type_ in constraints.types
            if keyword in schema and is_about and not self.has_same(constraints, part, keyword, group):
                yield Gap("condition", path, keyword)
        if any(name in schema for name in _UNREAD):
            yield Gap("large", path, "")

    def has_same(self, constraints: Constraints, part: Part, keyword: str, group: tuple[str, ...]) -> bool:
        """Return whether the writer has the same keyword, with those that go with it."""
        others = (other.only(group) for other in constraints.objects if keyword in other.schema)
        return self.writer.draft == self.reader.draft and any(
            self.is_same(other, part.only(group), frozenset()) for other in others
        )

    def is_same(self, one: Part, other: Part, trail: frozenset[tuple[str, str]]) -> bool:
        """Return whether two schemas are the same but for what describes, wherever their references lead."""
        self.reader.budget.spend(10)
        one, other = self.writer.anchor(one), self.reader.anchor(other)
        if (one.key, other.key) in trail:
            return True
        if not isinstance(one.schema, dict) or not isinstance(other.schema, dict):
            return bool(one.schema == other.schema)
        if any(name in one.schema for name in _UNREAD) or _outline(one.schema) != _outline(other.schema):
            return False
        trail |= {(one.key, other.key)}
        pairs = [
            (one.inner(inner, *step), other.inner(outer, *step))
            for (keyword, step, inner), (_, _, outer) in zip(_inner(one.schema), _inner(other.schema), strict=True)
        ]
        if "$ref" in one.schema:
            pairs.append((self.writer.target(one), self.reader.target(other)))
        return all(self.is_same(*pair, trail) for pair in pairs)

    def of_object(self, constraints: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of an object's properties."""
        schema = part.schema
        required = constraints.required
        for name in schema.get("required", ()):
            if name not in required:
                yield Gap("required", (*path, name), "required", at=path)
        for name, inner in schema.get("properties", {}).items():
            here = part.inner(inner, "properties", name)
            parts = constraints.of_name(name)
            if not parts and name in required:
                # It has no schema, but it is always there.
                parts = (_anything(part),)
            yield from self.of_property(parts, here, (*path, name), name)
        for text, inner in schema.get("patternProperties", {}).items():
            yield from self.of_pattern(constraints, part.inner(inner, "patternProperties", text), text, path)
        if "additionalProperties" in schema:
            yield from self.of_others(constraints, part, [part], "additionalProperties", path)
        if "unevaluatedProperties" in schema:
            evaluated = [item for item in self.reader.flat(part) if isinstance(item.schema, dict)]
            closing = [item for item in evaluated if item.key != part.key and "unevaluatedProperties" in item.schema]
            if not closing and not any("additionalProperties" in item.schema for item in evaluated):
                yield from self.of_others(constraints, part, evaluated, "unevaluatedProperties", path)

    def of_property(self, parts: Parts, reader: Part, path: NamePath, name: str) -> Iterator[Gap]:
        """Yield the gaps of a property; of one that nobody describes, nobody knows what is written."""
        if parts:
            yield from self.gaps(parts, reader, path)
        elif self.gaps((_anything(reader),), reader, path):
            yield Gap("declared", path, "", name, undescribed=True)

    def of_pattern(self, constraints: Constraints, reader: Part, text: str, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of properties whose names match a pattern."""
        compiled = compile_pattern(text)
        self.reader.budget.spend(20 * len(constraints.declared))
        for name in constraints.declared:
            if compiled is None or compiled.is_valid(name):
                yield from self.gaps(constraints.of_name(name), reader, (*path, name))
        if matching := constraints.matching(text):
            yield from self.gaps(matching, reader, (*path, ANY))
            return
        # A name may match another pattern as well.
        for other in constraints.patterns:
            yield from self.gaps(constraints.matching(other), reader, (*path, ANY))
        if not any(part.schema is False for part in constraints.others):
            yield from self.of_property(constraints.others, reader, (*path, ANY), text)

    def of_others(
        self, constraints: Constraints, part: Part, describing: list[Part], keyword: str, path: NamePath
    ) -> Iterator[Gap]:
        """Yield the gaps of properties that the reading schema has for all that the ``describing`` parts leave out."""
        reader = part.inner(part.schema[keyword], keyword)
        names = {name for item in describing for name in item.schema.get("properties", ())}
        texts = {text for item in describing for text in item.schema.get("patternProperties", ())}
        patterns = [compile_pattern(text) for text in texts]
        self.reader.budget.spend(20 * len(constraints.declared) * len(patterns))
        for name in constraints.declared:
            if name in names or any(item and item.is_valid(name) for item in patterns):
                continue
            if self.gaps(constraints.of_name(name), reader, (*path, name)):
                yield Gap("closed", (*path, name), keyword, at=path)
        for text in constraints.patterns:
            if text not in texts:
                yield from self.gaps(constraints.matching(text), reader, (*path, ANY))
        if constraints.others:
            yield from self.gaps(constraints.others, reader, (*path, ANY))
        elif self.gaps((_anything(reader),), reader, (*path, ANY)):
            yield Gap("closing", path, keyword)

    def of_array(self, constraints: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of an array's items."""
        most = constraints.smallest("maxItems")
        prefix, rest = prefix_items(part), rest_items(part)
        for index, inner in enumerate(prefix):
            if most is None or index < most:
                yield from self.of_item(constraints.item(index), part.inner(inner, "items", index), path)
        # Where no one describes more items than these, the last index stands for all further ones.
        for index in range(len(prefix), max(len(prefix), constraints.places) + 1):
            if most is None or index < most:
                for reader in rest:
                    yield from self.of_item(constraints.item(index), reader, path)
        if part.schema.get("unevaluatedItems", True) not in (True, {}):
            yield Gap("condition", path, "unevaluatedItems")

    def of_item(self, parts: Parts, reader: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of one item; where nobody describes it, it may be anything."""
        yield from self.gaps(parts or (_anything(reader),), reader, (*path, ITEM))

    def of_alternatives(self, constraints: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield alternatives of which none, or not exactly one, is known to fit."""
        for keyword in ("anyOf", "oneOf"):
            if isinstance(part.schema.get(keyword), list):
                branches = [part.inner(item, keyword, index) for index, item in enumerate(part.schema[keyword])]
                fit = [item for item in branches if not self.gaps(constraints.parts, item, path, _MAX_SPLITS)]
                others = [item for item in branches if not fit or item is not fit[0]]
                alone = keyword == "anyOf" or all(are_disjoint(constraints, self.reader, item) for item in others)
                if not (fit and alone) and not self.has_same(constraints, part, keyword, (keyword,)):
                    yield Gap("alternatives", path, keyword)


def _inner(schema: dict[str, Any]) -> list[tuple[str, KeyPath, Any]]:
    """Return the schemas inside one, but for those that only references lead to."""
    return sorted((item for item in subschemas(schema) if item[0] not in _DESCRIBING), key=lambda item: repr(item[1]))


def _outline(schema: dict[str, Any]) -> str:
    """Return what a schema says apart from those inside it and those that it refers to."""
    said = {name: value for name, value in schema.items() if name not in _DESCRIBING}
    return _text(map_subschemas({**said, "$ref": "$ref" in said}, lambda _: None))


def _anything(part: Part) -> Part:
    """Return the schema of a value that nobody describes."""
    return Part({}, part.resolver, "any")


def _split_by_type(constraints: Constraints) -> Iterator[Parts]:
    """Yield the parts narrowed to each type alone."""
    names = _type_names(constraints.types)
    if constraints.parts and len(names) > 1:
        for name in names:
            yield (*constraints.parts, constraints.parts[0].inner({"type": name}, "type", name))


def _type_phrase(names: frozenset[str]) -> str:
    """Return types as a sentence names them."""
    if names == TYPES:
        return "any type"
    return " or ".join(_type_names(names))


def _type_names(types: frozenset[str]) -> list[str]:
    """Return types as schemas name them: a number may have a fraction or not."""
    names = {"number" if name == "fraction" else name for name in types}
    return sorted(names - ({"integer"} if "number" in names else set()))


# Whether a keyword of the reader's schema follows from the writer's constraints.
Implied = Callable[[Constraints, Mapping[str, Any]], bool]


def _lower(schema: Mapping[str, Any]) -> Iterator[tuple[float, bool]]:
    """Yield least values, each with whether it is excluded; draft 04 says so beside it."""
    least, beyond = schema.get("minimum"), schema.get("exclusiveMinimum")
    if is_number(least):
        yield least, beyond is True
    if is_number(beyond):
        yield beyond, True


def _upper(schema: Mapping[str, Any]) -> Iterator[tuple[float, bool]]:
    most, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    if is_number(most):
        yield -most, below is True
    if is_number(below):
        yield -below, True


def _bound_follows(bounds: Callable[[Mapping[str, Any]], Iterator[tuple[float, bool]]]) -> Implied:
    def implied(constraints: Constraints, reader: Mapping[str, Any]) -> bool:
        actual = [bound for schema in constraints.schemas for bound in bounds(schema)]
        return all(
            any(value > limit or (value == limit and (strict or not excluded)) for value, strict in actual)
            for limit, excluded in bounds(reader)
        )

    return implied


def _minimum_follows(keyword: str) -> Implied:
    def implied(constraints: Constraints, reader: Mapping[str, Any]) -> bool:
        bound = constraints.largest(keyword)
        limit = reader[keyword]
        if keyword == "minProperties":
            bound = max(bound or 0, len(constraints.required))
        return bool(limit <= 0 or (bound is not None and bound >= limit))

    return implied


def _maximum_follows(keyword: str) -> Implied:
    def implied(constraints: Constraints, reader: Mapping[str, Any]) -> bool:
        bound = constraints.smallest(keyword)
        return bound is not None and bound <= reader[keyword]

    return implied


def _is_same(keyword: str) -> Implied:
    """Return whether the writer has the very same value; a reference may mean something else there."""

    def implied(constraints: Constraints, reader: Mapping[str, Any]) -> bool:
        limit = _text(reader[keyword])
        return '"$ref"' not in limit and any(_text(item) == limit for item in constraints.values_of(keyword))

    return implied


def _multiple(constraints: Constraints, reader: Mapping[str, Any]) -> bool:
    limit = reader["multipleOf"]
    if not isinstance(limit, int):
        return any(item == limit for item in constraints.values_of("multipleOf"))
    whole = "fraction" not in constraints.types and limit == 1
    return whole or any(isinstance(item, int) and item % limit == 0 for item in constraints.values_of("multipleOf"))


def _unique(constraints: Constraints, reader: Mapping[str, Any]) -> bool:
    limit = constraints.smallest("maxItems")
    is_unique = True in constraints.values_of("uniqueItems") or (limit is not None and limit <= 1)
    return reader["uniqueItems"] is not True or is_unique


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


# Keyword → the types that it is about, the kind of change, and what tells whether it follows.
SCALAR_KEYWORDS: Mapping[str, tuple[frozenset[str], str, Implied]] = {
    "minimum": (NUMBERS, "bound", _bound_follows(_lower)),
    "exclusiveMinimum": (NUMBERS, "bound", _bound_follows(_lower)),
    "maximum": (NUMBERS, "bound", _bound_follows(_upper)),
    "exclusiveMaximum": (NUMBERS, "bound", _bound_follows(_upper)),
    "multipleOf": (NUMBERS, "bound", _multiple),
    "minLength": (frozenset(("string",)), "length", _minimum_follows("minLength")),
    "maxLength": (frozenset(("string",)), "length", _maximum_follows("maxLength")),
    "pattern": (frozenset(("string",)), "pattern", _is_same("pattern")),
    "contentEncoding": (frozenset(("string",)), "pattern", _is_same("contentEncoding")),
    "contentMediaType": (frozenset(("string",)), "pattern", _is_same("contentMediaType")),
    "minItems": (frozenset(("array",)), "length", _minimum_follows("minItems")),
    "maxItems": (frozenset(("array",)), "length", _maximum_follows("maxItems")),
    "uniqueItems": (frozenset(("array",)), "unique", _unique),
    "minProperties": (frozenset(("object",)), "length", _minimum_follows("minProperties")),
    "maxProperties": (frozenset(("object",)), "length", _maximum_follows("maxProperties")),
}
