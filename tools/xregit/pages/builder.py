"""The site builder: the site through MkDocs, or the same pages as files for another engine; swapped in whole."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import as_file, files
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from xregit.arguments import to_path
from xregit.catalog.registry import Registry
from xregit.errors import XregitError
from xregit.pages import ASSETS
from xregit.source.atomic_write import replace_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mkdocs.config.defaults import MkDocsConfig

    from xregit.pages.page import Page

# A new file in place of what there was; Windows would change the ends of lines.
_ANEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
_FOR_ALL = 0o666


def refuse_taken(pages: Iterable[Page], files: Iterable[str]) -> None:
    """Refuse a page whose folder would stand where the site has a file, as an id can ask for that ends like a file.

    Raises:
        XregitError: there is one.
    """
    taken = {file.lower() for file in files}
    for page in pages:
        if page.address[:-1].lower() in taken:
            message = f'the page of "/{page.address[:-1]}" needs a folder where the site has a file; use another id'
            raise XregitError(message)


def write(folder: str, files: Iterable[tuple[str, str]]) -> None:
    """Write texts to files below a folder, by their paths with slashes; make the folders that they need."""
    for name, text in files:
        path, data = f"{folder}/{name}", text.encode()
        try:
            _write(path, data)
        except FileNotFoundError:  # most stand beside a page, whose folder is there
            _make(os.path.dirname(path))  # noqa: PTH120 - half of what paths take
            _write(path, data)


def _make(folder: str) -> None:
    """Make a folder, and those above it in the few cases in which they are not there; others may do so meanwhile."""
    try:
        os.mkdir(folder)  # noqa: PTH102
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    except FileExistsError:
        pass


def _write(path: str, data: bytes) -> None:
    """Write a file at once: what Python puts between takes as long as the system does, and files are thousands."""
    file = os.open(path, _ANEW, _FOR_ALL)
    try:
        while data:  # the system may take less than all, say of a very large file
            data = data[os.write(file, data) :]
    finally:
        os.close(file)


DEFAULT_CONFIG = "assets/mkdocs.yml"
SERVE_AT = "127.0.0.1:8000"
# What a shortened page has beside it for other engines, which make pages of what is Markdown.
WHOLE = "whole.txt"


def build_site(registry: Registry | Path | str, out: Path | str, config: Path | str | None = None) -> int:
    """Build the site of a registry, or of the one at a path, into the folder ``out``; return how many files it has.

    ``config`` is a ``mkdocs.yml``; without one, the site has the registry's pages alone. The folder is replaced as a
    whole, and stays as it is when something fails.

    Raises:
        XregitError: the registry can't be read, the configuration is wrong, or the folder can't be written.
    """
    path, content = (registry.origin.root, registry) if isinstance(registry, Registry) else (to_path(registry), None)
    folder, mkdocs_yml = to_path(out), None if config is None else to_path(config)
    _refuse_foreign(folder)
    with _configured(path, mkdocs_yml, content) as settings, replace_folder(folder) as built:
        _build(_loaded(settings, site_dir=str(built)))
        return sum(len(names) for _, _, names in os.walk(built))


def serve_site(registry: Path, config: Path | None, at: str = SERVE_AT) -> None:
    """Serve the site until it is interrupted, and build it anew as files change.

    Raises:
        XregitError: the registry can't be read, the configuration is wrong, or the address is taken.
    """
    with _configured(registry, config) as settings:
        from mkdocs.commands.serve import serve

        with _faults(logging.INFO):
            serve(**settings, dev_addr=at)


def write_pages(registry: Registry, folder: Path) -> int:
    """Write a registry's pages as Markdown files that hold their HTML, for any engine; return how many there are.

    Raises:
        XregitError: the folder can't be written, or it holds other files than pages written before.
    """
    from xregit.pages.context import SiteContext
    from xregit.pages.recognise import definitions
    from xregit.pages.site_pages import all_pages

    _refuse_foreign(folder)
    book = SiteContext(registry)
    made = list(all_pages(book))
    refuse_taken(made, ASSETS)
    with replace_folder(folder) as place:
        write(str(place), ((name, (files("xregit.pages") / name).read_text("utf-8")) for name in ASSETS))
        for page in made:
            write(str(place), _as_files(page))
        write(str(place), definitions(book, made))
    return len(made)


def _refuse_foreign(target: Path) -> None:
    """Refuse to replace a folder that is not ours, such as a home folder given by mistake."""
    if not target.exists():
        return
    if not target.is_dir():
        message = f"{target} is a file, but a folder is needed; name another folder or remove the file"
        raise XregitError(message)
    if any(target.iterdir()) and not (target / ASSETS[0]).is_file():
        message = f"{target} holds other files than those of a former run; name another folder or remove it"
        raise XregitError(message)


@contextmanager
def _configured(registry: Path, config: Path | None, read: Registry | None = None) -> Iterator[dict[str, Any]]:
    """Give what MkDocs is to load: the configuration with the registry, and its path, set in it."""
    # Read by Material when it is imported; its notice about MkDocs 2 helps no user of ours.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "true")
    if read is None and not registry.exists():
        message = f"{registry}: there is no registry"
        raise XregitError(message)
    if config is not None:
        if not config.is_file():
            message = f"{config}: there is no configuration; name a mkdocs.yml"
            raise XregitError(message)
        yield {"config_file": str(config), "plugins": _plugins(config, registry, read)}
        return
    with as_file(files("xregit.pages") / DEFAULT_CONFIG) as default, TemporaryDirectory(prefix="xregit-") as docs:
        yield {"config_file": str(default), "plugins": _plugins(default, registry, read), "docs_dir": docs}


def _plugins(config: Path, registry: Path, read: Registry | None) -> dict[str, Any]:
    """Return the plugins that a configuration names, ours among them, with the registry and its path."""
    from mkdocs.utils.yaml import yaml_load

    with _faults(), config.open(encoding="utf-8") as file:
        said: object = yaml_load(file)
    if not isinstance(said, Mapping):
        message = f"{config}: the configuration must be a map that begins with site_name"
        raise XregitError(message)
    named = said.get("plugins") or ["search"]
    plugins: dict[str, Any] = dict(named) if isinstance(named, Mapping) else {}
    for item in () if isinstance(named, Mapping) else named:
        plugins |= item if isinstance(item, Mapping) else {str(item): {}}
    plugins["xregit"] = {**(plugins.get("xregit") or {}), "registry": str(registry.resolve()), "read": read}
    # A map, since MkDocs empties the items of a list while it reads them, and reads them anew at each change.
    return {name: options or {} for name, options in plugins.items()}


def _loaded(settings: Mapping[str, Any], **more: str) -> MkDocsConfig:
    with _faults():
        from mkdocs.config import load_config

        return load_config(**settings, **more)


def _build(config: MkDocsConfig) -> None:
    with _faults():
        from mkdocs.commands.build import build

        config.plugins.on_startup(command="build", dirty=False)
        try:
            build(config)
        finally:
            config.plugins.on_shutdown()


@contextmanager
def _faults(shown: int = logging.WARNING) -> Iterator[None]:
    """Turn what MkDocs raises on a wrong configuration or a failed plugin into an error of one line.

    What MkDocs logs from the level ``shown`` on goes to standard error.
    """
    try:
        from mkdocs.exceptions import Abort, MkDocsException
        from yaml import YAMLError
    except ModuleNotFoundError as error:
        from xregit.installed import install_command  # only faults ask

        message = f"the docs site needs more than is installed: {install_command('site')}"
        raise XregitError(message) from error
    with _complaints(shown) as complaints:
        try:
            yield
        except Abort as error:  # MkDocs has logged the reason
            raise XregitError("; ".join(complaints) or _line(error.__context__ or error)) from error
        except (MkDocsException, YAMLError) as error:
            raise XregitError(_line(error)) from error


@contextmanager
def _complaints(shown: int) -> Iterator[list[str]]:
    """Give the errors that MkDocs logs meanwhile."""
    logger, handler = logging.getLogger("mkdocs"), _Complaints(shown)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(shown)
    try:
        yield handler.errors
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


class _Complaints(logging.Handler):
    """Keeps errors, which end a build, and passes on the rest; a server goes on, so it passes on errors too."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep or pass on one record."""
        line = " ".join(record.getMessage().split())
        if record.levelno >= logging.ERROR:
            self.errors.append(line)
        if record.levelno < logging.ERROR or self.level < logging.WARNING:
            sys.stderr.write(f"site: {line}\n")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _as_files(page: Page) -> Iterator[tuple[str, str]]:
    """Give the file of a page, and of a shortened one the whole as text, which no engine takes for a page."""
    from xregit.pages.markdown import to_markdown
    from xregit.pages.site_files import MARKDOWN

    if page.whole:
        yield f"{page.address}{WHOLE}", to_markdown(page)
        page = replace(page, html=page.html.replace(f'href="{MARKDOWN}"', f'href="{WHOLE}"'))
    yield f"{page.address}index.md", _as_markdown(page)


def _as_markdown(page: Page) -> str:
    """Return a page as front matter and the HTML, which Markdown leaves as it is; a JSON text is a YAML text too."""
    title, description = (json.dumps(text, ensure_ascii=False) for text in (page.title, page.description))
    return f"---\ntitle: {title}\ndescription: {description}\n---\n\n{page.html}"
