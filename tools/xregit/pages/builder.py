"""The site builder: builds the site with MkDocs, or writes the same pages as files for another engine."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from xregit.arguments import to_path
from xregit.catalog.registry import Registry
from xregit.errors import XregitError
from xregit.pages import ASSETS
from xregit.pages.page import Page
from xregit.progress import task, track
from xregit.reports.text import escape_control
from xregit.source.atomic_write import replace_folder

DEFAULT_CONFIG = "assets/mkdocs.yml"
SERVE_AT = "127.0.0.1:8000"
# The Markdown of the whole beside a shortened page for other engines, which take each Markdown file for a page.
WHOLE = "whole.txt"


def build_site(registry: Registry | Path | str, out: Path | str, config: Path | str | None = None) -> int:
    """Build the site of a registry, or of the one at a path, into the folder ``out``; return how many files it has.

    ``config`` is a ``mkdocs.yml``; without one, the site has the registry's pages alone. The folder is replaced as a
    whole, and stays as it is when something fails.

    Raises:
        XregitError: the registry can't be read, the configuration is wrong, or the folder can't be written.
    """
    path, loaded = (registry.origin.root, registry) if isinstance(registry, Registry) else (to_path(registry), None)
    folder, config_path = to_path(out), None if config is None else to_path(config)
    _refuse_other_files(folder)
    with _mkdocs_settings(path, config_path, loaded) as settings, replace_folder(folder) as site:
        settings["plugins"]["xregit"]["policy"] = True
        with _mkdocs_errors():
            from mkdocs.commands.build import build
            from mkdocs.config import load_config

            mkdocs_config = load_config(**settings, site_dir=str(site))
            mkdocs_config.plugins.on_startup(command="build", dirty=False)
            try:
                with task("building the site"):
                    build(mkdocs_config)
            finally:
                mkdocs_config.plugins.on_shutdown()
        return sum(len(names) for _, _, names in os.walk(site))


def serve_site(registry: Path, config: Path | None, at: str = SERVE_AT) -> None:
    """Serve the site until it is interrupted, and rebuild it as files change.

    Raises:
        XregitError: the registry can't be read, the configuration is wrong, or the address is taken.
    """
    with _mkdocs_settings(registry, config) as settings, _mkdocs_errors(logging.INFO):
        from mkdocs.commands.serve import serve

        serve(**settings, dev_addr=at)


def write_pages(registry: Registry, folder: Path) -> int:
    """Write a registry's pages as Markdown files that hold their HTML, for any engine; return how many there are.

    Raises:
        XregitError: the folder can't be written, or it has other files than pages written before.
    """
    from xregit.pages.context import SiteContext
    from xregit.pages.site import all_pages, data_files

    _refuse_other_files(folder)
    site = SiteContext(registry)
    pages = list(track(all_pages(site), "making pages", len(registry)))
    refuse_file_addresses(pages, ASSETS)
    with replace_folder(folder) as target:
        write_files(target, ((name, (files("xregit.pages") / name).read_text("utf-8")) for name in ASSETS))
        for page in pages:
            write_files(target, _page_files(page))
        write_files(target, data_files(site, pages))
    return len(pages)


def _page_files(page: Page) -> Iterator[tuple[str, str]]:
    """Yield a page as front matter and HTML, which Markdown leaves as it is, and its whole if it was shortened."""
    from xregit.pages.markdown import to_markdown
    from xregit.pages.site import MARKDOWN

    if page.whole:
        yield f"{page.address}{WHOLE}", to_markdown(page)
        page = replace(page, html=page.html.replace(f'href="{MARKDOWN}"', f'href="{WHOLE}"'))
    # A JSON text is a YAML text too.
    title, description = (json.dumps(text, ensure_ascii=False) for text in (page.title, page.description))
    yield f"{page.address}index.md", f"---\ntitle: {title}\ndescription: {description}\n---\n\n{page.html}"


def write_files(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    """Write texts to files below a folder, by their paths with slashes, and make the folders that they need."""
    for name, text in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())  # Windows would change the ends of lines of a text


def refuse_file_addresses(pages: Iterable[Page], files: Iterable[str]) -> None:
    """Refuse a page whose folder would have the name of a file of the site, as one of an id with an extension may.

    Raises:
        XregitError: there is one.
    """
    names = {file.lower() for file in files}
    for page in pages:
        if page.address[:-1].lower() in names:
            message = f'the page of "/{page.address[:-1]}" needs a folder where the site has a file; use another id'
            raise XregitError(message)


def _refuse_other_files(folder: Path) -> None:
    """Refuse to replace a folder that is not ours, such as a home folder passed by mistake."""
    if not folder.exists():
        return
    if not folder.is_dir():
        message = f"{folder} is a file, but a folder is needed; name another folder or remove the file"
        raise XregitError(message)
    if any(folder.iterdir()) and not (folder / ASSETS[0]).is_file():
        message = f"{folder} holds other files than those of a former run; name another folder or remove it"
        raise XregitError(message)


@contextmanager
def _mkdocs_settings(registry: Path, config: Path | None, loaded: Registry | None = None) -> Iterator[dict[str, Any]]:
    """Yield the settings for MkDocs: the configuration with the registry, and its path, set in it."""
    # Material reads it when it is imported; its notice about MkDocs 2 helps nobody here.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "true")
    if loaded is None and not registry.exists():
        message = f"{registry}: there is no registry"
        raise XregitError(message)
    if config is not None and not config.is_file():
        message = f"{config}: there is no configuration; name a mkdocs.yml"
        raise XregitError(message)
    with as_file(files("xregit.pages") / DEFAULT_CONFIG) as default, TemporaryDirectory(prefix="xregit-") as empty:
        place = config or default
        own = _read_config(place)
        settings = {"config_file": str(place), "plugins": _plugins(own, registry, loaded)}
        # A site without hand-written pages needs no folder for them.
        if config is None or not ({"docs_dir", "INHERIT"} & own.keys() or (config.parent / "docs").exists()):
            settings["docs_dir"] = empty
        yield settings


def _read_config(config: Path) -> Mapping[str, Any]:
    """Return what a configuration says."""
    with _mkdocs_errors(), config.open(encoding="utf-8") as file:
        from mkdocs.utils.yaml import yaml_load

        settings: object = yaml_load(file)
    if not isinstance(settings, Mapping):
        message = f"{config}: the configuration must be a map that begins with site_name"
        raise XregitError(message)
    return settings


def _plugins(settings: Mapping[str, Any], registry: Path, loaded: Registry | None) -> dict[str, Any]:
    """Return the plugins of a configuration, ours among them, with the registry and its path."""
    entries = settings.get("plugins") or ["search"]
    plugins: dict[str, Any] = dict(entries) if isinstance(entries, Mapping) else {}
    for item in () if isinstance(entries, Mapping) else entries:
        plugins |= item if isinstance(item, Mapping) else {str(item): {}}
    plugins["xregit"] = {**(plugins.get("xregit") or {}), "registry": str(registry.resolve()), "loaded": loaded}
    # A map, since MkDocs empties the items of a list while it reads them, and reads them again at each change.
    return {name: options or {} for name, options in plugins.items()}


@contextmanager
def _mkdocs_errors(level: int = logging.WARNING) -> Iterator[None]:
    """Turn what MkDocs raises on a wrong configuration or a failed plugin into an error of one line.

    What MkDocs logs from ``level`` on goes to standard error.
    """
    try:
        from mkdocs.exceptions import Abort, MkDocsException
        from yaml import YAMLError
    except ModuleNotFoundError as error:
        from xregit.installed import install_command  # only errors need it

        message = f"the site needs more than is installed: {install_command('site')}"
        raise XregitError(message) from error
    logger, handler = logging.getLogger("mkdocs"), _LogHandler(level)
    former_level = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    except Abort as error:  # MkDocs has logged the reason
        raise XregitError("; ".join(handler.errors) or _line(error.__context__ or error)) from error
    except (MkDocsException, YAMLError) as error:
        raise XregitError(_line(error)) from error
    finally:
        logger.removeHandler(handler)
        logger.setLevel(former_level)


class _LogHandler(logging.Handler):
    """Collects errors, which end a build, and prints the rest; a server continues, so errors are printed for it too."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Collect or print one record."""
        line = " ".join(record.getMessage().split())
        if record.levelno >= logging.ERROR:
            self.errors.append(line)
        if record.levelno < logging.ERROR or self.level < logging.WARNING:
            sys.stderr.write(f"site: {escape_control(line)}\n")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
