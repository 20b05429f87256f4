"""The pages of groups, the lists of groups, and the prefixes by which many groups are listed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xregit.catalog.entities import Group, Resource
from xregit.catalog.views import Endpoint, Message, text_of
from xregit.model import siblings
from xregit.model.language import GroupModel, type_label
from xregit.pages.attributes import attribute_rows, searchable_texts, to_text
from xregit.pages.context import SiteContext, type_title
from xregit.pages.diagrams import focused_diagram
from xregit.pages.documents import entity_sources
from xregit.pages.entity_header import entity_header
from xregit.pages.index_pages import Section
from xregit.pages.links import GROUP_LISTS, Link, address, href, messages_href, natural_order
from xregit.pages.page import Page
from xregit.pages.page_size import MAX_LIST_BYTES, MAX_ROWS, render_rows
from xregit.pages.prose import plain, summary
from xregit.pages.renderer import render

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
    kind = type_label(group.type.singular)
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


def group_list_pages(site: SiteContext, model: GroupModel) -> Iterator[Page]:
    """Yield the page that lists all groups of one type, domain by domain; if too long, in parts."""
    groups = sorted(
        site.registry.groups.get(model.plural, {}).values(),
        key=lambda group: (natural_order(site.navigation.domain(group)), _id_order(group)),
    )
    title, place = type_title(model.plural), address(f"/{model.plural}")
    crumbs, description = (Link(site.title, href("")),), f"All {title.lower()} of {site.title}"
    html = _group_list(site, model, groups, title, crumbs)
    parts: list[Page] = []
    sections: list[Section] = []
    if len(html.encode()) > MAX_LIST_BYTES:
        for start in range(0, len(groups), MAX_ROWS):
            part = groups[start : start + MAX_ROWS]
            name, below = f"{part[0].id} to {part[-1].id}", f"{GROUP_LISTS}{model.plural}/{len(parts) + 1}/"
            rows = _group_list(site, model, part, name, (*crumbs, Link(title, href(place))))
            sections.append(Section(name, "", (), Link(f"{len(part)} entries", href(below))))
            parts.append(Page(below, name, rows, description=f"{title}, {name}"))
        html = render("values.html", title=title, crumbs=crumbs, intro=description, sections=sections)
    yield Page(place, title, html, description=description, search=title, listed=True)
    yield from parts


def _group_list(
    site: SiteContext, model: GroupModel, groups: Sequence[Group], title: str, crumbs: tuple[Link, ...]
) -> str:
    rows: dict[str, list[GroupRow]] = defaultdict(list)
    for group in groups:
        rows[site.navigation.domain(group)].append(group_row(site, group))
    domains = {each.title: each.id for each in site.navigation.domains}
    return render(
        "groups.html",
        title=title,
        crumbs=crumbs,
        description=site.prose(model.description),
        domains=[(name if name in domains else "", domains.get(name, ""), members) for name, members in rows.items()],
        count=len(groups),
        featured=any(row.features for each in rows.values() for row in each),
        count_label=next(iter(model.resources), ""),  # the plural of the first resource type
    )


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
