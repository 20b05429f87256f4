"""Diagrams of who sends to whom, and the map, which has one for each channel.

Senders are on the left, a channel in the middle, receivers on the right. Positions are in the units of an SVG's view
box; colours come from the style sheet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from xregit.pages.links import Link, address, href
from xregit.pages.page import Page
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xregit.catalog.views import Endpoint
    from xregit.pages.context import SiteContext


# Three columns fit beside the navigation and the table of contents of a window of 1280 pixels.
WIDTH, LINE, PADDING, GAP, BETWEEN = 250, 18, 8, 12, 38
# Fonts differ; the widest of the usual ones needs some 8 units for a letter, and 7 for a small one.
MAX_CHARS, MAX_SMALL_CHARS = 29, 32
# Columns are centred, but not so far down that a reader of a long diagram does not see the channel at first.
MAX_SHIFT = 240
# A channel's box names at most this many groups, and endpoints that have messages of their own.
MAX_GROUPS = 40
# The page of an endpoint shows at most this many others on its channel; else such pages would grow with their square.
MAX_NEIGHBOURS = 60
SENDING = "producer"
# How far from the middle of a channel lines arrive and leave, where they do so on the same side.
ARROW_OFFSET = 6
_HEAD = "m-7 -4l7 4l-7 4"
_ENDS = re.compile(r"[ ./_:-]")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text in a box, below its upper edge; ``full`` is the text before it was cut.

    ``rest`` is on a second line, ``step`` units below.
    """

    text: str
    href: str
    y: int
    full: str = ""
    small: bool = False
    rest: str = ""
    step: int = LINE


@dataclass(frozen=True, slots=True)
class Box:
    """A box with its lines; ``current`` marks the one that the page is about."""

    x: int
    y: int
    height: int
    lines: tuple[Line, ...]
    kind: str
    current: bool = False
    width: int = WIDTH

    @property
    def middle(self) -> int:
        """Where lines between boxes begin and end."""
        return self.y + self.height // 2


@dataclass(frozen=True, slots=True)
class Diagram:
    """Boxes, and the paths of the lines between them; ``narrow`` is the same for a phone."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    paths: tuple[str, ...]
    title: str
    narrow: Diagram | None = None


def neighbours(site: SiteContext, endpoint: Endpoint) -> tuple[Endpoint, ...]:
    """Return the other endpoints on an endpoint's channel, the first ones of very many."""
    others = (each for each in site.channels.get(endpoint.channel, ()) if each.xid != endpoint.xid)
    return tuple(islice(others, MAX_NEIGHBOURS))


def more_endpoints(site: SiteContext, endpoints: Sequence[Endpoint], channel: str) -> Link | None:
    """Return the link to all endpoints on a channel where these are a part of them."""
    count = len(site.channels.get(channel, ())) - len(endpoints)
    return Link(f"{count:,} more endpoints", _channel_href(site, channel)) if count > 0 else None


def _channel_href(site: SiteContext, channel: str) -> str:
    return f"{href(site.map)}#{site.channel_ids[channel]}"


def channel_diagram(site: SiteContext, endpoints: Sequence[Endpoint], channel: str, current: str = "") -> Diagram:
    """Return the diagram of endpoints on one channel, or of a single endpoint without one.

    ``current`` is the xid of the endpoint that the page is about.
    """
    senders = [each for each in endpoints if SENDING in each.usage]
    receivers = [each for each in endpoints if set(each.usage) - {SENDING} or not each.usage]
    middle = _box(_channel_lines(site, endpoints, channel), "channel")
    centre = WIDTH + BETWEEN if senders else 0
    left = list(_column(0, (_endpoint_box(site, each, current) for each in senders)))
    right = list(_column(centre + WIDTH + BETWEEN, (_endpoint_box(site, each, current) for each in receivers)))
    height = max((box.y + box.height for box in (*left, *right, middle)), default=0)
    left, right = [_centred(column, height) for column in (left, right)]
    (middle,) = _centred([replace(middle, x=centre)], height)
    paths = (
        *(_path(box.x + WIDTH, box.middle, middle.x, middle.middle) for box in left),
        *(_path(middle.x + WIDTH, middle.middle, box.x, box.middle) for box in right),
    )
    title = f"Who sends to whom {'on ' + channel if channel else 'through ' + endpoints[0].id}"
    width = centre + WIDTH + (BETWEEN + WIDTH if receivers else 0)
    narrow = _narrow(left, middle, right, title)
    return Diagram(width, height, (*left, middle, *right), paths, title, narrow)


def _narrow(senders: Sequence[Box], channel: Box, receivers: Sequence[Box], title: str) -> Diagram:
    """Return a diagram of one column: senders above the channel, receivers below, lines along its left side."""
    boxes = tuple(_column(BETWEEN, (*senders, channel, *receivers)))
    middle = boxes[len(senders)]
    paths = (
        *(_bracket(box.middle, middle.middle - ARROW_OFFSET) for box in boxes[: len(senders)]),
        *(_bracket(middle.middle + ARROW_OFFSET, box.middle) for box in boxes[len(senders) + 1 :]),
    )
    return Diagram(BETWEEN + WIDTH, boxes[-1].y + boxes[-1].height, boxes, paths, title)


def _endpoint_box(site: SiteContext, endpoint: Endpoint, current: str) -> Box:
    link = site.link(endpoint.xid, endpoint.name)
    lines = [(link, False), (Link(", ".join(filter(None, (endpoint.protocol, *endpoint.usage)))), True)]
    return _box(lines, "endpoint", current=endpoint.xid == current)


