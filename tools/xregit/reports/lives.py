"""An entity's life → words for people, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from xregit.changes.change import Impact
from xregit.reports.excerpts import safe

if TYPE_CHECKING:
    from xregit.changes.change import Change
    from xregit.changes.life import Moment

SHORT_HASH = 9


def life_text(moments: Sequence[Moment]) -> str:
    """Return a paragraph for each commit, the newest first: when, who, what they said, and what changed by it."""
    return "\n\n".join("\n".join(map(safe, _lines(moment))) for moment in moments)


def life_json(moments: Sequence[Moment]) -> list[dict[str, Any]]:
    """Return one object for each commit, the newest first."""
    return [
        {
            "commit": moment.commit.sha,
            "time": moment.commit.time,
            "author": moment.commit.author,
            "subject": moment.commit.subject,
            "xid": moment.xid,
            "readable": moment.readable,
            "changes": [change.as_json() for change in moment.changes],
        }
        for moment in moments
    ]


def _lines(moment: Moment) -> Iterator[str]:
    commit = moment.commit
    yield f"{commit.time[:10]}  {commit.sha[:SHORT_HASH]}  {commit.author}: {commit.subject}"
    if not moment.readable:
        yield "    Some of it can't be read at this commit."
    elif not moment.changes:
        yield "    It begins here." if moment.begins else "    It says the same as before."
    for change in moment.changes:
        by = "" if change.xid == moment.xid else f" (through {change.xid})"
        yield f"    {change.message}{by}{_consequence(change)}"


def _consequence(change: Change) -> str:
    words = {Impact.BREAKING: "This breaks", Impact.UNKNOWN: "This may break"}
    if change.impact not in words:
        return ""
    return f" {words[change.impact]} {' and '.join(f'{who}s' for who in change.audience)}."
