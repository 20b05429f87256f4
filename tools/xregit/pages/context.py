"""The context of a site: its registry, and what every page may ask for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from xregit.catalog.properties import Text
from xregit.catalog.references import carried
from xregit.catalog.views import text_of
from xregit.messages.definition import target, to_definition
from xregit.pages.addresses import MAP, PLACEHOLDERS, RECOGNISE, caseless, ids, own
from xregit.pages.change_history import ChangeHistory
from xregit.pages.links import Link, address, href, link_to, reference
from xregit.pages.properties import ADDRESSES, shown
from xregit.pages.prose import prose, summary
from xregit.rules.endpoints import is_credential

if TYPE_CHECKING:
    from xregit.catalog.entities import Group
    from xregit.catalog.properties import Property
    from xregit.catalog.registry import Registry
    from xregit.catalog.views import Endpoint, Message
    from xregit.messages.definition import Definition
    from xregit.messages.payload import SchemaSource
    from xregit.pages.examples import SchemaFacts


HIDDEN = "(not shown, as it looks like a credential)"


def discreet(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint, itself where nothing in it looks like a credential."""
    stated = _without(endpoint.attributes, "")
    if stated is endpoint.attributes:
        return endpoint
    return replace(endpoint, entity=replace(endpoint.entity, attributes=stated))


