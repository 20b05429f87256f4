"""A page of the site: its address, its HTML, and what navigation and search use."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The start of a link to another page, in place of the relative path to the site's start, which depends on the page:
# the control character "substitute".
ROOT = "\x1a/"

_ID = re.compile(r"[^a-z0-9]+")
_HEADING = re.compile(r'<h2 id="([^"]+)">([^<]*)</h2>')


@dataclass(frozen=True, slots=True)
class Heading:
    """A section of a page, for its table of contents."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Page:
    """One finished page.

    ``address`` is the folder below the site's start, such as ``messagegroups/fleet/``, empty for the start page;
    ``html`` is the content without a theme; ``search`` is plain text that the search finds, if the page is in it;
    ``keys`` are the ids and addresses that rank first, ``names`` those of its parts; ``parent`` is the address of the
    page above; ``listed`` says that the navigation lists it; ``api`` is the address of the entity in the static API;
    ``definition`` is the message's definition for the page that recognises messages, as JSON. ``whole`` is the HTML
    before it was shortened, if it was: the page then leads to its Markdown, which is made of the whole. ``kind`` is
    what an entity is, such as ``Message``, as the search shows it; ``place`` is where it is in the tree of the catalog.
    """

    address: str
    title: str
    html: str
    description: str = ""
    search: str = ""
    keys: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    parent: str = ""
    listed: bool = False
    api: str = ""
    definition: str = ""
    whole: str = ""
    kind: str = ""
    place: str = ""

    @property
    def path(self) -> str:
        """The page's file below the site's start."""
        return f"{self.address}index.html"

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The page's sections, in their order."""
        return tuple(Heading(*groups) for groups in _HEADING.findall(self.html))


def with_relative_links(html: str, address: str) -> str:
    """Return the HTML with every link to another page made relative to a page's address."""
    return html.replace(ROOT, "../" * address.count("/") or "./")


def anchor(text: str) -> str:
    """Return the id of a heading."""
    return _ID.sub("-", text.lower()).strip("-")
