"""The page for addresses that lead nowhere: the theme's, with ways to what somebody may have looked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xregit.pages.addresses import ALL_MESSAGES, CHANGES
from xregit.pages.links import Link
from xregit.pages.renderer import render

if TYPE_CHECKING:
    from xregit.pages.context import SiteContext


_HEADING = re.compile(r"<h1[^>]*>.*?</h1>", re.DOTALL)


def with_ways_out(html: str, book: SiteContext, start: str) -> str:
    """Return the theme's page with ways out instead of its heading; ``start`` leads to the site's start.

    What a theme says of it without a heading stays as it is.
    """
    links = [Link(f"Start of {book.title}", start)]
    if book.registry.messages:
        links.append(Link("All messages, with a filter for ids and names", f"{start}{ALL_MESSAGES}"))
    if book.lives.latest:
        links.append(Link("The last changes", f"{start}{CHANGES}"))
    found = render("lost.html", links=links)
    return _HEADING.sub(lambda _: found, html, count=1)
