"""Pages past MkDocs' own loop: each is made, framed and written at once, and all cores take part.

That is for builds in which nobody else looks at pages one by one; a plugin or hook that does is shown ours by MkDocs.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from mkdocs.commands.build import get_context
from mkdocs.structure.toc import TableOfContents

from xregit.pages.filling import write
from xregit.pages.machines import as_markdown
from xregit.pages.workers import processes, shared_out
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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
    """What is left to know of a written page: it without its HTML, its anchors, and scripts that none before it had."""

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

    ``shown`` are the files of all pages; ``last`` sees each page as a whole, and puts what scripts it takes out of it
    into ``scripts``, as a frame does.
    """

    plan: Plan
    config: MkDocsConfig
    env: Environment
    frames: Frames
    nav: Navigation
    files: Files
    shown: Sequence[File]
    last: Callable[[str, MkDocsPage], str]
    scripts: dict[str, str]

    def finish(self, pages: Iterable[CatalogPage]) -> Iterator[CatalogPage]:
        """Write pages, and give each in its order.

        The first ones of a kind show whether the theme's frame serves for others, so that all processes have the same
        frames; one whose kind is not known by then is left to this process.
        """
        listed = list(pages)
        early = {
            page.url: self._finished(page)
            for page in listed
            if not page.catalog_page.listed and not self.frames.settled(page)
        }
        rest = [page for page in listed if page.url not in early]
        count = processes(len(self.plan.book.registry.messages))
        with closing(shared_out(self._written, rest, count)) as found:
            for page in listed:
                finished = early.get(page.url) or next(found) or self._finished(page)
                page.take(finished.page)
                page.present_anchor_ids = finished.anchors
                self.scripts.update(finished.scripts)
                yield page

    def _written(self, page: CatalogPage) -> Finished | None:
        """Write a page, unless it is among the first of a kind."""
        planned = page.catalog_page
        self._make(page)
        if not planned.listed and not self.frames.known(page):
            page.take(planned)
            return None
        return self._put(page)

    def _finished(self, page: CatalogPage) -> Finished:
        self._make(page)
        return self._put(page)

    def _make(self, page: CatalogPage) -> None:
        page.take(self.plan.made(page.catalog_page))
        page.read_source(self.config)
        page.render(self.config, self.files)

    def _put(self, page: CatalogPage) -> Finished:
        """Frame and write a page, as Markdown too; forget its contents, as a process finishes thousands."""
        made = page.catalog_page
        before = set(self.scripts)
        html = self.last(self._framed(page), page)
        scripts = {name: text for name, text in self.scripts.items() if name not in before}
        write(self.config.site_dir, [(page.file.dest_uri, html), as_markdown(made)])
        page.content, page.toc, page.headings = None, TableOfContents([]), ()
        page.take(replace(made, html="", whole=""))
        return Finished(page.catalog_page, page.present_anchor_ids or set(), scripts)

    def _framed(self, page: CatalogPage) -> str:
        frame = self.frames.found(page)
        if frame is not None:
            return frame.around(page)
        page.active = True  # so that the navigation marks what is above it
        template = self.env.get_template(page.meta.get("template", "main.html"))
        html = template.render(get_context(self.nav, self.shown, self.config, page))
        page.active = False
        return html
