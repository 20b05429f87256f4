"""The pages of messages past MkDocs' own loop: each is made, framed and written at once, and all cores take part.

That is for builds in which nobody else looks at pages one by one; a plugin or hook that does is shown ours by MkDocs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mkdocs.commands.build import get_context
from mkdocs.structure.toc import TableOfContents

from xregit.pages.filling import write
from xregit.pages.machines import as_markdown, files_beside
from xregit.pages.workers import processes, shared_out
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from jinja2 import Environment
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page as MkDocsPage

    from xregit.pages.frames import Frames
    from xregit.pages.page import Page
    from xregit.pages.planning import Plan
    from xregit.pages.plugin import CatalogPage

# What MkDocs tells plugins of each page.
EVENTS = ("pre_page", "page_read_source", "page_markdown", "page_content", "page_context", "post_page")


class Finished(NamedTuple):
    """What is left to know of a written page: it without its HTML, its anchors, and the scripts moved out of it."""

    page: Page
    anchors: set[str]
    scripts: Mapping[str, str]


def others_look(config: MkDocsConfig, own: Iterable[object]) -> bool:
    """Tell whether anything but these plugins is told of each page."""
    known = {id(plugin) for plugin in own}
    listening = (method for event in EVENTS for method in config.plugins.events[event])
    return any(id(getattr(method, "__self__", None)) not in known for method in listening)


@record
class Finisher:
    """What pages are finished with.

    ``shown`` are the files of all pages; ``last`` sees each page as a whole, and puts scripts that it takes out of it
    into a map.
    """

    plan: Plan
    config: MkDocsConfig
    env: Environment
    frames: Frames
    nav: Navigation
    files: Files
    shown: Sequence[File]
    last: Callable[[str, MkDocsPage, dict[str, str]], str]

    def finish(self, pages: Iterable[CatalogPage]) -> dict[str, str]:
        """Write the pages of messages, and all pages as Markdown; return the scripts that were moved out of pages.

        The first ones show whether the theme's frame serves for others, so that all processes have the same frames.
        """
        scripts: dict[str, str] = {}
        rest: list[CatalogPage] = []
        for page in pages:
            if self._is_planned(page) and not self.frames.settled(page):
                scripts |= _noted(page, self._finished(page))
            else:
                rest.append(page)
        found = shared_out(self._written, rest, processes(len(self.plan.messages)))
        for page, finished in zip(rest, found, strict=True):
            scripts |= _noted(page, finished) if finished else {}
        return scripts

    def _is_planned(self, page: CatalogPage) -> bool:
        return page.catalog_page.address in self.plan.messages

    def _written(self, page: CatalogPage) -> Finished | None:
        """Write a page whose time has come; of others, which MkDocs writes, the Markdown."""
        if self._is_planned(page):
            return self._finished(page)
        write(self.config.site_dir, [as_markdown(page.catalog_page)])
        return None

    def _finished(self, page: CatalogPage) -> Finished:
        """Make, frame and write a page, with what stands beside it."""
        made = self.plan.made(page.catalog_page)
        page.take(made)
        page.read_source(self.config)
        page.render(self.config, self.files)
        scripts: dict[str, str] = {}
        html = self.last(self._framed(page), page, scripts)
        write(self.config.site_dir, [(page.file.dest_uri, html), as_markdown(made), *files_beside(made)])
        page.content, page.toc, page.headings = None, TableOfContents([]), ()  # a process finishes thousands
        return Finished(replace(made, html="", files=()), page.present_anchor_ids or set(), scripts)

    def _framed(self, page: CatalogPage) -> str:
        page.active = True  # so that the navigation marks what is above it
        template = self.env.get_template(page.meta["template"])
        html = template.render(get_context(self.nav, self.shown, self.config, page))
        page.active = False
        return html


def _noted(page: CatalogPage, finished: Finished) -> Mapping[str, str]:
    page.take(finished.page)
    page.present_anchor_ids = finished.anchors
    return finished.scripts
