"""A message in one of two registries, as it is compared: its resolved attributes, schema and base messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.catalog.references import schema_of
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Resource
    from xregit.catalog.references import SchemaReference
    from xregit.catalog.registry import Registry
    from xregit.model.language import ResourceModel


@record
class Side:
    """A message in one of the two registries; ``chain`` are its bases, the nearest first, after an alias' target."""

    registry: Registry
    resource: Resource

    @property
    def type(self) -> ResourceModel:
        """The model of messages."""
        return self.resource.type

    @property
    def attributes(self) -> Mapping[str, Any]:
        """All that the message says, its base messages merged in."""
        return self.registry.resolved(self.resource.xid).attributes

    @property
    def chain(self) -> tuple[str, ...]:
        """What it builds on, the nearest first."""
        target = self.registry.resource(self.resource.xref) if self.resource.xref else None
        chain = self.registry.resolved(self.resource.xid).chain
        return (target.xid, *chain) if target else chain

    @property
    def group(self) -> str:
        """The xid of the group that holds it."""
        return "/".join(self.resource.xid.split("/")[:3])

    @property
    def schema(self) -> SchemaReference | None:
        """What it refers to as its payload's schema."""
        return schema_of(self.registry, self.attributes)


def is_readable(registry: Registry, resource: Resource) -> bool:
    """Tell whether a resource and all that it builds on could be read as a whole."""
    if not registry.broken:
        return True
    chain = registry.resolved(resource.xid).chain if resource.type.plural == "messages" else ()
    return not any(registry.unreadable(xid) for xid in (resource.xid, *chain))
