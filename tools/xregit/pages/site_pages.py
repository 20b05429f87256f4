"""Every page of a site, one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xregit.catalog.views import Endpoint, Message
from xregit.pages.change_history import changes_page
from xregit.pages.channel_map import map_page
from xregit.pages.endpoints import endpoint_page
from xregit.pages.groups import group_page, groups_page
from xregit.pages.indexes import index_pages, name_pages
from xregit.pages.manual import model_pages, rule_pages
from xregit.pages.messages import message_page
from xregit.pages.overview import messages_page, registry_page
from xregit.pages.page import Page, placed
from xregit.pages.recognise import recognise_page
from xregit.pages.renderer import seen
from xregit.pages.resources import resource_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog.entities import Group
    from xregit.pages.context import SiteContext


def all_pages(book: SiteContext) -> Iterator[Page]:
    """Give every page of a registry's site."""
    return map(finished, _pages(book))


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


def _pages(book: SiteContext) -> Iterator[Page]:
    registry = book.registry
    yield registry_page(book)
    if registry.messages:
        yield messages_page(book)
    yield from map_page(book)
    yield from recognise_page(book)
    for model in registry.model.groups.values():
        groups = registry.groups.get(model.plural)
        if groups:
            yield groups_page(book, model)
            for group in groups.values():
                yield from _group_pages(book, group)
    yield from name_pages(book)
    yield from index_pages(book)
    yield from changes_page(book)
    yield from model_pages(book)
    yield from rule_pages(book)


def _group_pages(book: SiteContext, group: Group) -> Iterator[Page]:
    if group.type.plural == "endpoints":
        yield endpoint_page(book, Endpoint(book.registry, group))
    else:
        yield group_page(book, group)
    for collection in group.collections.values():
        for resource in collection.values():
            if resource.type.plural == "messages":
                yield message_page(book, Message(book.registry, resource))
            else:
                yield from resource_pages(book, resource)
