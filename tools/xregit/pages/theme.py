"""The theme's frame around pages, rendered once for each kind of page, and the scripts that pages load."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, DictLoader, Environment, pass_context
from jinja2 import Template as ThemeTemplate
from jinja2.runtime import Context
from mkdocs.structure.toc import AnchorLink, TableOfContents

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page


FOLDER = "assets/inline/"
# A script with an address or a type, such as data, stays where it is.
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def move_scripts(html: str, start: str, files: dict[str, str]) -> str:
    """Return a page with its inline scripts moved to files, which are added to ``files``.

    ``start`` is the relative address of the site's start.
    """

    def replacement(match: re.Match[str]) -> str:
        name = f"{FOLDER}{sha256(match[1].encode()).hexdigest()[:16]}.js"
        files[name] = match[1]
        return f'<script src="{start}{name}"></script>'

    return _INLINE.sub(replacement, html)


# The template of pages in a frame, which is all of such a page.
FRAME_TEMPLATE = "xregit-framed.html"
_FRAME_SOURCE = "{{ xregit_framed() }}"
# Stands in a frame for what differs from page to page; no markup, so that a theme repeats it as it is.
_MARK = re.compile(r"xregit-7d2ea4a6-(\w+)-")
_INDENT = re.compile(r"\n\s+")
_ITEM = re.compile(r"<li\b(?:(?!<li\b).)*?xregit-7d2ea4a6-id-.*?</li>", re.DOTALL)


def _mark(name: str) -> str:
    """Return the mark for a part of a page in a frame."""
    return f"xregit-7d2ea4a6-{name}-"


def _template(text: str) -> Template:
    """Return the template of a text with marks."""
    return Template(_MARK.sub(r"${\1}", text.replace("$", "$$")))


@dataclass(frozen=True, slots=True)
class Frame:
    """The theme's HTML around pages of one kind, and around each line of their tables of contents."""

    page: Template
    line: Template

    def around(self, page: Page) -> str:
        """Return a whole page."""
        headings = page.toc.items[0].children
        return self.page.substitute(
            contents=page.content or "",
            title=_theme_title(str(page.title)),
            description=page.meta["description"],
            canonical=page.canonical_url or "",
            place=_place(page),
            lines="".join(self.line.substitute(id=each.id, heading=each.title) for each in headings),
        )


class Frames:
    """The frames of one build.

    The theme renders the first two pages of a kind. If the frame of the first, put around the second, gives what the
    theme gave, it serves for the rest; else, say because another plugin dates each page, the theme renders them all.
    """

    def __init__(self, template: ThemeTemplate, urls: Iterable[str], postprocess: Callable[[str, Page], str]) -> None:
        """Keep the theme's template, the addresses that frames may link to, and what changes a page's rendering."""
        self._template, self._postprocess = template, postprocess
        self._folders = {folder for url in urls for folder in _folders(url)}
        self._first: dict[object, Page] = {}
        self._frames: dict[object, Frame | None] = {}

    def around(self, context: Context) -> str:
        """Return a whole page."""
        page: Any = context["page"]
        page.content = page.framed
        kind = self._kind(page)
        frame = self._frames.get(kind)
        if frame is not None:
            return frame.around(page)
        html = self._render(context, page)
        first = self._first.get(kind)
        if first is None:
            self._first[kind] = _sample_page(page)
        # A title with entities is read as HTML in one place of the theme and as text in another: no page to compare.
        elif kind not in self._frames and "&" not in str(page.title):
            frame = _frame(self._render(context, first))
            matches = frame is not None and _equal_ignoring_space(frame.around(page), html)
            self._frames[kind] = frame if matches else None
        return _without_indents(html, page.content or "")

    def _kind(self, page: Page) -> object:
        """Return what pages with the same frame have in common: where relative links start from, above all."""
        folders = _folders(page.url)
        nearest = next((folder for folder in folders if folder in self._folders), "")
        return nearest, len(folders), id(page.parent), bool(page.toc.items[0].children), bool(_place(page))

    def _render(self, context: Context, page: Page) -> str:
        return self._postprocess(self._template.render(context.get_all() | {"page": page}), page)


def install_frames(
    env: Environment,
    urls: Iterable[str],
    postprocess: Callable[[str, Page], str],
    navigation: Sequence[tuple[str, str, str]] = (),
) -> None:
    """Put frames around the pages that have the template ``FRAME_TEMPLATE`` in a theme's environment.

    ``navigation`` are the entries in place of the theme's own navigation, if there are any.
    """
    sources = {FRAME_TEMPLATE: _FRAME_SOURCE}
    if navigation:
        sources["partials/nav.html"] = (files("xregit.pages") / "templates" / "nav.html").read_text("utf-8")
        env.globals["xregit_navigation"] = navigation
    env.loader = ChoiceLoader([DictLoader(sources), *([env.loader] if env.loader else [])])
    frames = Frames(env.get_template("main.html"), urls, postprocess)

    @pass_context
    def framed(context: Context) -> str:
        return frames.around(context)

    env.globals["xregit_framed"] = framed


def escape_title(text: str) -> str:
    """Return a title for MkDocs' themes, which take tags out, read entities, and escape nothing."""
    return escape(escape(text, quote=False), quote=False)


def _theme_title(title: str) -> str:
    """Return what a theme makes of such a title."""
    return title.replace("&amp;", "&")


def _place(page: Page) -> str:
    """Return where a page is in the navigation; the theme's own pages have no such place."""
    return getattr(page, "place", "")


def _folders(url: str) -> list[str]:
    """Return the folders above an address, the nearest first."""
    return [url[: end + 1] for end in range(len(url) - 1, -1, -1) if url[end] == "/"]


def _sample_page(page: Page) -> Page:
    """Return a copy of a page with marks in place of its own content."""
    sample: Any = copy(page)
    sample.title = _mark("title")
    sample.content = f"<h1>{_mark('contents')}</h1>"
    sample.meta = {**page.meta, "description": _mark("description")}
    sample.place = _place(page) and _mark("place")
    sample.canonical_url = page.canonical_url and _mark("canonical")
    top = copy(page.toc.items[0])
    top.children = [AnchorLink(_mark("heading"), _mark("id"), 2)] if top.children else []
    sample.toc = TableOfContents([top])
    return sample  # type: ignore[no-any-return]


def _equal_ignoring_space(one: str, other: str) -> bool:
    return "".join(one.split()) == "".join(other.split())


def _without_indents(html: str, content: str) -> str:
    """Return a page without the indentation around its content, half of the theme's part of the page."""
    before, match, after = html.partition(content) if content else (html, "", "")
    return _INDENT.sub("\n", before) + match + _INDENT.sub("\n", after)


def _frame(html: str) -> Frame | None:
    """Return the frame in the rendering of a sample page; None where its table of contents has an unknown form."""
    html = _INDENT.sub("\n", html.replace(f"<h1>{_mark('contents')}</h1>", _mark("contents")))
    item = _ITEM.search(html)
    if item is not None:
        html = html[: item.start()] + _mark("lines") + html[item.end() :]
    marks = _MARK.findall(html)
    if marks.count("contents") != 1 or "id" in marks:
        return None
    return Frame(_template(html), _template(item[0] if item else ""))
