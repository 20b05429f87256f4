"""The map: the picture of the whole system, what the script needs that draws it anew, and the same in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from xregit.pages.context import SiteContext
from xregit.pages.diagrams import RECEIVED_FROM, SENT_TO, Node, system_diagram
from xregit.pages.documents import json_text
from xregit.pages.links import Link, href, natural_order
from xregit.pages.page import ROOT, Page
from xregit.pages.renderer import render

DATA = "system.js"
# The channels, and the endpoints without one, that the page names; a larger system is read by its script alone.
MAX_LANES = 60
INTRO = "From message groups to the endpoints that clients send to, and along channels to those they receive from."


class Lane(NamedTuple):
    """What travels on a channel, in words: its groups, and the endpoints on either side."""

    channel: Node | None
    groups: tuple[Node, ...]
    senders: tuple[Node, ...]
    receivers: tuple[Node, ...]


def map_page(site: SiteContext) -> Iterator[Page]:
    """Yield the map, unless there is no endpoint."""
    if not site.system.stations:
        return
    lanes = list(_lanes(site))
    html = render(
        "map.html",
        title="Map",
        crumbs=(Link(site.title, href("")),),
        intro=INTRO,
        diagram=system_diagram(site),
        lanes=lanes[:MAX_LANES],
        more=len(lanes) - MAX_LANES,
        root=href(""),
        data=DATA,
    )
    names = tuple(node.title for node in site.system.channels.values())
    yield Page(site.map, "Map", html, description=INTRO, search="map channels endpoints", names=names, listed=True)


def _lanes(site: SiteContext) -> Iterator[Lane]:
    """Yield the channels, then each endpoint that is on none."""
    system = site.system
    lanes: dict[str, list[str]] = defaultdict(list)
    for key, station in system.stations.items():
        lanes[station.channel or key].append(key)
    for name, keys in sorted(lanes.items(), key=lambda lane: (lane[0] in system.stations, natural_order(lane[0]))):
        stations = [system.stations[key] for key in keys]
        groups = dict.fromkeys(group for station in stations for group in station.groups)
        yield Lane(
            system.channels.get(name),
            tuple(system.groups[group] for group in groups),
            tuple(station.node for station in stations if station.node.column == SENT_TO),
            tuple(station.node for station in stations if station.node.column == RECEIVED_FROM),
        )


def map_data(site: SiteContext) -> Iterator[tuple[str, str]]:
    """Yield the script with the system, by its path below the site's start, which a page opened from a disk can load.

    A node is its key, kind, title, note, address below the site's start, column and domain; an edge has two numbers of
    nodes.
    """
    system = site.system
    if not system.stations:
        return
    numbers = {key: number for number, key in enumerate(system.nodes)}
    names = dict.fromkeys(node.domain for node in system.nodes.values())
    domains = {domain: number for number, domain in enumerate(names)}
    nodes = [
        (node.key, node.kind, node.title, node.note, node.href.removeprefix(ROOT), node.column, domains[node.domain])
        for node in system.nodes.values()
    ]
    edges = [(numbers[one], numbers[other]) for one, other in system.edges(system.nodes)]
    data = json_text({"nodes": nodes, "edges": edges, "domains": list(domains)}, indent=False)
    yield f"{site.map}{DATA}", f"globalThis.xregitSystem = {data};\n"
