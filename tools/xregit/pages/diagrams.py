"""The system as a graph, and diagrams of it: message groups, endpoints and channels, in the order that messages travel.

A diagram has four columns: what is sent, the endpoints that clients send to, channels, and the endpoints that clients
receive from. Positions are in the units of an SVG's view box; colours come from the style sheet. A phone has a focused
diagram as a list.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, product
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from xregit.catalog.entities import Group, Resource
from xregit.catalog.references import carried_groups
from xregit.catalog.resolver import group_of
from xregit.catalog.views import Endpoint, text_of
from xregit.pages.links import address, href, natural_order
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from xregit.pages.context import SiteContext


SENDING = "producer"
# The columns. An endpoint of which clients are both producers and consumers is one that they send to.
CONTENTS, SENT_TO, CHANNEL, RECEIVED_FROM = range(4)
TITLES = ("Message groups", "Clients send to", "Channels", "Clients receive from")
DOMAIN_TITLES = {CONTENTS: "Domains", SENT_TO: "Sent in", RECEIVED_FROM: "Received in"}
# A focused diagram has at most this many boxes in a column, so that pages of a channel with very many endpoints stay
# short. One of the whole system has at most this many boxes, and else two for each domain, of this many domains.
MAX_ROWS, MAX_BOXES, MAX_DOMAINS = 6, 120, 20

# Four columns fit beside the navigation and the table of contents of a window of 1280 pixels; those of the whole system
# have the room of the table of contents too.
WIDTH, WHOLE_WIDTH, BETWEEN, LINE, PADDING, GAP, HEAD = 186, 216, 34, 17, 7, 10, 22
# Fonts differ; the widest of the usual ones needs some 7 units for a letter, and 6.5 for a small one.
MAX_CHARS, MAX_WHOLE_CHARS, MAX_SMALL_CHARS = 24, 28, 26
# What stands for the messages that an endpoint alone carries is its key and this.
OWN = "/messages"
_ENDS = re.compile(r"[ ./_:-]|[a-z](?=[A-Z])")
_SWEEPS = 4


class Node(NamedTuple):
    """A part of the system; ``key`` is an entity's xid, or a kind and a name such as ``channel/orders``."""

    key: str
    kind: str
    title: str
    href: str
    column: int
    note: str = ""
    domain: str = ""


Edges = dict[tuple[str, str], None]


@dataclass(frozen=True, slots=True)
class Station:
    """An endpoint in the system; ``groups`` are the xids of the message groups that it carries, in their order."""

    node: Node
    channel: str
    groups: Mapping[str, None]
    sends: bool
    receives: bool


