"""The addresses of pages, and links to them; the address of an entity's page is its xid."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from xregit.catalog.entities import Resource, Version
from xregit.catalog.references import local_xid, schema_reference
from xregit.catalog.registry import Registry
from xregit.model.language import Model
from xregit.pages.page import ROOT, anchor
from xregit.source.file_tree import id_to_filename

# The addresses of pages that are of no entity.
ALL_MESSAGES = "all-messages/"
RULES = "check-rules/"
MODEL = "model-reference/"
LABELS = "all-labels/"
OWNERS = "all-owners/"
DEPRECATIONS = "all-deprecations/"
CHANGES = "all-changes/"
NAMES = "all-fields/"
# The parts of long lists of groups are below it.
GROUP_LISTS = "all-groups/"
# The name of a group type has no hyphen, so that only these may be the name of one.
MAP = "map/"
RECOGNISE = "recognise/"
HELP = "help/"
FEED = "changes.atom"

# The schemes of URLs that become links; any other URL is shown as text.
SAFE_SCHEMES = frozenset({"http", "https", "mailto"})
# The files of a page; an entity with such an id would take their place beside the page that lists it.
PAGE_FILES = frozenset({"index.html", "index.md"})
_NUMBER = re.compile("[0-9]+")


class Link(NamedTuple):
    """A text and its target, which is empty for plain text. ``title`` is the full form of a short text.

    It is a named tuple, as are the rows of tables: they are the keys under which rendered HTML is cached.
    """

    text: str
    href: str = ""
    note: str = ""
    title: str = ""


def avoid_group_clash(model: Model, page: str) -> str:
    """Return the address of a page, another one where it is that of a group type."""
    return f"the-{page}" if page.rstrip("/") in model.groups else page


def natural_order(name: str) -> tuple[str, str]:
    """Return the key by which names are sorted for readers: without case, and numbers by what they count."""
    return _NUMBER.sub(lambda match: match[0].zfill(20), name.lower()), name


def unique_ids(titles: Iterable[str]) -> dict[str, str]:
    """Return an id for each title; of those that differ only in case or signs, all but the first get numbers."""
    ids: dict[str, str] = {}
    uses: dict[str, int] = {}
    for title in titles:
        base = candidate = anchor(title) or "entry"
        while candidate in uses:  # another title may end in that number
            uses[base] += 1
            candidate = f"{base}-{uses[base]}"
        uses[candidate] = 1
        ids[title] = candidate
    return ids


def address(xid: str) -> str:
    """Return the folder of a page below the site's start; a name that file systems refuse is percent-encoded."""
    return "".join(f"{_folder(part)}/" for part in xid.split("/") if part)


@cache
def _folder(name: str) -> str:
    return f"%{ord(name[0]):X}{name[1:]}" if name.lower() in PAGE_FILES else id_to_filename(name)


def href(page: str) -> str:
    """Return the link to a page's address."""
    return ROOT + quote(page, safe="/:@~")


def messages_href(facet: str, value: str) -> str:
    """Return the link to the table of all messages with one of its filters set."""
    return f"{href(ALL_MESSAGES)}?{facet}={quote(value, safe='')}"


def link_to(registry: Registry, xid: str, text: str = "") -> Link:
    """Return the link to an entity's page; the text alone where the registry has no such entity."""
    page = page_of(registry, xid)
    return Link(text or xid.rsplit("/", 1)[-1], href(address(page))) if page else Link(text or xid)


def page_of(registry: Registry, xid: str) -> str:
    """Return the xid of the page on which an entity is: a version without a page of its own is on its resource's."""
    entity = registry.entity(xid)
    if entity is None:
        return ""
    if isinstance(entity, Version):
        resource = registry.resource(xid)
        return xid if resource and has_version_pages(resource) else xid.rsplit("/versions/", 1)[0]
    return xid


def has_version_pages(resource: Resource) -> bool:
    """Whether a resource's versions have pages: if they have documents, or if there is more than one."""
    return resource.type.hasdocument or len(resource.versions) > 1


def reference(registry: Registry, text: str) -> Link:
    """Return the link for any URI or xid: to a page of the site, to the web, or no link at all."""
    xid = local_xid(text, registry.settings.baseurl)
    page = page_of(registry, xid) if xid else ""
    if xid and not page:
        schema = schema_reference(registry, text)
        entity = schema.version or schema.schema
        page = page_of(registry, entity.xid) if entity else ""
    if page:
        return Link(text, href(address(page)))
    return Link(text, text if is_safe(text) else "")


def is_safe(url: str) -> bool:
    """Whether a URL may become a link that leaves the site."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in SAFE_SCHEMES and bool(parts.netloc or parts.scheme.lower() == "mailto")
