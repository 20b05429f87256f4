"""Every page of a site, one after the other."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from xregit.catalog.views import Endpoint, Message
from xregit.pages.addresses import ALL_MESSAGES
from xregit.pages.chronicle import changes_page
from xregit.pages.endpoints import endpoint_page
from xregit.pages.groups import group_page, groups_page
from xregit.pages.indexes import index_pages
from xregit.pages.linking import address
from xregit.pages.manual import model_pages, rule_pages
from xregit.pages.maps import map_page
from xregit.pages.messages import message_page
from xregit.pages.names import name_pages
from xregit.pages.overview import messages_page, registry_page
from xregit.pages.page import Page, at_once, placed
from xregit.pages.recognising import recognise_page
from xregit.pages.rendering import seen
from xregit.pages.resources import resource_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xregit.catalog.entities import Group
    from xregit.pages.book import Book
    from xregit.pages.page import Later


def all_pages(
    book: Book, of_message: Callable[[Book, Message], Page] = message_page, later: Later = at_once
) -> Iterator[Page]:
    """Give every page, finished; ``of_message`` makes that of a message, ``later`` decides when to make large ones."""
    return map(finished, _pages(book, of_message, later))


def finished(page: Page) -> Page:
    """Return a page with its links made relative to its address.

    Signs that are not seen have their names in what stands in lists and tabs too, as templates see to within a page.
    """
    title, description, search = map(seen, (page.title, page.description, page.search))
    keys, names = (tuple(map(seen, texts)) for texts in (page.keys, page.names))
    html, whole = placed(page.html, page.address), placed(page.whole, page.address)
    return replace(
        page, html=html, whole=whole, title=title, description=description, search=search, keys=keys, names=names
    )


def _pages(book: Book, of_message: Callable[[Book, Message], Page], later: Later) -> Iterator[Page]:
    registry = book.registry
    yield registry_page(book)
    if registry.messages:
        yield later(Page(ALL_MESSAGES, "All messages", "", listed=True), partial(messages_page, book))
    yield from map_page(book)
    yield from recognise_page(book, later)
    for model in registry.model.groups.values():
        groups = registry.groups.get(model.plural)
        if groups:
            yield groups_page(book, model)
            for group in groups.values():
                yield from _group_pages(book, group, of_message, later)
    yield from name_pages(book, later)
    yield from index_pages(book, later)
    yield from changes_page(book)
    yield from model_pages(book)
    yield from rule_pages(book)


def _group_pages(book: Book, group: Group, of_message: Callable[[Book, Message], Page], later: Later) -> Iterator[Page]:
    here, above = address(group.xid), address(f"/{group.type.plural}")
    of_group = partial(endpoint_page, book, Endpoint(book.registry, group))
    if group.type.plural != "endpoints":
        of_group = partial(group_page, book, group)
    yield later(Page(here, group.id, "", parent=above), of_group)
    for collection in group.collections.values():
        for resource in collection.values():
            if resource.type.plural == "messages":
                message = Message(book.registry, resource)
                yield later(Page(address(message.xid), message.id, "", parent=here), partial(of_message, book, message))
            else:
                yield from resource_pages(book, resource)
