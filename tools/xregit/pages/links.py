"""Entities and references to the addresses of their pages; a page's address is its xid."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

from xregit.catalog.entities import Resource, Version
from xregit.catalog.references import local_xid, schema_reference
from xregit.pages.page import ROOT
from xregit.source.file_tree import id_to_filename

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry


# What a reader may click on; anything else is shown as text.
SAFE_SCHEMES = frozenset({"http", "https", "mailto"})
# The files of a page; an entity called so would take their place beside the page that lists it.
INDEXES = frozenset({"index.html", "index.md"})
CACHED_NAMES = 65_536


class Link(NamedTuple):
    """A text and where it leads; nowhere if ``href`` is empty. ``title`` says in full what a short text means.

    It is a named tuple, as are the rows of tables: pages have dozens of each, and what they look like is kept by them.
    """

    text: str
    href: str = ""
    note: str = ""
    title: str = ""


def address(xid: str) -> str:
    """Return the folder of a page below the site's start; a name that file systems refuse is percent-encoded."""
    names = [_folder(part) for part in xid.split("/") if part]
    return "".join(f"{name}/" for name in names)


@lru_cache(maxsize=CACHED_NAMES)
def href(page: str) -> str:
    """Return the link to a page's address."""
    return ROOT + quote(page, safe="/:@~")


def link_to(registry: Registry, xid: str, text: str = "") -> Link:
    """Return the link to an entity's page; the text alone where the registry has no such entity."""
    shown = text or xid.rsplit("/", 1)[-1]
    target = page_of(registry, xid)
    return Link(shown, href(address(target))) if target else Link(text or xid)


def page_of(registry: Registry, xid: str) -> str:
    """Return the xid whose page tells about an entity: a version without page of its own is on its resource's."""
    entity = registry.entity(xid)
    if entity is None:
        return ""
    if isinstance(entity, Version):
        resource = registry.resource(xid)
        return xid if resource and has_version_pages(resource) else xid.rsplit("/versions/", 1)[0]
    return xid


def has_version_pages(resource: Resource) -> bool:
    """Tell whether a resource's versions have pages: those of documents, and where there is more than one."""
    return resource.type.hasdocument or len(resource.versions) > 1


def reference(registry: Registry, text: str) -> Link:
    """Return the link for any URI or xid: to a page of the site, to the web, or no link at all."""
    target = _local_page(registry, text)
    if target:
        return Link(text, href(address(target)))
    return Link(text, text if is_safe(text) else "")


@lru_cache(maxsize=CACHED_NAMES)
def is_safe(url: str) -> bool:
    """Tell whether a URL may become a link that leaves the site."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in SAFE_SCHEMES and bool(parts.netloc or parts.scheme.lower() == "mailto")


def _local_page(registry: Registry, text: str) -> str:
    xid = local_xid(text, registry.settings.baseurl)
    if not xid:
        return ""
    target = page_of(registry, xid)
    if target:
        return target
    found = schema_reference(registry, text)
    entity = found.version or found.schema
    return page_of(registry, entity.xid) if entity else ""


@lru_cache(maxsize=CACHED_NAMES)
def _folder(name: str) -> str:
    return f"%{ord(name[0]):X}{name[1:]}" if name.lower() in INDEXES else id_to_filename(name)
