"""Differences to changes: each is judged by the first row of the table that fits it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.changes.change import Change
from xregit.changes.table import table
from xregit.model.language import display_name
from xregit.model.quoting import cut, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.changes.change import Difference

MAX_SHOWN_CHARS = 80
_CHANGE = {"added": "added", "removed": "removed"}


def judged(difference: Difference) -> Change:
    """Return what a difference does to whom; the last row of the table fits every attribute."""
    row = next(row for row in table().rows if row.fits(difference))
    words = {**_words(difference), **difference.words}
    return Change(
        xid=difference.xid,
        change=_CHANGE.get(difference.relation, "changed") if difference.kind == "entity" else "changed",
        rule=row.rule,
        producer=row.producer,
        consumer=row.consumer,
        message=row.message.format_map(words),
        entity=difference.about,
        kind=difference.kind,
        path=difference.path,
        before=difference.before,
        after=difference.after,
        says={who: text.format_map(words) for who, text in row.says.items()},
        help=row.help.format_map(words),
        requirement=row.requirement,
        reaches=difference.reaches,
    )


def shown(value: Any) -> str:
    """Return a value as a sentence quotes it, cut where it is long."""
    if value is None:
        return "none"
    return cut(f'"{value}"', MAX_SHOWN_CHARS) if isinstance(value, str) else to_json(value, MAX_SHOWN_CHARS)


def _words(difference: Difference) -> Mapping[str, str]:
    """Return what the texts of every row may name."""
    before, after = difference.before, difference.after
    edited = "is new" if before is None else "is gone" if after is None else "has changed"
    return {
        "name": f'"{".".join(difference.path)}"',
        "about": display_name(difference.about),
        "before": shown(before),
        "after": shown(after),
        "item": difference.path[-1] if difference.path else "",
        "edited": edited,
        "moves": _went("moves", before, after),
        "changes": _went("changes", before, after),
        "terms": "",
        "detail": "",
        "advice": "",
        "what": "",
    }


def _went(how: str, before: Any, after: Any) -> str:
    """Return how a value became another one, or that one has come or gone."""
    if before is None:
        return f"is new: {shown(after)}"
    if after is None:
        return f"is gone; it was {shown(before)}"
    return f"{how} from {shown(before)} to {shown(after)}"
