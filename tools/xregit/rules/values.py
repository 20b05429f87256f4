"""Values that nobody can mean: with characters that only look right, or still to be written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.catalog.properties import PARTS
from xregit.diagnostics import Finding, Severity
from xregit.model import odd_characters
from xregit.model.language import MAPPINGS
from xregit.model.quoting import cut, quote
from xregit.rules.rule import finding, rule

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.json_pointer import KeyPath


# What machines compare or send; all else is for people, who write as they like.
MACHINE = (
    *PARTS,
    *("envelope", "envelopeoptions", "protocol", "channel", "datacontenttype", "dataschemaformat", "dataschemauri"),
    *("dataschemaxid", "basemessage", "messagegroups", "format", "usage"),
)
PROSE = ("name", "description")
_FOR_PEOPLE = frozenset({"description", "specurl", "documentation"})
_UNFINISHED = re.compile(
    r"\s*(?:TODO|FIXME|TBD|XXX|CHANGE[ _-]?ME|REPLACE[ _-]?ME|LOREM IPSUM|\.\.\.$|\?\?\?)(?:\b|:|$)", re.IGNORECASE
)
_TO_FILL_IN = re.compile(r"<[A-Za-z][\w .-]*>")


@rule(
    "entity",
    Severity.WARNING,
    "A value has a character that looks like another one, or like nothing.",
    attributes=MACHINE,
)
def odd_character(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Report quotes, spaces, dashes and letters that machines don't take for those that they look like."""
    for path, value in _texts(entity, MACHINE):
        character = odd_characters.describe(value) or ("a space around it" if value.strip() not in {value, ""} else "")
        if character:
            text_ = f"{quote(value)} has {character}, which is part of the value."
            right = odd_characters.repair(value).replace("'", "''")
            yield finding(*path, message=text_, help=f"Write '{cut(right)}', quotes included.")


@rule("entity", Severity.WARNING, "A value is still to be written.", attributes=(*MACHINE, *PROSE))
def unfinished_value(_registry: Registry, entity: Group | Resource) -> Iterator[Finding]:
    """Report marks such as TODO, and names in angle brackets where machines read them."""
    for path, value in _texts(entity, (*MACHINE, *PROSE)):
        if _UNFINISHED.match(value) or (path[0] not in PROSE and _TO_FILL_IN.fullmatch(value)):
            name = next(part for part in reversed(path) if isinstance(part, str))
            text_ = f'"{name}" is still to be written: {quote(value)}.'
            yield finding(*path, message=text_, help="Write what it is, or leave it out.")


def _texts(entity: Group | Resource, names: tuple[str, ...]) -> Iterator[tuple[KeyPath, str]]:
    """Yield the texts that an entity states under some names, with their paths."""
    if isinstance(entity, Resource) and entity.xref:
        return
    attributes: Mapping[str, Any] = entity.attributes
    pending: list[tuple[KeyPath, Any]] = [((name,), attributes[name]) for name in reversed(names) if name in attributes]
    while pending:
        path, value = pending.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, MAPPINGS):
            pending += [((*path, name), item) for name, item in value.items() if name not in _FOR_PEOPLE]
        elif isinstance(value, list | tuple):
            pending += [((*path, index), item) for index, item in enumerate(value)]