class System:
    """The endpoints, channels and message groups of a registry as nodes, and what leads to what."""

    def __init__(self, site: SiteContext) -> None:
        """Read the endpoints of a site's registry."""
        self._site = site
        self.stations: dict[str, Station] = {}
        self.channels: dict[str, Node] = {}
        self._sides: dict[tuple[str, int], list[str]] = defaultdict(list)
        self._sent: dict[str, set[str]] = defaultdict(set)
        for endpoint in sorted(site.registry.endpoints, key=lambda each: natural_order(each.id)):
            self._add(endpoint)

    def _add(self, endpoint: Endpoint) -> None:
        sends = SENDING in endpoint.usage
        receives = not endpoint.usage or bool(set(endpoint.usage) - {SENDING})
        node = Node(
            endpoint.xid,
            "endpoint",
            endpoint.name or endpoint.id,
            self._site.link(endpoint.xid).href,
            SENT_TO if sends else RECEIVED_FROM,
            ", ".join(filter(None, (endpoint.protocol, *endpoint.usage))),
            self._site.domain(endpoint.xid),
        )
        carried = carried_groups(self._site.registry, endpoint.entity)
        groups = dict.fromkeys(group.xid for group in carried if group.type.plural == "messagegroups")
        channel = f"channel/{endpoint.channel}" if endpoint.channel else ""
        self.stations[node.key] = Station(node, channel, groups, sends, receives)
        if channel:
            link = map_href(self._site, channel)
            own = Node(channel, "channel", endpoint.channel, link, CHANNEL, domain=node.domain)
            # A channel belongs to who sends on it.
            if channel not in self.channels or (sends and not self._sides[channel, SENT_TO]):
                self.channels[channel] = own
            self._sides[channel, node.column].append(node.key)
            if sends:
                self._sent[channel].update(groups)

    @cached_property
    def groups(self) -> Mapping[str, Node]:
        """The message groups."""
        groups = self._site.registry.groups.get("messagegroups", {})
        return {groups[key].xid: self._group(groups[key]) for key in sorted(groups, key=natural_order)}

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """All nodes by their keys."""
        stations = {key: station.node for key, station in self.stations.items()}
        return {**self.groups, **stations, **self.channels}

    def _group(self, group: Group) -> Node:
        count = len(group.collections.get("messages", {}))
        return Node(
            group.xid,
            "group",
            text_of(group.attributes, "name") or group.id,
            self._site.link(group.xid).href,
            self.column(self._site.carriers.get(group.xid, ())),
            f"{count:,} message{'s' * (count != 1)}",
            self._site.domain(group.xid),
        )

    def column(self, carriers: Sequence[str]) -> int:
        """Return the column of what endpoints carry: that of the channels where clients send to none of them."""
        return CHANNEL if carriers and not any(self.stations[key].sends for key in carriers) else CONTENTS

    def edges(self, nodes: Mapping[str, Node]) -> Edges:
        """Return what leads to what among some of the nodes.

        A group leads to the endpoints that clients send its messages to. It leads directly to one that they receive
        them from only where it does not come along a channel.
        """
        edges: Edges = {}
        groups = [key for key, node in nodes.items() if node.kind in {"group", "message"}]
        for key in nodes:
            station = self.stations.get(key)
            if station is None:
                continue
            fewer, others = (groups, station.groups) if len(groups) < len(station.groups) else (station.groups, nodes)
            sent = () if station.sends else self._sent.get(station.channel, ())
            edges |= dict.fromkeys((group, key) for group in fewer if group in others and group not in sent)
            if f"{key}{OWN}" in nodes:
                edges[f"{key}{OWN}", key] = None
            if station.channel in nodes and station.sends:
                edges[key, station.channel] = None
            if station.channel in nodes and station.receives:
                edges[station.channel, key] = None
        return edges

    def around(self, carriers: Sequence[str], *, whole: bool) -> tuple[dict[str, Node], dict[int, int]]:
        """Return the nodes of some endpoints, their channels and who is on these, and how many more each column has.

        Of a channel's endpoints these are all where ``whole``, else those of the sides on which none of them is.
        """
        columns: dict[int, dict[str, Node]] = {column: {} for column in (SENT_TO, CHANNEL, RECEIVED_FROM)}
        stations = [self.stations[key] for key in carriers]
        channels = dict.fromkeys(station.channel for station in stations if station.channel)
        columns[CHANNEL] = {key: self.channels[key] for key in channels}
        sides = {(station.channel, station.node.column) for station in stations}
        for station in stations:
            columns[station.node.column][station.node.key] = station.node
        counts = {column: len(each) for column, each in columns.items()}
        for side in ((channel, column) for channel in channels for column in (SENT_TO, RECEIVED_FROM)):
            if whole or side not in sides:
                keys = self._sides.get(side, [])
                counts[side[1]] += len(keys) - (side in sides)  # where there is a whole, it is that of one endpoint
                columns[side[1]] |= {key: self.stations[key].node for key in keys[:MAX_ROWS]}
        nodes = {key: node for each in columns.values() for key, node in list(each.items())[:MAX_ROWS]}
        return nodes, {column: count - min(count, MAX_ROWS) for column, count in counts.items()}


def map_href(site: SiteContext, key: str) -> str:
    """Return the link to the map with the focus on a node."""
    return f"{href(site.map)}?focus={quote(key, safe='/')}"


