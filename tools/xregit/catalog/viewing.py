"""An entity to its typed view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.entities import Group, Resource, Version
from xregit.catalog.groups import MessageGroup, SchemaGroup
from xregit.catalog.schemas import Schema
from xregit.catalog.views import Endpoint, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xregit.catalog.registry import Registry

View = MessageGroup | Message | Endpoint | SchemaGroup | Schema | Group | Resource | Version


def view(registry: Registry, entity: Group | Resource | Version) -> View:
    """Return the typed view of an entity, or the entity itself where its type has none."""
    if isinstance(entity, Version):
        return entity
    if isinstance(entity, Resource):
        resource = _RESOURCES.get(entity.type.plural)
        return resource(registry, entity) if resource else entity
    group = _GROUPS.get(entity.type.plural)
    return group(registry, entity) if group else entity


_RESOURCES: Mapping[str, Callable[[Registry, Resource], Message | Schema]] = {"messages": Message, "schemas": Schema}
_GROUPS: Mapping[str, Callable[[Registry, Group], MessageGroup | Endpoint | SchemaGroup]] = {
    "messagegroups": MessageGroup,
    "endpoints": Endpoint,
    "schemagroups": SchemaGroup,
}
