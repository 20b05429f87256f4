"""The last commits of the registry as a page, and as a feed that one can subscribe to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape, quoteattr

from xregit.catalog.views import text_of
from xregit.pages.addresses import CHANGES
from xregit.pages.linking import Link, href
from xregit.pages.page import Page
from xregit.pages.rendering import render, seen

if TYPE_CHECKING:
    from xregit.pages.book import Book
    from xregit.pages.histories import Happening, Said

FEED = "changes.atom"
LATEST = 5
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def changes_page(book: Book) -> Iterator[Page]:
    """Give the page of the last changes, unless Git knows of none."""
    found = book.lives.latest
    if not found:
        return
    said = "What the last commits changed, and whom that breaks."
    html = render(
        "changes.html",
        title="Changes",
        crumbs=(Link(book.title, href("")),),
        said=said,
        happenings=found,
        feed=Link("Atom feed", href(FEED)),
        shallow=book.registry.origin.history.shallow,
    )
    yield Page(CHANGES, "Changes", html, description=said, search="changes changelog history news", listed=True)


def feed(book: Book, site_url: str = "") -> str:
    """Return the Atom feed of the last commits (RFC 4287), nothing where there are none.

    Without the site's address its links are relative to the feed.
    """
    found = book.lives.latest
    if not found:
        return ""
    base = site_url.rstrip("/") + "/" if site_url else ""
    # RFC 4287, 4.2.6: an id never changes, which a name may.
    own = base + text_of(book.registry.attributes, "registryid")
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"  <title>{_text(book.title)}</title>",
        f"  <id>{_id(own)}</id>",
        f"  <updated>{found[0].time}</updated>",
        f"  <link href={quoteattr(base or './')}/>",
        f'  <link rel="self" href={quoteattr(base + FEED)}/>',
        *(line for each in found for line in _entry(each, base)),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def _entry(each: Happening, base: str) -> Iterator[str]:
    yield "  <entry>"
    yield f"    <title>{_text(each.subject)}</title>"
    yield f"    <id>{_id(each.sha)}</id>"
    yield f"    <updated>{each.time}</updated>"
    yield f"    <author><name>{_text(each.author)}</name></author>"
    yield f"    <link href={quoteattr(f'{base}{CHANGES}#{each.anchor}')}/>"
    yield f"    <content>{_text(chr(10).join(_words(each)))}</content>"
    yield "  </entry>"


def _words(each: Happening) -> Iterator[str]:
    yield from (_word(change) for change in each.changes)
    if each.more:
        yield "One more change" if each.more == 1 else f"{each.more} more changes"
    if each.touched and not each.changes:
        yield "One entity" if each.touched == 1 else f"{each.touched} entities"


def _word(change: Said) -> str:
    about = f"{change.entity.text}: " if change.entity else ""
    return f"{about}{change.text}" + (f" ({change.breaks})" if change.breaks else "")


def _id(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"


def _text(text: str) -> str:
    return escape(seen(_FORBIDDEN.sub("\ufffd", text)))
