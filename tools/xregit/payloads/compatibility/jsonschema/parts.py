"""A JSON Schema taken apart: the schemas that apply to one value together, references followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from xregit.payloads.jsonschema.walking import rebuilt
from xregit.records import distinct, record

if TYPE_CHECKING:
    from xregit.payloads.jsonschema.loading import Loaded

_PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)


@distinct
class Part:
    """One schema, the resolver of its references, and a key that is the same each time the schema is met."""

    schema: Any
    resolver: jsonschema_rs.Resolver
    key: str

    def inner(self, schema: Any, *step: str | int) -> Part:
        """Return a schema inside this one."""
        return Part(schema, self.resolver, "/".join((self.key, *map(str, step))))

    def without(self, keyword: str) -> Part:
        """Return the schema without one keyword."""
        kept = {name: value for name, value in self.schema.items() if name != keyword}
        return Part(kept, self.resolver, f"{self.key}!{keyword}")


Parts = tuple[Part, ...]


@dataclass(slots=True, eq=False)
class Space:
    """The document of one schema: follows its references and makes validators of its parts."""

    loaded: Loaded
    formats: bool
    validators: dict[tuple[str, ...], jsonschema_rs.Validator] = field(default_factory=dict)

    def root(self, pointer: str) -> Part:
        """Return the part that a pointer leads to."""
        resolver = self.loaded.registry.resolver(self.loaded.uri)
        found = self.loaded.lookup(f"#{pointer}", resolver)
        return Part(found.contents, found.resolver, f"{self.loaded.uri}#{pointer}")

    def flat(self, part: Part, seen: frozenset[str] = frozenset()) -> Iterator[Part]:
        """Give the parts that apply together: the schema, what it refers to, and all of its ``allOf``."""
        schema = part.schema
        if not isinstance(schema, dict) or part.key in seen:
            yield from (part,) if not isinstance(schema, dict) else ()
            return
        inside = seen | {part.key}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            found = self.loaded.lookup(reference, part.resolver)
            yield from self.flat(Part(found.contents, found.resolver, _target(reference, found)), inside)
            # Up to draft 07, nothing beside a reference counts.
            if self.loaded.draft.number <= jsonschema_rs.Draft7:
                return
        for index, item in enumerate(schema.get("allOf", ())):
            yield from self.flat(part.inner(item, "allOf", index), inside)
        yield part

    def validator(self, parts: Parts) -> jsonschema_rs.Validator:
        """Return a validator for values that all of these parts must accept.

        Raises:
            LookupError: a part holds a schema with an address of its own, which can't be taken out of its document.
        """
        key = tuple(part.key for part in parts)
        if key not in self.validators:
            inner = [self.absolute(part.schema, part) for part in parts]
            said = {"$schema": self.loaded.draft.uri, "allOf": inner}
            self.validators[key] = jsonschema_rs.validator_for(
                said if parts else {},
                registry=self.loaded.registry,
                pattern_options=_PATTERNS,
                validate_formats=self.formats,
                offline=True,
            )
        return self.validators[key]

    def absolute(self, schema: Any, part: Part, depth: int = 0) -> Any:
        """Return a schema that means the same wherever it stands: its references begin with where they lead."""
        if not isinstance(schema, dict):
            return schema
        own = [name for name in ("$id", "id") if isinstance(schema.get(name), str)]
        if own and depth:
            raise LookupError(own[0])
        made = {name: value for name, value in schema.items() if name not in {*own, "$anchor", "$schema"}}
        reference = made.get("$ref")
        if isinstance(reference, str):
            made["$ref"] = _target(reference, self.loaded.lookup(reference, part.resolver))
        return rebuilt(made, lambda inner: self.absolute(inner, part, depth + 1))


def _target(reference: str, found: jsonschema_rs.Resolved) -> str:
    """Return the address of what a reference leads to."""
    return f"{found.resolver.base_uri.partition('#')[0]}#{reference.partition('#')[2]}"


@record
class Pattern:
    """A pattern for names; matching gives up after a bounded number of steps."""

    validator: Any

    def search(self, name: str) -> bool:
        """Tell whether it is found in a name."""
        return bool(self.validator.is_valid(name))


@lru_cache(maxsize=1024)
def pattern(text: str) -> Pattern | None:
    """Return a pattern for names, or None for one that can't be read."""
    try:
        return Pattern(jsonschema_rs.validator_for({"pattern": text}, pattern_options=_PATTERNS, offline=True))
    except ValueError:
        return None
