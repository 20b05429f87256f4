"""Patterns of XML Schema, matched in linear time in place of Python's backtracking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jsonschema_rs
from xmlschema.validators import XsdPatternFacets, XsdSimpleType

if TYPE_CHECKING:
    import re

    from xmlschema import XMLSchemaBase

# What xmlschema adds to each pattern so that Python's "$" doesn't match before a final newline.
_PYTHON_END = r"(?!\n\Z)"
_SIZE = 50_000_000


class UncheckedError(Exception):
    """A pattern that can't be matched in linear time."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A pattern with the one method of Python's that xmlschema calls."""

    pattern: str
    validator: Any

    def match(self, text: str) -> bool | None:
        """Return True where the pattern matches, as a match object would count, else None."""
        if self.validator is None:
            raise UncheckedError(self.pattern)
        return True if self.validator.is_valid(text) else None


def linearise(schema: XMLSchemaBase) -> None:
    """Replace every compiled pattern of a schema that was just built."""
    for type_ in schema.maps.iter_components(XsdSimpleType):
        patterns = getattr(type_, "patterns", None)
        if isinstance(patterns, XsdPatternFacets):
            patterns.patterns = [_linear(item) for item in patterns.patterns]


def _linear(pattern: re.Pattern[str] | Linear) -> Any:
    if isinstance(pattern, Linear):
        return pattern
    text = pattern.pattern.removesuffix(_PYTHON_END)
    options = jsonschema_rs.RegexOptions(size_limit=_SIZE)
    try:
        return Linear(text, jsonschema_rs.validator_for({"pattern": text}, pattern_options=options, offline=True))
    except ValueError:
        return Linear(text, None)
