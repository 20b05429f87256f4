"""Typed views of messages, endpoints, schemas and their groups, for readers of a checked registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import getitem
from typing import TYPE_CHECKING, Any

from xregit.catalog.entities import Group, Resource, Version
from xregit.catalog.properties import Property
from xregit.catalog.references import SchemaReference, carried_groups, contract_of, local_xid, schema_of
from xregit.catalog.resolver import Resolved, base_xid, effective
from xregit.model import canonical
from xregit.model.language import NOTHING
from xregit.source import json_loader

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


class EntityView:
    """What all views have: the identity of their entity, and the attributes that entities of any type have."""

    __slots__ = ()

    registry: Registry
    entity: Group | Resource

    def __repr__(self) -> str:
        """Name the type and the xid; a notebook that shows a view need not show the registry that holds it."""
        return f'<{type(self).__name__} "{self.xid}">'

    def __reduce__(self) -> tuple[Any, ...]:
        """Let pickle make it elsewhere from its registry, which views that go together share, and its xid."""
        return getitem, (self.registry, self.xid)

    @property
    def xid(self) -> str:
        """The xid of the entity."""
        return self.entity.xid

    @property
    def id(self) -> str:
        """The last part of the xid, such as a ``messageid`` or an ``endpointid``."""
        return self.entity.id

    @property
    def name(self) -> str:
        """The name, which is not inherited, or an empty string."""
        return text_of(self.entity.attributes, "name")

    @property
    def description(self) -> str:
        """The description, which messages inherit, or an empty string."""
        return text_of(self._effective, "description")

    @property
    def documentation(self) -> str:
        """The address of further documentation, which messages inherit, or an empty string."""
        return text_of(self._effective, "documentation")

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels, which messages inherit."""
        labels = self._effective.get("labels")
        items = labels.items() if isinstance(labels, Mapping) else ()
        return {name: label for name, label in items if isinstance(label, str)}

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes as written."""
        return self.entity.attributes

    @property
    def _effective(self) -> Mapping[str, Any]:
        """The attributes with those that are inherited."""
        return self.entity.attributes

    @property
    def deprecated(self) -> Mapping[str, Any] | None:
        """The members of the deprecation, possibly none; None where there is no deprecation."""
        return _deprecated(self.entity.attributes)


class MessagingView(EntityView):
    """What the views of messages, message groups and endpoints have besides: an envelope and a protocol."""

    __slots__ = ()

    @property
    def envelope(self) -> str:
        """The envelope in its canonical spelling, such as ``CloudEvents/1.0``, or an empty string."""
        return canonical("envelope", text_of(self._effective, "envelope"))

    @property
    def protocol(self) -> str:
        """The protocol in its canonical spelling, such as ``MQTT/5.0``, or an empty string."""
        return canonical("protocol", text_of(self._effective, "protocol"))


class ResourceView(EntityView):
    """What the views of resources have besides: a group, and in ``meta`` attributes of all versions."""

    __slots__ = ()

    entity: Resource

    @property
    def group(self) -> Group:
        """The group of the resource; that of a message may be an endpoint."""
        _, groups, group, _ = self.xid.split("/", 3)
        return self.registry.groups[groups][group]

    @property
    def deprecated(self) -> Mapping[str, Any] | None:
        """The members of the deprecation, possibly none; None where there is no deprecation."""
        return _deprecated(self.entity.meta)


@dataclass(frozen=True, slots=True)
class ContractEntry:
    """One message that an endpoint carries, and the endpoint or message group it comes through."""

    message: Message
    via: str


@dataclass(frozen=True, slots=True, repr=False)
class Message(ResourceView, MessagingView):
    """A message definition (message/spec.md).

    ``attributes`` are its own, with the envelope and protocol of its group filled in; ``resolved`` has those of its
    base messages too.
    """

    registry: Registry
    entity: Resource

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The attributes as the compiled document has them."""
        return effective(self.registry, self.entity)

    @property
    def resolved(self) -> Resolved:
        """The message with its base messages merged in; an alias resolves as its target."""
        return self.registry.resolved(self.entity.xid)

    @property
    def _effective(self) -> Mapping[str, Any]:
        return self.resolved.attributes

    @property
    def base(self) -> str:
        """The reference to the base message as xid or absolute URI, or an empty string."""
        return base_xid(self.entity.attributes)

    @property
    def derived(self) -> tuple[Message, ...]:
        """The messages whose nearest base this is."""
        return messages_of(self.registry, self.registry.indexes.derived.get(self.xid, ()))

    @property
    def alias_of(self) -> str:
        """The ``xref`` of an alias, or an empty string."""
        return self.entity.xref

    @property
    def aliases(self) -> tuple[Message, ...]:
        """The messages that are aliases of this one."""
        return messages_of(self.registry, self.registry.indexes.aliases.get(self.xid, ()))

    @property
    def carriers(self) -> tuple[tuple[Endpoint, str], ...]:
        """The endpoints that carry the message, each with the xid of what it comes through."""
        endpoints = self.registry.groups.get("endpoints", {})
        pairs = self.registry.indexes.carriers.get(self.xid, ())
        return tuple((Endpoint(self.registry, endpoints[xid.rsplit("/", 1)[1]]), via) for xid, via in pairs)

    @property
    def schema(self) -> SchemaReference | None:
        """What ``dataschemauri`` or ``dataschemaxid`` points at, or None where there is neither."""
        return schema_of(self.registry, self.resolved.attributes)

    @property
    def properties(self) -> tuple[Property, ...]:
        """Its properties on the wire: each envelope attribute and protocol option, base messages' too."""
        return self.registry.properties(self.entity)


