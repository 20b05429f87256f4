"""What message groups and schema groups mean, typed, for those that read a checked registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.catalog.schemas import Schema
from xregit.catalog.views import EntityView, Message, text_of
from xregit.model import canonical
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog.entities import Group
    from xregit.catalog.registry import Registry


@record
class MessageGroup(EntityView):
    """A message group and its messages (message/spec.md)."""

    registry: Registry
    entity: Group

    @property
    def envelope(self) -> str:
        """The envelope that its messages have, in its canonical spelling, or an empty string where it names none."""
        return canonical("envelope", text_of(self.entity.attributes, "envelope"))

    @property
    def protocol(self) -> str:
        """The protocol that its messages have, in its canonical spelling, or an empty string where it names none."""
        return canonical("protocol", text_of(self.entity.attributes, "protocol"))

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the group, by id."""
        return tuple(Message(self.registry, item) for item in self.entity.collections.get("messages", {}).values())


@record
class SchemaGroup(EntityView):
    """A schema group and its schemas (schema/spec.md)."""

    registry: Registry
    entity: Group

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """The schemas of the group, by id."""
        return tuple(Schema(self.registry, item) for item in self.entity.collections.get("schemas", {}).values())
