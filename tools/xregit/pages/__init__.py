"""A registry to the pages of its docs site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.pages.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog.registry import Registry

__all__ = ["ASSETS", "Page", "pages"]

# What every page of the site needs beside its own HTML.
ASSETS = ("assets/xregit.css", "assets/xregit.js", "assets/wire.js", "assets/recognise.js")


def pages(registry: Registry) -> Iterator[Page]:
    """Give every page of a registry's site: overviews first, then each group with what it holds, then the reference."""
    from xregit.pages.context import SiteContext
    from xregit.pages.site_pages import all_pages

    return all_pages(SiteContext(registry))
