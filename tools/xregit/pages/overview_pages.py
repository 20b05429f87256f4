"""The pages that lead to all others: the start page, the lists of messages and of changes, the page "Not found"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from xregit.catalog.entities import Group
from xregit.model.language import GroupModel
from xregit.pages.attributes import attribute_rows
from xregit.pages.change_history import CommitEntry
from xregit.pages.context import SiteContext, type_title
from xregit.pages.diagrams import system_diagram
from xregit.pages.index_pages import deprecated_entities
from xregit.pages.links import (
    ALL_MESSAGES,
    CHANGES,
    DEPRECATIONS,
    FEED,
    MODEL,
    Link,
    address,
    href,
    is_safe,
    natural_order,
)
from xregit.pages.navigation import Domain
from xregit.pages.page import Page
from xregit.pages.renderer import render

ELSEWHERE = frozenset({"registryid", "name", "description", "specversion", "createdat", "modifiedat", "epoch"})
# The start page has at most so many deprecations, those with the earliest removal, commits with so many entities each,
# and domains with so many parts and owners each, those with the most messages.
MAX_DEPRECATIONS, MAX_COMMITS, MAX_ENTITIES, MAX_DOMAINS, MAX_PARTS, MAX_OWNERS = 6, 5, 3, 12, 8, 3
_HEADING = re.compile(r"<h1[^>]*>.*?</h1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DomainCard:
    """A domain on the start page: how much it has, its first parts and its owners; ``more`` counts other parts."""

    link: Link
    sizes: tuple[str, ...]
    parts: tuple[Link, ...]
    more: int
    owners: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class CommitCard:
    """A commit on the start page: the first entities that it changed, and whom it breaks; ``more`` counts others."""

    time: str
    subject: str
    anchor: str
    entities: tuple[Link, ...]
    more: int
    breaks: str


def registry_page(site: SiteContext) -> Page:
    """Return the start page: what is in the catalog, who sends to whom, what has changed and what goes away."""
    registry, deprecated = site.registry, deprecated_entities(site)
    lead, about = _lead(site.prose(registry.attributes.get("description")))
    domains = sorted(site.navigation.domains, key=lambda each: -_message_count(each))[:MAX_DOMAINS]
    left_out = len(domains) < len(site.navigation.domains)
    groups = registry.groups.get("messagegroups", {})
    html = render(
        "registry.html",
        title=site.title,
        lead=lead,
        about=about,
        counts=_counts(site),
        domains=[_domain_card(site, each) for each in sorted(domains, key=lambda each: natural_order(each.title))],
        all_groups=Link(f"All {len(groups):,} message groups", href(address("/messagegroups"))) if left_out else None,
        diagram=system_diagram(site),
        map=Link("Open the map", href(site.map)) if site.system.stations else None,
        commits=[_commit_card(each) for each in site.history.latest[:MAX_COMMITS]],
        changes=Link("All changes", href(CHANGES)),
        deprecated=deprecated[:MAX_DEPRECATIONS],
        deprecations=Link(f"All {len(deprecated):,} deprecations", href(DEPRECATIONS)),
        others=attribute_rows(registry, registry.attributes, registry.model.attributes, without=ELSEWHERE),
        head_commit=registry.origin.history.head,
        head_time=registry.origin.history.head_time,
    )
    return Page("", site.title, html, description=site.summary, search=site.title, listed=True)


def _lead(description: Markup) -> tuple[Markup, Markup]:
    """Return the first paragraph of a description, and the rest."""
    first, end, rest = description.partition("</p>")
    return (first + end, rest.strip()) if first.startswith("<p>") else (Markup(), description)


def _message_count(domain: Domain) -> int:
    return sum(len(group.collections.get("messages", {})) for group in domain.groups)


def _domain_card(site: SiteContext, domain: Domain) -> DomainCard:
    first = domain.groups[0].type
    main = domain.of_type(first.plural)
    messages = _message_count(domain)
    # What has no messages is told by its groups.
    sizes = {"message": messages, "endpoint": len(domain.of_type("endpoints"))}
    if not messages:
        sizes[type_title(first.singular).lower()] = len(main)
    parts = _parts(site, main, domain) if len(main) > 1 else []
    owners = {owner: None for group in main for owner in site.registry.owners.of(group.place.path)}
    section = f"{href(address(f'/{first.plural}'))}#domain-{domain.id}"
    return DomainCard(
        link=Link(domain.title, section if len(main) > 1 else href(address(main[0].xid))),
        sizes=tuple(f"{count:,} {name}{'s' * (count != 1)}" for name, count in sizes.items() if count),
        parts=tuple(parts[:MAX_PARTS]),
        more=max(0, len(parts) - MAX_PARTS),
        owners=tuple(map(site.owner, list(owners)[:MAX_OWNERS])),
    )


def _parts(site: SiteContext, groups: Sequence[Group], domain: Domain) -> list[Link]:
    """Return what a domain consists of by the next part of its groups' ids, each with a link to its first group."""
    prefix, links = f"{domain.title.lower()}.", dict[str, Link]()
    for group in sorted(groups, key=lambda each: natural_order(each.id)):
        rest = group.id[len(prefix) :] if group.id.lower().startswith(prefix) else group.id
        part = rest.partition(".")[0] if rest != group.id else rest
        links.setdefault(part.lower(), site.link(group.xid, part))
    return list(links.values())


