"""Pages within a size limit: each part of a page gets the same budget of bytes, and those that need more are shortened.

The page's Markdown has the whole. For a small page this only measures its length.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from html import unescape
from math import isqrt
from typing import Any

from markupsafe import Markup, escape

from xregit.pages import documents
from xregit.pages.change_history import CommitEntry
from xregit.pages.code_samples import CodeSample
from xregit.pages.entity_header import EntityHeader
from xregit.pages.examples import Example
from xregit.pages.links import Link
from xregit.pages.page import ROOT
from xregit.pages.payload_section import PayloadSection
from xregit.pages.renderer import content, render

# A message's part of the 80 kB of a whole page. The theme takes 13 kB, the picture up to 12.
MAX_BYTES = 52_000
# The pages of other entities have at most so many rows of each list, and a document up to so long.
MAX_ROWS, MAX_DOCUMENT_CHARS = 80, 24_000
# A list of groups that is longer is split into parts of so many rows.
MAX_LIST_BYTES = 60_000
# The budget of each part in bytes of HTML, at least and at most, and the steps of the search between them.
MIN_BUDGET, MAX_BUDGET, STEPS = 100, 24_000, 8
# The share of the budget that a source and a text may take, the least of a text, the longest address: none is cut.
SOURCE_SHARE, TEXT_SHARE, MIN_CHARS, MAX_HREF = 8, 4, 40, 600
# All examples together have as much as so many parts: they are what most readers come for.
EXAMPLE_PARTS = 2
# The bytes of tags around one thing, and of "<wbr>" after a character where a line may end.
AROUND, BREAK = 60, 5
# The bytes that a link to another page gains when it is made relative to a message's page.
RELATIVE = 3 * 4 - len(ROOT)
_TAG = re.compile(r"(<[^>]*>)")


def render_within_limit(template: str, **names: object) -> tuple[str, str]:
    """Return the HTML of a template within the limit, and the whole if that is larger, else nothing.

    The template gets as ``cut`` the names of the values that were shortened.
    """
    whole = render(template, cut=frozenset(), **names)
    if _size(whole) <= MAX_BYTES:
        return whole, ""
    low, high, html = MIN_BUDGET, MAX_BUDGET, ""
    for _ in range(STEPS):
        budget = isqrt(low * high)
        shorter = _render_shortened(template, names, budget)
        if _size(shorter) <= MAX_BYTES:
            low, html = budget, shorter
        else:
            high = budget
    return html or _render_shortened(template, names, MIN_BUDGET), whole


def render_rows(template: str, **names: object) -> tuple[str, str]:
    """Return the HTML of a template with the first rows of its lists, and the whole if that has more, else nothing.

    The template gets as ``limit`` how many rows a list may have, and as ``max_chars`` how long a document may be.
    """
    html = render(template, limit=MAX_ROWS, max_chars=MAX_DOCUMENT_CHARS, **names)
    whole = render(template, limit=sys.maxsize, max_chars=sys.maxsize, **names) if 'href="index.md"' in html else ""
    return html, whole


def _render_shortened(template: str, names: Mapping[str, object], budget: int) -> str:
    shorter, cut = dict(names), set()
    for name, value in names.items():
        part = _Part(budget)
        shorter[name] = part.shorten(value)
        if part.cut:
            cut.add(name)
    return render(template, cut=cut, **shorter)


def _size(html: str) -> int:
    return len(html.encode()) + html.count(ROOT[0]) * RELATIVE


class _Part:
    """A part of a page with what remains of its budget; ``cut`` says that something didn't fit."""

    def __init__(self, budget: int) -> None:
        self.budget = self.remaining = budget
        self.cut = False

    def shorten(self, value: Any) -> Any:
        """Return a value of a template, as much of it as fits."""
        method = _METHODS.get(type(value))
        if method is not None:
            return method(self, value)
        if isinstance(value, str):
            return self.text(str(value))
        if hasattr(value, "_make"):
            return value._make(map(self.shorten, value))
        if hasattr(value, "__match_args__"):
            return replace(value, **{name: self.shorten(getattr(value, name)) for name in value.__match_args__})
        return value

    def items(self, values: Iterable[Any]) -> tuple[Any, ...]:
        """Return the first items of a list; a tuple in it is one item, which stays whole."""
        items: list[Any] = []
        for value in values:
            if self.remaining <= 0:
                self.cut = True
                break
            self.remaining -= AROUND
            items.append(tuple(map(self.shorten, value)) if type(value) is tuple else self.shorten(value))
        return tuple(items)

    def text(self, text: str) -> str:
        """Return the beginning of a text."""
        cost = len(escape(text).encode()) + BREAK * sum(map(text.count, "./_"))
        limit = max(MIN_CHARS, min(self.remaining, self.budget // TEXT_SHARE))
        if cost > limit and len(text) > MIN_CHARS:
            self.cut = True
            text = f"{text[: max(MIN_CHARS, len(text) * limit // cost)]}…"
            cost = limit
        self.remaining -= cost
        return text

    def prose(self, html: Markup) -> Markup:
        """Return a description, as plain text where it is shortened."""
        if len(html.encode()) <= min(self.remaining, self.budget // TEXT_SHARE):
            self.remaining -= len(html.encode())
            return html
        return Markup(f"<p>{escape(self.text(html.striptags()))}</p>")  # noqa: S704 - escaped here

    def link(self, link: Link) -> Link:
        href = link.href if len(link.href) <= MAX_HREF else ""
        self.cut = self.cut or href != link.href
        self.remaining -= len(href)
        return Link(self.text(link.text), href, self.text(link.note), self.text(link.title))

    def source(self, source: documents.Source) -> documents.Source:
        """Return a source whole or not at all."""
        size = len(content(source.text).encode())
        if size <= min(self.remaining, self.budget // SOURCE_SHARE):
            self.remaining -= size
            return source
        self.cut = True
        return documents.Source(reason=f"The text is long, {len(source.text):,} characters.")

    def commit(self, commit: CommitEntry) -> CommitEntry:
        changes = self.items(commit.changes)
        more = commit.more + len(commit.changes) - len(changes)
        author, subject = self.text(commit.author), self.text(commit.subject)
        return replace(commit, author=author, subject=subject, changes=changes, more=more)

    def header(self, header: EntityHeader) -> Any:
        """Return a header; its other fields are short, or links."""
        return self.fields(header, "name", "description", "deprecation", "owners")

    def payload(self, payload: PayloadSection) -> Any:
        return self.fields(payload, *payload._fields)

    def fields(self, value: Any, *names: str) -> Any:
        """Return a value of which each named field has the budget of a part."""
        shorter: dict[str, Any] = {}
        for name in names:
            part = _Part(self.budget)
            shorter[name] = part.shorten(getattr(value, name))
            self.cut = self.cut or part.cut
        return value._replace(**shorter) if hasattr(value, "_replace") else replace(value, **shorter)

    def sequence(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return a list; of examples all, with the same budget for each."""
        if not values or type(values[0]) is not Example:
            return self.items(values)
        parts = [_Part(EXAMPLE_PARTS * self.budget // len(values)) for _ in values]
        shorter = tuple(part.shorten(each) for part, each in zip(parts, values, strict=True))
        self.cut = self.cut or any(part.cut for part in parts)
        return shorter

    def example(self, example: Example) -> Example:
        """Return an example, with its commands whole or not at all; the payload is further down too."""
        command = example.create_command
        return replace(
            example,
            text=self.marked(example.text),
            create_command=self.lines(command) or self.lines(command.rpartition("\n")[2]),
            send_command=self.lines(example.send_command),
            authorization=example.authorization and self.link(example.authorization),
            title=self.text(example.title),
            reason=self.text(example.reason),
        )

    def sample(self, sample: CodeSample) -> CodeSample:
        """Return the programs of a language, each whole or not at all."""
        return sample._replace(send=self.lines(sample.send), receive=self.lines(sample.receive))

    def lines(self, lines: str) -> str:
        """Return lines to copy whole or not at all."""
        size = len(content(lines).encode()) + 4 * AROUND
        if size > self.remaining:
            self.cut = True
            return ""
        self.remaining -= size
        return lines

    def marked(self, html: Markup) -> Markup:
        """Return the beginning of an example's text, in which marks are the only tags."""
        limit = max(MIN_CHARS, self.remaining // 2)
        if len(html.encode()) <= limit:
            self.remaining -= len(html.encode())
            return html
        self.cut, pieces = True, []
        for number, piece in enumerate(_TAG.split(html)):
            if number % 2:
                limit -= len(piece)
                pieces.append(piece)
                continue
            text = content(unescape(piece)[: max(0, limit)])
            limit -= len(text.encode())
            pieces.append(text)
            if limit <= 0:
                break
        end = "</var>" * (pieces.count("</var>") < sum(each.startswith("<var") for each in pieces))
        self.remaining -= len("".join(pieces))
        return Markup(f"{''.join(pieces)}{end}\n…")  # noqa: S704 - escaped here


_METHODS: dict[type, Callable[[_Part, Any], Any]] = {
    str: _Part.text, Markup: _Part.prose, tuple: _Part.sequence, list: _Part.items, Link: _Part.link,
    documents.Source: _Part.source, CommitEntry: _Part.commit, EntityHeader: _Part.header,
    PayloadSection: _Part.payload, Example: _Part.example, CodeSample: _Part.sample,
}  # fmt: skip
