"""The map: every channel with those who send and receive there, and the endpoints that are on no channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.pages.diagrams import Diagram, channel_diagram
from xregit.pages.links import Link, address, href
from xregit.pages.page import Page
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.pages.context import SiteContext


# Of the endpoints that are on no channel the map draws at most this many.
MAX_ALONE = 100


@dataclass(frozen=True, slots=True)
class Part:
    """A channel with its diagram, or what is on none with one for each endpoint; ``more`` leads to those left out."""

    title: str
    id: str
    diagrams: tuple[Diagram, ...]
    more: Link | None = None


def map_page(book: SiteContext) -> Iterator[Page]:
    """Give the map, unless there is no endpoint."""
    if not book.registry.endpoints:
        return
    at = book.channel_ids
    parts = [Part(title, at[title], (channel_diagram(book, found, title),)) for title, found in book.channels.items()]
    alone = [each for each in book.registry.endpoints if not each.channel]
    if alone:
        drawn = tuple(channel_diagram(book, (each,), "") for each in alone[:MAX_ALONE])
        left = len(alone) - MAX_ALONE
        more = Link(f"{left:,} more, among all endpoints", href(address("/endpoints"))) if left > 0 else None
        parts.append(Part("Endpoints without a channel", "xr-without-channel", drawn, more))
    said = (
        "Who sends to whom: senders stand left of their channel or above it, receivers right of it or below, and below "
        "the channel's name the groups of the messages that travel there. All names can be followed."
    )
    html = render("map.html", title="Map", crumbs=(Link(book.title, href("")),), said=said, channels=parts)
    yield Page(
        book.map,
        "Map",
        html,
        description=said,
        search="map channels endpoints",
        names=tuple(book.channels),
        listed=True,
    )
