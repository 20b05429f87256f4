"""A group of any type to its page, and all groups of one type to theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.catalog.views import Message
from xregit.pages.attributes import in_force, rows
from xregit.pages.book import titled
from xregit.pages.linking import Link, address, href
from xregit.pages.page import Page
from xregit.pages.properties import written
from xregit.pages.prose import plain, summary
from xregit.pages.rendering import render

if TYPE_CHECKING:
    from xregit.catalog.entities import Group, Resource
    from xregit.model.language import GroupModel
    from xregit.pages.book import Book, Entry

# What is worth a column where groups are listed, in this order, if any group has it.
COLUMNS = ("usage", "channel", "envelope", "protocol", "format")


@dataclass(frozen=True, slots=True)
class Listed:
    """A group or a resource in a list."""

    link: Link
    name: str
    summary: str
    count: int
    cells: tuple[str, ...] = ()
    deprecated: bool = False


def group_page(book: Book, group: Group) -> Page:
    """Return the page of a group: its attributes and what it holds."""
    models = in_force(group.attributes, group.type.attributes)
    head = book.head(group, group.type.singular, group.attributes, group.attributes)
    named = {f"{group.type.singular}id", "name", "description", "deprecated", "createdat", "modifiedat", "epoch"}
    html = render(
        "group.html",
        head=head,
        attributes=rows(book.registry, group.attributes, models, without=named),
        carriers=[book.link(xid) for xid in book.carriers.get(group.xid, ())],
        messages=messages_of(book, group),
        resources=list(_resources(book, group)),
    )
    return Page(
        address(group.xid),
        head.title,
        html,
        description=summary(group.attributes.get("description")) or f"The {group.type.singular} {group.id}",
        search=f"{group.id} {head.name} {plain(group.attributes.get('description'))}",
        parent=address(f"/{group.type.plural}"),
    )


def messages_of(book: Book, group: Group) -> list[Entry]:
    """Return the messages of a group as lists show them."""
    return [book.entry(Message(book.registry, item)) for item in group.collections.get("messages", {}).values()]


def groups_page(book: Book, model: GroupModel) -> Page:
    """Return the page that lists all groups of one type."""
    groups = tuple(book.registry.groups.get(model.plural, {}).values())
    html = render(
        "groups.html",
        title=titled(model.plural),
        crumbs=(Link(book.title, href("")),),
        description=book.prose(model.description),
        columns=columns(groups),
        groups=[listed(book, group, columns(groups)) for group in groups],
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


def columns(groups: tuple[Group, ...]) -> tuple[str, ...]:
    """Return the attributes that a list of groups has columns for."""
    return tuple(name for name in COLUMNS if any(name in group.attributes for group in groups))


def listed(book: Book, group: Group, names: tuple[str, ...]) -> Listed:
    """Return a group as lists show it."""
    return Listed(
        link=book.link(group.xid),
        name=_text(group.attributes, "name"),
        summary=summary(group.attributes.get("description")),
        count=book.counted(group),
        cells=tuple(_cell(group.attributes.get(name)) for name in names),
        deprecated="deprecated" in group.attributes,
    )


def _resources(book: Book, group: Group) -> Iterator[tuple[str, list[Listed]]]:
    """Give what a group holds besides messages, by type."""
    for plural, collection in group.collections.items():
        if plural != "messages" and collection:
            yield titled(plural), [_resource(book, resource) for resource in collection.values()]


def _resource(book: Book, resource: Resource) -> Listed:
    target = book.registry.resource(resource.xref) if resource.xref else resource
    attributes = target.attributes if target else resource.attributes
    return Listed(
        link=book.link(resource.xid),
        name=_text(attributes, "name"),
        summary=summary(attributes.get("description")),
        count=len(resource.versions),
        cells=(_text(attributes, "format"),),
        deprecated="deprecated" in resource.meta,
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    return ", ".join(written(item) for item in value) if isinstance(value, list | tuple) else written(value)


def _text(attributes: Mapping[str, object], name: str) -> str:
    value = attributes.get(name)
    return value if isinstance(value, str) else ""
