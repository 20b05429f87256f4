"""What an entity means, typed, for those that read a checked registry: pages, tables, document, command line.

A view is a registry and one of its entities; it holds nothing else. Attributes of a wrong type read as absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource, Version
from xregit.catalog.indexes import carried, carried_groups
from xregit.catalog.properties import Property, properties
from xregit.catalog.references import SchemaReference, schema_of
from xregit.catalog.resolving import Resolved, base_xid, effective
from xregit.model import canonical
from xregit.model.language import NOTHING

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


@dataclass(frozen=True, slots=True)
class ContractEntry:
    """One message that an endpoint carries, and the endpoint or message group it comes through."""

    message: Message
    via: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message definition (message/spec.md).

    ``attributes`` are its own, with the envelope and protocol of its group filled in; ``resolved`` has those of its
    base messages too.
    """

    registry: Registry
    entity: Resource

    @property
    def xid(self) -> str:
        """The message's xid."""
        return self.entity.xid

    @property
    def id(self) -> str:
        """The ``messageid``."""
        return self.entity.id

    @property
    def name(self) -> str:
        """The name that its author or base gives, or an empty string."""
        return _text(self.entity.attributes, "name")

    @property
    def description(self) -> str:
        """The description, its own or inherited, or an empty string."""
        return _text(self.resolved.attributes, "description")

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes as the compiled document states them."""
        return effective(self.registry, self.entity)

    @property
    def resolved(self) -> Resolved:
        """The message with its base messages merged in; an alias resolves as its target."""
        return self.registry.resolved(self.xid)

    @property
    def envelope(self) -> str:
        """The resolved envelope in its canonical spelling, such as ``CloudEvents/1.0``, or an empty string."""
        return canonical("envelope", _text(self.resolved.attributes, "envelope"))

    @property
    def protocol(self) -> str:
        """The resolved protocol in its canonical spelling, such as ``MQTT/5.0``, or an empty string."""
        return canonical("protocol", _text(self.resolved.attributes, "protocol"))

    @property
    def group(self) -> Group:
        """The message group or endpoint that holds the message."""
        return _group(self.registry, self.entity)

    @property
    def base(self) -> str:
        """The reference to the base message as xid or absolute URI, or an empty string."""
        return base_xid(self.entity.attributes)

    @property
    def derived(self) -> tuple[Message, ...]:
        """The messages whose nearest base this is."""
        return _messages(self.registry, self.registry.indexes.derived.get(self.xid, ()))

    @property
    def alias_of(self) -> str:
        """The ``xref`` of an alias, or an empty string."""
        return self.entity.xref

    @property
    def aliases(self) -> tuple[Message, ...]:
        """The messages that are aliases of this one."""
        return _messages(self.registry, self.registry.indexes.aliases.get(self.xid, ()))

    @property
    def carriers(self) -> tuple[tuple[Endpoint, str], ...]:
        """The endpoints that carry the message, each with the xid of what it comes through."""
        pairs = self.registry.indexes.carriers.get(self.xid, ())
        endpoints = self.registry.groups.get("endpoints", {})
        return tuple((Endpoint(self.registry, endpoints[xid.rsplit("/", 1)[1]]), via) for xid, via in pairs)

    @property
    def schema(self) -> SchemaReference | None:
        """What ``dataschemauri`` or ``dataschemaxid`` points at, or None where there is neither."""
        return schema_of(self.registry, self.resolved.attributes)

    @property
    def properties(self) -> tuple[Property, ...]:
        """What it declares for the wire, in full: each envelope attribute and protocol option, base messages' too."""
        return tuple(properties(self.entity.type, self.resolved.attributes))

    @property
    def deprecated(self) -> Mapping[str, Any] | None:
        """What is said of the deprecation, possibly nothing; None where the message is not deprecated."""
        return _deprecated(self.entity.meta)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A place where messages are produced or consumed, and the group of those it alone carries (endpoint/spec.md)."""

    registry: Registry
    entity: Group

    @property
    def xid(self) -> str:
        """The endpoint's xid."""
        return self.entity.xid

    @property
    def id(self) -> str:
        """The ``endpointid``."""
        return self.entity.id

    @property
    def name(self) -> str:
        """The name, or an empty string."""
        return _text(self.entity.attributes, "name")

    @property
    def description(self) -> str:
        """The description, or an empty string."""
        return _text(self.entity.attributes, "description")

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes as written."""
        return self.entity.attributes

    @property
    def usage(self) -> tuple[str, ...]:
        """What the endpoint is for: ``producer``, ``consumer``, ``subscriber``."""
        usage = self.entity.attributes.get("usage")
        listed = usage if isinstance(usage, list | tuple) else (usage,)
        return tuple(item for item in listed if isinstance(item, str))

    @property
    def channel(self) -> str:
        """The channel that relates it to other endpoints, or an empty string."""
        return _text(self.entity.attributes, "channel")

    @property
    def envelope(self) -> str:
        """The envelope in its canonical spelling, or an empty string."""
        return canonical("envelope", _text(self.entity.attributes, "envelope"))

    @property
    def protocol(self) -> str:
        """The protocol in its canonical spelling, or an empty string."""
        return canonical("protocol", _text(self.entity.attributes, "protocol"))

    @property
    def options(self) -> Mapping[str, Any]:
        """The ``protocoloptions``; an abstract endpoint has none."""
        options = self.entity.attributes.get("protocoloptions")
        return options if isinstance(options, Mapping) else NOTHING

    @property
    def messagegroups(self) -> tuple[MessageGroup, ...]:
        """The message groups of this registry that it carries."""
        return tuple(MessageGroup(self.registry, group) for group in carried_groups(self.registry, self.entity))

    @property
    def contract(self) -> tuple[ContractEntry, ...]:
        """Every message that it carries, its own first, then group by group."""
        pairs = carried(self.registry, self.entity)
        resources = ((self.registry.resource(xid), via) for xid, via in pairs)
        return tuple(ContractEntry(Message(self.registry, resource), via) for resource, via in resources if resource)

    @property
    def related(self) -> tuple[Endpoint, ...]:
        """The other endpoints on its channel."""
        same = self.registry.indexes.channels.get(self.channel, ()) if self.channel else ()
        groups = self.registry.groups.get("endpoints", {})
        return tuple(Endpoint(self.registry, groups[xid.rsplit("/", 1)[1]]) for xid in same if xid != self.xid)

    @property
    def deprecated(self) -> Mapping[str, Any] | None:
        """What is said of the deprecation; None where the endpoint is not deprecated."""
        return _deprecated(self.entity.attributes)


@dataclass(frozen=True, slots=True)
class MessageGroup:
    """A message group and its messages (message/spec.md)."""

    registry: Registry
    entity: Group

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
        return _text(self.entity.attributes, "name")

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes as written."""
        return self.entity.attributes

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the group, by id."""
        return tuple(Message(self.registry, item) for item in self.entity.collections.get("messages", {}).values())


@dataclass(frozen=True, slots=True)
class SchemaGroup:
    """A schema group and its schemas (schema/spec.md)."""

    registry: Registry
    entity: Group

    @property
    def xid(self) -> str:
        """The group's xid."""
        return self.entity.xid

    @property
    def id(self) -> str:
        """The ``schemagroupid``."""
        return self.entity.id

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes as written."""
        return self.entity.attributes

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """The schemas of the group, by id."""
        return tuple(Schema(self.registry, item) for item in self.entity.collections.get("schemas", {}).values())


@dataclass(frozen=True, slots=True)
class Schema:
    """A payload schema with its versions (schema/spec.md)."""

    registry: Registry
    entity: Resource

    @property
    def xid(self) -> str:
        """The schema's xid."""
        return self.entity.xid

    @property
    def id(self) -> str:
        """The ``schemaid``."""
        return self.entity.id

    @property
    def name(self) -> str:
        """The default version's name, or an empty string."""
        return _text(self.entity.attributes, "name")

    @property
    def format(self) -> str:
        """The default version's schema format in its canonical spelling, or an empty string."""
        return canonical("format", _text(self.entity.attributes, "format"))

    @property
    def versions(self) -> tuple[Version, ...]:
        """All versions, the oldest first."""
        return tuple(self.entity.versions.values())

    @property
    def default(self) -> Version | None:
        """The default version."""
        return self.entity.versions.get(self.entity.defaultversionid)

    @property
    def users(self) -> tuple[Message, ...]:
        """The messages whose payload it describes."""
        return _messages(self.registry, self.registry.indexes.schema_users.get(self.xid, ()))


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


def _text(attributes: Mapping[str, Any], name: str) -> str:
    value = attributes.get(name)
    return value if isinstance(value, str) else ""


def _deprecated(attributes: Mapping[str, Any]) -> Mapping[str, Any] | None:
    value = attributes.get("deprecated")
    return value if isinstance(value, Mapping) else None


def _group(registry: Registry, resource: Resource) -> Group:
    _, groups, group, _ = resource.xid.split("/", 3)
    return registry.groups[groups][group]


def _messages(registry: Registry, xids: tuple[str, ...]) -> tuple[Message, ...]:
    return tuple(Message(registry, resource) for resource in map(registry.resource, xids) if resource)
