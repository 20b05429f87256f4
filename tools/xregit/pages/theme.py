"""The theme's frame around pages, rendered once for each kind of page, and the scripts that pages load."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, DictLoader, pass_context
from mkdocs.structure.toc import AnchorLink, TableOfContents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from jinja2 import Environment, Template
    from jinja2.runtime import Context
    from mkdocs.structure.pages import Page


FOLDER = "assets/inline/"
# A script with an address or a type, such as data, stays where it is.
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def outsourced(html: str, start: str, files: dict[str, str]) -> str:
    """Return a page with its scripts in files; ``start`` leads from it to the site's start, ``files`` takes them."""

    def moved(found: re.Match[str]) -> str:
        name = _named(found[1])
        files[name] = found[1]
        return f'<script src="{start}{name}"></script>'

    return _INLINE.sub(moved, html)


@lru_cache(maxsize=64)
def _named(script: str) -> str:
    """Return the path of a script's file; a theme writes the same few into all pages."""
    return f"{FOLDER}{sha256(script.encode()).hexdigest()[:16]}.js"


# The template that says no more than: here is the whole page.
FRAMED = "xregit-framed.html"
_WHOLE = "{{ xregit_framed() }}"
# What stands in a frame for what differs from page to page; no markup, so that a theme repeats it as it is.
_MARK = re.compile(r"xregit-7d2ea4a6-(\w+)-")
_INDENT, _LINE = re.compile(r"\n\s+"), "\n"
_ITEM = re.compile(r"<li\b(?:(?!<li\b).)*?xregit-7d2ea4a6-id-.*?</li>", re.DOTALL)


def _mark(name: str) -> str:
    """Return what stands for something in a frame."""
    return f"xregit-7d2ea4a6-{name}-"


@dataclass(frozen=True, slots=True)
class Mould:
    """A text cut at its marks: each odd part is the name of what stands there."""

    parts: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Mould:
        """Cut a text."""
        return cls(tuple(_MARK.split(text)))

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with values in place of the marks."""
        return "".join(values[part] if number % 2 else part for number, part in enumerate(self.parts))


@dataclass(frozen=True, slots=True)
class Frame:
    """What the theme puts around pages of one kind, and around each line of their tables of contents."""

    whole: Mould
    line: Mould

    def around(self, page: Page) -> str:
        """Return a whole page."""
        lines = (self.line.filled({"id": each.id, "heading": each.title}) for each in page.toc.items[0].children)
        return self.whole.filled(
            {
                "contents": page.content or "",
                "title": once(str(page.title)),
                "description": page.meta["description"],
                "canonical": page.canonical_url or "",
                "lines": "".join(lines),
            }
        )


class Frames:
    """The frames of one build.

    The theme renders the first two pages of a kind. If the frame of the first, put around the second, gives what the
    theme gave, it serves for the rest; else, say because another plugin dates each page, the theme renders them all.
    """

    def __init__(self, template: Template, urls: Iterable[str], tidied: Callable[[str, Page], str]) -> None:
        """Take the theme's template, the addresses that frames may lead to, and what changes a page's rendering."""
        self._template, self._tidied = template, tidied
        self._folders = {folder for url in urls for folder in _folders(url)}
        self._first: dict[object, Page] = {}
        self._frames: dict[object, Frame | None] = {}

    def around(self, context: Context) -> str:
        """Return a whole page."""
        page: Page = context["page"]
        frame = self.found(page)
        if frame is not None:
            return frame.around(page)
        kind = self._kind(page)
        whole = self._rendered(context, page)
        first = self._first.get(kind)
        if first is None:
            self._first[kind] = _stand_in(page)
        # A title with entities is read as HTML in one place of the theme and as text in another: no page to compare.
        elif kind not in self._frames and "&" not in str(page.title):
            found = _frame(self._rendered(context, first))
            self._frames[kind] = found if found is not None and _same(found.around(page), whole) else None
        return _thin(whole, page.content or "")

    def found(self, page: Page) -> Frame | None:
        """Return the frame of a page, if it can have one and it is there by now."""
        return self._frames.get(self._kind(page)) if page.meta.get("template") == FRAMED else None

    def _kind(self, page: Page) -> object:
        """Return what pages have in common around which the theme puts the same: where links start from, above all."""
        return self._place(page), bool(page.toc.items[0].children)

    def _place(self, page: Page) -> object:
        folders = _folders(page.url)
        near = next((folder for folder in folders if folder in self._folders), "")
        return near, len(folders), id(page.parent)

    def _rendered(self, context: Context, page: Page) -> str:
        return self._tidied(self._template.render(context.get_all() | {"page": page}), page)


def install(env: Environment, urls: Iterable[str], tidied: Callable[[str, Page], str]) -> Frames:
    """Have a theme's templates give pages their frames, where they ask for the template ``FRAMED``; return these."""
    env.loader = ChoiceLoader([*([env.loader] if env.loader else []), DictLoader({FRAMED: _WHOLE})])
    frames = Frames(env.get_template("main.html"), urls, tidied)

    @pass_context
    def framed(context: Context) -> str:
        return frames.around(context)

    env.globals["xregit_framed"] = framed
    return frames


def twice(text: str) -> str:
    """Return a title as MkDocs' themes take it: they take tags out, read entities, and escape nothing."""
    return escape(escape(text, quote=False), quote=False)


def once(title: str) -> str:
    """Return what a theme makes of such a title."""
    return title.replace("&amp;", "&")


def _folders(url: str) -> list[str]:
    """Return the folders above an address, the nearest first."""
    return [url[: end + 1] for end in range(len(url) - 1, -1, -1) if url[end] == "/"]


def _stand_in(page: Page) -> Page:
    """Return a page that has marks for all that is its own."""
    found: Any = copy(page)
    found.title = _mark("title")
    found.content = f"<h1>{_mark('contents')}</h1>"
    found.meta = {**page.meta, "description": _mark("description")}
    found.canonical_url = page.canonical_url and _mark("canonical")
    top = copy(page.toc.items[0])
    top.children = [AnchorLink(_mark("heading"), _mark("id"), 2)] if top.children else []
    found.toc = TableOfContents([top])
    return found  # type: ignore[no-any-return]


def _same(one: str, other: str) -> bool:
    """Tell whether two pages differ in space alone, of which templates leave much between elements."""
    return "".join(one.split()) == "".join(other.split())


def _thin(text: str, content: str) -> str:
    """Return a page without the space that templates leave around its content, half of what the theme takes."""
    before, found, after = text.partition(content) if content else (text, "", "")
    return f"{_INDENT.sub(_LINE, before)}{found}{_INDENT.sub(_LINE, after)}"


def _frame(text: str) -> Frame | None:
    """Return the frame in the rendering of a page with marks; None where its table of contents is of no known form."""
    text = _INDENT.sub(_LINE, text.replace(f"<h1>{_mark('contents')}</h1>", _mark("contents")))
    line = _ITEM.search(text)
    if line is not None:
        text = text[: line.start()] + _mark("lines") + text[line.end() :]
    found = Frame(Mould.of(text), Mould.of(line[0] if line else ""))
    return found if found.whole.parts.count("contents") == 1 and "id" not in found.whole.parts[1::2] else None
