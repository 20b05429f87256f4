"""The pages of groups, and the prefixes by which their ids begin."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from xregit.catalog.views import Endpoint, Message, text_of
from xregit.model import siblings
from xregit.model.language import display_name
from xregit.pages.addresses import caseless
from xregit.pages.attributes import rows, texts_in
from xregit.pages.context import titled
from xregit.pages.documents import texts
from xregit.pages.entity_header import head_of
from xregit.pages.links import Link, address, href
from xregit.pages.page import Page
from xregit.pages.properties import written
from xregit.pages.prose import plain, summary
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from xregit.catalog.entities import Group, Resource
    from xregit.model.language import GroupModel
    from xregit.pages.context import Entry, SiteContext


# More groups of a type than this are listed on the page of the type alone; the start page leads there by families.
MAX_GROUPS = 40
MAX_FAMILIES = 60
# An id is cut at its dots, as names of domains and packages are; where that tells too little or too much apart, its
# first character counts.
_MAX_LABELS = 3


@dataclass(frozen=True, slots=True)
class Family:
    """Groups of one type, in order, whose ids begin alike, whatever their case; ``title`` is how they begin."""

    title: str
    groups: tuple[Group, ...]

    @property
    def anchor(self) -> str:
        """The id of its first row on the page of the type."""
        return f"from-{self.title.lower()}"

    @property
    def link(self) -> Link:
        """The way to its only group, else to its first row."""
        first = self.groups[0]
        if len(self.groups) == 1:
            return Link(first.id, href(address(first.xid)))
        return Link(self.title, f"{href(address(f'/{first.type.plural}'))}#{quote(self.anchor)}")


def in_order(groups: Iterable[Group]) -> list[Group]:
    """Return groups by id, whatever its case, so that those of a family stand together."""
    return sorted(groups, key=lambda group: caseless(group.id))


def families(groups: Iterable[Group]) -> tuple[Family, ...]:
    """Return the families of many groups, some 60 at most; none where ids begin in too many ways, or in one."""
    ordered = in_order(groups)
    for labels in range(1, _MAX_LABELS + 1):
        found = _gathered(ordered, partial(_labels, count=labels))
        if len(found) > 1:
            break
    if not 1 < len(found) <= MAX_FAMILIES:
        found = _gathered(ordered, _initial)
    return found if 1 < len(found) <= MAX_FAMILIES else ()


def _labels(name: str, count: int) -> str:
    return ".".join(name.split(".")[:count])


def _initial(name: str) -> str:
    return name[:1]


def _gathered(groups: list[Group], beginning: Callable[[str], str]) -> tuple[Family, ...]:
    """Return groups by the beginnings of their ids; a family is spelled as its first group is."""
    gathered: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        gathered[beginning(group.id).lower()].append(group)
    return tuple(Family(beginning(members[0].id), tuple(members)) for members in gathered.values())


# What characterises a group where groups are listed, in this order, if it says so.
FEATURES = ("usage", "protocol", "envelope", "format")
# What a message group says of all of its messages.
SELECTORS = ("envelope", "protocol")


@dataclass(frozen=True, slots=True)
class Listed:
    """A group or a resource in a list."""

    link: Link
    name: str
    summary: str
    count: int
    features: tuple[str, ...] = ()
    deprecated: bool = False
    anchor: str = ""


def group_page(book: SiteContext, group: Group) -> Page:
    """Return the page of a group: its attributes and what it holds."""
    models = siblings(group.type.attributes, group.attributes)
    kind = display_name(group.type.singular)
    head = head_of(book, group, kind, group.attributes, group.attributes)
    named = {f"{group.type.singular}id", "name", "description", "deprecated", "createdat", "modifiedat", "epoch"}
    html = render(
        "group.html",
        head=head,
        attributes=rows(book.registry, group.attributes, models, without=named),
        selectors=[(titled(name), text_of(group.attributes, name)) for name in SELECTORS if name in group.attributes],
        carriers=list(_carriers(book, group)),
        messages=messages_of(book, group),
        resources=list(_resources(book, group)),
        happenings=book.lives.of(group.xid, group.place),
        texts=texts(group.attributes, group.attributes),
    )
    return Page(
        address(group.xid),
        head.title,
        html,
        description=summary(group.attributes.get("description")) or f"The {kind} {group.id}",
        search=" ".join((plain(group.attributes.get("description")), *texts_in(group.attributes, named - {"name"}))),
        keys=(group.id,),
        parent=address(f"/{group.type.plural}"),
        api=head.source.api,
    )


def messages_of(book: SiteContext, group: Group) -> list[Entry]:
    """Return the messages of a group as lists show them."""
    return [book.entry(Message(book.registry, item)) for item in group.collections.get("messages", {}).values()]


def groups_page(book: SiteContext, model: GroupModel) -> Page:
    """Return the page that lists all groups of one type."""
    groups = in_order(book.registry.groups.get(model.plural, {}).values())
    found = families(groups) if len(groups) > MAX_GROUPS else ()
    anchors = {family.groups[0].xid: family.anchor for family in found}
    html = render(
        "groups.html",
        title=titled(model.plural),
        crumbs=(Link(book.title, href("")),),
        description=book.prose(model.description),
        groups=[replace(listed(book, group), anchor=anchors.get(group.xid, "")) for group in groups],
        counted=counted(model),
    )
    return Page(
        address(f"/{model.plural}"),
        titled(model.plural),
        html,
        description=f"All {titled(model.plural).lower()} of {book.title}",
        search=titled(model.plural),
        listed=True,
    )


def counted(model: GroupModel) -> str:
    """Return what the groups of a type are counted by: the plural of their first resource type, if any."""
    return next(iter(model.resources), "")


def listed(book: SiteContext, group: Group) -> Listed:
    """Return a group as lists show it."""
    return Listed(
        link=book.link(group.xid),
        name=text_of(group.attributes, "name"),
        summary=summary(group.attributes.get("description")),
        count=book.counted(group),
        features=tuple(_feature(group.attributes[name]) for name in FEATURES if group.attributes.get(name)),
        deprecated="deprecated" in group.attributes,
    )


def _carriers(book: SiteContext, group: Group) -> Iterator[tuple[Link, tuple[str, ...], str]]:
    """Give the endpoints that carry a message group, each with its usage and protocol."""
    for xid in book.carriers.get(group.xid, ()):
        endpoint = Endpoint(book.registry, book.registry.groups["endpoints"][xid.rpartition("/")[2]])
        yield book.link(xid, endpoint.name), endpoint.usage, endpoint.protocol


def _resources(book: SiteContext, group: Group) -> Iterator[tuple[str, list[Listed]]]:
    """Give what a group holds besides messages, by type."""
    for plural, collection in group.collections.items():
        if plural != "messages" and collection:
            yield titled(plural), [_resource(book, resource) for resource in collection.values()]


def _resource(book: SiteContext, resource: Resource) -> Listed:
    target = book.registry.resource(resource.xref) if resource.xref else resource
    attributes = target.attributes if target else resource.attributes
    return Listed(
        link=book.link(resource.xid),
        name=text_of(attributes, "name"),
        summary=summary(attributes.get("description")),
        count=len(resource.versions),
        features=(text_of(attributes, "format"),),
        deprecated="deprecated" in resource.meta,
    )


def _feature(value: object) -> str:
    return ", ".join(written(item) for item in value) if isinstance(value, list | tuple) else written(value)
