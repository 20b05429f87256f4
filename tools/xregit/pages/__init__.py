"""The pages of a registry's site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xregit.pages.page import Page

if TYPE_CHECKING:
    from xregit.catalog.registry import Registry

__all__ = ["ASSETS", "Page", "pages"]

# The files that pages load.
ASSETS = (
    "assets/xregit.css",
    "assets/xregit.js",
    "assets/wire.js",
    "assets/recognise.js",
    "assets/messages.js",
    "assets/map.js",
    "assets/vendor/cytoscape.min.js",
    "assets/vendor/cytoscape-dagre.min.js",
    "assets/vendor/LICENSE.txt",
)


def pages(registry: Registry) -> Iterator[Page]:
    """Yield every page of a registry's site: overviews, each group with its resources, indexes, the reference."""
    from xregit.pages.context import SiteContext  # imports every package below, for which ASSETS has no need
    from xregit.pages.site import all_pages

    return all_pages(SiteContext(registry))
