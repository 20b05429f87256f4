"""Verdicts: each difference is judged by the first row of the table that fits it."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Place, Resource, Version
from xregit.changes.change import AUDIENCES, Change, Impact
from xregit.changes.new_names import MEMBERS
from xregit.diagnostics import Span
from xregit.model.language import NOTHING, display_name
from xregit.model.quoting import cut, to_json
from xregit.xid import parent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.registry import Entity, Registry
    from xregit.changes.change import Difference
    from xregit.json_pointer import KeyPath, NamePath


_CONDITIONS = ("about", "kind", "relation", "path", "before", "after")


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
        """Tell whether the row is about a difference."""
        return all(_condition_fits(name, values, getattr(difference, name)) for name, values in self.conditions.items())


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


@cache
def load_table() -> VerdictTable:
    """Return the table of `verdicts.yaml`."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = (files("xregit.changes") / "verdicts.yaml").read_text(encoding="utf-8")
    value: Mapping[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - a safe loader
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
        lists={path: tuple(names) for path, names in value["lists"].items()},
    )


def _row(value: Mapping[str, Any]) -> VerdictRow:
    says = value.get("says", NOTHING)
    return VerdictRow(
        conditions={name: _as_tuple(value[name]) for name in _CONDITIONS if name in value},
        rule=value["rule"],
        producer=Impact(value["producer"]),
        consumer=Impact(value["consumer"]),
        message=value["message"],
        says={name: says[name] for name in AUDIENCES if name in says},
        help=value.get("help", ""),
        requirement=value.get("requirement", ""),
    )


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _condition_fits(name: str, values: tuple[Any, ...], found: Any) -> bool:
    if name == "path":
        return any(fnmatchcase(".".join(found), pattern) for pattern in values)
    return found in values


def locate_change(before: Registry, after: Registry, change: Change, name: NamePath = ()) -> tuple[Place, Span]:
    """Return the file of a change, and its line, that of a new ``name`` if any; a file that is gone has no lines."""
    entity = after.entity(change.xid)
    if entity is not None and name:
        return entity.place, after.origin.span(entity.place, name, on_key=True)
    if entity is not None:
        return _locate_in_entity(after, entity, change)
    if change.xid == "/":
        return after.place, after.origin.span(after.place, change.path, on_key=True)
    gone = before.entity(change.xid)
    if gone is None or not gone.place.pointer:
        place = _file_of(gone) if gone is not None else before.place
        return Place(place.path), Span()
    holder = after.entity(parent(change.xid))  # it stood in the file of its group or schema
    place = holder.place if holder is not None else Place(gone.place.path)
    return place, after.origin.span(place) if holder is not None else Span()


def _file_of(entity: Entity) -> Place:
    if isinstance(entity, Version) and entity.document is not None:
        return entity.document.place
    return entity.place


def _locate_in_entity(registry: Registry, entity: Entity, change: Change) -> tuple[Place, Span]:
    if isinstance(entity, Version):
        place = _file_of(entity)
        return place, Span(1, 1, 1, 1)
    path: KeyPath = change.path
    if isinstance(entity, Resource) and path and path[0] not in entity.written:
        path = _written_path(entity, path)
    value = entity.written if isinstance(entity, Resource) else entity.attributes
    return entity.place, registry.origin.span(entity.place, _file_path(value, path, change.kind), on_key=True)


def _written_path(resource: Resource, path: KeyPath) -> KeyPath:
    """Return a path below ``meta`` or a version, where the value stands there."""
    if path[0] in resource.meta and "meta" in resource.written:
        return ("meta", *path)
    if "versions" in resource.written:
        return ("versions", resource.defaultversionid, *path)
    return path


def _file_path(here: object, path: KeyPath, kind: str) -> KeyPath:
    """Return the path of what changes: an item of a list is named by its number, a property's member is added."""
    found: list[str | int] = []
    for part in path:
        if isinstance(here, list | tuple):
            part = next((n for n, item in enumerate(here) if _is_named(item, str(part))), part)  # noqa: PLW2901 - its number
        found.append(part)
        here = _follow_path(here, part)
    members = MEMBERS.get(kind, ()) if isinstance(here, dict) else ()
    return (*found, *[name for name in members if _follow_path(here, name) is not None][:1])


def _is_named(item: object, name: str) -> bool:
    if isinstance(item, dict):
        return name.strip('"').lower() in {str(item.get("name")).lower(), str(item.get("uri")).lower()}
    return str(item) == name.strip('"')


def _follow_path(value: object, part: str | int) -> object:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list | tuple) and isinstance(part, int):
        return value[part]
    return None


MAX_SHOWN_CHARS = 80
_CHANGE = {"added": "added", "removed": "removed"}


def judge(difference: Difference) -> Change:
    """Return what a difference does to whom; the last row of the table fits every attribute."""
    row = next(row for row in load_table().rows if row.fits(difference))
    words = {**_template_words(difference), **difference.words}
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


def quote_value(value: Any) -> str:
    """Return a value as a sentence quotes it, cut where it is long."""
    if value is None:
        return "none"
    return cut(f'"{value}"', MAX_SHOWN_CHARS) if isinstance(value, str) else to_json(value, MAX_SHOWN_CHARS)


def _template_words(difference: Difference) -> Mapping[str, str]:
    """Return what the texts of every row may name."""
    before, after = difference.before, difference.after
    edited = "is new" if before is None else "is gone" if after is None else "has changed"
    return {
        "name": f'"{".".join(difference.path)}"',
        "about": display_name(difference.about),
        "before": quote_value(before),
        "after": quote_value(after),
        "item": difference.path[-1] if difference.path else "",
        "edited": edited,
        "moves": _describe_transition("moves", before, after),
        "changes": _describe_transition("changes", before, after),
        "terms": "",
        "detail": "",
        "advice": "",
        "what": "",
    }


def _describe_transition(how: str, before: Any, after: Any) -> str:
    """Return how a value became another one, or that one has come or gone."""
    if before is None:
        return f"is new: {quote_value(after)}"
    if after is None:
        return f"is gone; it was {quote_value(before)}"
    return f"{how} from {quote_value(before)} to {quote_value(after)}"
