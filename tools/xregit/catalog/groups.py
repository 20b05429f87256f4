"""What message groups and schema groups mean, typed, for those that read a checked registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xregit.catalog.schemas import Schema
from xregit.catalog.views import Message, deprecated_of, labels_of, named, reduced, text_of
from xregit.model import canonical
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.entities import Group
    from xregit.catalog.registry import Registry


@record
class MessageGroup:
    """A message group and its messages (message/spec.md)."""

    registry: Registry
    entity: Group

    __repr__ = named
    __reduce__ = reduced

    @property
    def xid(self) -> str:
        """The group's xid."""
        return self.entity.xid

    @property
    def id(self) -> str:
        """The ``messagegroupid``."""
        return self.entity.id

    @property
    def name(self) -> str:
        """The name, or an empty string."""
        return text_of(self.entity.attributes, "name")

    @property
    def description(self) -> str:
        """The description, or an empty string."""
        return text_of(self.entity.attributes, "description")

    @property
    def documentation(self) -> str:
        """The address of further documentation, or an empty string."""
        return text_of(self.entity.attributes, "documentation")

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels."""
        return labels_of(self.entity.attributes)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes as written."""
        return self.entity.attributes

    @property
    def envelope(self) -> str:
        """The envelope that its messages have, in its canonical spelling, or an empty string where it names none."""
        return canonical("envelope", text_of(self.entity.attributes, "envelope"))

    @property
    def protocol(self) -> str:
        """The protocol that its messages have, in its canonical spelling, or an empty string where it names none."""
        return canonical("protocol", text_of(self.entity.attributes, "protocol"))

    @property
    def deprecated(self) -> Mapping[str, Any] | None:
        """What is said of the deprecation; None where the group is not deprecated."""
        return deprecated_of(self.entity.attributes)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the group, by id."""
        return tuple(Message(self.registry, item) for item in self.entity.collections.get("messages", {}).values())


@record
class SchemaGroup:
    """A schema group and its schemas (schema/spec.md)."""

    registry: Registry
    entity: Group

    __repr__ = named
    __reduce__ = reduced

    @property
    def xid(self) -> str:
        """The group's xid."""
        return self.entity.xid

    @property
    def id(self) -> str:
        """The ``schemagroupid``."""
        return self.entity.id

    @property
    def name(self) -> str:
        """The name, or an empty string."""
        return text_of(self.entity.attributes, "name")

    @property
    def description(self) -> str:
        """The description, or an empty string."""
        return text_of(self.entity.attributes, "description")

    @property
    def documentation(self) -> str:
        """The address of further documentation, or an empty string."""
        return text_of(self.entity.attributes, "documentation")

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels."""
        return labels_of(self.entity.attributes)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes as written."""
        return self.entity.attributes

    @property
    def deprecated(self) -> Mapping[str, Any] | None:
        """What is said of the deprecation; None where the group is not deprecated."""
        return deprecated_of(self.entity.attributes)

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """The schemas of the group, by id."""
        return tuple(Schema(self.registry, item) for item in self.entity.collections.get("schemas", {}).values())
