"""YAML text to values by the core schema of YAML 1.2, and to the places where they stand.

Sound text is read event by event without places (`yaml_events`); only where something is wrong, a second and slower
pass says what (`yaml_survey`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.source import yaml_events
from xregit.source.text import UTF8_BOM, Parsed, Positions, Problem

if TYPE_CHECKING:
    from xregit.source.events import Parser


def parse(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return the value of a file that holds one YAML document, and everything that is wrong with its text."""
    return yaml_events.parse(data.removeprefix(UTF8_BOM), parser)


def positions(data: bytes, parser: Parser | None = None) -> Positions:
    """Return where the parts of the document stand, as far as it can be read."""
    return yaml_events.positions(data.removeprefix(UTF8_BOM), parser)


def mapping(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return what ``parse`` does, with a problem where the document is anything but a mapping."""
    parsed = parse(data, parser)
    if isinstance(parsed.value, dict) or parsed.problems:
        return parsed
    kind = "a list" if isinstance(parsed.value, list) else "a single value"
    message = f'the file holds {kind}, but lines such as "name: value" are expected'
    place = positions(data, parser).root.mark()
    return Parsed(None, (Problem("yaml-syntax", message, 'write each attribute as "name: value"', place),))
