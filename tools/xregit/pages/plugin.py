"""The MkDocs plugin: it adds a registry's pages to the hand-written ones, in memory, with their search entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import markupsafe
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
from xregit.document.static_api import NO_JEKYLL
from xregit.errors import XregitError
from xregit.pages import ASSETS, Page
from xregit.pages.builder import refuse_file_addresses, write_files
from xregit.pages.context import SiteContext
from xregit.pages.links import CHANGES, is_safe
from xregit.pages.overview_pages import navigation_entries, not_found_page
from xregit.pages.reference_pages import empty_registry
from xregit.pages.renderer import name_invisible
from xregit.pages.search import (
    INDEX,
    THEME_INDEX,
    Entry,
    Index,
    label_search_dialog,
    pop_theme_entries,
    replace_theme_worker,
)
from xregit.pages.site import all_pages, as_markdown, head_links, manual_pages, site_files
from xregit.pages.theme import FRAME_TEMPLATE, escape_title, install_frames, move_scripts
from xregit.progress import track
from xregit.source.file_tree import link_on_the_way
from xregit.source.repository import find

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files
    from mkdocs.structure.nav import Navigation


START = "Start"
# Where publish.yml puts the static API.
API = "api/"
# What pages of the catalog may load and run: files of the site (Content Security Policy, level 3).
POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'"
)
# Plugins that are known to add nothing else.
_KNOWN_PLUGINS = frozenset({"search", "material/search", "xregit"})
MAX_WARNINGS = 10


class XregitConfig(base.Config):  # type: ignore[no-untyped-call]
    """The plugin's options in ``mkdocs.yml``: ``registry`` is the registry's folder or document.

    ``repository`` is the repository's web address, where the registry's settings name none. ``manual`` is the address
    of the manual of xregit, or ``true`` where the site is the manual: it has the pages of the rules and of the model,
    and no registry. ``loaded`` is the registry itself, for a caller that has loaded it already. With ``policy``, pages
    say that browsers may run nothing else than the site's own files; a server that follows changes adds a script of its
    own.
    """

    registry = options.Type(str, default="../registry")
    repository = options.Type(str, default="")
    manual = options.Type((str, bool), default="")
    loaded = options.Optional(options.Type(Registry))
    policy = options.Type(bool, default=False)


class CatalogPage(MkDocsPage):
    """A page whose HTML is finished, so that MkDocs neither reads nor renders Markdown for it."""

    def __init__(self, page: Page, file: File, config: MkDocsConfig) -> None:
        """Wrap a page."""
        super().__init__(None, file, config)
        self.catalog_page = page
        self.title = escape_title(page.title) if page.address else START
        self.place = page.place
        self.framed = ""

    def read_source(self, config: MkDocsConfig) -> None:  # noqa: ARG002 - an argument of MkDocs
        """Set the metadata; there is no source."""
        self.headings = self.catalog_page.headings
        self.markdown = ""
        self.meta = {"description": escape(self.catalog_page.description)}
        if not self.catalog_page.listed:  # the navigation does not mark it, so that it can share a frame
            self.meta["template"] = FRAME_TEMPLATE
        if not (self.headings and self.catalog_page.address):  # tables and cards get the room of the table of contents
            self.meta["hide"] = ["toc"]

    def render(self, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG002 - arguments of MkDocs
        """Set the finished HTML and its table of contents."""
        self.content = self.catalog_page.html
        top = AnchorLink(self.catalog_page.title, "top", 1)
        top.children = [AnchorLink(each.title, each.id, 2) for each in self.headings]
        self.toc = TableOfContents([top])
        self.present_anchor_ids = {"top", *(each.id for each in self.headings)}


class XregitPlugin(BasePlugin[XregitConfig]):  # type: ignore[no-untyped-call]
    """``plugins: [xregit]``."""

    def on_config(self, config: MkDocsConfig) -> None:
        """Add our style sheet and script."""
        config.extra_css.append(ASSETS[0])
        config.extra_javascript.append(ASSETS[1])

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> Files:
        """Add the registry's pages, except those whose address a hand-written page has."""
        self.catalog_pages: list[CatalogPage] = []
        self.scripts: dict[str, str] = {}
        _refuse_links(files, Path(config.docs_dir))
        try:
            if self.config.manual is True:
                self.site = SiteContext(empty_registry(config.site_name))
                pages = list(manual_pages(self.site))
            else:
                registry = self._read_registry(config)
                self.site = SiteContext(registry, _manual_address(str(self.config.manual or "")))
                pages = list(track(all_pages(self.site), "making pages", len(registry)))
            existing = {file.dest_uri for file in files}
            if self.config.manual is not True:
                _keep_api_free(files, pages)
            refuse_file_addresses(pages, {*existing, *ASSETS, INDEX, THEME_INDEX})
        except XregitError as error:  # which MkDocs shows in one line if a plugin raises it
            raise PluginError(str(error)) from error
        self.has_feed = any(page.address == CHANGES for page in pages)
        # Markup, since Material escapes a name in some places and not in others.
        config.site_name = config.site_name or markupsafe.escape(name_invisible(self.site.title))
        for page in pages:
            uri = f"{page.address}index.md"
            if page.path not in existing:
                level = InclusionLevel.INCLUDED if page.listed else InclusionLevel.NOT_IN_NAV
                file = File.generated(config, uri, content="", inclusion=level)
                files.append(file)
                self.catalog_pages.append(CatalogPage(page, file, config))
        for name in ASSETS:
            content = (package_files("xregit.pages") / name).read_bytes()
            files.append(File.generated(config, name, content=content))
        if self.config.manual is not True:
            listed = [page.file.src_uri for page in self.catalog_pages if page.catalog_page.listed]
            written = (file for file in files.documentation_pages() if file.generated_by is None)
            config.nav = [{"Catalog": listed}, *(config.nav or sorted(file.src_uri for file in written))]
        self.has_search = replace_theme_worker(files, config)
        return files

    @event_priority(-100)  # after other plugins have changed it
    def on_nav(self, nav: Navigation, /, *, config: MkDocsConfig, files: Files) -> Navigation:  # noqa: ARG002
        """Put a page that is not in the navigation below the one that lists it."""
        by_address = {page.catalog_page.address: page for page in self.catalog_pages}
        for page in self.catalog_pages:
            parent = by_address.get(f"{page.catalog_page.address.split('/', 1)[0]}/")
            if not page.catalog_page.listed and parent is not None:
                page.parent = parent  # type: ignore[assignment]  # MkDocs itself expects a section
        return nav

    @event_priority(-100)  # after other plugins have set it up
    def on_env(self, env: Any, /, *, config: MkDocsConfig, files: Files) -> Any:
        """Put frames around our pages, and exclude them from Material's search where ours takes its place."""
        framed = {page.url for page in self.catalog_pages if not page.catalog_page.listed}
        branded = Path(config.theme.custom_dir or "") / "partials" / "nav.html"  # a team's own navigation
        plain = self.config.manual is True or config.theme.name != "material" or branded.is_file()
        own = () if plain else navigation_entries(self.site)
        install_frames(env, (file.url for file in files if file.url not in framed), self._postprocess, own)
        for page in self.catalog_pages if self.has_search else ():
            page.meta["search"] = {"exclude": True}
        return env

    @event_priority(100)  # before Material's search, which goes through the HTML of pages that it does not find, too
    def on_page_context(self, context: Any, /, *, page: MkDocsPage, config: MkDocsConfig, nav: Navigation) -> Any:  # noqa: ARG002
        """Keep the HTML of a page in a frame for the frame."""
        if isinstance(page, CatalogPage) and not page.catalog_page.listed:
            page.framed, page.content = page.content or "", ""
        return context

    def on_post_page(self, output: str, /, *, page: MkDocsPage, config: MkDocsConfig) -> str:
        """Add links for programs to the page's head, and move the theme's scripts into files."""
        if isinstance(page, CatalogPage):
            links = head_links(page.catalog_page, has_feed=self.has_feed)
            if self.config.policy and _is_self_contained(config):
                links += f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            output = output.replace("</head>", f"{links}</head>", 1)
        return output if page.meta.get("template") == FRAME_TEMPLATE else self._postprocess(output, page)

    def _postprocess(self, output: str, page: MkDocsPage) -> str:
        """Change what a theme has rendered; a frame is changed once for all of its pages."""
        return move_scripts(
            label_search_dialog(output), get_relative_url(".", page.url).rstrip("/") + "/", self.scripts
        )

    def on_post_template(self, output_content: str, /, *, template_name: str, config: MkDocsConfig) -> str:
        """Change the page "Not found" too, with absolute links, as it is shown at any address.

        A sitemap needs the site's address; an empty one would say that there are no pages.
        """
        if template_name == "sitemap.xml" and not config.site_url:
            return ""
        if not template_name.endswith(".html"):
            return output_content
        start = urlsplit(config.site_url or "/").path.rstrip("/") + "/"
        if template_name == "404.html":
            output_content = not_found_page(output_content, self.site, start)
        return move_scripts(label_search_dialog(output_content), start, self.scripts)

    @event_priority(100)  # before Material writes its index, from which ours takes the entries
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the files that are no pages of MkDocs."""
        pages, folder = [page.catalog_page for page in self.catalog_pages], Path(config.site_dir)
        if self.config.manual is not True:
            write_files(folder, site_files(self.site, pages, config.site_url or ""))
        write_files(folder, [*self.scripts.items(), (NO_JEKYLL, "")])
        write_files(folder, map(as_markdown, pages))
        if self.has_search:
            index = Index()
            for page in self.catalog_pages:
                own = page.catalog_page
                if own.search:
                    index.add(Entry(page.url, own.title, own.search, own.keys, own.names, own.kind))
            for entry in pop_theme_entries(config):
                index.add(entry)
            write_files(folder, index.files())

    def on_serve(self, server: LiveReloadServer, /, *, config: MkDocsConfig, builder: Any) -> LiveReloadServer:  # noqa: ARG002
        """Watch the registry, and nothing else of the repository."""
        if self.config.manual is not True:
            server.watch(str(self._registry_path(config)))
        return server

    def _read_registry(self, config: MkDocsConfig) -> Registry:
        """Return the registry, and warn of what can't be read in it."""
        registry = self.config.loaded or read(self._registry_path(config))
        _warn_of_problems(registry)
        if self.config.repository and not registry.settings.repository:
            return replace(registry, settings=replace(registry.settings, repository=self.config.repository))
        return registry

    def _registry_path(self, config: MkDocsConfig) -> Path:
        folder = Path(config.config_file_path).parent if config.config_file_path else Path()
        return (folder / self.config.registry).resolve()


