"""The pages of groups, the lists of groups, and the prefixes by which many groups are listed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.catalog.views import Endpoint, Message, text_of
from xregit.model import siblings
from xregit.model.language import display_name
from xregit.pages.attributes import attribute_rows, searchable_texts, to_text
from xregit.pages.context import type_title
from xregit.pages.diagrams import focused_diagram
from xregit.pages.documents import entity_sources
from xregit.pages.entity_header import entity_header
from xregit.pages.links import Link, address, href, messages_href, natural_order
from xregit.pages.page import Page
from xregit.pages.page_size import render_rows
from xregit.pages.prose import plain, summary
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog.entities import Group, Resource
    from xregit.model.language import GroupModel
    from xregit.pages.context import SiteContext


# What characterises a group in a list of groups, in this order, if it has the attribute.
FEATURES = ("usage", "protocol", "envelope", "format")
# The attributes of a message group that hold for all of its messages.
SELECTORS = ("envelope", "protocol")


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group or a resource in a list."""

    link: Link
    name: str
    summary: str
    count: int
    features: tuple[str, ...] = ()
    deprecated: bool = False


def group_page(site: SiteContext, group: Group) -> Page:
    """Return the page of a group: its attributes and its resources."""
    attributes = group.attributes
    kind = display_name(group.type.singular)
    header = entity_header(site, group, kind, attributes, attributes)
    elsewhere = {f"{group.type.singular}id", "name", "description", "deprecated", "createdat", "modifiedat", "epoch"}
    messages = group.collections.get("messages", {}).values()
    models = siblings(group.type.attributes, attributes)
    html, whole = render_rows(
        "group.html",
        header=header,
        table=messages_href("group", group.id),
        attributes=attribute_rows(site.registry, attributes, models, without=elsewhere),
        badges=tuple(text_of(attributes, name) for name in SELECTORS if name in attributes),
        diagram=focused_diagram(site, group.xid),
        carriers=list(_carriers(site, group)),
        messages=[site.entry(Message(site.registry, message)) for message in sorted(messages, key=_id_order)],
        resources=[
            (
                type_title(plural),
                [_resource_row(site, resource) for resource in sorted(collection.values(), key=_id_order)],
            )
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
        whole=whole,
        kind=type_title(group.type.singular),
    )


def _carriers(site: SiteContext, group: Group) -> Iterator[tuple[Link, tuple[str, ...], str]]:
    """Yield the endpoints that carry a message group, each with its usage and protocol."""
    for xid in site.carriers.get(group.xid, ()):
        endpoint = Endpoint(site.registry, site.registry.groups["endpoints"][xid.rpartition("/")[2]])
        yield site.link(xid, endpoint.name), endpoint.usage, endpoint.protocol


def _id_order(entity: Group | Resource) -> tuple[str, str]:
    return natural_order(entity.id)


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
    """Return the page that lists all groups of one type, domain by domain."""
    groups = site.registry.groups.get(model.plural, {}).values()
    rows: dict[str, list[GroupRow]] = defaultdict(list)
    for group in sorted(groups, key=_id_order):
        rows[site.navigation.domain(group)].append(group_row(site, group))
    domains = {each.title: each for each in site.navigation.domains}
    title = type_title(model.plural)
    html = render(
        "groups.html",
        title=title,
        crumbs=(Link(site.title, href("")),),
        description=site.prose(model.description),
        domains=[
            (domains[key].title, domains[key].id, rows[key]) if key in domains else ("", "", rows[key])
            for key in sorted(rows, key=natural_order)
        ],
        count=len(groups),
        featured=any(row.features for each in rows.values() for row in each),
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
