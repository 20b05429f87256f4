"""Pages that list what entities have in common: placeholders, labels, owners, and what is deprecated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.catalog.entities import Group
from xregit.catalog.resolving import group_of
from xregit.catalog.views import text_of
from xregit.pages.book import DEPRECATIONS, LABELS, OWNERS, PLACEHOLDERS, Deprecation, ids
from xregit.pages.linking import Link, href
from xregit.pages.page import Page
from xregit.pages.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.catalog.entities import Resource
    from xregit.pages.book import Book

# A section with more entries than this begins folded.
MAX_OPEN = 12


@dataclass(frozen=True, slots=True)
class Item:
    """One entity in a section: its type, and where in it the thing is that the section is about."""

    link: Link
    kind: str
    group: Link | None = None
    where: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """What entities have in common, and those that have it."""

    title: str
    id: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Leaving:
    """A deprecated entity, with when it goes and what takes its place."""

    item: Item
    deprecation: Deprecation


def index_pages(book: Book) -> Iterator[Page]:
    """Give the pages for which the registry has entries."""
    placeholders, labels, owners = _placeholders(book), _labels(book), _owners(book)
    if placeholders:
        said = "Every placeholder, and the messages in which it stands. One name is one value within a message."
        yield _page(book, PLACEHOLDERS, "Placeholders", said, [(f"{{{name}}}", items) for name, items in placeholders])
    if labels:
        yield _page(book, LABELS, "Labels", "Every label, and what has it.", labels)
    if owners:
        said = f"Who is asked to review what, as {book.registry.owners.path} says."
        yield _page(book, OWNERS, "Owners", said, owners)
    leaving = _leaving(book)
    if leaving:
        yield _deprecations(book, leaving)


def _page(book: Book, address: str, title: str, said: str, sections: Iterable[tuple[str, list[Item]]]) -> Page:
    listed = list(sections)
    at = ids(name for name, _ in listed)
    found = [Section(name, at[name], tuple(items)) for name, items in listed]
    html = render("index.html", title=title, crumbs=_crumbs(book), said=said, sections=found, open=MAX_OPEN)
    names = tuple(section.title for section in found)
    return Page(address, title, html, description=said, search=title, names=names, listed=True)


def _deprecations(book: Book, leaving: list[Leaving]) -> Page:
    said = "What is deprecated, what takes its place, and when it goes; what goes first stands first."
    title = "Deprecations"
    html = render("deprecations.html", title=title, crumbs=_crumbs(book), said=said, leaving=leaving)
    return Page(DEPRECATIONS, title, html, description=said, search=f"{title}: deprecated, {said}", listed=True)


def _crumbs(book: Book) -> tuple[Link, ...]:
    return (Link(book.title, href("")),)


def _placeholders(book: Book) -> list[tuple[str, list[Item]]]:
    """Return each placeholder's name with the messages that have it."""
    found: dict[str, list[Item]] = defaultdict(list)
    for message in book.registry.messages:
        if message.alias_of:
            continue
        users: dict[str, list[str]] = defaultdict(list)
        for declared in message.properties:
            for name in declared.placeholders:
                users[name].append(declared.name)
        for name, where in users.items():
            found[name].append(Item(book.link(message.xid), "message", book.link(message.group.xid), tuple(where)))
    return sorted(found.items())


def _labels(book: Book) -> list[tuple[str, list[Item]]]:
    """Return each label, as ``name: value``, with what has it."""
    found: dict[str, list[Item]] = defaultdict(list)
    for entity in _entities(book):
        labels = entity.attributes.get("labels")
        for name, value in labels.items() if isinstance(labels, Mapping) else ():
            found[f"{name}: {value}" if value != "" else str(name)].append(_item(book, entity))
    return sorted(found.items())


def _owners(book: Book) -> list[tuple[str, list[Item]]]:
    """Return each owner with the groups it owns."""
    owners = book.registry.owners
    found: dict[str, list[Item]] = defaultdict(list)
    for group in book.registry.all_groups if owners.path else ():
        for owner in owners.of(group.place.path):
            found[owner].append(_item(book, group))
    return sorted(found.items())


def _leaving(book: Book) -> list[Leaving]:
    found: list[Leaving] = []
    for entity in _entities(book):
        stated = entity.attributes if isinstance(entity, Group) else entity.meta
        deprecation = book.deprecation(stated.get("deprecated"), entity.xid)
        if deprecation:
            found.append(Leaving(_item(book, entity), deprecation))
    return sorted(found, key=lambda each: (each.deprecation.removal or "~", each.deprecation.effective))


def _entities(book: Book) -> Iterator[Group | Resource]:
    yield from book.registry.all_groups
    yield from book.registry.all_resources


def _item(book: Book, entity: Group | Resource) -> Item:
    above = None if isinstance(entity, Group) else group_of(book.registry, entity)
    link = book.link(entity.xid)
    name = text_of(entity.attributes, "name")
    return Item(
        link,
        entity.type.singular,
        book.link(above.xid) if above else None,
        (name,) if name and name != link.text else (),
    )