def _is_self_contained(config: MkDocsConfig) -> bool:
    """Return whether pages load and run nothing but files that the theme and we bring, or that lie in the site."""
    theme, files = config.theme, [str(getattr(item, "path", item)) for item in config.extra_javascript]
    own_theme = theme.name == "material" and not theme.custom_dir and theme.get("font") is False
    others = (
        "analytics" in config.extra
        or "consent" in config.extra
        or config.hooks
        or config.plugins.keys() - _KNOWN_PLUGINS
    )
    return own_theme and not others and not any("//" in file for file in (*files, *config.extra_css))


def _manual_address(address: str) -> str:
    """Return the address of the manual.

    Raises:
        XregitError: it is neither a safe URL nor a path of the site.
    """
    if ":" in address and not is_safe(address):
        message = f'the option "manual" is "{address}"; give an http or https URL, or a path of the site'
        raise XregitError(message)
    return address


def _refuse_links(files: Files, docs: Path) -> None:
    """Refuse hand-written files that symbolic links lead to.

    Whoever may add a link could else publish any file of the machine that builds the site.
    """
    top = find(docs.parent) or docs.parent
    for file in files:
        if file.src_dir == str(docs) and file.abs_src_path and link_on_the_way(top, Path(str(file.abs_src_path))):
            raise PluginError(f'"{file.src_uri}" is a symbolic link or lies behind one; copy its target')


def _keep_api_free(files: Files, pages: Iterable[Page]) -> None:
    """Refuse a page, or another file of the site, where the static API is shown with the site.

    Raises:
        XregitError: there is one.
    """
    places = {file.src_uri: file.dest_uri for file in files} | {page.title: page.address for page in pages}
    taken = next((name for name, place in places.items() if f"{place}/".lower().startswith(API)), "")
    if taken:
        raise XregitError(f'"{taken}" would be in the folder "{API}" of the site, which the static API has; rename it')


def _warn_of_problems(registry: Registry) -> None:
    """Warn of files that can't be read: their pages are missing, and a server continues without them."""
    log = get_plugin_logger("xregit")
    for item in registry.problems[:MAX_WARNINGS]:
        place = ":".join(str(part) for part in (item.path, item.line, item.column) if part)
        log.warning("%s: %s %s", place, sentence(item.message), sentence(item.help))
    if len(registry.problems) > MAX_WARNINGS:
        log.warning('%d more; "xregit check" lists all', len(registry.problems) - MAX_WARNINGS)
