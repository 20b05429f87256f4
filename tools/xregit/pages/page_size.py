"""A page that is too large made to fit: each of its parts gets the same room, and those that need more are shortened.

The whole is what the page's Markdown has. A small page costs no more than to look how long it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from math import isqrt
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from xregit.pages import documents
from xregit.pages.change_history import CommitEntry
from xregit.pages.entity_header import Head
from xregit.pages.examples import Example
from xregit.pages.links import Link
from xregit.pages.page import ROOT
from xregit.pages.payloads import Payload
from xregit.pages.renderer import content, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# What a message's page has of the 60 kB that it may have. The theme takes 13 kB, and 20 beside forty pages of a guide.
MAX_BYTES = 40_000
# How many bytes of HTML each part may have, at least and at most, and how often what lies between them is tried.
LITTLE, MUCH, STEPS = 100, 24_000, 8
# A source is told elsewhere too, so that it gets less; one text leaves room for others; an address is cut nowhere.
SOURCES, TEXTS, MIN_CHARS, MAX_HREF = 8, 4, 40, 600
# All examples together have as much as so many parts: they are what most readers come for.
WIRES = 2
# What tags around one thing take, and "<wbr>" after a sign where a line may end.
AROUND, BREAK = 60, 5
# What a link to the site's start is longer once it is made relative to a message's page.
RELATIVE = 3 * 4 - len(ROOT)
_TAG = re.compile(r"(<[^>]*>)")


def fitted(template: str, **names: object) -> tuple[str, str]:
    """Return the HTML of a template within what a page may have, and the whole where that is more, else nothing.

    The template gets as ``cut`` the names of the values that were shortened.
    """
    whole = render(template, cut=frozenset(), **names)
    if _size(whole) <= MAX_BYTES:
        return whole, ""
    little, much, html = LITTLE, MUCH, ""
    for _ in range(STEPS):
        room = isqrt(little * much)
        shorter = _shortened(template, names, room)
        if _size(shorter) <= MAX_BYTES:
            little, html = room, shorter
        else:
            much = room
    return html or _shortened(template, names, LITTLE), whole


def _shortened(template: str, names: Mapping[str, object], room: int) -> str:
    shorter, cut = dict(names), set()
    for name, value in names.items():
        part = _Part(room)
        shorter[name] = part.less(value)
        if part.cut:
            cut.add(name)
    return render(template, cut=cut, **shorter)


def _size(html: str) -> int:
    return (len(html) if html.isascii() else len(html.encode())) + html.count(ROOT[0]) * RELATIVE


class _Part:
    """What is left of the room of one part; ``cut`` tells whether something didn't fit."""

    def __init__(self, room: int) -> None:
        self.room = self.left = room
        self.cut = False

    def less(self, value: Any) -> Any:
        """Return a value of a template, as much of it as fits."""
        known = _FORMS.get(type(value))
        if known is not None:
            return known(self, value)
        if isinstance(value, str):
            return self.text(str(value))
        if hasattr(value, "_make"):
            return value._make(map(self.less, value))
        if hasattr(value, "__match_args__"):
            return replace(value, **{name: self.less(getattr(value, name)) for name in value.__match_args__})
        return value

    def items(self, found: Iterable[Any]) -> tuple[Any, ...]:
        """Return the first things of a list; a tuple in it is one thing, of which all stays."""
        kept: list[Any] = []
        for item in found:
            if self.left <= 0:
                self.cut = True
                break
            self.left -= AROUND
            kept.append(tuple(map(self.less, item)) if type(item) is tuple else self.less(item))
        return tuple(kept)

    def text(self, text: str) -> str:
        """Return the beginning of a text."""
        cost = len(escape(text).encode()) + BREAK * (text.count(".") + text.count("/"))
        most = max(MIN_CHARS, min(self.left, self.room // TEXTS))
        if cost > most and len(text) > MIN_CHARS:
            self.cut = True
            text = f"{text[: max(MIN_CHARS, len(text) * most // cost)]}…"
            cost = most
        self.left -= cost
        return text

    def prose(self, html: Markup) -> Markup:
        """Return a description, as mere text where its beginning has to do."""
        if len(html.encode()) <= min(self.left, self.room // TEXTS):
            self.left -= len(html.encode())
            return html
        return Markup(f"<p>{escape(self.text(html.striptags()))}</p>")  # noqa: S704 - escaped here

    def link(self, link: Link) -> Link:
        href = link.href if len(link.href) <= MAX_HREF else ""
        self.cut = self.cut or href != link.href
        self.left -= len(href)
        return Link(self.text(link.text), href, self.text(link.note), self.text(link.title))

    def source(self, source: documents.Source) -> documents.Source:
        """Return a source as it is or not at all: half of one is none."""
        size = len(content(source.text).encode())
        if size <= min(self.left, self.room // SOURCES):
            self.left -= size
            return source
        self.cut = True
        return documents.Source(reason=f"The text is long, {len(source.text):,} characters.")

    def happening(self, happening: CommitEntry) -> CommitEntry:
        changes = self.items(happening.changes)
        more = happening.more + len(happening.changes) - len(changes)
        known = replace(happening, author=self.text(happening.author), subject=self.text(happening.subject))
        return replace(known, changes=changes, more=more)

    def head(self, head: Head) -> Any:
        """Return a head; what else it has is short, or leads somewhere."""
        return self.apart(head, "name", "description", "deprecation", "owners")

    def payload(self, payload: Payload) -> Any:
        return self.apart(payload, *payload._fields)

    def apart(self, value: Any, *names: str) -> Any:
        """Return a value of which each member has as much room as a part."""
        found: dict[str, Any] = {}
        for name in names:
            part = _Part(self.room)
            found[name] = part.less(getattr(value, name))
            self.cut = self.cut or part.cut
        return value._replace(**found) if hasattr(value, "_replace") else replace(value, **found)

    def listed(self, found: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a list; of examples all, with the same room for each."""
        if not found or type(found[0]) is not Example:
            return self.items(found)
        parts = [_Part(WIRES * self.room // len(found)) for _ in found]
        shorter = tuple(part.less(each) for part, each in zip(parts, found, strict=True))
        self.cut = self.cut or any(part.cut for part in parts)
        return shorter

    def example(self, example: Example) -> Example:
        """Return an example, whose lines stay whole or go; of the payload one reads further down."""
        text = self.marked(example.text)
        making = self.lines(example.making) or self.lines(example.making.rpartition("\n")[2])
        sending = self.lines(example.sending)
        guard = example.guard and self.link(example.guard)
        title, reason = self.text(example.title), self.text(example.reason)
        return replace(example, title=title, text=text, making=making, sending=sending, reason=reason, guard=guard)

    def lines(self, lines: str) -> str:
        """Return lines to copy as they are or not at all."""
        size = len(content(lines).encode()) + 4 * AROUND
        if size > self.left:
            self.cut = True
            return ""
        self.left -= size
        return lines

    def marked(self, html: Markup) -> Markup:
        """Return the beginning of an example's text, in which marks are the only tags."""
        most = max(MIN_CHARS, self.left // 2)
        if len(html.encode()) <= most:
            self.left -= len(html.encode())
            return html
        self.cut, kept = True, []
        for number, piece in enumerate(_TAG.split(html)):
            if number % 2:
                most -= len(piece)
                kept.append(piece)
                continue
            text = unescape(piece)[: max(0, most)]
            most -= len(content(text).encode())
            kept.append(content(text))
            if most <= 0:
                break
        closed = "</var>" * (kept.count("</var>") < sum(each.startswith("<var") for each in kept))
        self.left -= len("".join(kept))
        return Markup(f"{''.join(kept)}{closed}\n…")  # noqa: S704 - escaped here


_FORMS: dict[type, Callable[[_Part, Any], Any]] = {
    str: _Part.text, Markup: _Part.prose, tuple: _Part.listed, list: _Part.items, Link: _Part.link,
    documents.Source: _Part.source, CommitEntry: _Part.happening, Head: _Part.head, Payload: _Part.payload,
    Example: _Part.example,
}  # fmt: skip