def _commit_card(commit: CommitEntry) -> CommitCard:
    entities = tuple(dict.fromkeys(change.entity for change in commit.changes if change.entity))
    shown = entities[:MAX_ENTITIES]
    return CommitCard(
        time=commit.time,
        subject=commit.subject,
        anchor=commit.anchor,
        entities=shown,
        more=commit.touched or len(entities) - len(shown) + commit.more,
        breaks=next((change.breaks for change in commit.changes if change.breaks), ""),
    )


def _types(site: SiteContext) -> list[GroupModel]:
    """Return the group types of which the registry has groups."""
    return [model for model in site.registry.model.groups.values() if site.registry.groups.get(model.plural)]


def _counts(site: SiteContext) -> list[tuple[int, Link]]:
    """Return how many entities there are of each type, with a link to their list."""
    messages = len(site.registry.messages)
    counts = [("message", "messages", messages, ALL_MESSAGES)] if messages else []
    for model in _types(site):
        groups, page = site.registry.groups[model.plural], address(f"/{model.plural}")
        counts.append((model.singular, model.plural, len(groups), page))
        for resource in model.resources.values():
            if resource.plural != "messages":
                count = sum(len(group.collections.get(resource.plural, {})) for group in groups.values())
                counts.append((resource.singular, resource.plural, count, page))
    return [
        (count, Link(type_title(singular if count == 1 else plural).lower(), href(page)))
        for singular, plural, count, page in counts
    ]


def changes_page(site: SiteContext) -> Iterator[Page]:
    """Yield the page of the last changes, unless Git has none."""
    if not site.history.latest:
        return
    intro = "What recent commits changed, and which clients they break."
    html = render(
        "changes.html",
        title="Changes",
        crumbs=(Link(site.title, href("")),),
        intro=intro,
        commits=site.history.latest,
        feed=Link("Atom feed", href(FEED)),
        shallow=site.registry.origin.history.shallow,
    )
    yield Page(CHANGES, "Changes", html, description=intro, search="changes changelog history news", listed=True)


def help_page(site: SiteContext) -> Page:
    """Return the page that says how to use the site."""
    lists = [
        (Link("All messages", href(ALL_MESSAGES)), "lists every message, with filters.")
        if site.registry.messages
        else None,
        (Link("Deprecations", href(DEPRECATIONS)), "lists what will be removed, when, and what replaces it.")
        if deprecated_entities(site)
        else None,
        (Link("Recognise", href(site.recognise)), "finds the definition of a message that you have received."),
    ]
    html = render(
        "help.html",
        crumbs=(Link(site.title, href("")),),
        lists=[item for item in lists if item],
        manual=site.manual if is_safe(site.manual) else site.manual and href(site.manual),
        model=href(MODEL),
    )
    description = "How to find your way around this catalog and change it"
    return Page(site.help, "Help", html, description=description, search="help guide how to contribute", listed=True)


def navigation_entries(site: SiteContext) -> list[tuple[str, str, str]]:
    """Return the first level of the navigation: titles, addresses, and the type of groups whose tree is below."""
    titles = {"messagegroups": "Messages", "schemagroups": "Schemas"}
    addresses = {"messagegroups": ALL_MESSAGES} if site.registry.messages else {}
    rows = [("Overview", "", "")]
    for plural in site.navigation.sections:
        title = titles.get(plural, type_title(plural))
        rows.append((title, addresses.get(plural, address(f"/{plural}")), plural))
    if site.history.latest:
        rows.append(("Changes", CHANGES, ""))
    if site.system.stations:
        rows.append(("Map", site.map, ""))
    if site.registry.messages:
        rows.append(("Recognise", site.recognise, ""))
    return [*rows, ("Help", site.help, "")]


def not_found_page(html: str, site: SiteContext, start: str) -> str:
    """Return the theme's page "Not found" with useful links in place of its heading.

    ``start`` is the address of the site's start. A theme's page without a heading stays as it is.
    """
    links = [Link(site.title, start)]
    if site.registry.messages:
        links.append(Link("All messages", f"{start}{ALL_MESSAGES}"))
    if site.history.latest:
        links.append(Link("Recent changes", f"{start}{CHANGES}"))
    content = render("not_found.html", links=links)
    return _HEADING.sub(lambda _: content, html, count=1)
