"""The edge to MkDocs: a registry's pages join the hand-written ones, in memory, with their search entries."""

from __future__ import annotations

from contextlib import contextmanager
from html import escape
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mkdocs.config import base
from mkdocs.config import config_options as options
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, InclusionLevel
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs.utils import get_relative_url

from xregit.catalog.registry import Registry
from xregit.diagnostics import sentence
from xregit.document import read
from xregit.errors import XregitError
from xregit.pages import ASSETS, Page
from xregit.pages.addresses import CHANGES
from xregit.pages.builder import refuse_taken, write
from xregit.pages.context import SiteContext
from xregit.pages.not_found import with_ways_out
from xregit.pages.search_box import entry_of, named, take_over, taken
from xregit.pages.search_index import INDEX, THEIR_INDEX, Index
from xregit.pages.site_files import as_markdown, head_links, site_files
from xregit.pages.site_pages import all_pages
from xregit.pages.theme import FRAMED, install, outsourced, twice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation


START = "Start"
MAX_TOLD = 10


class XregitConfig(base.Config):  # type: ignore[no-untyped-call]
    """The plugin's options in ``mkdocs.yml``: ``registry`` is the registry's folder or document.

    ``read`` is the registry itself, where whoever has MkDocs build a site has it already.
    """

    registry = options.Type(str, default="../registry")
    read = options.Optional(options.Type(Registry))


