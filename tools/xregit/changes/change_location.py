"""Where a change is to be seen: its file and line, and the new name that it is about.

Writing a name otherwise, by mistake or not, is one edit, but it removes one attribute and adds another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Place, Resource, Version
from xregit.changes.attribute_diff import alike
from xregit.diagnostics import Span
from xregit.model.spelling import is_misspelled
from xregit.xid import parent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xregit.catalog.registry import Entity, Registry
    from xregit.changes.change import Change
    from xregit.json_pointer import KeyPath, NamePath


# Which member of a property's definition says what differs, the likelier one first.
_MEMBERS: Mapping[str, NamePath] = {"value": ("value",), "presence": ("required", "value")}
# Each removed name is compared with each new one beside it. Nobody writes so many of them by hand.
_MAX_NAMES = 200


@dataclass(frozen=True, slots=True)
class NewName:
    """The path of a name that is new in an entity, and the name that it replaces, if any."""

    path: NamePath
    replaces: str = ""


def find_new_name(before: Registry, after: Registry, change: Change) -> NewName | None:
    """Return the new name that a change is about; None where all of its names were there before, or none is."""
    old, new = (registry.entity(change.xid) for registry in (before, after))
    if not isinstance(old, Group | Resource) or not isinstance(new, Group | Resource):
        return None
    paths = [(*change.path, member) for member in _MEMBERS.get(change.kind, ())] or [change.path]
    names = (_first_new_name(_definition(old), _definition(new), path) for path in paths)
    return next((name for name in names if name is not None), None)


def _first_new_name(old: Any, new: Any, path: NamePath) -> NewName | None:
    """Return the first name on a path that is new there, or that replaces a removed one."""
    for number, name in enumerate(path):
        if not isinstance(old, Mapping) or not isinstance(new, Mapping) or (name not in old and name not in new):
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
    """Return whether a name replaces another one: with its value, which says more than a number, or misspelled."""
    return is_misspelled(other, name) or (isinstance(value, str | Mapping | list | tuple) and alike(value, before))


def locate_change(before: Registry, after: Registry, change: Change, name: NamePath = ()) -> tuple[Place, Span]:
    """Return the file of a change and its line, or the line of a new ``name``; a removed file has no lines."""
    entity = after.entity(change.xid)
    if entity is not None and name:
        return entity.place, after.origin.span(entity.place, name, on_key=True)
    if isinstance(entity, Version):
        line = _changed_line(before.entity(change.xid), entity, change.where)
        return _own_file(entity), Span(line, 1, line, 1)
    if entity is not None:
        path = _file_path(entity, change)
        return entity.place, after.origin.span(entity.place, path, on_key=True)
    if change.xid == "/":
        return after.place, after.origin.span(after.place, change.path, on_key=True)
    old = before.entity(change.xid)
    if old is None or not old.place.pointer:
        place = _own_file(old) if old is not None else before.place
        return Place(place.path), Span()
    holder = after.entity(parent(change.xid))  # the group or schema in whose file it stood
    return (holder.place, after.origin.span(holder.place)) if holder is not None else (Place(old.place.path), Span())


def _changed_line(old: Entity | None, new: Version, where: Sequence[str]) -> int:
    """Return the first line of a document that differs and names what changed, else the first one that differs.

    ``where`` are places in the payload; a name that is gone stands nowhere.
    """
    texts = [item.document.data if isinstance(item, Version) and item.document else None for item in (old, new)]
    if texts[0] is None or texts[1] is None:
        return 1
    before, after = (text.decode(errors="replace").splitlines() for text in texts if text is not None)
    common = range(min(len(before), len(after)))
    start = next((number for number in common if before[number] != after[number]), len(common))
    same = next((number for number in common[: len(common) - start] if before[-1 - number] != after[-1 - number]), 0)
    changed = range(start, max(len(after) - same, start))
    names = [re.findall(r"[^.:\s\[\]]+", place)[-1:] for place in where]
    for name in (each for found in names for each in found):
        word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        line = next((number for number in changed if word.search(after[number])), None)
        if line is not None:
            return line + 1
    return min(start + 1, max(len(after), 1))


def _own_file(entity: Entity) -> Place:
    return entity.document.place if isinstance(entity, Version) and entity.document is not None else entity.place


def _definition(entity: Group | Resource) -> Mapping[str, Any]:
    return entity.definition if isinstance(entity, Resource) else entity.attributes


def _file_path(entity: Group | Resource, change: Change) -> KeyPath:
    """Return the path of a change in its file: items of lists by their numbers, and the member of a property."""
    value: object = _definition(entity)
    path: KeyPath = change.path
    if isinstance(entity, Resource) and path and path[0] not in entity.definition:
        if path[0] in entity.meta and "meta" in entity.definition:
            path = ("meta", *path)
        elif "versions" in entity.definition:
            path = ("versions", entity.defaultversionid, *path)
    result: list[str | int] = []
    for part in path:
        key: str | int = part
        if isinstance(value, list | tuple):
            key = next((number for number, item in enumerate(value) if _has_name(item, str(part))), part)
        result.append(key)
        value = _child(value, key)
    members = _MEMBERS.get(change.kind, ()) if isinstance(value, dict) else ()
    return (*result, *[name for name in members if _child(value, name) is not None][:1])


def _has_name(item: object, name: str) -> bool:
    if isinstance(item, dict):
        return name.strip('"').lower() in {str(item.get("name")).lower(), str(item.get("uri")).lower()}
    return str(item) == name.strip('"')


def _child(value: object, key: str | int) -> object:
    if isinstance(value, dict):
        return value.get(key)
    return value[key] if isinstance(value, list | tuple) and isinstance(key, int) else None
