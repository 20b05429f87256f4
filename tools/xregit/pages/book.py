"""What the pages of one registry share: heads, lists of messages, places in Git; each computed once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from xregit.catalog.indexes import carried
from xregit.catalog.properties import Text
from xregit.catalog.views import text_of
from xregit.messages.definitions import definition, target
from xregit.pages.attributes import message_link
from xregit.pages.discretion import discreet
from xregit.pages.histories import Lives
from xregit.pages.linking import Link, address, href, is_safe, link_to, reference
from xregit.pages.properties import ADDRESSES, shown
from xregit.pages.prose import prose, summary
from xregit.pages.rendering import anchor
from xregit.records import record

if TYPE_CHECKING:
    from xregit.catalog.entities import Group, Place
    from xregit.catalog.properties import Property
    from xregit.catalog.registry import Entity, Registry
    from xregit.catalog.views import Endpoint, Message
    from xregit.messages.definitions import Definition
    from xregit.messages.schemas import Source as SchemaSource
    from xregit.pages.samples import Told

ALL_MESSAGES = "all-messages/"
RULES = "check-rules/"
MODEL = "model-reference/"
PLACEHOLDERS = "all-placeholders/"
LABELS = "all-labels/"
OWNERS = "all-owners/"
DEPRECATIONS = "all-deprecations/"
MAP = "map/"
CHANGES = "all-changes/"


@record
class Deprecation:
    """When an entity stops to be good, and what to use instead."""

    effective: str
    removal: str
    alternative: Link | None
    documentation: Link | None


@record
class Source:
    """Where an entity is written, and since when, as the entity says or Git; empty where neither knows.

    ``commits`` counts those that touched the file; in a ``shallow`` clone there may have been more. ``edit`` is where
    the file is changed, ``api`` the entity's address in the static API.
    """

    file: str
    href: str
    commits: int
    created: str
    modified: str
    shallow: bool
    edit: str
    api: str


@record
class Head:
    """What the page of any entity begins and ends with."""

    kind: str
    id: str
    name: str
    xid: str
    crumbs: tuple[Link, ...]
    description: Markup
    deprecation: Deprecation | None
    owners: tuple[Link, ...]
    source: Source

    @property
    def title(self) -> str:
        """The entity's name, else its id."""
        return self.name or self.id


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


class Book:
    """The pages of one registry, as they know of each other."""

    def __init__(self, registry: Registry) -> None:
        """Begin a book on a registry, which stays as it is."""
        self.registry = registry
        self._entries: dict[str, Entry] = {}
        self._prose: dict[str, Markup] = {}
        self._links: dict[tuple[str, str], Link] = {}
        self._open: dict[str, Endpoint] = {}
        self._asked: dict[str, Definition] = {}
        self.told: dict[SchemaSource, Told] = {}
        self.told_of: dict[str, Told] = {}

    def asked(self, message: Message) -> Definition:
        """Return what a message's definition asks; that of an alias is its target's."""
        known = target(message)
        if known.xid not in self._asked:
            self._asked[known.xid] = definition(known)
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

    def head(self, entity: Entity, kind: str, attributes: Mapping[str, Any], meta: Mapping[str, Any]) -> Head:
        """Return the head of an entity's page; ``meta`` is where its deprecation stands."""
        return Head(
            kind=kind,
            id=entity.id,
            name=text_of(attributes, "name"),
            xid=entity.xid,
            crumbs=self.crumbs(entity.xid),
            description=self.prose(attributes.get("description")),
            deprecation=self.deprecation(meta.get("deprecated"), entity.xid),
            owners=tuple(
                Link(owner, f"{href(OWNERS)}#{anchor(owner)}") for owner in self.registry.owners.of(entity.place.path)
            ),
            source=self._source(entity.place, attributes, entity.xid),
        )

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

    def open(self, endpoint: Endpoint) -> Endpoint:
        """Return an endpoint as everybody may see it."""
        if endpoint.xid not in self._open:
            self._open[endpoint.xid] = discreet(endpoint)
        return self._open[endpoint.xid]

    @cached_property
    def lives(self) -> Lives:
        """What Git knows of the entities."""
        return Lives(self)

    @cached_property
    def channels(self) -> Mapping[str, tuple[Endpoint, ...]]:
        """The endpoints of each channel, in the order of its name."""
        found: dict[str, list[Endpoint]] = defaultdict(list)
        for endpoint in self.registry.endpoints:
            if endpoint.channel:
                found[endpoint.channel].append(endpoint)
        return {title: tuple(found[title]) for title in sorted(found)}

    @cached_property
    def channel_ids(self) -> Mapping[str, str]:
        """The heading of each channel on the map, by its name."""
        return ids(self.channels)

    @cached_property
    def placeholder_ids(self) -> Mapping[str, str]:
        """The heading of each placeholder on the page of all placeholders, by its name."""
        declared = (item for message in self.registry.messages for item in message.properties)
        return ids(sorted({name for item in declared for name in item.placeholders}))

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

    def deprecation(self, value: object, beside: str) -> Deprecation | None:
        """Return what is said of a deprecation, None where nothing is; ``beside`` is the xid of what is deprecated."""
        if not isinstance(value, Mapping):
            return None
        links = [reference(self.registry, text_of(value, name)) for name in ("alternative", "documentation", "docs")]
        instead, *documentation = [self._named(link, beside) if link.text else None for link in links]
        return Deprecation(
            text_of(value, "effective"), text_of(value, "removal"), instead, next(filter(None, documentation), None)
        )

    def _named(self, link: Link, beside: str) -> Link:
        xid = link.text.lstrip("#")
        return message_link(self, xid, beside) if link.href and xid.startswith("/") else link

    def _source(self, place: Place, attributes: Mapping[str, Any], xid: str) -> Source:
        facts, settings = self.registry.facts(place), self.registry.settings
        link = f"{settings.repository.rstrip('/')}/blob/{settings.branch}/{place.path}" if settings.repository else ""
        return Source(
            file=place.path,
            href=reference(self.registry, link).href if link else "",
            commits=len(facts.commits),
            created=text_of(attributes, "createdat") or facts.createdat * bool(facts.commits),
            modified=text_of(attributes, "modifiedat") or facts.modifiedat * bool(facts.commits),
            shallow=self.registry.origin.history.shallow,
            edit=link.replace("/blob/", "/edit/", 1) if is_safe(link) else "",
            api=f"{settings.baseurl.rstrip('/')}{xid}" if is_safe(settings.baseurl) else "",
        )


def ids(titles: Iterable[str]) -> dict[str, str]:
    """Return the ids of headings; titles that differ only in case or signs get numbers."""
    taken: Counter[str] = Counter()
    found: dict[str, str] = {}
    for title in titles:
        base = anchor(title) or "entry"
        taken[base] += 1
        found[title] = base if taken[base] == 1 else f"{base}-{taken[base]}"
    return found


def titled(plural: str) -> str:
    """Return the plural name of a type as a title, such as ``Message groups``."""
    known = {"messagegroups": "Message groups", "schemagroups": "Schema groups"}
    return known.get(plural, plural.replace("_", " ").capitalize())


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
