"""Two JSON Schemas to a proof that all values of one are values of the other, or to the gaps where the proof fails.

Whatever the written schema says beyond what is understood here is left out; that may make the proof fail, but it can't
make it wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xregit.model.quoting import to_json
from xregit.payloads.compatibility.jsonschema.disjoint import disjoint
from xregit.payloads.compatibility.jsonschema.keywords import SINGLE, same, type_follows
from xregit.payloads.compatibility.jsonschema.parts import Part, Parts, pattern
from xregit.payloads.compatibility.jsonschema.said import TYPES, Said, prefix, rest, types
from xregit.records import record

if TYPE_CHECKING:
    from xregit.keypaths import NamePath
    from xregit.payloads.compatibility.jsonschema.parts import Space

# Names of properties from the root; ITEM stands for any index, ANY for any name.
ITEM, ANY = "[]", "*"
_MAX_STEPS = 4_000
_MAX_SPLITS = 6
# Keywords that are taken together, and held against the very same.
_TOGETHER = (("if", "then", "else"), ("not",), ("contains", "minContains", "maxContains"))
_UNREAD = ("$dynamicRef", "$recursiveRef")


@record
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
class Containing:
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
        said = Said(tuple(flat for part in parts for flat in self.written.flat(part)), self.written)
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

    def split(self, said: Said, read: Part, path: NamePath, found: list[Gap], splits: int) -> list[Gap]:
        """Return the gaps case by case, where what is written has cases: its alternatives, else its types."""
        cases = list(said.branches())
        whole = [gap for gap in found if gap.kind == "type" and gap.path == path] if not cases else []
        if not cases and any(gap.kind in {"alternatives", "type"} for gap in found):
            cases = list(_by_type(said))
        if not cases:
            return found
        made = [gap for case in cases for gap in self.gaps(case, read, path, splits + 1)]
        if whole:
            made = [whole[0] if gap.kind == "type" and gap.path == path else gap for gap in made]
        return list(dict.fromkeys(made))

    def of_part(self, said: Said, part: Part, path: NamePath) -> Iterator[Gap]:
        """Give the gaps that one schema leaves."""
        if part.schema is True:
            return
        if part.schema is False:
            yield Gap("forbidden", path, "")
            return
        finite = said.finite
        if finite is not None and said.listed:
            yield from self.of_values(finite, part, path)
            return
        if not type_follows(said, part.schema):
            yield Gap("type", path, "type", _types(said.types), _types(types(part.schema)))
            said = said_of_types(said, part)
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
        """Give the values of a list that aren't read."""
        validator = self.read.validator((part,))
        refused = [value for value in values if not validator.is_valid(value)]
        if refused:
            yield Gap("values", path, "", ", ".join(map(to_json, refused)))

    def of_single(self, said: Said, part: Part, path: NamePath) -> Iterator[Gap]:
        """Give keywords of single values that don't follow, and those that nothing here understands."""
        schema = part.schema
        for keyword, (about, kind, implied) in SINGLE.items():
            if keyword in schema and about & said.types and not implied(said, schema):
                stated = said.stated(keyword)
                yield Gap(kind, path, keyword, to_json(stated[0]) if stated else "", to_json(schema[keyword]))
        listed = "enum" if "enum" in schema else "const"
        if listed in schema:
            yield Gap("values", path, listed)
        if "format" in schema and "string" in said.types and self.of_format(said, schema["format"]):
            yield Gap("pattern", path, "format", "", to_json(schema["format"]))
        for keywords in _TOGETHER:
            if keywords[0] in schema and not same(said, schema, keywords):
                yield Gap("condition", path, keywords[0])
        if any(name in schema for name in _UNREAD):
            yield Gap("large", path, "")

    def of_format(self, said: Said, stated: Any) -> bool:
        """Tell whether a format refuses what may be written."""
        return self.read.formats and not (self.written.formats and stated in said.stated("format"))

    def of_object(self, said: Said, part: Part, path: NamePath) -> Iterator[Gap]:
        """Give the gaps of an object's properties."""
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
        """Give the gaps of a property; of one that nobody describes, it can't be told what is written."""
        if parts:
            yield from self.gaps(parts, read, path)
        elif self.gaps((Part({}, read.resolver, "any"),), read, path):
            yield Gap("declared", path, "", name, undescribed=True)

    def of_pattern(self, said: Said, read: Part, text: str, path: NamePath) -> Iterator[Gap]:
        """Give the gaps of properties whose names match a pattern."""
        compiled = pattern(text)
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

    def of_additional(self, said: Said, part: Part, path: NamePath) -> Iterator[Gap]:
        """Give the gaps of properties that the reading schema doesn't describe."""
        schema = part.schema
        read = part.inner(schema["additionalProperties"], "additionalProperties")
        own = [pattern(text) for text in schema.get("patternProperties", ())]
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

    def of_array(self, said: Said, part: Part, path: NamePath) -> Iterator[Gap]:
        """Give the gaps of an array's items."""
        most = said.smallest("maxItems")
        listed, beyond = prefix(part), rest(part)
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
        """Give the gaps of one item; where nobody describes it, it may be anything."""
        yield from self.gaps(parts or (Part({}, read.resolver, "any"),), read, (*path, ITEM))

    def of_alternatives(self, said: Said, part: Part, path: NamePath) -> Iterator[Gap]:
        """Give alternatives of which none, or not exactly one, is known to fit."""
        for keyword in ("anyOf", "oneOf"):
            if isinstance(part.schema.get(keyword), list):
                branches = [part.inner(item, keyword, index) for index, item in enumerate(part.schema[keyword])]
                fit = [item for item in branches if not self.gaps(said.parts, item, path, _MAX_SPLITS)]
                others = [item for item in branches if not fit or item is not fit[0]]
                alone = keyword == "anyOf" or all(disjoint(said, self.read, item) for item in others)
                if not (fit and alone) and not self.same_cases(said, branches, keyword, path):
                    yield Gap("alternatives", path, keyword)

    def same_cases(self, said: Said, branches: list[Part], keyword: str, path: NamePath) -> bool:
        """Tell whether what is written has the same cases in the same order, each equal to its counterpart."""
        if keyword != "oneOf":
            return False
        for part in said.objects:
            stated = part.schema.get(keyword)
            if isinstance(stated, list) and len(stated) == len(branches):
                cases = [part.inner(item, keyword, index) for index, item in enumerate(stated)]
                back = Containing(self.read, self.written, steps=self.steps)
                pairs = list(zip(cases, branches, strict=True))
                if all(not self.gaps((one,), other, path, 1) for one, other in pairs) and all(
                    not back.gaps((other,), one, path, 1) for one, other in pairs
                ):
                    return True
        return False


def _by_type(said: Said) -> Iterator[Parts]:
    """Give what is said of each type alone."""
    names = _names(said.types)
    if said.parts and len(names) > 1:
        for name in names:
            yield (*said.parts, said.parts[0].inner({"type": name}, "type", name))


def said_of_types(said: Said, part: Part) -> Said:
    """Return the written schema narrowed to the types that are read, as the gap for the others is found already."""
    kept = part.inner({name: part.schema[name] for name in ("type",) if name in part.schema}, "type")
    return Said((*said.parts, kept), said.space)


def _types(names: frozenset[str]) -> str:
    """Return types as a sentence names them."""
    if names == TYPES:
        return "any type"
    return " or ".join(_names(names))


def _names(types: frozenset[str]) -> list[str]:
    """Return types as schemas name them: a number may have a fraction or not."""
    names = {"number" if name == "fraction" else name for name in types}
    return sorted(names - ({"integer"} if "number" in names else set()))