class Line(NamedTuple):
    """A line of text in a box, ``y`` below its upper edge."""

    text: str
    y: int
    small: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A node with its place in a drawing."""

    node: Node
    x: int
    y: int
    height: int
    lines: tuple[Line, ...]
    current: bool
    width: int

    @property
    def cut(self) -> bool:
        """Whether the lines leave out a part of the title."""
        return "".join(line.text for line in self.lines if not line.small) != self.node.title

    @property
    def middle(self) -> int:
        """Where lines between boxes begin and end."""
        return self.y + self.height // 2


class Column(NamedTuple):
    """The nodes of a column below its title; ``more`` counts those left out, in a line at ``y``."""

    title: str
    nodes: Sequence[Node]
    more: int = 0
    x: int = 0
    y: int = 0


# Without names to match, a page that is shortened keeps a diagram as it is.
@dataclass(frozen=True, slots=True, match_args=False)
class Diagram:
    """Boxes in columns, and the lines between them; it is false where nothing leads to anything.

    ``href`` leads to the same on the map. ``whole`` is the diagram of the whole system, which is no list on a phone.
    """

    label: str
    columns: tuple[Column, ...]
    boxes: tuple[Box, ...]
    paths: tuple[str, ...]
    width: int
    height: int
    href: str
    whole: bool

    def __bool__(self) -> bool:
        """Whether there is anything to see."""
        return bool(self.paths)

    def __html__(self) -> str:
        """Return the diagram as HTML."""
        return render("diagram.html", diagram=self)


def focused_diagram(site: SiteContext, xid: str) -> Diagram:
    """Return the diagram around an endpoint, a message group or a message; an empty one for any other entity.

    A message that no endpoint carries is drawn as those of its derived messages that one carries.
    """
    system, entity = site.system, site.registry.entity(xid)
    group = group_of(site.registry, entity) if isinstance(entity, Resource) else entity
    kind = group.type.plural if isinstance(group, Group) else ""
    if (
        not isinstance(entity, Group | Resource)
        or not isinstance(group, Group)
        or kind not in {"endpoints", "messagegroups"}
    ):
        return _diagram("", {}, {}, {}, "")
    messages = _carried_messages(site, entity) if isinstance(entity, Resource) else {}
    keys = messages or [group.xid]
    carriers = {key: (key,) if key in system.stations else site.carriers.get(key, ()) for key in keys}
    nodes, more = system.around([*dict.fromkeys(chain(*carriers.values()))], whole=xid in system.stations)
    current = xid
    for key, each in list(messages.items())[:MAX_ROWS]:
        node = f"{key}{OWN}" if key in system.stations else key
        title, link = text_of(each.attributes, "name") or each.id, site.link(each.xid).href
        nodes[node] = Node(node, "message", title, link, system.column(carriers[key]), f"in {key.rpartition('/')[2]}")
        current = node if each is entity else current
    if messages:
        more[CONTENTS] = max(0, len(messages) - MAX_ROWS)
    elif kind == "messagegroups":
        nodes[xid] = system.groups[xid]
    else:
        contents = [system.groups[key] for key in system.stations[xid].groups]
        nodes |= {node.key: node for node in contents[:MAX_ROWS]}
        more[CONTENTS] = max(0, len(contents) - MAX_ROWS)
    label = f"Message flow around {text_of(entity.attributes, 'name') or entity.id}"
    link = map_href(site, next((each.xid for each in messages.values()), xid))
    return _diagram(label, nodes, system.edges(nodes), more, link, current=current)


def _carried_messages(site: SiteContext, message: Resource) -> dict[str, Resource]:
    """Return a message by its group, or those that derive from it by theirs if it is these alone that are carried."""
    own = message.xid.rpartition("/messages/")[0]
    derived = map(site.registry.resource, site.registry.indexes.derived.get(message.xid, ()))
    groups = {each.xid.rpartition("/messages/")[0]: each for each in derived if each}
    carried = {key: each for key, each in groups.items() if key in site.carriers}
    return {own: message} if own in site.carriers or own in site.system.stations or not carried else carried


def system_diagram(site: SiteContext) -> Diagram:
    """Return the diagram of the whole system; of a large one, what its domains send to one another.

    Where they send one another nothing, it is by which protocols each has its endpoints.
    """
    system = site.system
    if len(system.nodes) <= MAX_BOXES:
        nodes = dict(system.nodes)
        return _diagram("Message flow", nodes, system.edges(nodes), {}, href(site.map), whole=True)
    nodes, edges = _domains(site)
    if edges:
        return _diagram("Message flow between domains", nodes, edges, {}, href(site.map), whole=True)
    nodes, edges = _protocols(site)
    return _diagram("Domains and their protocols", nodes, edges, {}, href(site.map), whole=True)


def _domains(site: SiteContext) -> tuple[dict[str, Node], Edges]:
    """Return a node for each domain that sends to another or receives from one, and the channels between as edges.

    What an endpoint without a channel carries goes from the domains of its message groups to its own.
    """
    system = site.system
    channels: dict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for key, station in system.stations.items():
        senders, receivers = channels[station.channel or key]
        if not station.channel:
            senders.update(system.groups[group].domain for group in station.groups)
        elif station.sends:
            senders.add(station.node.domain)
        if not station.channel or station.receives:
            receivers.add(station.node.domain)
    pairs = {pair for sides in channels.values() for pair in product(*sides) if len({*pair}) > 1}
    domains = sorted({domain for pair in pairs for domain in pair}, key=natural_order)[:MAX_DOMAINS]
    nodes = {
        f"{column}/{name}": Node(
            f"{column}/{name}", "domain", name or "no domain", map_href(site, f"domain/{name}"), column, domain=name
        )
        for name in domains
        for column, side in ((SENT_TO, 0), (RECEIVED_FROM, 1))
        if any(pair[side] == name for pair in pairs)
    }
    edges = ((f"{SENT_TO}/{one}", f"{RECEIVED_FROM}/{other}") for one, other in sorted(pairs))
    return nodes, dict.fromkeys(pair for pair in edges if nodes.keys() >= {*pair})


def _protocols(site: SiteContext) -> tuple[dict[str, Node], Edges]:
    """Return a node for each domain with endpoints and for each of their protocols, and which has which as edges."""
    pairs = sorted({(each.protocol, site.domain(each.xid)) for each in site.registry.endpoints if each.protocol})
    domains = sorted({domain for _, domain in pairs}, key=natural_order)[:MAX_DOMAINS]
    nodes = {
        name: Node(name, "domain", name or "no domain", map_href(site, f"domain/{name}"), CONTENTS) for name in domains
    }
    edges: Edges = {}
    for protocol, domain in pairs:
        if domain in nodes:
            key = f"protocol/{protocol}"
            nodes[key] = Node(key, "protocol", protocol, href(address("/endpoints")), CHANNEL)
            edges[domain, key] = None
    return nodes, edges


def _diagram(  # noqa: PLR0913 - what a diagram is of
    label: str, nodes: Mapping[str, Node], edges: Edges, more: Mapping[int, int], link: str, *, current: str = "",
    whole: bool = False,
) -> Diagram:  # fmt: skip
    """Return a diagram of nodes; ``more`` counts those left out of each column."""
    width = WHOLE_WIDTH if whole else WIDTH
    columns = [[node for node in nodes.values() if node.column == column] for column in range(len(TITLES))]
    numbers = [number for number, column in enumerate(columns) if column]
    lines = {node.key: _lines(node, whole=whole) for node in nodes.values()}
    heights = {key: 2 * PADDING + LINE * len(each) - 4 for key, each in lines.items()}
    chains: list[list[str]] = []
    gaps: list[Node] = []
    for one, other in edges:  # past a column leads a gap between its boxes
        passed = [number for number in numbers if nodes[one].column < number < nodes[other].column]
        gaps += (own := [nodes[one]._replace(key=f"{one} {other} {number}", column=number) for number in passed])
        chains.append([one, *(gap.key for gap in own), other])
    heights |= dict.fromkeys((gap.key for gap in gaps), 0)
    rows = [[*columns[number], *(gap for gap in gaps if gap.column == number)] for number in numbers]
    tops = _tops(rows, [pair for chain in chains for pair in pairwise(chain)], heights, bands=whole)
    lefts = {number: position * (width + BETWEEN) for position, number in enumerate(numbers)}
    boxes: dict[str, Box] = {}
    drawn: list[Column] = []
    for number, x in lefts.items():
        ordered = sorted(columns[number], key=lambda node: tops[node.key])
        for key in (node.key for node in ordered):
            boxes[key] = Box(nodes[key], x, tops[key], heights[key], lines[key], key == current, width)
        end = tops[key] + heights[key] + LINE
        drawn.append(Column(_title(number, ordered), tuple(ordered), more.get(number, 0), x, end))
    height = max((column.y - LINE * (not column.more) for column in drawn), default=0) + 4
    total = len(numbers) * (width + BETWEEN) - BETWEEN
    gap_boxes = {gap.key: Box(gap, lefts[gap.column], tops[gap.key], 0, (), current=False, width=width) for gap in gaps}
    paths = tuple(_paths({**boxes, **gap_boxes}, chains, edges))
    return Diagram(label, tuple(drawn), tuple(boxes.values()), paths, total, height, link, whole)


def _title(column: int, nodes: Sequence[Node]) -> str:
    kinds = {node.kind for node in nodes}
    if "domain" in kinds:
        return DOMAIN_TITLES[column]
    if kinds == {"protocol"}:
        return "Protocols"
    if kinds == {"message"}:
        return "Messages" if len(nodes) > 1 else "Message"
    title = TITLES[CONTENTS if kinds == {"group"} else column]
    if column == CHANNEL and "channel" in kinds and len(kinds) > 1:
        return "Messages, channels" if "message" in kinds else "Message groups, channels"
    return title.removesuffix("s") if len(nodes) == 1 and column != RECEIVED_FROM else title


def _lines(node: Node, *, whole: bool) -> tuple[Line, ...]:
    """Return the lines of a box: the title, on two if it is long, and the note unless the system is drawn whole."""
    texts = [(text, False) for text in _split(node.title, MAX_WHOLE_CHARS if whole else MAX_CHARS) if text]
    texts += [(_cut(node.note, MAX_SMALL_CHARS), True)] * bool(node.note and not whole)
    return tuple(Line(text, PADDING + LINE * number - 5, small) for number, (text, small) in enumerate(texts, 1))


def _tops(
    columns: Sequence[list[Node]], edges: Iterable[tuple[str, str]], heights: Mapping[str, int], *, bands: bool
) -> dict[str, int]:
    """Return where boxes begin, each near the middle of those that it is joined to, in the order that this gives.

    With ``bands``, those of a domain stay together.
    """
    neighbours: dict[str, list[str]] = defaultdict(list)
    for one, other in edges:
        neighbours[one].append(other)
        neighbours[other].append(one)
    middles: dict[str, float] = {}
    for column in columns:
        ordered = sorted(column, key=lambda node: node.domain) if bands else column
        middles |= _stacked([(0.0, node.key) for node in ordered], heights)
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 else reversed(columns):
            rows = [
                (node.domain * bands, fmean(middles[each] for each in neighbours[node.key] or (node.key,)), node.key)
                for node in column
            ]
            middles |= _stacked([(middle, key) for _, middle, key in sorted(rows)], heights)
    first = min((middle - heights[key] / 2 for key, middle in middles.items()), default=0)
    return {key: round(middle - heights[key] / 2 - first) + HEAD for key, middle in middles.items()}


def _stacked(wanted: Sequence[tuple[float, str]], heights: Mapping[str, int]) -> dict[str, float]:
    """Return the middles of boxes below one another, as near as they get to where they are wanted."""
    middles: dict[str, float] = {}
    end = float("-inf")
    for middle, key in wanted:
        top = max(end, middle - heights[key] / 2)
        end = top + heights[key] + GAP
        middles[key] = top + heights[key] / 2
    shift = fmean(middle - middles[key] for middle, key in wanted) if wanted else 0
    return {key: middle + shift for key, middle in middles.items()}


def _paths(boxes: Mapping[str, Box], chains: Iterable[Sequence[str]], edges: Edges) -> Iterator[str]:
    """Yield the line of each edge, which leaves and arrives level; two that lead to and fro are one."""
    for one, *passed, other in chains:
        start, end = boxes[one], boxes[other]
        if start.x >= end.x:
            continue
        x, y = start.x + start.width, start.middle
        back = f"M{x + 7} {y - 4}l-6 4l6 4" if (other, one) in edges else ""
        line = f"M{x} {y}"
        for gap in (boxes[key] for key in passed):
            line += f"{_bend(x, y, gap.x, gap.middle)}H{gap.x + gap.width}"
            x, y = gap.x + gap.width, gap.middle
        yield f"{line}{_bend(x, y, end.x - 2, end.middle)}m-6 -4l6 4l-6 4{back}"


def _bend(x1: int, y1: int, x2: int, y2: int) -> str:
    return f"C{x1 + BETWEEN // 2} {y1} {x2 - BETWEEN // 2} {y2} {x2} {y2}" if y1 != y2 else f"H{x2}"


def _split(text: str, limit: int) -> tuple[str, str]:
    """Return a title as two lines where it is long: the first ends where a word or a part of an id does."""
    if len(text) <= limit:
        return text, ""
    end = max((match.end() for match in _ENDS.finditer(text[:limit])), default=0)
    end = end if end > limit // 3 else limit
    return text[:end], _cut(text[end:], limit)


def _cut(text: str, limit: int) -> str:
    """Return a text that fits into a box; what is left out is in the middle, as ids begin and end tellingly."""
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
