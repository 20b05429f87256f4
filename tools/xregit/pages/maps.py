"""The map: every channel with those who send and receive there, and the endpoints that are on no channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.pages.book import MAP
from xregit.pages.diagrams import Diagram, channel_diagram
from xregit.pages.linking import Link, href
from xregit.pages.page import Page
from xregit.pages.rendering import render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.pages.book import Book


@dataclass(frozen=True, slots=True)
class Part:
    """One channel, or an endpoint that is on none."""

    title: str
    id: str
    diagram: Diagram


def map_page(book: Book) -> Iterator[Page]:
    """Give the map, unless there is no endpoint."""
    channels, at = book.channels, book.channel_ids
    if not channels:
        return
    parts = [
        Part(title, at[title], channel_diagram(book, found, found[0].channel)) for title, found in channels.items()
    ]
    said = "Who sends to whom: senders stand left of their channel, receivers right of it; all names can be followed."
    html = render("map.html", title="Map", crumbs=(Link(book.title, href("")),), said=said, channels=parts)
    yield Page(MAP, "Map", html, description=said, search="map channels endpoints", names=tuple(at), listed=True)
