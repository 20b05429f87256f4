"""Answers to messages as text for people: which definitions they fit, where those stand, and what fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.messages.explanation import READABLE
from xregit.messages.guess import NAME
from xregit.reports.text import escape_control

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog import Registry
    from xregit.messages.constraints import Failure
    from xregit.messages.result import Match


NOTHING = "nothing"
VERBS = {"": "fits", "name": "may be", "payload": "may be the payload of"}
PARTS = {"dataschema": "payload"}


def match_text(match: Match, registry: Registry, place: str, *, explain: bool = False) -> str:
    """Return the answer to one message: a line that says what it is, then the definitions in question.

    Each has its name, xid and file. ``place`` is where the message stands. What comes near is shown where nothing fits,
    or to ``explain``.
    """
    lines = [f"{place}: {_headline(match)}"]
    lines += [f"  {problem}" for problem in match.problems]
    for item in match.matches:
        lines += _definition(registry, item.xid)
        lines += [f"    {name} = {value}" for name, value in item.context.items()]
    for reason in match.reasons if explain or not match.matches else ():
        if not match.problems or reason.xid:
            lines += _definition(registry, reason.xid, near=True) if reason.xid else []
            lines += [f"    {_failure(failure)}" for failure in reason.failed]
    return "\n".join(map(escape_control, lines))


def _headline(match: Match) -> str:
    verb, count = VERBS[match.guess], len(match.matches)
    if match.problems:
        return "can't be read as a message"
    if count:
        return f"{verb} {'one definition' if count == 1 else f'{count} definitions'}"
    if any(failure.attribute == "dataschema" for reason in match.reasons for failure in reason.failed):
        return f"{verb} no definition, because of its payload" if not match.guess else f"{verb} no definition"
    return "is the name of no definition" if match.guess == NAME else f"{verb} no definition"


def _definition(registry: Registry, xid: str, *, near: bool = False) -> Iterator[str]:
    message = registry[xid]
    title = message.name or message.id
    yield f"  {'near: ' if near else ''}{title}"
    yield f"    {xid}"
    yield f"    {message.entity.place.path}"


def _failure(failure: Failure) -> str:
    """Return what fails in words, with the last part of the attribute, which people know it by."""
    part = PARTS.get(failure.attribute, failure.attribute.partition("/")[2] or failure.attribute)
    label = f"{part}: " if part else ""
    if failure.attribute == "dataschema" or failure.expected == READABLE:
        return f"{label}{failure.found}"
    found = NOTHING if failure.found is None else f'"{failure.found}"'
    return f"{label}expected {failure.expected}, found {found}"
