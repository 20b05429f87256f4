"""The registry: every group, resource and version by xid, immutable, and what is derived from them, computed once."""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from io import BytesIO
from types import MappingProxyType
from typing import Any

from xregit.arguments import expect
from xregit.catalog.codeowners import Owners, read_owners
from xregit.catalog.entities import Group, Place, Resource, Version
from xregit.catalog.layout import REGISTRY_FILE
from xregit.catalog.origin import Origin
from xregit.catalog.properties import Property, properties
from xregit.catalog.references import Indexes, build_indexes, document_references, lookalikes, mentions
from xregit.catalog.resolver import Resolved, resolve
from xregit.catalog.settings import Settings
from xregit.catalog.uncertain_attributes import doubtful_names, find_doubts
from xregit.catalog.views import (
    Endpoint,
    Message,
    MessageGroup,
    Schema,
    SchemaDocuments,
    SchemaGroup,
    schema_documents,
    view,
)
from xregit.diagnostics import Diagnostic
from xregit.model.language import Model, nothing
from xregit.source.commit_log import FileHistory
from xregit.source.directives import Directive
from xregit.source.file_tree import id_to_filename

Entity = Group | Resource | Version

_GROUP_PARTS, _RESOURCE_PARTS, _VERSION_PARTS = 2, 4, 6


