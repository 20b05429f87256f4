"""YAML text to values by the core schema of YAML 1.2, and to the places where they stand.

Ordinary text is read line by line (`yaml_lines`), any other sound text event by event (`yaml_events`), both without
places. Only if something is wrong, a third and slower pass says what (`yaml_survey`). All but the first need pyyaml,
which is imported for the first such text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.source import yaml_lines
from xregit.source.text import UTF8_BOM, Parsed, Positions, Problem
from xregit.source.yaml_lines import NotOrdinaryError

if TYPE_CHECKING:
    from xregit.source.events import Parser


def parse(data: bytes, parser: Parser | None = None) -> Parsed:
    """Return the value of a file that holds one YAML document, and everything that is wrong with its text."""
    data = data.removeprefix(UTF8_BOM)
    try:
        value, plain = yaml_lines.mapping(data.decode())
    except (NotOrdinaryError, ValueError):
        from xregit.source import yaml_events

        return yaml_events.parse(data, parser)
    return Parsed(value, plain=plain)


def positions(data: bytes, parser: Parser | None = None) -> Positions:
    """Return where the parts of the document stand, as far as it can be read."""
    from xregit.source import yaml_events

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