class CatalogPage(MkDocsPage):
    """A page whose HTML is finished, so that MkDocs neither reads nor renders Markdown for it."""

    def __init__(self, page: Page, file: File, config: MkDocsConfig) -> None:
        """Take over a page."""
        super().__init__(None, file, config)
        self.catalog_page = page
        self.title = twice(page.title) if page.address else START

    def read_source(self, config: MkDocsConfig) -> None:  # noqa: ARG002 - MkDocs hands it over
        """Have no source; its description is for the page's head."""
        self.headings = self.catalog_page.headings
        self.markdown = ""
        self.meta = {"description": escape(self.catalog_page.description)}
        if not self.catalog_page.listed:  # the navigation does not mark it, so that others have the same frame
            self.meta["template"] = FRAMED
        if not self.headings:  # nothing to list beside the page, so that its tables get the room
            self.meta["hide"] = ["toc"]

    def render(self, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG002 - MkDocs hands them over
        """Hand over the finished HTML and its table of contents."""
        self.content = self.catalog_page.html
        top = AnchorLink(self.catalog_page.title, "top", 1)
        top.children = [AnchorLink(each.title, each.id, 2) for each in self.headings]
        self.toc = TableOfContents([top])
        self.present_anchor_ids = {"top", *(each.id for each in self.headings)}


class XregitPlugin(BasePlugin[XregitConfig]):  # type: ignore[no-untyped-call]
    """``plugins: [xregit]``."""

    def on_config(self, config: MkDocsConfig) -> None:
        """Name our style sheet and script."""
        config.extra_css.append(ASSETS[0])
        config.extra_javascript.append(ASSETS[1])

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        """Add the registry's pages; a hand-written page at the same address takes the place of ours."""
        self.catalog_pages: list[CatalogPage] = []
        self.scripts: dict[str, str] = {}
        with _told():
            registry = self.config.read or read(self._registry(config))
            _tell(registry)
            self.book = SiteContext(registry)
            found = list(all_pages(self.book))
        self.has_feed = any(page.address == CHANGES for page in found)
        config.site_name = config.site_name or escape(found[0].title, quote=False)
        standing = {file.dest_uri for file in files}
        with _told():
            refuse_taken(found, {*standing, *ASSETS, INDEX, THEIR_INDEX})
        for page in found:
            uri = f"{page.address}index.md"
            if page.path not in standing:
                level = InclusionLevel.INCLUDED if page.listed else InclusionLevel.NOT_IN_NAV
                file = File.generated(config, uri, content="", inclusion=level)
                files.append(file)
                self.catalog_pages.append(CatalogPage(page, file, config))
        for name in ASSETS:
            content = (package_files("xregit.pages") / name).read_bytes()
            files.append(File.generated(config, name, content=content))
        config.nav = [{"Catalog": self._listed()}, *(config.nav or _hand_written(files))]
        self.searched = take_over(files, config)
        return files

    @event_priority(-100)  # when others have changed it
    def on_nav(self, nav: Navigation, /, *, config: MkDocsConfig, files: Files) -> Navigation:  # noqa: ARG002
        """Let a page that the navigation does not name stand below the one that lists it."""
        by_address = {page.catalog_page.address: page for page in self.catalog_pages}
        for page in self.catalog_pages:
            above = by_address.get(f"{page.catalog_page.address.split('/', 1)[0]}/")
            if not page.catalog_page.listed and above is not None:
                page.parent = above  # type: ignore[assignment]  # MkDocs itself expects a section
        self.nav = nav
        return nav

    @event_priority(-100)  # when others have set it up
    def on_env(self, env: Any, /, *, config: MkDocsConfig, files: Files) -> Any:  # noqa: ARG002
        """Frame our pages, and keep Material from taking them apart for its search, where ours takes its place."""
        own = {page.url for page in self.catalog_pages if not page.catalog_page.listed}
        install(env, (file.url for file in files if file.url not in own), self._tidied)
        for page in self.catalog_pages if self.searched else ():
            page.meta["search"] = {"exclude": True}
        return env

    def on_post_page(self, output: str, /, *, page: MkDocsPage, config: MkDocsConfig) -> str:  # noqa: ARG002
        """Name in the page's head what there is for machines, and move the theme's scripts into files."""
        if isinstance(page, CatalogPage):
            links = head_links(page.catalog_page, has_feed=self.has_feed)
            output = output.replace("</head>", f"{links}</head>", 1)
        return output if page.meta.get("template") == FRAMED else self._tidied(output, page)

    def _tidied(self, output: str, page: MkDocsPage) -> str:
        """Change what a theme has made of a page; a frame is changed once for all of its pages."""
        return outsourced(named(output), get_relative_url(".", page.url).rstrip("/") + "/", self.scripts)

    def on_post_template(self, output_content: str, /, *, template_name: str, config: MkDocsConfig) -> str:
        """Do so with the page for addresses that lead nowhere, which may be shown at any of them, and say the ways out.

        A sitemap needs the site's address; one that names nothing would say that there is nothing.
        """
        if template_name == "sitemap.xml" and not config.site_url:
            return ""
        if not template_name.endswith(".html"):
            return output_content
        start = urlsplit(config.site_url or "/").path.rstrip("/") + "/"
        if template_name == "404.html":
            output_content = with_ways_out(output_content, self.book, start)
        return outsourced(named(output_content), start, self.scripts)

    @event_priority(100)  # before Material writes its index, which ours takes over
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write what no page of MkDocs can be."""
        found = [page.catalog_page for page in self.catalog_pages]
        write(config.site_dir, site_files(self.book, found, config.site_url or ""))
        write(config.site_dir, self.scripts.items())
        write(config.site_dir, map(as_markdown, found))
        if self.searched:
            index = Index()
            for page in self.catalog_pages:
                index.add(entry_of(page.catalog_page, page.url))
            for entry in taken(config):
                index.add(entry)
            write(config.site_dir, index.files())

    def on_serve(self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Any) -> LiveReloadServer:  # noqa: ARG002
        """Watch the registry, and nothing else of the repository."""
        server.watch(str(self._registry(config)))
        return server

    def _registry(self, config: MkDocsConfig) -> Path:
        folder = Path(config.config_file_path).parent if config.config_file_path else Path()
        return (folder / self.config.registry).resolve()

    def _listed(self) -> list[str]:
        return [page.file.src_uri for page in self.catalog_pages if page.catalog_page.listed]


def _tell(registry: Registry) -> None:
    """Warn of files that can't be read: their pages are missing, and a server goes on without them."""
    log = get_plugin_logger("xregit")
    for item in registry.problems[:MAX_TOLD]:
        place = ":".join(str(part) for part in (item.path, item.line, item.column) if part)
        log.warning("%s: %s %s", place, sentence(item.message), sentence(item.help))
    if len(registry.problems) > MAX_TOLD:
        log.warning('%d more; "xregit check" tells all', len(registry.problems) - MAX_TOLD)


@contextmanager
def _told() -> Iterator[None]:
    """Have MkDocs tell of our errors as a plugin's, in one line."""
    try:
        yield
    except XregitError as error:
        raise PluginError(str(error)) from error


def _hand_written(files: Files) -> list[str]:
    own = (file for file in files.documentation_pages() if file.generated_by is None)
    return sorted(file.src_uri for file in own)
