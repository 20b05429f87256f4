"""What the pages of a site share: the registry, links, descriptions, and what is computed once for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from markupsafe import Markup

from xregit.catalog.entities import Group, Resource
from xregit.catalog.properties import Property, Text
from xregit.catalog.references import contract_of
from xregit.catalog.registry import Registry
from xregit.catalog.views import Endpoint, Message, text_of
from xregit.messages.definition import Definition, target, to_definition
from xregit.messages.payload import (
    NO_DATA,
    Payload,
    SchemaSource,
    encode_payload,
    parse_schema,
    payload_media_type,
    schema_source,
    without_address,
)
from xregit.model.language import type_label
from xregit.pages.attributes import ADDRESSES, HIDDEN, property_parts
from xregit.pages.change_history import ChangeHistory
from xregit.pages.comparison_pages import Comparisons, message_comparisons, schema_comparisons
from xregit.pages.diagrams import System
from xregit.pages.index_pages import Names, site_names
from xregit.pages.links import (
    HELP,
    MAP,
    NAMES,
    OWNERS,
    RECOGNISE,
    Link,
    address,
    avoid_group_clash,
    href,
    link_to,
    natural_order,
    reference,
    unique_ids,
)
from xregit.pages.navigation import Navigation
from xregit.pages.prose import prose, summary
from xregit.payloads import Field, PayloadError, SchemaError
from xregit.rules.endpoints import is_credential


class Entry(NamedTuple):
    """A message in a list."""

    link: Link
    name: str
    summary: str
    group: Link
    envelope: str
    protocol: str
    wire: tuple[Text, ...]
    deprecated: bool


@dataclass(frozen=True, slots=True)
class SchemaFacts:
    """The fields of a payload's schema and a valid value; ``reason`` says why there are none.

    ``payloads`` has the value as it is sent, by media type.
    """

    fields: tuple[Field, ...] = ()
    example: Any = NO_DATA
    reason: str = ""
    payloads: dict[str, Payload] = field(default_factory=dict, compare=False)


class SiteContext:
    """The registry of a site and what its pages share."""

    def __init__(self, registry: Registry, manual: str = "") -> None:
        """Start a site for a registry, which stays as it is; ``manual`` is the address of the manual of xregit."""
        self.registry, self.manual = registry, manual
        self.map, self.recognise, self.help = (
            avoid_group_clash(registry.model, page) for page in (MAP, RECOGNISE, HELP)
        )
        self._entries: dict[str, Entry] = {}
        self._prose: dict[str, Markup] = {}
        self._links: dict[tuple[str, str], Link] = {}
        self._endpoints: dict[str, Endpoint] = {}
        self._definitions: dict[str, Definition] = {}
        self._schemas: dict[SchemaSource, SchemaFacts] = {}
        self._message_schemas: dict[str, SchemaFacts] = {}
        self._comparisons: dict[str, Comparisons] = {}

    @cached_property
    def title(self) -> str:
        """The registry's name."""
        name = self.registry.settings.title or text_of(self.registry.attributes, "name")
        return name or text_of(self.registry.attributes, "registryid") or "Registry"

    @cached_property
    def summary(self) -> str:
        """What the registry is, in a sentence."""
        return summary(self.registry.attributes.get("description")) or f"The message catalog {self.title}"

    @cached_property
    def navigation(self) -> Navigation:
        """The domains, and the tree beside each page."""
        return Navigation(self.registry)

    def domain(self, xid: str) -> str:
        """Return the title of the domain of a group, or of the group of a resource."""
        group = self.registry.entity("/".join(xid.split("/")[:3]))
        return self.navigation.domain(group) if isinstance(group, Group) else ""

    @cached_property
    def history(self) -> ChangeHistory:
        """The history of the registry and its entities, from Git."""
        return ChangeHistory(self.registry, self.link)

    def link(self, xid: str, text: str = "") -> Link:
        """Return the link to an entity's page."""
        link = self._links.get((xid, text))
        if link is None:
            link = self._links[xid, text] = link_to(self.registry, xid, text)
        return link

    def message_link(self, xid: str, beside: str) -> Link:
        """Return the link to a message, with its group unless ``beside`` has the same or the id begins with it."""
        group_xid, _, own_id = beside.rpartition("/")
        if xid.rpartition("/")[0] == group_xid or self.registry.resource(xid) is None:
            return self.link(xid)
        _, _, group, _, message = xid.split("/", 4)
        unique = message != own_id and message.startswith(f"{group}.")
        return self.link(xid, message if unique else f"{group}/{message}")

    def crumbs(self, xid: str) -> tuple[Link, ...]:
        """Return the links from the page of all groups of a type down to the page above an entity's."""
        plural, *parts = xid.split("/")[1:]
        model = self.registry.model.groups.get(plural)
        ancestors = ["/" + "/".join((plural, *parts[:end])) for end in range(1, len(parts), 2)]
        top = Link(type_title(model.plural if model else plural), href(address(plural)))
        return (top, *(self.link(each) for each in ancestors))

    def prose(self, text: object) -> Markup:
        """Return a description as safe HTML, with links to entities leading to their pages."""
        if not isinstance(text, str):
            return Markup()
        if text not in self._prose:
            self._prose[text] = prose(text, lambda url: reference(self.registry, url).href)
        return self._prose[text]

    def definition(self, message: Message) -> Definition:
        """Return a message's definition; that of an alias is its target's."""
        resolved = target(message)
        if resolved.xid not in self._definitions:
            self._definitions[resolved.xid] = to_definition(resolved)
        return self._definitions[resolved.xid]

    def public(self, endpoint: Endpoint) -> Endpoint:
        """Return an endpoint without anything that looks like a credential."""
        if endpoint.xid not in self._endpoints:
            self._endpoints[endpoint.xid] = without_credentials(endpoint)
        return self._endpoints[endpoint.xid]

    def message_schema(self, message: Message) -> SchemaFacts:
        """Return the facts of the schema of a message's payload."""
        resolved = target(message)
        if resolved.xid not in self._message_schemas:
            source = schema_source(resolved)
            self._message_schemas[resolved.xid] = self.schema(source) if source is not None else SchemaFacts()
        return self._message_schemas[resolved.xid]

    def schema(self, source: SchemaSource) -> SchemaFacts:
        """Return the facts of a schema; equal ones that refer to nothing are parsed once."""
        key = without_address(source)
        if key not in self._schemas:
            self._schemas[key] = self._schema_facts(key)
        return self._schemas[key]

    def _schema_facts(self, source: SchemaSource) -> SchemaFacts:
        try:
            schema = parse_schema(source, self.registry.schema_documents)
        except SchemaError as error:
            return SchemaFacts(reason=str(error))
        try:
            return SchemaFacts(schema.fields(), schema.example())
        except PayloadError as error:
            return SchemaFacts(schema.fields(), reason=str(error))

    def example_payload(self, message: Message) -> Payload:
        """Return the valid value of the schema as a message sends it."""
        schema, media_type = self.message_schema(message), payload_media_type(message)
        if media_type not in schema.payloads:
            schema.payloads[media_type] = encode_payload(message, schema.example)
        return schema.payloads[media_type]

    def comparisons(self, schema: Resource) -> Comparisons:
        """Return the comparisons of the versions of a schema."""
        if schema.xid not in self._comparisons:
            self._comparisons[schema.xid] = schema_comparisons(self, schema)
        return self._comparisons[schema.xid]

    @cached_property
    def message_comparisons(self) -> Mapping[str, Comparisons]:
        """The comparisons of messages at the last commits that changed each, by xid."""
        return message_comparisons(self)

    def entry(self, message: Message) -> Entry:
        """Return a message as lists show it."""
        if message.xid not in self._entries:
            self._entries[message.xid] = Entry(
                link=self.link(message.xid),
                name=message.name or text_of(message.resolved.attributes, "name") * bool(message.alias_of),
                summary=summary(message.description),
                group=self.link(message.group.xid),
                envelope=message.envelope,
                protocol=message.protocol,
                wire=_wire(message.properties, message.id),
                deprecated=message.deprecated is not None,
            )
        return self._entries[message.xid]

    def member_count(self, group: Group) -> int:
        """Return how many resources a group has, or how many messages an endpoint carries."""
        if group.type.plural == "endpoints":
            return len(contract_of(self.registry, group))
        return sum(len(collection) for collection in group.collections.values())

    @cached_property
    def carriers(self) -> Mapping[str, tuple[str, ...]]:
        """The endpoints that carry each message group, by its xid."""
        carriers: dict[str, list[str]] = defaultdict(list)
        for endpoint in self.registry.endpoints:
            for group in endpoint.messagegroups:
                carriers[group.xid].append(endpoint.xid)
        return {group: tuple(endpoints) for group, endpoints in carriers.items()}

    @cached_property
    def system(self) -> System:
        """The endpoints, channels and message groups as a graph."""
        return System(self)

    @cached_property
    def names(self) -> Names:
        """The names of the fields and placeholders of all messages."""
        return site_names(self)

    @cached_property
    def owner_ids(self) -> Mapping[str, str]:
        """The ids of the headings on the page of all owners, by name."""
        owners = self.registry.owners
        names = {name for group in self.registry.all_groups for name in owners.of(group.place.path)}
        return unique_ids(sorted(names, key=natural_order))

    def owner(self, name: str) -> Link:
        """Return the link to what an owner owns; one without a whole group is not listed there."""
        anchor = self.owner_ids.get(name)
        return Link(name, f"{href(OWNERS)}#{anchor}" if anchor else "")

    def placeholder(self, name: str) -> Link:
        """Return the link to all messages that have a placeholder, if others than one have it."""
        users, ids = self.names
        return Link(f"{{{name}}}", href(f"{NAMES}{ids[name]}/") if len(users.get(name, ())) > 1 else "")


