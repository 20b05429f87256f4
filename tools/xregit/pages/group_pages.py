"""The pages of groups, the lists of groups, and the prefixes by which many groups are listed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING
from urllib.parse import quote

from xregit.catalog.views import Endpoint, Message, text_of
from xregit.model import siblings
from xregit.model.language import display_name
from xregit.pages.attributes import attribute_rows, searchable_texts, to_text
from xregit.pages.context import type_title
from xregit.pages.documents import entity_sources
from xregit.pages.entity_header import entity_header
from xregit.pages.links import Link, address, case_insensitive, href
from xregit.pages.page import Page
from xregit.pages.prose import plain, summary
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from xregit.catalog.entities import Group, Resource
    from xregit.model.language import GroupModel
    from xregit.pages.context import SiteContext


# More groups of a type than this are listed on the page of the type alone; the start page leads there by families.
MAX_GROUPS = 40
MAX_FAMILIES = 60
# An id is cut at its dots, as names of domains and packages are, as often as that still gathers groups; where it makes
# too few or too many families, the first character counts.
_MAX_LABELS = 4
_MIN_AVERAGE_SIZE = 1.5
# What characterises a group in a list of groups, in this order, if it has the attribute.
FEATURES = ("usage", "protocol", "envelope", "format")
# The attributes of a message group that hold for all of its messages.
SELECTORS = ("envelope", "protocol")


@dataclass(frozen=True, slots=True)
class Family:
    """Groups of one type, sorted, whose ids begin alike, whatever their case; ``title`` is what they have in common."""

    title: str
    groups: tuple[Group, ...]

    @property
    def anchor(self) -> str:
        """The id of its first row on the page of the type."""
        return f"from-{self.title.lower()}"

    @property
    def link(self) -> Link:
        """The link to its only group, else to its first row."""
        first = self.groups[0]
        if len(self.groups) == 1:
            return Link(first.id, href(address(first.xid)))
        return Link(self.title, f"{href(address(f'/{first.type.plural}'))}#{quote(self.anchor)}")


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group or a resource in a list."""

    link: Link
    name: str
    summary: str
    count: int
    features: tuple[str, ...] = ()
    deprecated: bool = False
    anchor: str = ""


def sorted_groups(groups: Iterable[Group]) -> list[Group]:
    """Return groups by id, whatever its case, so that those of a family are together."""
    return sorted(groups, key=lambda group: case_insensitive(group.id))


def families(groups: Iterable[Group]) -> tuple[Family, ...]:
    """Return the families of many groups, some 60 at most; none where ids begin in too many ways, or in one."""
    ordered = sorted_groups(groups)
    result: tuple[Family, ...] = ()
    for count in range(1, _MAX_LABELS + 1):
        cut = _group_by(ordered, partial(_first_labels, count=count))
        if len(cut) > MAX_FAMILIES or (result and len(cut) * _MIN_AVERAGE_SIZE > len(ordered)):
            break
        result = cut if len(cut) > 1 else result
    if not result:
        result = _group_by(ordered, lambda name: name[:1])
    return result if 1 < len(result) <= MAX_FAMILIES else ()


def _first_labels(name: str, count: int) -> str:
    return ".".join(name.split(".")[:count])


def _group_by(groups: list[Group], prefix: Callable[[str], str]) -> tuple[Family, ...]:
    """Return groups by the prefixes of their ids; a family is spelled as its first group is."""
    members: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        members[prefix(group.id).lower()].append(group)
    return tuple(Family(_common_labels(each) or prefix(each[0].id), tuple(each)) for each in members.values())


def _common_labels(groups: list[Group]) -> str:
    """Return the labels with which all ids begin."""
    labels = zip(*(group.id.lower().split(".") for group in groups), strict=False)
    return _first_labels(groups[0].id, sum(1 for _ in takewhile(lambda each: len(set(each)) == 1, labels)))


def group_page(site: SiteContext, group: Group) -> Page:
    """Return the page of a group: its attributes and its resources."""
    attributes = group.attributes
    kind = display_name(group.type.singular)
    header = entity_header(site, group, kind, attributes, attributes)
    elsewhere = {f"{group.type.singular}id", "name", "description", "deprecated", "createdat", "modifiedat", "epoch"}
    messages = group.collections.get("messages", {}).values()
    models = siblings(group.type.attributes, attributes)
    html = render(
        "group.html",
        header=header,
        attributes=attribute_rows(site.registry, attributes, models, without=elsewhere),
        selectors=[(type_title(name), text_of(attributes, name)) for name in SELECTORS if name in attributes],
        carriers=list(_carriers(site, group)),
        messages=[site.entry(Message(site.registry, message)) for message in messages],
        resources=[
            (type_title(plural), [_resource_row(site, resource) for resource in collection.values()])
            for plural, collection in group.collections.items()
            if plural != "messages" and collection
        ],
        commits=site.history.of(group.xid, group.place),
        sources=entity_sources(attributes, attributes),
    )
    description = attributes.get("description")
    return Page(
        address(group.xid),
        header.title,
        html,
        description=summary(description) or f"The {kind} {group.id}",
        search=" ".join((plain(description), *searchable_texts(attributes, elsewhere - {"name"}))),
        keys=(group.id,),
        parent=address(f"/{group.type.plural}"),
        api=header.source.api,
        kind=type_title(group.type.singular),
    )


def _carriers(site: SiteContext, group: Group) -> Iterator[tuple[Link, tuple[str, ...], str]]:
    """Yield the endpoints that carry a message group, each with its usage and protocol."""
    for xid in site.carriers.get(group.xid, ()):
        endpoint = Endpoint(site.registry, site.registry.groups["endpoints"][xid.rpartition("/")[2]])
        yield site.link(xid, endpoint.name), endpoint.usage, endpoint.protocol


def _resource_row(site: SiteContext, resource: Resource) -> GroupRow:
    target = site.registry.resource(resource.xref) if resource.xref else resource
    attributes = (target or resource).attributes
    return GroupRow(
        link=site.link(resource.xid),
        name=text_of(attributes, "name"),
        summary=summary(attributes.get("description")),
        count=len(resource.versions),
        features=(text_of(attributes, "format"),),
        deprecated="deprecated" in resource.meta,
    )


def groups_page(site: SiteContext, model: GroupModel) -> Page:
    """Return the page that lists all groups of one type."""
    groups = sorted_groups(site.registry.groups.get(model.plural, {}).values())
    anchors = {each.groups[0].xid: each.anchor for each in (families(groups) if len(groups) > MAX_GROUPS else ())}
    title = type_title(model.plural)
    html = render(
        "groups.html",
        title=title,
        crumbs=(Link(site.title, href("")),),
        description=site.prose(model.description),
        groups=[replace(group_row(site, group), anchor=anchors.get(group.xid, "")) for group in groups],
        count_label=next(iter(model.resources), ""),  # the plural of the first resource type
    )
    description = f"All {title.lower()} of {site.title}"
    return Page(address(f"/{model.plural}"), title, html, description=description, search=title, listed=True)


def group_row(site: SiteContext, group: Group) -> GroupRow:
    """Return a group as lists show it."""
    features = [group.attributes[name] for name in FEATURES if group.attributes.get(name)]
    return GroupRow(
        link=site.link(group.xid),
        name=text_of(group.attributes, "name"),
        summary=summary(group.attributes.get("description")),
        count=site.member_count(group),
        features=tuple(
            ", ".join(map(to_text, value)) if isinstance(value, list | tuple) else to_text(value) for value in features
        ),
        deprecated="deprecated" in group.attributes,
    )
