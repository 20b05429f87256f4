"""The constraints that parts of a JSON Schema set together: types, bounds, properties, items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import jsonschema_rs

from xregit.json_pointer import escape
from xregit.payloads.compatibility.base import Budget
from xregit.payloads.json_schema.lint import frozen, is_known, is_number
from xregit.payloads.json_schema.schema import Loaded, declared_draft
from xregit.payloads.json_schema.subschemas import map_subschemas

# Compiling one pattern takes so many steps, and memory as long as the comparison goes on.
_PATTERN_STEPS = 2_000
_CHARS_PER_VALUE = 16
_PATTERN_OPTIONS = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000, size_limit=200_000)


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """One schema, the resolver of its references, and a key that is the same each time the schema is met."""

    schema: Any
    resolver: jsonschema_rs.Resolver
    key: str

    def inner(self, schema: Any, *step: str | int) -> Part:
        """Return a schema inside this one."""
        return Part(schema, self.resolver, "/".join((self.key, *map(escape, step))))

    def only(self, keywords: tuple[str, ...]) -> Part:
        """Return the schema with nothing but some keywords."""
        kept = {name: self.schema[name] for name in keywords if name in self.schema}
        return Part(kept, self.resolver, f"{self.key}!only {keywords}")

    def without(self, keyword: str) -> Part:
        """Return the schema without one keyword."""
        remaining = {name: value for name, value in self.schema.items() if name != keyword}
        return Part(remaining, self.resolver, f"{self.key}!{keyword}")


Parts = tuple[Part, ...]
# Keywords that give places names or hold what references lead to.
_PLACES = frozenset(("$anchor", "$schema", "$defs", "definitions"))


@dataclass(slots=True, eq=False)
class Space:
    """The document of one schema: follows its references and makes validators of its parts."""

    loaded: Loaded
    formats: bool
    budget: Budget
    validators: dict[tuple[str, ...], jsonschema_rs.Validator] = field(default_factory=dict)

    def root(self, pointer: str) -> Part:
        """Return the part that a pointer leads to."""
        resolver = self.loaded.registry.resolver(self.loaded.uri)
        target = self.loaded.lookup(f"#{pointer}", resolver)
        return Part(target.contents, target.resolver, f"{self.loaded.uri}#{pointer}")

    def flat(self, part: Part, keys: frozenset[str] = frozenset()) -> Iterator[Part]:
        """Yield the parts that apply together: the schema, what it refers to, and all of its ``allOf``."""
        part = self.anchor(part)
        schema = part.schema
        self.budget.spend(10)
        if not isinstance(schema, dict) or part.key in keys:
            yield from (part,) if not isinstance(schema, dict) else ()
            return
        keys = keys | {part.key}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield from self.flat(self.target(part), keys)
            # Up to draft 07, nothing beside a reference counts.
            if self.draft <= jsonschema_rs.Draft7:
                return
        for index, item in enumerate(schema.get("allOf", ())):
            yield from self.flat(part.inner(item, "allOf", index), keys)
        ignored = [name for name in schema if not self.knows(name)]
        yield replace(part, schema={name: schema[name] for name in schema if name not in ignored}) if ignored else part

    def target(self, part: Part) -> Part:
        """Return what the reference of a part leads to."""
        reference = part.schema["$ref"]
        target = self.loaded.lookup(reference, part.resolver)
        return Part(target.contents, target.resolver, _absolute_reference(reference, target))

    @property
    def draft(self) -> int:
        """The library's number of the draft."""
        return self.loaded.draft.number

    def knows(self, keyword: str) -> bool:
        """Return whether a keyword counts in the draft; not all readers of later ones ignore "dependencies"."""
        if keyword in {"contentEncoding", "contentMediaType"}:
            return self.draft <= jsonschema_rs.Draft7
        return keyword == "dependencies" or is_known(keyword, self.loaded.draft.name)

    def anchor(self, part: Part) -> Part:
        """Return a part with its references relative to its own address, if it has one.

        Raises:
            LookupError: it is written in another draft than the document.
        """
        if not isinstance(part.schema, dict):
            return part
        declared = declared_draft(part.schema)
        if declared is not None and declared.number != self.draft:
            raise LookupError(f"a part of another draft, {declared.name}")
        address = part.schema.get(self.loaded.draft.idkeyword)
        is_ignored = "$ref" in part.schema and self.draft <= jsonschema_rs.Draft7
        if not isinstance(address, str) or address.startswith("#") or is_ignored:
            return part
        return replace(part, resolver=self.loaded.lookup(address, part.resolver).resolver)

    def spend_on(self, text: str) -> None:
        """Spend what holding a value, given as a text, against a part of the document may take.

        Raises:
            TooLargeError: the budget is used up.
        """
        values = 1 + len(text) // _CHARS_PER_VALUE
        self.budget.spend(20 + values + values * self.loaded.cost // 8)

    def validator(self, parts: Parts) -> jsonschema_rs.Validator:
        """Return a validator for values that all of these parts must accept.

        Raises:
            LookupError: a part refers to what isn't there, or is written in another draft than the document.
        """
        key = tuple(part.key for part in parts)
        if key not in self.validators:
            inner = [self.absolute(part.schema, self.anchor(part)) for part in parts]
            schema = {"$schema": self.loaded.draft.uri, "allOf": inner}
            self.validators[key] = jsonschema_rs.validator_for(
                schema if parts else {},
                registry=self.loaded.registry,
                pattern_options=_PATTERN_OPTIONS,
                validate_formats=self.formats,
                offline=True,
            )
        return self.validators[key]

    def accepted(self, part: Part, values: list[Any]) -> list[bool]:
        """Return for each value whether a part accepts it."""
        enum = part.schema.get("enum") if isinstance(part.schema, dict) else None
        self.budget.spend(len(values) + len(enum or ()))
        if not isinstance(enum, list) or ("$ref" in part.schema and self.draft <= jsonschema_rs.Draft7):
            return list(map(self.validator((part,)).is_valid, values))
        # A validator compares a value with each of the list, which for two long lists is a product.
        listed = set(map(frozen, enum))
        validator = self.validator((part.without("enum"),))
        return [frozen(value) in listed and validator.is_valid(value) for value in values]

    def absolute(self, schema: Any, part: Part, depth: int = 0) -> Any:
        """Return a schema that means the same wherever it stands: its references begin with where they lead."""
        self.budget.spend(10)
        if not isinstance(schema, dict):
            return schema
        self.budget.spend(
            _PATTERN_STEPS * ("pattern" in schema) + _PATTERN_STEPS * len(schema.get("patternProperties", ()))
        )
        if depth:
            anchored = self.anchor(replace(part, schema=schema))
            if anchored.resolver is not part.resolver:
                return {"$ref": anchored.resolver.base_uri}
        absolute = {
            name: value for name, value in schema.items() if name not in {self.loaded.draft.idkeyword, *_PLACES}
        }
        reference = absolute.get("$ref")
        if isinstance(reference, str):
            absolute["$ref"] = _absolute_reference(reference, self.loaded.lookup(reference, part.resolver))
        return map_subschemas(absolute, lambda inner: self.absolute(inner, part, depth + 1))


def _absolute_reference(reference: str, target: jsonschema_rs.Resolved) -> str:
    """Return the address of what a reference leads to."""
    return f"{target.resolver.base_uri.partition('#')[0]}#{reference.partition('#')[2]}"


@lru_cache(maxsize=1024)
def compile_pattern(text: str) -> jsonschema_rs.Validator | None:
    """Return a validator of names by a pattern, which gives up after a bounded number of steps; None if it is wrong."""
    try:
        return jsonschema_rs.validator_for({"pattern": text}, pattern_options=_PATTERN_OPTIONS, offline=True)
    except ValueError:
        return None


_CASES = frozenset(("anyOf", "oneOf", "if", "dependentSchemas", "$dynamicRef", "$recursiveRef"))
_CLOSING = frozenset(("additionalProperties", "unevaluatedProperties"))
NUMBERS = frozenset(("integer", "fraction"))
TYPES = frozenset(("null", "boolean", "integer", "fraction", "string", "array", "object"))
_ALTERNATIVES = ("anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class Constraints:
    """Parts that apply to one value together."""

    parts: Parts
    space: Space

    @property
    def schemas(self) -> Iterator[dict[str, Any]]:
        """The schemas that are objects."""
        return (part.schema for part in self.parts if isinstance(part.schema, dict))

    @property
    def objects(self) -> Iterator[Part]:
        """The parts whose schemas are objects."""
        return (part for part in self.parts if isinstance(part.schema, dict))

    @property
    def types(self) -> frozenset[str]:
        """The types that a value may have; "integer" and "fraction" are the two kinds of numbers."""
        if any(part.schema is False for part in self.parts):
            return frozenset()
        types = TYPES
        for schema in self.schemas:
            types &= allowed_types(schema)
        return types

    @property
    def finite(self) -> list[Any] | None:
        """All values, where a list of them or their types say so."""
        if self.enumerations:
            return min(self.enumerations, key=len)
        if self.types <= {"null", "boolean"}:
            return [item for name, items in _FINITE_TYPES.items() if name in self.types for item in items]
        return None

    @property
    def enumerations(self) -> list[list[Any]]:
        """The values of each "enum" and "const"."""
        values = [schema["enum"] for schema in self.schemas if isinstance(schema.get("enum"), list)]
        return values + [[schema["const"]] for schema in self.schemas if "const" in schema]

    @property
    def required(self) -> frozenset[str]:
        """The names of properties that must be there."""
        lists = (schema["required"] for schema in self.schemas if isinstance(schema.get("required"), list))
        return frozenset(name for names in lists for name in names)

    @property
    def declared(self) -> tuple[str, ...]:
        """The names of properties that are described."""
        return tuple(dict.fromkeys(name for schema in self.schemas for name in schema.get("properties", ())))

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of names that are described."""
        return tuple(dict.fromkeys(text for schema in self.schemas for text in schema.get("patternProperties", ())))

    def values_of(self, keyword: str) -> list[Any]:
        """Return the values of a keyword."""
        return [schema[keyword] for schema in self.schemas if keyword in schema]

    def largest(self, keyword: str) -> float | None:
        """Return the largest number that a keyword has."""
        return max((item for item in self.values_of(keyword) if is_number(item)), default=None)

    def smallest(self, keyword: str) -> float | None:
        """Return the smallest number that a keyword has."""
        return min((item for item in self.values_of(keyword) if is_number(item)), default=None)

    def of_name(self, name: str) -> Parts:
        """Return the schemas of a property; none where objects are open to it and no one describes it."""
        self.space.budget.spend(sum(5 + 20 * len(schema.get("patternProperties", ())) for schema in self.schemas))
        parts = tuple(inner for part in self.objects for inner in _property_parts(part, name))
        return parts or (self.unevaluated if all(map(compile_pattern, self.patterns)) else ())

    def matching(self, text: str) -> Parts:
        """Return the schemas of properties whose names match a pattern."""
        return tuple(
            part.inner(part.schema["patternProperties"][text], "patternProperties", text)
            for part in self.objects
            if text in part.schema.get("patternProperties", ())
        )

    @property
    def others(self) -> Parts:
        """The schemas of properties that nothing else describes."""
        others = [
            part.inner(part.schema["additionalProperties"], "additionalProperties")
            for part in self.objects
            if _restricts_others(part.schema)
        ]
        return (*others, *self.unevaluated)

    @property
    def unevaluated(self) -> Parts:
        """The schemas of properties that no part describes, where that doesn't depend on cases."""
        # What is described in one case, or in another one of several that may hold together, is evaluated as well.
        if any(_CASES & part.schema.keys() or "!anyOf" in part.key for part in self.objects):
            return ()
        closing = [part for part in self.objects if _CLOSING & part.schema.keys()]
        if len(closing) != 1 or "additionalProperties" in closing[0].schema:
            return ()
        return (closing[0].inner(closing[0].schema["unevaluatedProperties"], "unevaluatedProperties"),)

    def item(self, index: int) -> Parts:
        """Return the schemas of the item at an index of an array."""
        return tuple(inner for part in self.objects for inner in _item_parts(part, index))

    @property
    def places(self) -> int:
        """The number of items that are described one by one."""
        return max((len(prefix_items(part)) for part in self.objects), default=0)

    def branches(self) -> Iterator[Parts]:
        """Yield the parts of each case of the first alternative; nothing where there is none."""
        for number, part in enumerate(self.parts):
            schema = part.schema if isinstance(part.schema, dict) else {}
            keyword = next((name for name in _ALTERNATIVES if isinstance(schema.get(name), list)), None)
            if keyword is not None:
                whole = (*self.parts[:number], part.without(keyword), *self.parts[number + 1 :])
                rest = tuple(map(_without_references, whole))
                for index, item in enumerate(part.schema[keyword]):
                    self.space.budget.spend(len(rest))
                    yield (*rest, *self.space.flat(part.inner(item, keyword, index)))
                return


def _without_references(part: Part) -> Part:
    """Return a part without what it refers to, which stands beside it already and would come back with its cases."""
    for keyword in ("$ref", "allOf"):
        if isinstance(part.schema, dict) and keyword in part.schema:
            part = part.without(keyword)
    return part


_FINITE_TYPES: dict[str, list[Any]] = {"null": [None], "boolean": [True, False]}


def allowed_types(schema: dict[str, Any]) -> frozenset[str]:
    """Return the types that one schema allows."""
    types = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type")
    if not isinstance(types, list):
        return TYPES
    return frozenset(name for item in types for name in (NUMBERS if item == "number" else {item}))


def prefix_items(part: Part) -> list[Any]:
    """Return the schemas of items that are described one by one."""
    items = part.schema.get("prefixItems", part.schema.get("items"))
    return items if isinstance(items, list) else []


def rest_items(part: Part) -> Parts:
    """Return the schemas of items beyond those that are described one by one."""
    keyword = "additionalItems" if isinstance(part.schema.get("items"), list) else "items"
    return (part.inner(part.schema[keyword], keyword),) if keyword in part.schema else ()


def _restricts_others(schema: dict[str, Any]) -> bool:
    """Return whether a schema says anything of properties that it doesn't describe; to allow any says nothing."""
    return "additionalProperties" in schema and schema["additionalProperties"] not in (True, {})


def _item_parts(part: Part, index: int) -> Parts:
    items = prefix_items(part)
    if index < len(items):
        return (part.inner(items[index], "prefixItems" if "prefixItems" in part.schema else "items", index),)
    return rest_items(part)


def _property_parts(part: Part, name: str) -> Parts:
    schema = part.schema
    parts = [part.inner(schema["properties"][name], "properties", name)] if name in schema.get("properties", ()) else []
    is_unknown = False
    for text, inner in schema.get("patternProperties", {}).items():
        compiled = compile_pattern(text)
        is_unknown = is_unknown or compiled is None
        if compiled is not None and compiled.is_valid(name):
            parts.append(part.inner(inner, "patternProperties", text))
    if not parts and not is_unknown and _restricts_others(schema):
        parts.append(part.inner(schema["additionalProperties"], "additionalProperties"))
    return tuple(parts)
