"""A page of the site and its address: its finished HTML, and what navigation and search need of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xregit.pages.renderer import anchor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xregit.model.language import Model


ALL_MESSAGES = "all-messages/"
RULES = "check-rules/"
MODEL = "model-reference/"
PLACEHOLDERS = "all-placeholders/"
LABELS = "all-labels/"
OWNERS = "all-owners/"
DEPRECATIONS = "all-deprecations/"
CHANGES = "all-changes/"
NAMES = "all-fields/"
# The name of a group type has no hyphen, so that only these two may be those of one.
MAP = "map/"
RECOGNISE = "recognise/"


def own(model: Model, page: str) -> str:
    """Return the address of a page of ours, another one where the groups of a type stand at that."""
    return f"the-{page}" if page.rstrip("/") in model.groups else page


def caseless(name: str) -> tuple[str, str]:
    """Return what names are put in order by, as people look for them: whatever their case."""
    return name.lower(), name


def ids(titles: Iterable[str]) -> dict[str, str]:
    """Return an id for each title; of those that differ only in case or signs, all but the first get numbers."""
    found: dict[str, str] = {}
    taken: dict[str, int] = {}  # how often each has been asked for
    for title in titles:
        base = free = anchor(title) or "entry"
        while free in taken:  # another title may end in that number
            taken[base] += 1
            free = f"{base}-{taken[base]}"
        taken[free] = 1
        found[title] = free
    return found


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