def without_credentials(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint, the same object where nothing in it looks like a credential."""
    attributes = _redact(endpoint.attributes, "")
    if attributes is endpoint.attributes:
        return endpoint
    return replace(endpoint, entity=replace(endpoint.entity, attributes=attributes))


def _redact(value: Any, name: str) -> Any:
    """Return a value without texts that look like credentials; the same object where none does."""
    if is_credential(name, value):
        return HIDDEN
    if isinstance(value, Mapping):
        members = {key: _redact(item, key) for key, item in value.items()}
        return value if all(members[key] is item for key, item in value.items()) else members
    if isinstance(value, list | tuple):
        items = [_redact(item, name) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def type_title(name: str) -> str:
    """Return the plural or singular name of a type as a title, such as ``Message groups``."""
    return type_label(name).capitalize()


def _wire(properties: tuple[Property, ...], message_id: str) -> tuple[Text, ...]:
    """Return what distinguishes a message on the wire: its address, else its type unless that is its id anyway."""
    options = [item for item in properties if item.path[0] == "protocoloptions"]
    by_name = {item.name: parts for item in reversed(options) if (parts := property_parts(item))}
    names = [name for name in ADDRESSES if name in by_name]
    if names[:1] == ["method"] and len(names) > 1:
        return (*by_name["method"], Text(" "), *by_name[names[1]])
    if names:
        return by_name[names[0]]
    types = (item for item in properties if item.path == ("envelopemetadata", "type") and item.value != message_id)
    return next(filter(None, map(property_parts, types)), ())
