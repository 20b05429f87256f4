"""The table of all messages: as a list in parts, and as what the script needs that filters and sorts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from xregit.catalog.entities import Group
from xregit.catalog.views import Message, text_of
from xregit.pages.context import SiteContext
from xregit.pages.documents import json_text
from xregit.pages.links import ALL_MESSAGES, Link, href, natural_order
from xregit.pages.page import ROOT, Page
from xregit.pages.renderer import render

DATA = "messages.js"
TITLE = "All messages"
# A browser without scripts gets the list in parts, each a page of less than 80 kB.
MAX_ROWS = 100


def messages_pages(site: SiteContext) -> Iterator[Page]:
    """Yield the page of the table, with the first part of the list, then the page of each further part."""
    entries = sorted(map(site.entry, site.registry.messages), key=lambda entry: natural_order(entry.link.text))
    parts = [entries[start : start + MAX_ROWS] for start in range(0, len(entries), MAX_ROWS)]
    addresses = [ALL_MESSAGES, *(f"{ALL_MESSAGES}{number}/" for number in range(2, len(parts) + 1))]
    titles = [f"{part[0].link.text} to {part[-1].link.text}" for part in parts]
    links = [Link(title, href(address)) for title, address in zip(titles, addresses, strict=True)]
    crumbs = (Link(site.title, href("")),)
    for number, (part, address) in enumerate(zip(parts, addresses, strict=True)):
        html = render(
            "messages.html",
            title=f"Messages from {titles[number]}" if number else TITLE,
            crumbs=(*crumbs, Link(TITLE, href(ALL_MESSAGES))) if number else crumbs,
            entries=part,
            parts_of_list=links if len(parts) > 1 and not number else (),
            next=links[number + 1] if number + 1 < len(parts) else None,
            root=href(""),
            data="" if number else DATA,
        )
        if number:
            yield Page(
                address, titles[number], html, description=f"Part {number + 1} of all messages", parent=ALL_MESSAGES
            )
        else:
            description = f"All {len(entries):,} messages of {site.title}"
            yield Page(address, TITLE, html, description=description, search=TITLE, listed=True)


class _Numbers(dict[str, int]):
    """Distinct values, each with its number."""

    def __missing__(self, value: str) -> int:
        return self.setdefault(value, len(self))


def messages_data(site: SiteContext) -> Iterator[tuple[str, str]]:
    """Yield the script with all messages, by its path below the site's start, which a page from a disk can load too.

    A message is its id, name, group, envelope, protocol, what distinguishes it on the wire, day of the last change,
    removal (``yes`` without a date, nothing where it isn't deprecated), owners, labels, and the address of its page,
    where that doesn't follow from the group's. A group is its id, the address of its page, its domain, and the channels
    and endpoints that carry it. Values that repeat are numbers of items of the lists.
    """
    if not site.registry.messages:
        return
    envelopes, protocols, owners, labels, uses, domains = (_Numbers() for _ in range(6))
    groups: dict[str, int] = {}
    group_rows: list[Any] = []
    rows: list[Any] = []
    for message in site.registry.messages:
        group = message.group
        if group.xid not in groups:
            groups[group.xid] = len(groups)
            used = [uses[name] for name in _uses(site, group)]
            page = site.link(group.xid).href.removeprefix(ROOT).lstrip("/")
            group_rows.append((group.id, page, domains[site.domain(group.xid)], used))
        entry, number = site.entry(message), groups[group.xid]
        page = entry.link.href.removeprefix(ROOT).lstrip("/")
        rows.append((
            message.id,
            entry.name,
            number,
            envelopes[entry.envelope],
            protocols[entry.protocol],
            "".join(part.text for part in entry.wire),
            _changed(site, message),
            _removal(message),
            [owners[owner] for owner in site.registry.owners.of(message.entity.place.path)],
            [labels[f"{name}: {value}"] for name, value in message.labels.items()],
            "" if page == f"{group_rows[number][1]}messages/{message.id}/" else page,
        ))  # fmt: skip
    values = {
        "domains": domains,
        "envelopes": envelopes,
        "protocols": protocols,
        "owners": owners,
        "labels": labels,
        "uses": uses,
    }
    data: Mapping[str, Any] = {
        "groups": group_rows,
        **{key: list(each) for key, each in values.items()},
        "messages": rows,
    }
    yield f"{ALL_MESSAGES}{DATA}", f"globalThis.xregitMessages = {json_text(data, indent=False)};\n"


def _uses(site: SiteContext, group: Group) -> Iterator[str]:
    """Yield the names of the channels and the ids of the endpoints that carry a group's messages."""
    own = [group.xid] * (group.xid in site.system.stations)
    stations = [site.system.stations[key] for key in (*own, *site.carriers.get(group.xid, ()))]
    yield from dict.fromkeys(station.channel.partition("/")[2] for station in stations if station.channel)
    yield from (station.node.key.rpartition("/")[2] for station in stations)


def _changed(site: SiteContext, message: Message) -> str:
    facts = site.registry.facts(message.entity.place)
    return (text_of(message.entity.attributes, "modifiedat") or facts.modifiedat * bool(facts.commits))[:10]


def _removal(message: Message) -> str:
    deprecated = message.deprecated
    return "" if deprecated is None else text_of(deprecated, "removal")[:10] or "yes"
