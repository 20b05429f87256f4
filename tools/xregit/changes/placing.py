"""Where a change is to be seen: the line that states the new value, else the nearest one that is still there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.entities import Place, Resource, Version
from xregit.changes.slips import MEMBERS
from xregit.diagnostics import Span
from xregit.xid import parent

if TYPE_CHECKING:
    from xregit.catalog.registry import Entity, Registry
    from xregit.changes.change import Change
    from xregit.keypaths import KeyPath, NamePath


def place_of(before: Registry, after: Registry, change: Change, name: NamePath = ()) -> tuple[Place, Span]:
    """Return the file of a change, and its line, that of a new ``name`` if any; a file that is gone has no lines."""
    entity = after.entity(change.xid)
    if entity is not None and name:
        return entity.place, after.origin.span(entity.place, name, on_key=True)
    if entity is not None:
        return _inside(after, entity, change)
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


def _inside(registry: Registry, entity: Entity, change: Change) -> tuple[Place, Span]:
    if isinstance(entity, Version):
        place = _file_of(entity)
        return place, Span(1, 1, 1, 1)
    path: KeyPath = change.path
    if isinstance(entity, Resource) and path and path[0] not in entity.written:
        path = _where_written(entity, path)
    value = entity.written if isinstance(entity, Resource) else entity.attributes
    return entity.place, registry.origin.span(entity.place, _in_file(value, path, change.kind), on_key=True)


def _where_written(resource: Resource, path: KeyPath) -> KeyPath:
    """Return a path below ``meta`` or a version, where the value stands there."""
    if path[0] in resource.meta and "meta" in resource.written:
        return ("meta", *path)
    if "versions" in resource.written:
        return ("versions", resource.defaultversionid, *path)
    return path


def _in_file(here: object, path: KeyPath, kind: str) -> KeyPath:
    """Return the path of what changes: an item of a list is named by its number, a property's member is added."""
    found: list[str | int] = []
    for part in path:
        if isinstance(here, list | tuple):
            part = next((n for n, item in enumerate(here) if _is_named(item, str(part))), part)  # noqa: PLW2901 - its number
        found.append(part)
        here = _within(here, part)
    members = MEMBERS.get(kind, ()) if isinstance(here, dict) else ()
    return (*found, *[name for name in members if _within(here, name) is not None][:1])


def _is_named(item: object, name: str) -> bool:
    if isinstance(item, dict):
        return name.strip('"').lower() in {str(item.get("name")).lower(), str(item.get("uri")).lower()}
    return str(item) == name.strip('"')


def _within(value: object, part: str | int) -> object:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list | tuple) and isinstance(part, int):
        return value[part]
    return None
