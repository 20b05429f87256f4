"""Verdicts: each difference is judged by the first row of the table that fits it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from xregit.changes.change import AUDIENCES, Change, Difference, Impact
from xregit.model.excerpts import cut, to_json
from xregit.model.files import load_data
from xregit.model.language import NOTHING, type_label

_CONDITIONS = ("about", "kind", "relation", "path", "before", "after")
MAX_QUOTED_CHARS = 80


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One row: the conditions, each a tuple of values of which one must fit, and the verdict."""

    conditions: Mapping[str, tuple[Any, ...]]
    rule: str
    producer: Impact
    consumer: Impact
    message: str
    says: Mapping[str, str]
    help: str
    requirement: str

    def fits(self, difference: Difference) -> bool:
        """Return whether the row is about a difference."""
        for name, values in self.conditions.items():
            value = getattr(difference, name)
            if name == "path":
                if not any(fnmatchcase(".".join(value), pattern) for pattern in values):
                    return False
            elif value not in values:
                return False
        return True


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """The rows in their order, and the facts that relations of values follow from."""

    rows: tuple[VerdictRow, ...]
    wider_types: Mapping[str, frozenset[str]]
    encoded_types: Mapping[str, frozenset[str]]
    text_types: Mapping[str, frozenset[str]]
    media_types: frozenset[str]
    caseless_names: Mapping[str, frozenset[str]]
    bookkeeping: frozenset[str]
    lists: Mapping[str, tuple[str, ...]]
    schemes: Mapping[str, str]
    other_names: Mapping[str, str]
    ports: Mapping[str, int]


@cache
def load_table() -> VerdictTable:
    """Return the table of `verdicts.yaml`."""
    value: Mapping[str, Any] = load_data(Path(__file__).with_name("verdicts.yaml"))
    return VerdictTable(
        rows=tuple(map(_row, value["rows"])),
        wider_types={name: frozenset(types) for name, types in value["widertypes"].items()},
        encoded_types={name: frozenset(types) for name, types in value["encodedtypes"].items()},
        text_types={path: frozenset(types) for path, types in value["texttypes"].items()},
        media_types=frozenset(value["mediatypes"]),
        caseless_names={name: frozenset(lists) for name, lists in value["caselessnames"].items()},
        bookkeeping=frozenset(value["bookkeeping"]),
        schemes=value["schemes"],
        other_names=value["othernames"],
        ports=value["ports"],
        lists={path: tuple(names) for path, names in value["lists"].items()},
    )


def _row(value: Mapping[str, Any]) -> VerdictRow:
    says = value.get("says", NOTHING)
    conditions = {name: value[name] for name in _CONDITIONS if name in value}
    return VerdictRow(
        conditions={name: tuple(item) if isinstance(item, list) else (item,) for name, item in conditions.items()},
        rule=value["rule"],
        producer=Impact(value["producer"]),
        consumer=Impact(value["consumer"]),
        message=value["message"],
        says={name: says[name] for name in AUDIENCES if name in says},
        help=value.get("help", ""),
        requirement=value.get("requirement", ""),
    )


def judge(difference: Difference) -> Change:
    """Return the change that a difference is, with its impact; the last row of the table fits every attribute."""
    row = next(row for row in load_table().rows if row.fits(difference))
    before, after = difference.before, difference.after
    words = {
        "name": f'"{".".join(difference.path)}"',
        "about": type_label(difference.about),
        "before": quote_value(before),
        "after": quote_value(after),
        "item": difference.path[-1] if difference.path else "",
        "edited": "is added" if before is None else "is removed" if after is None else "changes",
        "moves": describe_transition("moves", before, after),
        "changes": describe_transition("changes", before, after),
        **dict.fromkeys(("terms", "detail", "advice", "what"), ""),
        **difference.words,
    }
    comes_or_goes = difference.kind == "entity" and difference.relation in {"added", "removed"}
    return Change(
        xid=difference.xid,
        change=difference.relation if comes_or_goes else "changed",
        rule=row.rule,
        producer=row.producer,
        consumer=row.consumer,
        message=row.message.format_map(words),
        entity=difference.about,
        kind=difference.kind,
        path=difference.path,
        before=before,
        after=after,
        says={audience: text.format_map(words) for audience, text in row.says.items()},
        help=row.help.format_map(words),
        requirement=row.requirement,
        reaches=difference.reaches,
        details=difference.details,
        where=difference.where,
    )


def quote_value(value: Any) -> str:
    """Return a value as a sentence quotes it, cut where it is long."""
    if value is None:
        return "none"
    return cut(f'"{value}"', MAX_QUOTED_CHARS) if isinstance(value, str) else to_json(value, MAX_QUOTED_CHARS)


def describe_transition(verb: str, before: Any, after: Any) -> str:
    """Return what became of a value, as the end of a sentence; None is an absent one."""
    if before is None:
        return f"is added: {quote_value(after)}"
    if after is None:
        return f"is removed; it was {quote_value(before)}"
    return f"{verb} from {quote_value(before)} to {quote_value(after)}"
