"""The pages that lead to all others: the registry's own, which is the start page, and the index of all messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.pages.addresses import ALL_MESSAGES, CHANGES, DEPRECATIONS, caseless
from xregit.pages.attributes import rows
from xregit.pages.change_history import LATEST
from xregit.pages.context import titled
from xregit.pages.groups import MAX_GROUPS, families, listed
from xregit.pages.indexes import leaving
from xregit.pages.links import Link, address, href
from xregit.pages.page import Page
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from xregit.model.language import GroupModel
    from xregit.pages.change_history import CommitEntry
    from xregit.pages.context import SiteContext

ELSEWHERE = frozenset({"registryid", "name", "description", "specversion", "createdat", "modifiedat", "epoch"})

# So many deprecations are named on the start page, those that go first.
MAX_LEAVING = 12


def registry_page(book: SiteContext) -> Page:
    """Return the start page: what the registry is, how much it holds, and its groups."""
    registry, found = book.registry, leaving(book)
    html = render(
        "registry.html",
        title=book.title,
        id=registry.attributes.get("registryid", ""),
        description=book.prose(registry.attributes.get("description")),
        counts=_counts(book),
        latest=_latest(book),
        changes=Link("All changes", href(CHANGES)),
        sections=[_section(book, model) for model in _types(book)],
        leaving=found[:MAX_LEAVING],
        deprecations=Link(f"All {len(found):,} deprecations", href(DEPRECATIONS)) if len(found) > MAX_LEAVING else None,
        others=rows(registry, registry.attributes, registry.model.attributes, without=ELSEWHERE),
        head_commit=registry.origin.history.head,
        head_time=registry.origin.history.head_time,
    )
    return Page("", book.title, html, description=book.summary, search=book.title, listed=True)


def _latest(book: SiteContext) -> tuple[CommitEntry, ...]:
    """Return the last commits that changed what the registry says, else the last ones."""
    found = book.lives.latest
    telling = tuple(each for each in found if each.changes or each.touched)
    return (telling or found)[:LATEST]


def messages_page(book: SiteContext) -> Page:
    """Return the index of all messages."""
    found = (book.entry(message) for message in book.registry.messages)
    entries = sorted(found, key=lambda entry: caseless(entry.link.text))
    html = render(
        "messages.html",
        title="All messages",
        crumbs=(Link(book.title, href("")),),
        entries=entries,
    )
    description = f"All {len(entries)} messages of {book.title}"
    return Page(ALL_MESSAGES, "All messages", html, description=description, search="All messages", listed=True)


def _types(book: SiteContext) -> list[GroupModel]:
    groups = book.registry.groups
    return [model for model in book.registry.model.groups.values() if groups.get(model.plural)]


def _counts(book: SiteContext) -> list[tuple[int, Link]]:
    """Return how many entities there are of each type, with where they are listed."""
    registry = book.registry
    counts = [_counted("message", "messages", len(registry.messages), ALL_MESSAGES)] if registry.messages else []
    for model in _types(book):
        groups = registry.groups[model.plural]
        place = address(f"/{model.plural}")
        counts.append(_counted(model.singular, model.plural, len(groups), place))
        for resource in model.resources.values():
            if resource.plural != "messages":
                found = sum(len(group.collections.get(resource.plural, {})) for group in groups.values())
                counts.append(_counted(resource.singular, resource.plural, found, place))
    return counts


def _counted(singular: str, plural: str, count: int, place: str) -> tuple[int, Link]:
    return count, Link(titled(singular if count == 1 else plural), href(place))


def _section(book: SiteContext, model: GroupModel) -> dict[str, object]:
    """Return the index of one group type: its groups, or if they are many, how their ids begin."""
    groups = book.registry.groups[model.plural].values()
    few = len(groups) <= MAX_GROUPS
    return {
        "title": titled(model.plural),
        "groups": [listed(book, group) for group in groups] if few else [],
        "families": () if few else families(groups),
        "all": Link(f"All {len(groups):,} {titled(model.plural).lower()}", href(address(f"/{model.plural}"))),
    }
