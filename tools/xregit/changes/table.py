"""The table of verdicts, read once: which difference does what to whom."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from xregit.changes.change import AUDIENCES, Impact
from xregit.model.language import NOTHING
from xregit.records import record

if TYPE_CHECKING:
    from xregit.changes.change import Difference

_CONDITIONS = ("about", "kind", "relation", "path", "before", "after")


@record
class Row:
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
        """Tell whether the row is about a difference."""
        return all(_fits(name, values, getattr(difference, name)) for name, values in self.conditions.items())


@record
class Table:
    """The rows in their order, and the facts that relations of values follow from."""

    rows: tuple[Row, ...]
    wider_types: Mapping[str, frozenset[str]]
    encoded_types: Mapping[str, frozenset[str]]
    text_types: Mapping[str, frozenset[str]]
    media_types: frozenset[str]
    caseless_names: Mapping[str, frozenset[str]]
    bookkeeping: frozenset[str]
    lists: Mapping[str, tuple[str, ...]]
    schemes: Mapping[str, str]
    other_names: Mapping[str, str]


@cache
def table() -> Table:
    """Return the table of `verdicts.yaml`."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = (files("xregit.changes") / "verdicts.yaml").read_text(encoding="utf-8")
    value: Mapping[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - a safe loader
    return Table(
        rows=tuple(map(_row, value["rows"])),
        wider_types={name: frozenset(types) for name, types in value["widertypes"].items()},
        encoded_types={name: frozenset(types) for name, types in value["encodedtypes"].items()},
        text_types={path: frozenset(types) for path, types in value["texttypes"].items()},
        media_types=frozenset(value["mediatypes"]),
        caseless_names={name: frozenset(lists) for name, lists in value["caselessnames"].items()},
        bookkeeping=frozenset(value["bookkeeping"]),
        schemes=value["schemes"],
        other_names=value["othernames"],
        lists={path: tuple(names) for path, names in value["lists"].items()},
    )


def _row(value: Mapping[str, Any]) -> Row:
    says = value.get("says", NOTHING)
    return Row(
        conditions={name: _listed(value[name]) for name in _CONDITIONS if name in value},
        rule=value["rule"],
        producer=Impact(value["producer"]),
        consumer=Impact(value["consumer"]),
        message=value["message"],
        says={name: says[name] for name in AUDIENCES if name in says},
        help=value.get("help", ""),
        requirement=value.get("requirement", ""),
    )


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _fits(name: str, values: tuple[Any, ...], found: Any) -> bool:
    if name == "path":
        return any(fnmatchcase(".".join(found), pattern) for pattern in values)
    return found in values
