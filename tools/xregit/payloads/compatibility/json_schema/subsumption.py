"""Subsumption: a proof that all values of one JSON Schema are values of another, or the gaps where the proof fails.

Whatever the written schema says beyond what is understood here is left out; that may make the proof fail, but it can't
make it wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xregit.model.quoting import to_json
from xregit.payloads.compatibility.json_schema.constraints import (
    NUMBERS,
    TYPES,
    Constraints,
    Part,
    Parts,
    allowed_types,
    compile_pattern,
    is_number,
    prefix_items,
    rest_items,
)

if TYPE_CHECKING:
    from xregit.json_pointer import NamePath
    from xregit.payloads.compatibility.json_schema.constraints import Space

# Names of properties from the root; ITEM stands for any index, ANY for any name.
ITEM, ANY = "[]", "*"
_MAX_STEPS = 4_000
_MAX_SPLITS = 6
# Keywords that are taken together, and held against the very same.
_TOGETHER = (("if", "then", "else"), ("not",), ("contains", "minContains", "maxContains"))
_UNREAD = ("$dynamicRef", "$recursiveRef")


@dataclass(frozen=True, slots=True)
class Gap:
    """A place where a value may be written that isn't read; ``keyword`` would refuse it, at ``at`` if not at the place.

    An ``undescribed`` gap is about properties that the written schema allows, but does not describe.
    """

    kind: str
    path: NamePath
    keyword: str
    written: str = ""
    read: str = ""
    at: NamePath | None = None
    undescribed: bool = False

    @property
    def place(self) -> NamePath:
        """Where a validator reports it."""
        return self.path if self.at is None else self.at


@dataclass(slots=True)
class Proof:
    """One proof; a pair that is met again while it is compared counts as proved, since the rest decides."""

    written: Space
    read: Space
    seen: set[tuple[frozenset[str], str]] = field(default_factory=set)
    steps: int = 0

    def gaps(self, parts: Parts, read: Part, path: NamePath, splits: int = 0) -> list[Gap]:
        """Return the gaps between what parts say together and a schema that reads."""
        key = frozenset(part.key for part in parts), read.key
        if key in self.seen:
            return []
        self.steps += 1
        if self.steps > _MAX_STEPS:
            return [Gap("large", path, "")]
        said = Constraints(tuple(flat for part in parts for flat in self.written.flat(part)), self.written)
        if not said.types:
            return []
        known = set(self.seen)
        self.seen.add(key)
        found = [gap for part in self.read.flat(read) for gap in self.of_part(said, part, path)]
        if found and splits < _MAX_SPLITS:
            found = self.split(said, read, path, found, splits)
        if found:
            # Pairs that were proved on the assumption that this one holds are compared again where they are met.
            self.seen = known
        return found

    def split(self, said: Constraints, read: Part, path: NamePath, found: list[Gap], splits: int) -> list[Gap]:
        """Return the gaps case by case, where what is written has cases: its alternatives, else its types."""
        cases = list(said.branches())
        whole = [gap for gap in found if gap.kind == "type" and gap.path == path] if not cases else []
        if not cases and any(gap.kind in {"alternatives", "type"} for gap in found):
            cases = list(_split_by_type(said))
        if not cases:
            return found
        made = [gap for case in cases for gap in self.gaps(case, read, path, splits + 1)]
        if whole:
            made = [whole[0] if gap.kind == "type" and gap.path == path else gap for gap in made]
        return list(dict.fromkeys(made))

    def of_part(self, said: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps that one schema leaves."""
        if part.schema is True:
            return
        if part.schema is False:
            yield Gap("forbidden", path, "")
            return
        finite = said.finite
        if finite is not None and said.listed:
            yield from self.of_values(finite, part, path)
            return
        if not types_follow(said, part.schema):
            yield Gap("type", path, "type", _type_phrase(said.types), _type_phrase(allowed_types(part.schema)))
            said = restrict_types(said, part)
        elif finite is not None:
            yield from self.of_values(finite, part, path)
            return
        yield from self.of_single(said, part, path)
        if "object" in said.types:
            yield from self.of_object(said, part, path)
        if "array" in said.types:
            yield from self.of_array(said, part, path)
        yield from self.of_alternatives(said, part, path)

    def of_values(self, values: list[Any], part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the values of a list that aren't read."""
        validator = self.read.validator((part,))
        refused = [value for value in values if not validator.is_valid(value)]
        if refused:
            yield Gap("values", path, "", ", ".join(map(to_json, refused)))

    def of_single(self, said: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield keywords of single values that don't follow, and those that nothing here understands."""
        schema = part.schema
        for keyword, (about, kind, implied) in SCALAR_KEYWORDS.items():
            if keyword in schema and about & said.types and not implied(said, schema):
                stated = said.stated(keyword)
                yield Gap(kind, path, keyword, to_json(stated[0]) if stated else "", to_json(schema[keyword]))
        listed = "enum" if "enum" in schema else "const"
        if listed in schema:
            yield Gap("values", path, listed)
        if "format" in schema and "string" in said.types and self.of_format(said, schema["format"]):
            yield Gap("pattern", path, "format", "", to_json(schema["format"]))
        for keywords in _TOGETHER:
            if keywords[0] in schema and not states_same(said, schema, keywords):
                yield Gap("condition", path, keywords[0])
        if any(name in schema for name in _UNREAD):
            yield Gap("large", path, "")

    def of_format(self, said: Constraints, stated: Any) -> bool:
        """Return whether a format refuses what may be written."""
        return self.read.formats and not (self.written.formats and stated in said.stated("format"))

    def of_object(self, said: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of an object's properties."""
        schema = part.schema
        if len(schema.get("properties", ())) > _MAX_STEPS:
            yield Gap("large", path, "")
            return
        required = said.required
        for name in schema.get("required", ()):
            if name not in required:
                yield Gap("required", (*path, name), "required", at=path)
        for name, inner in schema.get("properties", {}).items():
            here = part.inner(inner, "properties", name)
            parts = said.of_name(name)
            if not parts and name in required:
                # Nobody says what it is, but that it is there: somebody sends it.
                parts = (part.inner({}, "properties", name),)
            yield from self.of_property(parts, here, (*path, name), name)
        for text, inner in schema.get("patternProperties", {}).items():
            yield from self.of_pattern(said, part.inner(inner, "patternProperties", text), text, path)
        if "additionalProperties" in schema:
            yield from self.of_additional(said, part, path)
        if schema.get("unevaluatedProperties", True) not in (True, {}):
            yield Gap("condition", path, "unevaluatedProperties")

    def of_property(self, parts: Parts, read: Part, path: NamePath, name: str) -> Iterator[Gap]:
        """Yield the gaps of a property; of one that nobody describes, it can't be told what is written."""
        if parts:
            yield from self.gaps(parts, read, path)
        elif self.gaps((Part({}, read.resolver, "any"),), read, path):
            yield Gap("declared", path, "", name, undescribed=True)

    def of_pattern(self, said: Constraints, read: Part, text: str, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of properties whose names match a pattern."""
        compiled = compile_pattern(text)
        for name in said.declared:
            if compiled is not None and compiled.search(name):
                yield from self.gaps(said.of_name(name), read, (*path, name))
        matching = said.matching(text)
        if matching:
            yield from self.gaps(matching, read, (*path, ANY))
        else:
            closed = any(part.schema is False for part in said.others) and not said.patterns
            if not closed:
                yield from self.of_property(said.others if not said.patterns else (), read, (*path, ANY), text)

    def of_additional(self, said: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of properties that the reading schema doesn't describe."""
        schema = part.schema
        read = part.inner(schema["additionalProperties"], "additionalProperties")
        own = [compile_pattern(text) for text in schema.get("patternProperties", ())]
        for name in said.declared:
            if name in schema.get("properties", ()) or any(item and item.search(name) for item in own):
                continue
            if self.gaps(said.of_name(name), read, (*path, name)):
                yield Gap("closed", (*path, name), "additionalProperties", at=path)
        for text in said.patterns:
            if text not in schema.get("patternProperties", ()):
                yield from self.gaps(said.matching(text), read, (*path, ANY))
        if said.others:
            yield from self.gaps(said.others, read, (*path, ANY))
        elif self.gaps((Part({}, read.resolver, "any"),), read, (*path, ANY)):
            yield Gap("closing", path, "additionalProperties")

    def of_array(self, said: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of an array's items."""
        most = said.smallest("maxItems")
        listed, beyond = prefix_items(part), rest_items(part)
        for index, inner in enumerate(listed):
            if most is None or index < most:
                yield from self.of_item(said.item(index), part.inner(inner, "items", index), path)
        # Where no one describes more items than these, the last index stands for all further ones.
        for index in range(len(listed), max(len(listed), said.places) + 1):
            if most is None or index < most:
                for read in beyond:
                    yield from self.of_item(said.item(index), read, path)
        if part.schema.get("unevaluatedItems", True) not in (True, {}):
            yield Gap("condition", path, "unevaluatedItems")

    def of_item(self, parts: Parts, read: Part, path: NamePath) -> Iterator[Gap]:
        """Yield the gaps of one item; where nobody describes it, it may be anything."""
        yield from self.gaps(parts or (Part({}, read.resolver, "any"),), read, (*path, ITEM))

    def of_alternatives(self, said: Constraints, part: Part, path: NamePath) -> Iterator[Gap]:
        """Yield alternatives of which none, or not exactly one, is known to fit."""
        for keyword in ("anyOf", "oneOf"):
            if isinstance(part.schema.get(keyword), list):
                branches = [part.inner(item, keyword, index) for index, item in enumerate(part.schema[keyword])]
                fit = [item for item in branches if not self.gaps(said.parts, item, path, _MAX_SPLITS)]
                others = [item for item in branches if not fit or item is not fit[0]]
                alone = keyword == "anyOf" or all(are_disjoint(said, self.read, item) for item in others)
                if not (fit and alone) and not self.same_cases(said, branches, keyword, path):
                    yield Gap("alternatives", path, keyword)

    def same_cases(self, said: Constraints, branches: list[Part], keyword: str, path: NamePath) -> bool:
        """Return whether what is written has the same cases in the same order, each equal to its counterpart."""
        if keyword != "oneOf":
            return False
        for part in said.objects:
            stated = part.schema.get(keyword)
            if isinstance(stated, list) and len(stated) == len(branches):
                cases = [part.inner(item, keyword, index) for index, item in enumerate(stated)]
                back = Proof(self.read, self.written, steps=self.steps)
                pairs = list(zip(cases, branches, strict=True))
                if all(not self.gaps((one,), other, path, 1) for one, other in pairs) and all(
                    not back.gaps((other,), one, path, 1) for one, other in pairs
                ):
                    return True
        return False


def _split_by_type(said: Constraints) -> Iterator[Parts]:
    """Yield what is said of each type alone."""
    names = _type_names(said.types)
    if said.parts and len(names) > 1:
        for name in names:
            yield (*said.parts, said.parts[0].inner({"type": name}, "type", name))


def restrict_types(said: Constraints, part: Part) -> Constraints:
    """Return the written schema narrowed to the types that are read, as the gap for the others is found already."""
    kept = part.inner({name: part.schema[name] for name in ("type",) if name in part.schema}, "type")
    return Constraints((*said.parts, kept), said.space)


def _type_phrase(names: frozenset[str]) -> str:
    """Return types as a sentence names them."""
    if names == TYPES:
        return "any type"
    return " or ".join(_type_names(names))


def _type_names(types: frozenset[str]) -> list[str]:
    """Return types as schemas name them: a number may have a fraction or not."""
    names = {"number" if name == "fraction" else name for name in types}
    return sorted(names - ({"integer"} if "number" in names else set()))


# Each takes what is written, and the schema that reads; it says whether the keyword follows from what is written.
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
    def implied(said: Constraints, read: Mapping[str, Any]) -> bool:
        stated = [bound for schema in said.schemas for bound in bounds(schema)]
        return all(
            any(value > due or (value == due and (strict or not excluded)) for value, strict in stated)
            for due, excluded in bounds(read)
        )

    return implied


def _minimum_follows(keyword: str) -> Implied:
    def implied(said: Constraints, read: Mapping[str, Any]) -> bool:
        known = said.largest(keyword)
        due = read[keyword]
        if keyword == "minProperties":
            known = max(known or 0, len(said.required))
        return bool(due <= 0 or (known is not None and known >= due))

    return implied


def _maximum_follows(keyword: str) -> Implied:
    def implied(said: Constraints, read: Mapping[str, Any]) -> bool:
        known = said.smallest(keyword)
        return known is not None and known <= read[keyword]

    return implied


def _is_stated(keyword: str) -> Implied:
    """Return whether the very same is stated; what refers elsewhere may mean something else there."""

    def implied(said: Constraints, read: Mapping[str, Any]) -> bool:
        due = _text(read[keyword])
        return '"$ref"' not in due and any(_text(item) == due for item in said.stated(keyword))

    return implied


def _multiple(said: Constraints, read: Mapping[str, Any]) -> bool:
    due = read["multipleOf"]
    if not isinstance(due, int):
        return any(item == due for item in said.stated("multipleOf"))
    whole = "fraction" not in said.types and due == 1
    return whole or any(isinstance(item, int) and item % due == 0 for item in said.stated("multipleOf"))


def _unique(said: Constraints, read: Mapping[str, Any]) -> bool:
    most = said.smallest("maxItems")
    return read["uniqueItems"] is not True or True in said.stated("uniqueItems") or (most is not None and most <= 1)


def _types_follow(said: Constraints, read: Mapping[str, Any]) -> bool:
    return said.types <= allowed_types(dict(read))


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
    "pattern": (frozenset(("string",)), "pattern", _is_stated("pattern")),
    "minItems": (frozenset(("array",)), "length", _minimum_follows("minItems")),
    "maxItems": (frozenset(("array",)), "length", _maximum_follows("maxItems")),
    "uniqueItems": (frozenset(("array",)), "unique", _unique),
    "minProperties": (frozenset(("object",)), "length", _minimum_follows("minProperties")),
    "maxProperties": (frozenset(("object",)), "length", _maximum_follows("maxProperties")),
    "propertyNames": (frozenset(("object",)), "condition", _is_stated("propertyNames")),
    "dependencies": (frozenset(("object",)), "condition", _is_stated("dependencies")),
    "dependentRequired": (frozenset(("object",)), "condition", _is_stated("dependentRequired")),
    "dependentSchemas": (frozenset(("object",)), "condition", _is_stated("dependentSchemas")),
}


def states_same(said: Constraints, read: Mapping[str, Any], keywords: tuple[str, ...]) -> bool:
    """Return whether one of the written schemas says the same with some keywords that belong together."""
    due = _text({name: read.get(name) for name in keywords})
    texts = (_text({name: schema.get(name) for name in keywords}) for schema in said.schemas)
    return '"$ref"' not in due and due in texts


def types_follow(said: Constraints, read: Mapping[str, Any]) -> bool:
    """Return whether all types that may be written are read."""
    return _types_follow(said, read)


_MAX_DEPTH = 3


def are_disjoint(said: Constraints, space: Space, part: Part, depth: int = 0) -> bool:
    """Return whether nothing that parts say together fits a schema."""
    other = Constraints(tuple(space.flat(part)), space)
    if not said.types & other.types:
        return True
    if said.finite is not None:
        validator = space.validator((part,))
        return not any(validator.is_valid(value) for value in said.finite)
    if said.types & other.types != {"object"} or depth > _MAX_DEPTH:
        return False
    return any(_property_disjoint(said, other, name, depth) for name in said.required)


def _property_disjoint(said: Constraints, other: Constraints, name: str, depth: int) -> bool:
    """Return whether a property that is always there can't be what both want."""
    inner = tuple(flat for part in said.of_name(name) for flat in said.space.flat(part))
    return bool(inner) and any(
        are_disjoint(Constraints(inner, said.space), other.space, part, depth + 1) for part in other.of_name(name)
    )
