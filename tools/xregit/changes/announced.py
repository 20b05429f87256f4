"""Announced removals: the day that an entity's deprecation names for its removal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource
from xregit.model.times import moment

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

_GROUP_PARTS, _RESOURCE_PARTS = 3, 5


def removal_of(registry: Registry, xid: str) -> date | None:
    """Return the day on which an entity, or what it is part of, is announced to be removed; the earliest of several."""
    days = [day for stated in _deprecations(registry, xid) if (day := _day(stated.get("removal"))) is not None]
    return min(days, default=None)


def is_deprecated(registry: Registry, xid: str) -> bool:
    """Tell whether an entity, or what it is part of, is deprecated."""
    return any(True for _ in _deprecations(registry, xid))


def _deprecations(registry: Registry, xid: str) -> Iterator[Mapping[str, Any]]:
    parts = xid.split("/")
    for length in (_GROUP_PARTS, _RESOURCE_PARTS):
        entity = registry.entity("/".join(parts[:length])) if len(parts) >= length else None
        attributes = entity.meta if isinstance(entity, Resource) else entity.attributes if entity else {}
        stated = attributes.get("deprecated") if isinstance(entity, Group | Resource) else None
        if isinstance(stated, Mapping):
            yield stated


def _day(written: object) -> date | None:
    time = moment(written)
    return time.date() if time else None
