"""The pages that lead to all others: the start page, the lists of messages and of changes, the page "Not found"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xregit.pages.attributes import attribute_rows
from xregit.pages.context import type_title
from xregit.pages.group_pages import MAX_GROUPS, families, group_row
from xregit.pages.index_pages import deprecated_entities
from xregit.pages.links import ALL_MESSAGES, CHANGES, DEPRECATIONS, FEED, Link, address, case_insensitive, href
from xregit.pages.page import Page
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.model.language import GroupModel
    from xregit.pages.context import SiteContext

ELSEWHERE = frozenset({"registryid", "name", "description", "specversion", "createdat", "modifiedat", "epoch"})
# The start page has at most this many deprecations, those with the earliest removal, and this many commits.
MAX_DEPRECATIONS, MAX_COMMITS = 12, 5
_HEADING = re.compile(r"<h1[^>]*>.*?</h1>", re.DOTALL)


def registry_page(site: SiteContext) -> Page:
    """Return the start page: what the registry is, how much it contains, and its groups."""
    registry, deprecated, commits = site.registry, deprecated_entities(site), site.history.latest
    more = Link(f"All {len(deprecated):,} deprecations", href(DEPRECATIONS))
    html = render(
        "registry.html",
        title=site.title,
        id=registry.attributes.get("registryid", ""),
        description=site.prose(registry.attributes.get("description")),
        counts=_counts(site),
        commits=commits[:MAX_COMMITS],
        changes=Link("All changes", href(CHANGES)),
        sections=[_section(site, model) for model in _types(site)],
        deprecated=deprecated[:MAX_DEPRECATIONS],
        deprecations=more if len(deprecated) > MAX_DEPRECATIONS else None,
        others=attribute_rows(registry, registry.attributes, registry.model.attributes, without=ELSEWHERE),
        head_commit=registry.origin.history.head,
        head_time=registry.origin.history.head_time,
    )
    return Page("", site.title, html, description=site.summary, search=site.title, listed=True)


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
        (count, Link(type_title(singular if count == 1 else plural), href(page)))
        for singular, plural, count, page in counts
    ]


def _section(site: SiteContext, model: GroupModel) -> dict[str, object]:
    """Return the groups of one type, or if they are many, how their ids begin."""
    groups, title = site.registry.groups[model.plural].values(), type_title(model.plural)
    few = len(groups) <= MAX_GROUPS
    return {
        "title": title,
        "groups": [group_row(site, group) for group in groups] if few else [],
        "families": () if few else families(groups),
        "all": Link(f"All {len(groups):,} {title.lower()}", href(address(f"/{model.plural}"))),
    }


def messages_page(site: SiteContext) -> Page:
    """Return the list of all messages."""
    entries = sorted(map(site.entry, site.registry.messages), key=lambda entry: case_insensitive(entry.link.text))
    title = "All messages"
    html = render("messages.html", title=title, crumbs=(Link(site.title, href("")),), entries=entries)
    description = f"All {len(entries)} messages of {site.title}"
    return Page(ALL_MESSAGES, title, html, description=description, search=title, listed=True)


def changes_page(site: SiteContext) -> Iterator[Page]:
    """Yield the page of the last changes, unless Git has none."""
    if not site.history.latest:
        return
    intro = "What the last commits changed, and whom that breaks."
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


def not_found_page(html: str, site: SiteContext, start: str) -> str:
    """Return the theme's page "Not found" with useful links in place of its heading.

    ``start`` is the address of the site's start. A theme's page without a heading stays as it is.
    """
    links = [Link(f"Start of {site.title}", start)]
    if site.registry.messages:
        links.append(Link("All messages, with a filter for ids and names", f"{start}{ALL_MESSAGES}"))
    if site.history.latest:
        links.append(Link("The last changes", f"{start}{CHANGES}"))
    content = render("not_found.html", links=links)
    return _HEADING.sub(lambda _: content, html, count=1)
