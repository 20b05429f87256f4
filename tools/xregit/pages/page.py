"""A page of the site as a value: its address, its finished HTML, and what navigation and search need to know of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Stands for the way from a page up to the site's start, until the page knows where it is: the sign named "substitute".
# It is ASCII, since one sign of another plane makes Python keep a page in four bytes for each of its signs.
ROOT = "\x1a/"

_ROOT = re.compile(ROOT)  # finds it by its first sign, where a text would look for the slash that ends it
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
    ``html`` is what a theme puts its frame around, ``search`` plain text to be found by, and ``keys`` the ids and
    addresses by which to be found first, ``names`` those of its parts; ``parent`` is the address of the page above;
    ``listed`` says that the navigation names it, ``api`` is the address of the entity in the static API, ``definition``
    what the page that recognises messages needs of this one, as JSON. ``whole`` is the HTML before it was shortened,
    where it was: it leads to the page's Markdown, which is made of the whole.
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

    @property
    def path(self) -> str:
        """The page's file below the site's start."""
        return f"{self.address}index.html"

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The page's sections, in their order."""
        return tuple(Heading(*found) for found in _HEADING.findall(self.html))


def placed(html: str, address: str) -> str:
    """Return the HTML with every link to the site's start made relative to a page's address."""
    return _ROOT.sub("../" * address.count("/") or "./", html)
