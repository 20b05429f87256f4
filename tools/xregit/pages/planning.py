"""All pages of a book, most of them to be made later, wherever that is best, and one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.pages.listing import all_pages, finished
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.pages.book import Book
    from xregit.pages.page import Make, Page


@record
class Plan:
    """The pages of a book in their order, and by address what makes those that have to be made yet.

    Of such a page there is no more than its address, the one above, its title where it is listed, and whether it is.
    """

    book: Book
    pages: tuple[Page, ...]
    makers: Mapping[str, Make]

    @classmethod
    def of(cls, book: Book) -> Plan:
        """Make what is needed to know which pages there are."""
        makers: dict[str, Make] = {}

        def later(page: Page, make: Make) -> Page:
            makers[page.address] = make
            return page

        return cls(book, tuple(all_pages(book, later=later)), makers)

    def made(self, page: Page) -> Page:
        """Return a page as a whole."""
        make = self.makers.get(page.address)
        return page if make is None else finished(make())