@dataclass(frozen=True, slots=True, repr=False)
class Endpoint(MessagingView):
    """A place where messages are produced or consumed, and the group of those it alone carries (endpoint/spec.md)."""

    registry: Registry
    entity: Group

    @property
    def usage(self) -> tuple[str, ...]:
        """What the endpoint is for: ``producer``, ``consumer``, ``subscriber``."""
        usage = self.entity.attributes.get("usage")
        listed = usage if isinstance(usage, list | tuple) else (usage,)
        return tuple(item for item in listed if isinstance(item, str))

    @property
    def channel(self) -> str:
        """The channel that relates it to other endpoints, or an empty string."""
        return text_of(self.entity.attributes, "channel")

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
        pairs = contract_of(self.registry, self.entity)
        resources = ((self.registry.resource(xid), via) for xid, via in pairs)
        return tuple(ContractEntry(Message(self.registry, resource), via) for resource, via in resources if resource)


def text_of(attributes: Mapping[str, Any], name: str) -> str:
    """Return an attribute that is a text, or an empty string."""
    value = attributes.get(name)
    return value if isinstance(value, str) else ""


def messages_of(registry: Registry, xids: tuple[str, ...]) -> tuple[Message, ...]:
    """Return the messages of these xids, those that are there."""
    return tuple(Message(registry, resource) for resource in map(registry.resource, xids) if resource)


def _deprecated(attributes: Mapping[str, Any]) -> Mapping[str, Any] | None:
    value = attributes.get("deprecated")
    return value if isinstance(value, Mapping) else None


@dataclass(frozen=True, eq=False, slots=True)
class SchemaDocuments:
    """The schema documents of a registry by the xids of their versions, plain data; a schema stands for its default."""

    by_xid: Mapping[str, bytes]
    baseurl: str = ""

    def get(self, reference: str) -> bytes | None:
        """Return the document of a schema or version by xid, by the path of its file, by URL, or by its own ``$id``."""
        xid = local_xid(reference, self.baseurl)
        document = self.by_xid.get(xid)
        if document is None:
            document = self.by_xid.get(xid.rpartition(".")[0])
        if document is None and "://" in reference:
            return next((data for data in self.by_xid.values() if _has_id(data, reference)), None)
        return document


def _has_id(data: bytes, uri: str) -> bool:
    """Return whether a document is written in JSON and has a URI as its ``$id``."""
    value = json_loader.parse(data).value if uri.encode() in data else None
    return isinstance(value, dict) and value.get("$id") == uri


@dataclass(frozen=True, slots=True, repr=False)
class Schema(ResourceView):
    """A payload schema with its versions; its attributes are those of its default version (schema/spec.md)."""

    registry: Registry
    entity: Resource

    @property
    def format(self) -> str:
        """The default version's schema format in its canonical spelling, or an empty string."""
        return canonical("format", text_of(self.entity.attributes, "format"))

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
        return messages_of(self.registry, self.registry.indexes.schema_users.get(self.xid, ()))


def schema_documents(registry: Registry) -> SchemaDocuments:
    """Return all schema documents that are in a registry itself."""
    documents: dict[str, bytes] = {}
    for schema in registry.schemas:
        for version in schema.versions:
            if version.data is not None:
                documents[version.xid] = version.data
                if version is schema.default:
                    documents[schema.xid] = version.data
    return SchemaDocuments(documents, registry.settings.baseurl)


@dataclass(frozen=True, slots=True, repr=False)
class MessageGroup(MessagingView):
    """A message group and its messages (message/spec.md)."""

    registry: Registry
    entity: Group

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of the group, by id."""
        return tuple(Message(self.registry, item) for item in self.entity.collections.get("messages", {}).values())


@dataclass(frozen=True, slots=True, repr=False)
class SchemaGroup(EntityView):
    """A schema group and its schemas (schema/spec.md)."""

    registry: Registry
    entity: Group

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """The schemas of the group, by id."""
        return tuple(Schema(self.registry, item) for item in self.entity.collections.get("schemas", {}).values())


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
