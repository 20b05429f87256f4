"""What people wrote, as Markdown, to HTML that runs no script, loads nothing and leads only where a reader may go."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown import Markdown

MAX_CHARS = 50_000
# The converter looks for the end of each link and element up to the end of its paragraph; of those that have none it
# does so again and again. This many characters take it about a second.
MAX_LOOKED_AT = 8_000_000
SUMMARY_CHARS = 160
MAX_REMEMBERED = 16_384
TAGS = frozenset({
    "a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "dl", "dt", "em", "h3", "h4", "h5", "h6", "hr",
    "i", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp", "small", "strong", "sub", "sup", "table",
    "tbody", "td", "th", "thead", "tr", "ul", "var",
})  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "abbr": {"title"}, "td": {"align"}, "th": {"align"}, "ol": {"start"}}

_MARKED = re.compile(r"[*_`<>&\[\]#|~\\]|^[^\S\n]*(?:\d+[.)]|[-+=:])|\n[ \t]{2,}|  $", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)`\"][.!?])\s+(?=[A-Z])")
_SPACE = re.compile(r"\s+")
_PARAGRAPHS = re.compile(r"\n\s*\n")


def prose(text: object, target: Callable[[str], str]) -> Markup:
    """Return a description as safe HTML.

    ``target`` maps what a link says to where it leads, an empty string for a link that is to be plain text.
    """
    if not isinstance(text, str) or not text.strip():
        return Markup()
    if not _MARKED.search(text):
        paragraphs = _PARAGRAPHS.split(text.strip())
        return Markup("\n".join(f"<p>{escape(part)}</p>" for part in paragraphs))  # noqa: S704 - escaped just here
    return Markup(_clean(_html(text), target))  # noqa: S704 - what nh3 has cleaned


def summary(text: object) -> str:
    """Return the first sentence of a description as plain text, cut at a word when it is long."""
    return _summary(text) if isinstance(text, str) else ""


@lru_cache(maxsize=MAX_REMEMBERED)
def _summary(text: str) -> str:
    first = _PARAGRAPHS.split(text.strip())[0]
    if _MARKED.search(first):
        first = Markup(_stripped(_html(first))).unescape()  # noqa: S704 - unescaped to text at once
    sentence = _SENTENCE_END.split(_SPACE.sub(" ", first).strip(), maxsplit=1)[0]
    if len(sentence) <= SUMMARY_CHARS:
        return sentence
    return sentence[:SUMMARY_CHARS].rsplit(" ", 1)[0].rstrip(" ,.;:-") + "…"


def plain(text: object) -> str:
    """Return the whole description as plain text, for the search index."""
    return _plain(text) if isinstance(text, str) else ""


@lru_cache(maxsize=MAX_REMEMBERED)
def _plain(text: str) -> str:
    if _MARKED.search(text):
        text = Markup(_stripped(_html(text))).unescape()  # noqa: S704 - unescaped to text at once
    return _SPACE.sub(" ", text).strip()


@lru_cache(maxsize=4096)
def _html(text: str) -> str:
    if len(text) > MAX_CHARS or _looked_at(text) > MAX_LOOKED_AT:
        return f"<pre>{escape(text)}</pre>"
    try:
        return _converter().reset().convert(text)
    except RecursionError:
        _converter.cache_clear()
        return f"<pre>{escape(text)}</pre>"


def _looked_at(text: str) -> int:
    """Return how many characters the converter may look at in search of ends, in the worst case."""
    paragraphs = _PARAGRAPHS.split(text)
    return sum(len(each) * (each.count("[") + each.count("<")) for each in paragraphs) + len(text) * text.count("<!")


@lru_cache(maxsize=1)
def _converter() -> Markdown:
    """Return the converter, whose making costs more than most conversions."""
    import markdown

    extensions = ["tables", "fenced_code", "sane_lists", "toc"]
    # Headings begin below those of the page, whose parts they are.
    return markdown.Markdown(extensions=extensions, extension_configs={"toc": {"baselevel": 3, "toc_depth": 0}})


def _clean(html: str, target: Callable[[str], str]) -> str:
    import nh3

    def allowed(tag: str, attribute: str, value: str) -> str | None:
        if (tag, attribute) == ("a", "href"):
            return target(value) or None
        return value

    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        attribute_filter=allowed,
        link_rel=None,
    )


def _stripped(html: str) -> str:
    import nh3

    return nh3.clean(html, tags=set())
