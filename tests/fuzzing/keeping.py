"""Readers of pages that a server keeps while people edit."""

from __future__ import annotations

from functools import cache

from tests.fuzzing.catalogs import edited, folder_seeds
from xregit.catalog.reading import read_contents
from xregit.pages import pages
from xregit.pages.book import Book
from xregit.pages.keeping import Kept
from xregit.pages.messages import message_page


def site(data: bytes) -> None:
    """Make the pages of a catalog in which one file has these bytes; kept ones are those made from nothing."""
    registry = read_contents(*edited(data))
    assert list(pages(registry))
    before = _pages()
    now = Kept(before.shared, dict(before.pages), dict(before.told))
    book, fresh = now.book(registry), Book(registry)
    for message in registry.messages:
        assert now.page(book, message) == message_page(fresh, message), message.xid


@cache
def _pages() -> Kept:
    """Return the pages of the catalog as it is."""
    found = Kept()
    registry = read_contents(*edited(next(folder_seeds())))
    book = found.book(registry)
    for message in registry.messages:
        found.page(book, message)
    return found
