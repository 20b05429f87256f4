"""What a site has for machines beside its pages: `llms.txt`, each page as Markdown, the feed, links in the head."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from xregit.pages.change_history import FEED, feed
from xregit.pages.links import address
from xregit.pages.markdown import to_markdown
from xregit.pages.recognise import definitions
from xregit.pages.renderer import seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xregit.pages.context import SiteContext
    from xregit.pages.page import Page


MARKDOWN = "index.md"
LLMS = "llms.txt"
# Material takes exactly "alternate" for another language, and asks for its sitemap; a space changes nothing else.
ALTERNATE = "alternate "
# A list that is longer helps nobody: the page of a group names what it holds.
MAX_LISTED = 2_000


def site_files(book: SiteContext, pages: Sequence[Page], site_url: str = "") -> Iterator[tuple[str, str]]:
    """Give the files of the whole site by their paths below its start."""
    yield LLMS, llms(book, pages)
    news = feed(book, site_url)
    if news:
        yield FEED, news
    yield from definitions(book, pages)


def as_markdown(page: Page) -> tuple[str, str]:
    """Return the page as Markdown, after the path of that file."""
    return f"{page.address}{MARKDOWN}", to_markdown(page)


def llms(book: SiteContext, pages: Iterable[Page]) -> str:
    """Return the list of what is where (llmstxt.org): the overviews, then every group."""
    listed = list(pages)
    above = {address(f"/{plural}") for plural in book.registry.model.groups}
    sections = {
        "Overviews": [page for page in listed if page.listed],
        "Groups": [page for page in listed if page.parent in above],
    }
    lines = [f"# {book.title}", "", f"> {book.summary}", "", "Every page has its text in index.md beside it."]
    for title, found in sections.items():
        lines += ["", f"## {title}", "", *(_line(page) for page in found[:MAX_LISTED])]
    return seen("\n".join(lines) + "\n")


def head_links(page: Page, *, has_feed: bool) -> str:
    """Return the links for a page's head: its Markdown, its entity in the static API, the feed."""
    up = "../" * page.address.count("/")
    found = [(ALTERNATE, "text/markdown", MARKDOWN, "Markdown")]
    found += [("describedby", "application/json", page.api, "xRegistry entity")] if page.api else []
    found += [(ALTERNATE, "application/atom+xml", f"{up}{FEED}", "Changes")] if has_feed else []
    return "".join(
        f'<link rel="{relation}" type="{kind}" href="{escape(href)}" title="{title}">'
        for relation, kind, href, title in found
    )


def _line(page: Page) -> str:
    title = " ".join(page.title.replace("[", "(").replace("]", ")").split())
    said = f": {page.description}" if page.description else ""
    return f"- [{title}]({quote(page.address + MARKDOWN)}){said}"
