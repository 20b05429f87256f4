"""Patterns of XML Schema, matched in linear time in place of Python's backtracking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema_rs
import xmlschema
from xmlschema.validators import XsdPatternFacets
from xmlschema.validators.builders import XsdBuilders

from xregit.payloads.xsd.unions import Union10, Union11
from xregit.records import record

if TYPE_CHECKING:
    import re

# What xmlschema adds to each pattern so that Python's "$" doesn't match before a final newline.
_PYTHON_END = r"(?!\n\Z)"
_SIZE = 50_000_000


class UncheckedError(Exception):
    """A pattern that can't be matched in linear time."""


def unchecked(error: UncheckedError) -> str:
    """Return what is wrong with such a pattern."""
    return f'the pattern "{error}" can\'t be matched in bounded time'


@record
class Linear:
    """A pattern with the one method of Python's that xmlschema calls."""

    pattern: str
    validator: Any

    def match(self, text: str) -> bool | None:
        """Return True where the pattern matches, as a match object would count, else None."""
        if self.validator is None:
            raise UncheckedError(self.pattern)
        return True if self.validator.is_valid(text) else None


class LinearPatterns(XsdPatternFacets):
    """Pattern facets that are linear from the start, since types are checked with them while a schema is built."""

    def __repr__(self) -> str:
        """Name the patterns, as the library's messages do."""
        return f"the pattern {' or '.join(map(repr, self.regexps))}"

    def _parse_value(self, elem: Any) -> Any:
        return _linear(super()._parse_value(elem))


class Schema10(xmlschema.XMLSchema10):
    """XML Schema 1.0 with such patterns, and with unions that keep texts."""

    builders = XsdBuilders("1.0", LinearPatterns, union_class=Union10)


class Schema11(xmlschema.XMLSchema11):
    """XML Schema 1.1 with the same."""

    builders = XsdBuilders("1.1", LinearPatterns, union_class=Union11)


def _linear(pattern: re.Pattern[str]) -> Linear:
    text = pattern.pattern.removesuffix(_PYTHON_END)
    options = jsonschema_rs.RegexOptions(size_limit=_SIZE)
    try:
        return Linear(text, jsonschema_rs.validator_for({"pattern": text}, pattern_options=options, offline=True))
    except ValueError:
        return Linear(text, None)
