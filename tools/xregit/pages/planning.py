"""All pages of a book, those of messages to be made later, wherever that is best, and one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.pages.linking import address
from xregit.pages.listing import all_pages, finished
from xregit.pages.messages import message_page
from xregit.pages.page import Page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xregit.catalog.views import Message
    from xregit.pages.book import Book


@dataclass(frozen=True, slots=True)
class Plan:
    """The pages of a book in their order, and by address the messages whose pages have to be made yet.

    Of such a page there is no more than its address, and whose it is.
    """

    book: Book
    pages: tuple[Page, ...]
    messages: Mapping[str, Message]

    @classmethod
    def of(cls, book: Book) -> Plan:
        """Make all other pages."""
        messages: dict[str, Message] = {}

        def planned(_: Book, message: Message) -> Page:
            page = Page(address(message.xid), message.id, "", parent=address(message.group.xid))
            messages[page.address] = message
            return page

        return cls(book, tuple(all_pages(book, planned)), messages)

    def made(self, page: Page) -> Page:
        """Return a page as a whole."""
        message = self.messages.get(page.address)
        return page if message is None else finished(message_page(self.book, message))