def _without(value: Any, name: str) -> Any:
    """Return a value with texts replaced that look like credentials; the same object where none does."""
    if is_credential(name, value):
        return HIDDEN
    if isinstance(value, Mapping):
        found = {key: _without(item, key) for key, item in value.items()}
        return value if all(found[key] is item for key, item in value.items()) else found
    if isinstance(value, list | tuple):
        items = [_without(item, name) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


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


class SiteContext:
    """The pages of one registry, as they know of each other."""

    def __init__(self, registry: Registry) -> None:
        """Begin a book on a registry, which stays as it is."""
        self.registry = registry
        self.map, self.recognise = (own(registry.model, page) for page in (MAP, RECOGNISE))
        self.travelling: dict[str, tuple[Link, ...]] = {}
        self._entries: dict[str, Entry] = {}
        self._prose: dict[str, Markup] = {}
        self._links: dict[tuple[str, str], Link] = {}
        self._open: dict[str, Endpoint] = {}
        self._asked: dict[str, Definition] = {}
        self.told: dict[SchemaSource, SchemaFacts] = {}
        self.told_of: dict[str, SchemaFacts] = {}

    def asked(self, message: Message) -> Definition:
        """Return what a message's definition asks; that of an alias is its target's."""
        known = target(message)
        if known.xid not in self._asked:
            self._asked[known.xid] = to_definition(known)
        return self._asked[known.xid]

    def link(self, xid: str, text: str = "") -> Link:
        """Return the link to an entity's page."""
        found = self._links.get((xid, text))
        if found is None:
            found = self._links[xid, text] = link_to(self.registry, xid, text)
        return found

    def target(self, url: str) -> str:
        """Return where a link in a description leads: to a page, to the web, or nowhere."""
        return reference(self.registry, url).href

    def prose(self, text: object) -> Markup:
        """Return a description as safe HTML, links to entities leading to their pages."""
        if not isinstance(text, str):
            return Markup()
        if text not in self._prose:
            self._prose[text] = prose(text, self.target)
        return self._prose[text]

    def crumbs(self, xid: str) -> tuple[Link, ...]:
        """Return the links from the start page down to the page above an entity's."""
        parts = xid.split("/")[1:]
        model = self.registry.model.groups.get(parts[0])
        links = [Link(self.title, href("")), Link(titled(model.plural if model else parts[0]), href(address(parts[0])))]
        above = ["/" + "/".join(parts[:end]) for end in range(2, len(parts), 2)]
        return (*links, *(self.link(each) for each in above))

    @cached_property
    def title(self) -> str:
        """The registry's name."""
        name = self.registry.settings.title or text_of(self.registry.attributes, "name")
        return name or text_of(self.registry.attributes, "registryid") or "Registry"

    @cached_property
    def summary(self) -> str:
        """What the registry is, in a sentence."""
        return summary(self.registry.attributes.get("description")) or f"The message catalog {self.title}"

    def open(self, endpoint: Endpoint) -> Endpoint:
        """Return an endpoint as everybody may see it."""
        if endpoint.xid not in self._open:
            self._open[endpoint.xid] = discreet(endpoint)
        return self._open[endpoint.xid]

    @cached_property
    def lives(self) -> ChangeHistory:
        """What Git knows of the entities."""
        return ChangeHistory(self)

    @cached_property
    def channels(self) -> Mapping[str, tuple[Endpoint, ...]]:
        """The endpoints of each channel, in the order of its name."""
        found: dict[str, list[Endpoint]] = defaultdict(list)
        for endpoint in self.registry.endpoints:
            if endpoint.channel:
                found[endpoint.channel].append(endpoint)
        return {title: tuple(found[title]) for title in sorted(found, key=caseless)}

    @cached_property
    def channel_ids(self) -> Mapping[str, str]:
        """The heading of each channel on the map, by its name."""
        return ids(self.channels)

    @cached_property
    def placeholder_ids(self) -> Mapping[str, str]:
        """The heading of each placeholder on the page of all placeholders, by its name."""
        declared = (item for message in self.registry.messages for item in message.properties)
        return ids(sorted({name for item in declared for name in item.placeholders}, key=caseless))

    @cached_property
    def owner_ids(self) -> Mapping[str, str]:
        """The heading of each owner on the page of all owners, by its name."""
        owners = self.registry.owners
        found = {name for group in self.registry.all_groups for name in owners.of(group.place.path)}
        return ids(sorted(found, key=caseless))

    def placeholder(self, name: str) -> Link:
        """Return the link to all messages that have a placeholder."""
        at = self.placeholder_ids.get(name)
        return Link(f"{{{name}}}", f"{href(PLACEHOLDERS)}#{at}" if at else "")

    def entry(self, message: Message) -> Entry:
        """Return a message as lists show it."""
        if message.xid not in self._entries:
            self._entries[message.xid] = self._entry(message)
        return self._entries[message.xid]

    def counted(self, group: Group) -> int:
        """Return how many resources a group holds, or how many messages an endpoint carries."""
        if group.type.plural == "endpoints":
            return len(carried(self.registry, group))
        return sum(len(collection) for collection in group.collections.values())

    @cached_property
    def carriers(self) -> Mapping[str, tuple[str, ...]]:
        """The endpoints that carry each message group, by its xid."""
        found: dict[str, list[str]] = {}
        for endpoint in self.registry.endpoints:
            for group in endpoint.messagegroups:
                found.setdefault(group.xid, []).append(endpoint.xid)
        return {group: tuple(endpoints) for group, endpoints in found.items()}

    def _entry(self, message: Message) -> Entry:
        name = message.name or text_of(message.resolved.attributes, "name") * bool(message.alias_of)
        return Entry(
            link=self.link(message.xid),
            name=name,
            summary=summary(message.description),
            group=self.link(message.group.xid),
            envelope=message.envelope,
            protocol=message.protocol,
            wire=_wire(message.properties, message.id),
            deprecated=message.deprecated is not None,
        )


def titled(name: str) -> str:
    """Return the plural or singular name of a type as a title, such as ``Message groups``."""
    known = {
        "messagegroups": "Message groups",
        "messagegroup": "Message group",
        "schemagroups": "Schema groups",
        "schemagroup": "Schema group",
    }
    return known.get(name, name.replace("_", " ").capitalize())


def _wire(declared: tuple[Property, ...], known: str) -> tuple[Text, ...]:
    """Return what tells a message apart on the wire: its address, else its type unless that is its id anyway."""
    by_name = {item.name: item for item in reversed(declared) if item.path[0] == "protocoloptions" and shown(item)}
    found = [by_name[name] for name in ADDRESSES if name in by_name]
    if not found:
        types = (item for item in declared if item.path == ("envelopemetadata", "type") and shown(item))
        found = [item for item in types if item.value != known]
    parts: list[Text] = []
    for item in found[:2] if found and found[0].name == "method" else found[:1]:
        parts += [Text(" "), *shown(item)] if parts else shown(item)
    return tuple(parts)