def _channel_lines(site: SiteContext, endpoints: Sequence[Endpoint], channel: str) -> list[tuple[Link, bool]]:
    """Return the lines in the box of a channel: its name, its messages, and how many endpoints are left out."""
    if not channel:
        return [(link, True) for link in _contents(site, endpoints)] or [(Link("no messages"), True)]
    if channel not in site.channel_contents:
        site.channel_contents[channel] = tuple(_contents(site, site.channels[channel]))
    more = more_endpoints(site, endpoints, channel)
    small = [*site.channel_contents[channel], *([more] if more else [])]
    return [(Link(channel, _channel_href(site, channel)), False), *((link, True) for link in small)]


def _contents(site: SiteContext, endpoints: Sequence[Endpoint]) -> Iterator[Link]:
    """Yield the groups of messages that endpoints carry, then the endpoints that have messages of their own."""
    groups = list(dict.fromkeys(group.xid for each in endpoints for group in each.messagegroups))
    yield from map(site.link, groups[:MAX_GROUPS])
    if len(groups) > MAX_GROUPS:
        yield Link(f"{len(groups) - MAX_GROUPS} more message groups", href(address("/messagegroups")))
    with_messages = [each for each in endpoints if each.entity.collections.get("messages")]
    for each in with_messages[:MAX_GROUPS]:
        count = len(each.entity.collections["messages"])
        yield Link(f"{count} message{'s' * (count != 1)} of {each.id}", f"{site.link(each.xid).href}#contract")
    if len(with_messages) > MAX_GROUPS:
        yield Link(f"messages of {len(with_messages) - MAX_GROUPS} more", href(address("/endpoints")))


def _box(lines: Iterable[tuple[Link, bool]], kind: str, *, current: bool = False) -> Box:
    box_lines: list[Line] = []
    y = PADDING
    for link, small in lines:
        text, rest = (_cut(link.text, MAX_SMALL_CHARS), "") if small else _split_name(link.text)
        if text:
            box_lines.append(Line(text, link.href, y + LINE - 5, link.text, small=small, rest=rest))
            y += 2 * LINE if rest else LINE
    return Box(0, 0, PADDING + y, tuple(box_lines), kind, current=current)


def _column(x: int, boxes: Iterable[Box]) -> Iterator[Box]:
    y = 0
    for box in boxes:
        yield replace(box, x=x, y=y)
        y += box.height + GAP


def _centred(boxes: list[Box], height: int) -> list[Box]:
    own_height = max((box.y + box.height for box in boxes), default=0)
    shift = min((height - own_height) // 2, MAX_SHIFT)
    return [replace(box, y=box.y + shift) for box in boxes]


def _path(x1: int, y1: int, x2: int, y2: int) -> str:
    """Return a line that leaves and arrives level, with the head of an arrow.

    It goes up or down half-way, where all lines of a channel do, so that many are one trunk and no tangle.
    """
    return f"M{x1} {y1}H{(x1 + x2) // 2}V{y2}H{x2 - 1}{_HEAD}"


def _bracket(y1: int, y2: int) -> str:
    """Return a line that leaves a column to its left, goes down and comes back, with the head of an arrow."""
    return f"M{BETWEEN} {y1}H{BETWEEN // 2}V{y2}H{BETWEEN - 1}{_HEAD}"


def _split_name(text: str) -> tuple[str, str]:
    """Return a name as two lines where one is too short for it: the first ends where a word or a part of an id does."""
    if len(text) <= MAX_CHARS:
        return text, ""
    end = max((match.end() for match in _ENDS.finditer(text[:MAX_CHARS])), default=0)
    end = end if end > MAX_CHARS // 3 else MAX_CHARS
    return text[:end], _cut(text[end:], MAX_CHARS)


def _cut(text: str, limit: int) -> str:
    """Return a text that fits into a box; what is left out is in the middle, as ids begin and end tellingly."""
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


# Of the endpoints that are on no channel the map draws at most this many.
MAX_ALONE = 100


@dataclass(frozen=True, slots=True)
class Section:
    """A channel with its diagram, or the endpoints on none with one each; ``more`` leads to those left out."""

    title: str
    id: str
    diagrams: tuple[Diagram, ...]
    more: Link | None = None


def map_page(site: SiteContext) -> Iterator[Page]:
    """Yield the map, unless there is no endpoint."""
    if not site.registry.endpoints:
        return
    sections = [
        Section(channel, site.channel_ids[channel], (channel_diagram(site, endpoints, channel),))
        for channel, endpoints in site.channels.items()
    ]
    alone = [each for each in site.registry.endpoints if not each.channel]
    if alone:
        diagrams = tuple(channel_diagram(site, (each,), "") for each in alone[:MAX_ALONE])
        count = len(alone) - MAX_ALONE
        more = Link(f"{count:,} more, among all endpoints", href(address("/endpoints"))) if count > 0 else None
        sections.append(Section("Endpoints without a channel", "xr-without-channel", diagrams, more))
    intro = (
        "Who sends to whom: senders stand left of their channel or above it, receivers right of it or below, and below "
        "the channel's name the groups of the messages that travel there. All names can be followed."
    )
    html = render("map.html", title="Map", crumbs=(Link(site.title, href("")),), intro=intro, channels=sections)
    names = tuple(site.channels)
    yield Page(site.map, "Map", html, description=intro, search="map channels endpoints", names=names, listed=True)
