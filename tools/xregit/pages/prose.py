"""Descriptions, which are Markdown, as HTML without scripts, loaded resources or unsafe links; as plain text too."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import nh3
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from markdown import Markdown

MAX_CHARS = 50_000
# The converter searches for the end of each link and element up to the end of its paragraph, again and again for those
# without an end. This many characters take it about a second.
MAX_SCAN_COST = 8_000_000
SUMMARY_CHARS = 160
MAX_CACHED = 16_384
TAGS = {
    "a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "dl", "dt", "em", "h3", "h4", "h5", "h6", "hr",
    "i", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp", "small", "strong", "sub", "sup", "table",
    "tbody", "td", "th", "thead", "tr", "ul", "var",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "abbr": {"title"}, "td": {"align"}, "th": {"align"}, "ol": {"start"}}

_MARKED = re.compile(r"[*_`<>&\[\]#|~\\]|^[^\S\n]*(?:\d+[.)]|[-+=:])|\n[ \t]{2,}|  $", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)`\"][.!?])\s+(?=[A-Z])")
_SPACE = re.compile(r"\s+")
_PARAGRAPHS = re.compile(r"\n\s*\n")


def prose(text: object, target: Callable[[str], str]) -> Markup:
    """Return a description as safe HTML.

    ``target`` returns the address for the URL of a link, an empty one for a link that becomes plain text.
    """
    if not isinstance(text, str) or not text.strip():
        return Markup()
    if not _MARKED.search(text):
        paragraphs = _PARAGRAPHS.split(text.strip())
        return Markup("\n".join(f"<p>{escape(part)}</p>" for part in paragraphs))  # noqa: S704 - escaped just here

    def filter_attribute(tag: str, attribute: str, value: str) -> str | None:
        return target(value) or None if (tag, attribute) == ("a", "href") else value

    html = nh3.clean(_html(text), tags=TAGS, attributes=ATTRIBUTES, attribute_filter=filter_attribute, link_rel=None)
    return Markup(html)  # noqa: S704 - nh3 has cleaned it


def summary(text: object) -> str:
    """Return the first sentence of a description as plain text, cut at a word when it is long."""
    first = _PARAGRAPHS.split(text.strip())[0] if isinstance(text, str) else ""
    sentence = _SENTENCE_END.split(plain(first), maxsplit=1)[0]
    if len(sentence) <= SUMMARY_CHARS:
        return sentence
    return sentence[:SUMMARY_CHARS].rsplit(" ", 1)[0].rstrip(" ,.;:-") + "…"


def plain(text: object) -> str:
    """Return the whole description as plain text, for the search index."""
    return _plain(text) if isinstance(text, str) else ""


@lru_cache(maxsize=MAX_CACHED)
def _plain(text: str) -> str:
    if _MARKED.search(text):
        text = Markup(nh3.clean(_html(text), tags=set())).unescape()  # noqa: S704 - unescaped to text at once
    return _SPACE.sub(" ", text).strip()


@lru_cache(maxsize=MAX_CACHED)
def _html(text: str) -> str:
    if len(text) > MAX_CHARS or _scan_cost(text) > MAX_SCAN_COST:
        return f"<pre>{escape(text)}</pre>"
    try:
        return _converter().reset().convert(text)
    except RecursionError:
        _converter.cache_clear()
        return f"<pre>{escape(text)}</pre>"


def _scan_cost(text: str) -> int:
    """Return how many characters the converter may scan for ends, in the worst case."""
    paragraphs = _PARAGRAPHS.split(text)
    return sum(len(each) * (each.count("[") + each.count("<")) for each in paragraphs) + len(text) * text.count("<!")


@cache
def _converter() -> Markdown:
    """Return the converter, which takes longer to make than most conversions."""
    import markdown

    extensions = ["tables", "fenced_code", "sane_lists", "toc"]
    # Headings begin below those of the page.
    return markdown.Markdown(extensions=extensions, extension_configs={"toc": {"baselevel": 3, "toc_depth": 0}})