@dataclass(frozen=True, eq=False)
class Registry(Mapping[str, Any]):
    """A catalog as its authors wrote it.

    ``attributes`` are those of the registry itself, ``groups`` maps a group type's plural name to its groups by id,
    ``problems`` are the faults of its files, ``broken`` the files that could not be read as a whole, ``directives`` the
    comments for this tool by the file they are in, and ``waivers`` and ``modelsource`` the content of ``waivers.yaml``
    and ``model.yaml``. Iterating yields the xids of groups and resources. A registry is equal to itself alone; `diff`
    compares two.
    """

    model: Model
    attributes: Mapping[str, Any]
    groups: Mapping[str, Mapping[str, Group]]
    place: Place
    origin: Origin
    settings: Settings = field(default_factory=Settings)
    problems: tuple[Diagnostic, ...] = ()
    broken: frozenset[str] = frozenset()
    directives: Mapping[str, tuple[Directive, ...]] = field(default_factory=nothing)
    waivers: Mapping[str, Any] = field(default_factory=nothing)
    modelsource: Mapping[str, Any] = field(default_factory=nothing)
    _resolved: dict[str, Resolved] = field(default_factory=dict, init=False, repr=False)
    _properties: dict[str, tuple[Property, ...]] = field(default_factory=dict, init=False, repr=False)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        """Name the registry and count what is in it."""
        counts = ", ".join(f"{len(groups):,} {plural}" for plural, groups in self.groups.items())
        return f'<Registry "{self.attributes.get("registryid", "")}": {counts}>'

    def __reduce__(self) -> tuple[Any, ...]:
        """Let processes send it to each other, without what is derived; lines and times stay with its folder."""
        buffer = BytesIO()
        pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
        # Pickle refuses the mappings of models; only this pickler takes them.
        pickler.dispatch_table = {**copyreg.dispatch_table, MappingProxyType: _reduce_proxy}
        pickler.dump({item.name: getattr(self, item.name) for item in fields(self) if item.init})
        return _unpickle, (buffer.getvalue(),)

    def __getitem__(self, xid: object) -> Any:
        """Return the `View` of an xid: of a message, endpoint, schema or their groups, else the entity itself.

        Raises:
            KeyError: there is no such entity; ids are looked up with their case.
        """
        entity = self.entity(xid) if isinstance(xid, str) else None
        if entity is None:
            raise KeyError(xid)
        return view(self, entity)

    def __iter__(self) -> Iterator[str]:
        """Yield the xids of all groups and resources, a group before its resources."""
        for group in self.all_groups:
            yield group.xid
            for collection in group.collections.values():
                yield from (resource.xid for resource in collection.values())

    def __len__(self) -> int:
        """Count groups and resources."""
        return len(self.all_groups) + len(self.all_resources)

    def entity(self, xid: str) -> Entity | None:
        """Return the group, resource or version of that xid as written, or nothing."""
        resource = self._resources.get(xid)
        if resource is not None:
            return resource
        parts = xid.split("/")[1:]
        if len(parts) not in {_GROUP_PARTS, _RESOURCE_PARTS, _VERSION_PARTS}:
            return None
        group = self.groups.get(parts[0], {}).get(parts[1])
        if group is None or len(parts) == _GROUP_PARTS:
            return group
        resource = group.collections.get(parts[2], {}).get(parts[3])
        if resource is None or len(parts) == _RESOURCE_PARTS:
            return resource
        return resource.versions.get(parts[5]) if parts[4] == "versions" else None

    def resource(self, xid: str) -> Resource | None:
        """Return the resource of that xid, or the one whose version it names, or nothing."""
        entity = self.entity(xid)
        if isinstance(entity, Version):
            entity = self.entity(xid.rsplit("/versions/", 1)[0])
        return entity if isinstance(entity, Resource) else None

    @property
    def has_policy(self) -> bool:
        """Whether its settings and waivers say what may take its place: those of a folder do, a document has none."""
        return bool(self.attributes) and not self.origin.root.is_file()

    def unreadable(self, xid: str) -> bool:
        """Return whether an entity may be in a file or folder that could not be read."""
        if not self.broken:
            return False
        parts = xid.split("/")[1:]
        names = [id_to_filename(part) for part in parts]
        root = self.place.path.removesuffix(REGISTRY_FILE)
        if any(f"{root}{'/'.join(names[:count])}/" in self.broken for count in range(1, len(names) + 1)):
            return True
        holders = (self.entity("/" + "/".join(parts[:count])) for count in (_GROUP_PARTS, _RESOURCE_PARTS))
        return any(holder is not None and holder.place.path in self.broken for holder in holders)

    @cached_property
    def all_groups(self) -> tuple[Group, ...]:
        """Every group of every type, in the model's order, then by id."""
        return tuple(group for groups in self.groups.values() for group in groups.values())

    @cached_property
    def all_resources(self) -> tuple[Resource, ...]:
        """Every resource of every group."""
        collections = (collection for group in self.all_groups for collection in group.collections.values())
        return tuple(resource for collection in collections for resource in collection.values())

    @cached_property
    def _resources(self) -> Mapping[str, Resource]:
        return {item.xid: item for item in self.all_resources}

    @cached_property
    def messagegroups(self) -> tuple[MessageGroup, ...]:
        """All message groups."""
        return tuple(MessageGroup(self, group) for group in self.groups.get("messagegroups", {}).values())

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """All messages, those of endpoints too."""
        return tuple(Message(self, item) for item in self.all_resources if item.type.plural == "messages")

    @cached_property
    def endpoints(self) -> tuple[Endpoint, ...]:
        """All endpoints."""
        return tuple(Endpoint(self, group) for group in self.groups.get("endpoints", {}).values())

    @cached_property
    def schemagroups(self) -> tuple[SchemaGroup, ...]:
        """All schema groups."""
        return tuple(SchemaGroup(self, group) for group in self.groups.get("schemagroups", {}).values())

    @cached_property
    def schemas(self) -> tuple[Schema, ...]:
        """All schemas."""
        return tuple(Schema(self, item) for item in self.all_resources if item.type.plural == "schemas")

    @cached_property
    def schema_documents(self) -> SchemaDocuments:
        """The schema documents, as far as they are in the registry itself."""
        return schema_documents(self)

    @cached_property
    def indexes(self) -> Indexes:
        """The reverse references: who refers to an entity."""
        return build_indexes(self)

    @cached_property
    def lookalikes(self) -> Mapping[str, tuple[str, ...]]:
        """The xids whose ids differ from a sibling's only in case, each with those siblings."""
        return lookalikes(self)

    @cached_property
    def mentions(self) -> frozenset[str]:
        """Every xid of this registry to which something in it refers, whatever for."""
        return mentions(self)

    @cached_property
    def doubts(self) -> Mapping[str, frozenset[str]]:
        """By xid, the attributes that an entity itself seems to misspell; `doubtful` has those of its bases too."""
        return find_doubts(self)

    def doubtful(self, xid: str) -> frozenset[str]:
        """Return the attributes of an entity that may only seem to be missing."""
        return doubtful_names(self, xid)

    @cached_property
    def document_references(self) -> Mapping[str, frozenset[str]]:
        """The ids that documents of schemas name, each with the xids of those schemas."""
        return document_references(self)

    def resolved(self, xid: str) -> Resolved:
        """Return a message with its base messages merged in; computed once (message specification, basemessage).

        Raises:
            KeyError: there is no such resource.
        """
        if xid not in self._resolved:
            resolve(self, xid, self._resolved)
        return self._resolved[xid]

    def properties(self, message: Resource) -> tuple[Property, ...]:
        """Return the properties that a message declares with its base messages; computed once."""
        if message.xid not in self._properties:
            attributes = self.resolved(message.xid).attributes
            self._properties[message.xid] = tuple(properties(message.type, attributes))
        return self._properties[message.xid]

    @cached_property
    def owners(self) -> Owners:
        """Who owns which file, as the repository's CODEOWNERS has it; empty for a registry that is a document."""
        return Owners() if self.origin.root.is_file() else read_owners(self.origin.repository)

    def facts(self, place: Place) -> FileHistory:
        """Return epoch and times of the entity at a place, from the commits that touched its file."""
        return self.origin.history.of(place.path)


def _unpickle(data: bytes) -> Registry:
    return Registry(**pickle.loads(data))  # noqa: S301 - inside of what is being unpickled


def _reduce_proxy(proxy: MappingProxyType[Any, Any]) -> tuple[Any, ...]:
    return _proxy, (dict(proxy),)


def _proxy(value: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(value)


def expect_registry(value: object) -> None:
    """Refuse what is no registry, such as the path of one.

    Raises:
        XregitError: it is something else.
    """
    expect(Registry, value, "xregit.load(path) gives one")
