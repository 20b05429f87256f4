"""New names in an entity that a change is about, and the old name that each took the place of.

Writing a name otherwise, by mistake or not, is one edit, but it removes one attribute and adds another, perhaps one
that `check` doesn't know. Of the findings about such an edit, only the worst is reported.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.changes.equality import alike
from xregit.diagnostics import Severity
from xregit.model.spelling import is_misspelled

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry
    from xregit.changes.change import Change
    from xregit.diagnostics import Diagnostic
    from xregit.json_pointer import NamePath


# Which member of a property's definition says what differs, the likelier one first.
MEMBERS: Mapping[str, NamePath] = {"value": ("value",), "presence": ("required", "value")}
OF_NAMES = frozenset({"unknown-attribute", "misspelled-attribute"})
_WORST_FIRST = tuple(Severity)
# Each name that is gone is compared with each one beside it. Nobody writes so many of them by hand.
_MAX_NAMES = 200


@dataclass(frozen=True, slots=True)
class NewName:
    """Where a name stands that is new in an entity, and the name that it took the place of, if any."""

    path: NamePath
    instead: str = ""


def find_new_name(before: Registry, after: Registry, change: Change) -> NewName | None:
    """Return the new name that a change is about; None where all of its names were there before, or none is."""
    old, new = (registry.entity(change.xid) for registry in (before, after))
    if not isinstance(old, Group | Resource) or not isinstance(new, Group | Resource):
        return None
    members = MEMBERS.get(change.kind, ())
    paths = [(*change.path, member) for member in members] or [change.path]
    return next(
        (
            found
            for path in paths
            if (found := _first_new_name(_entity_attributes(old), _entity_attributes(new), path)) is not None
        ),
        None,
    )


def worst_per_name(found: Iterable[tuple[NewName | None, Diagnostic]]) -> Iterator[tuple[NewName | None, Diagnostic]]:
    """Give the findings, but where one name took another's place only the worst; of two, that on the old name."""
    several = list(found)
    replaced = {(item.xid, name.path) for name, item in several if name and name.instead}
    told: set[tuple[str, NamePath]] = set()
    for name, item in sorted(several, key=_worst_first):
        key = (item.xid, name.path) if name else (item.xid, ())
        if key not in replaced:
            yield name, item
        elif key not in told:
            told.add(key)
            yield name, item


def merge_findings(
    stated: Sequence[Diagnostic], changes: Iterable[Diagnostic], on_new_names: Container[Diagnostic]
) -> Iterator[Diagnostic]:
    """Give the findings of `check` and those on changes, but of several about one new name only the worst."""
    of_names = {_place_key(item): item for item in stated if item.rule in OF_NAMES}
    hidden: set[Diagnostic] = set()
    for item in changes:
        other = of_names.get(_place_key(item)) if item in on_new_names else None
        if other is None:
            yield item
        elif _severity_rank(item) < _severity_rank(other):
            hidden.add(other)
            yield item
    yield from (item for item in stated if item not in hidden)


def _worst_first(pair: tuple[NewName | None, Diagnostic]) -> tuple[int, bool]:
    name, item = pair
    return _severity_rank(item), not (name and name.instead)


def _severity_rank(item: Diagnostic) -> int:
    return _WORST_FIRST.index(item.severity)


def _place_key(item: Diagnostic) -> tuple[str, int, int]:
    return item.path, item.line, item.column


def _entity_attributes(entity: Group | Resource) -> Mapping[str, Any]:
    return entity.written if isinstance(entity, Resource) else entity.attributes


def _first_new_name(old: Any, new: Any, path: NamePath) -> NewName | None:
    """Return the first name on a path that is new there, or that took the place of one that is gone."""
    for number, name in enumerate(path):
        if not isinstance(old, Mapping) or not isinstance(new, Mapping):
            return None
        if name not in old and name not in new:
            return None
        if name not in old:
            return NewName(path[: number + 1])
        if name not in new:
            if len(new) > _MAX_NAMES:
                return None
            others = [other for other in new if other not in old and _replaces(new[other], old[name], other, name)]
            return NewName((*path[:number], others[0]), name) if len(others) == 1 else None
        old, new = old[name], new[name]
    return None


def _replaces(value: Any, before: Any, other: str, name: str) -> bool:
    """Tell whether a name took another one's place: with its value, which says more than a number, or misspelled."""
    return is_misspelled(other, name) or (isinstance(value, str | Mapping | list | tuple) and alike(value, before))
