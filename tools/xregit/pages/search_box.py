"""The edge to the search box of Material: the theme shows what is typed and found, our worker finds it."""

from __future__ import annotations

from importlib.resources import files as package_files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from xregit.pages.search_index import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import File

    from xregit.pages.page import Page


OURS = "assets/search.js"
THEIRS = "assets/javascripts/workers/search."
PLUGIN = "material/search"
# The theme leaves it to readers of screens to guess what opens.
_DIALOG = '<div class="md-search" data-md-component="search" role="dialog"'


def take_over(files: Iterable[File], config: MkDocsConfig) -> bool:
    """Have our worker stand where the theme's would; tell whether there is such a theme that searches."""
    theirs = [file for file in files if file.src_uri.startswith(THEIRS) and file.src_uri.endswith(".js")]
    if not theirs or _index(config) is None:
        return False
    for file in theirs:
        file.content_bytes = (package_files("xregit.pages") / OURS).read_bytes()
    return True


def named(html: str) -> str:
    """Return a page of the theme in which the search is called so."""
    return html.replace(_DIALOG, f'{_DIALOG} aria-label="Search"', 1)


def taken(config: MkDocsConfig) -> list[Entry]:
    """Take the entries of the hand-written pages out of the theme's index, which every page would load."""
    index = _index(config) or []
    titles = {entry["location"]: _text(entry["title"]) for entry in index if "#" not in entry["location"]}
    found = [_taken(entry, titles) for entry in index]
    index.clear()
    return found


def entry_of(page: Page, url: str) -> Entry:
    """Return what finds a page of the catalog."""
    return Entry(url, page.title, page.search, page.keys, page.names)


def _taken(entry: Mapping[str, Any], titles: Mapping[str, str]) -> Entry:
    """Return an entry with its HTML read as text; a section is named after its page too."""
    location, title = entry["location"], _text(entry["title"])
    page = titles.get(location.partition("#")[0], "")
    tags = tuple(str(tag) for tag in entry.get("tags") or ())
    return Entry(location, f"{title} · {page}" if "#" in location and page else title, _text(entry["text"]), tags)


def _text(html: str) -> str:
    return Markup(html).striptags()  # noqa: S704 - read, and made text again


def _index(config: MkDocsConfig) -> list[dict[str, Any]] | None:
    entries = getattr(getattr(config.plugins.get(PLUGIN), "search_index", None), "entries", None)
    return entries if isinstance(entries, list) else None
