"""A finished page as Markdown, for programs that read text: the same words, tables, links and code.

It reads the HTML of our own templates and of cleaned descriptions, which is so regular that one pass over tags will do.
Most lines of a page are on others too, so that each is converted once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from html import unescape

from xregit.pages.page import Page

_TAG = re.compile(r'(<(?>[^<>"]*(?:"[^"]*"[^<>"]*)*)>)')
_NAME = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]*")
# Tags without a form in Markdown, of which pages have so many that they are removed first, at once.
_INLINE_TAGS = ("<wbr>", '<var class="xr-var">', "</var>", "<ins>", "</ins>", "<del>", "</del>")
# Around a block of code, whose only tags mark the values of placeholders. A line with a tag is next.
_BLOCK, _CODE, _BLOCK_END = '\n<div class="xr-code', "<code", "</code></pre></div>"
# Elements without text for a reader.
_SILENT = re.compile(r"<(svg|nav)\b.*?</\1>", re.DOTALL)
_HREF = re.compile(r'href="([^"]*)"')
_SPACE = re.compile(r"\s+")
_BLANK = re.compile(r"\n\n\n+")  # faster than a count
_ESCAPES = str.maketrans({char: f"\\{char}" for char in "\\`*_[]|<>"})
# The Markdown before and after the text of an element; other elements have none.
OPENING = {
    "h1": "\n\n# ", "h2": "\n\n## ", "h3": "\n\n### ", "h4": "\n\n#### ", "h5": "\n\n##### ", "h6": "\n\n###### ",
    "p": "\n\n", "dl": "\n", "dd": ": ", "summary": "\n\n", "br": " ", "strong": "**",
    "em": "*", "blockquote": "\n\n> ", "label": "\n\n", "table": "\n\n", "hr": "\n\n---\n\n",
}  # fmt: skip
CLOSING = {
    "h1": "\n", "h2": "\n", "h3": "\n", "h4": "\n", "h5": "\n", "h6": "\n", "p": "\n", "ul": "\n", "ol": "\n",
    "dl": "\n", "strong": "**", "em": "*", "label": "\n", "summary": "\n", "table": "\n\n",
}  # fmt: skip
# Elements inside a cell with a space before them.
SPACED = frozenset({"p", "br", "dd", "small", "span"})
# Elements that may begin an item.
BEGINNING = frozenset({"p", "summary"})
MAX_CACHED = 16_384
# The state between two lines: inside code, inside a cell, the number of cells of the row, the targets of open links,
# the number of open lists, and whether an item has just begun.
_State = tuple[bool, bool, int, tuple[str, ...], int, bool]
_START: _State = (False, False, 0, (), 0, False)


def to_markdown(page: Page) -> str:
    """Return a page as Markdown; links stay relative to the page's address, and lead to its folders."""
    html = page.whole or page.html
    if "<svg" in html:
        html = _SILENT.sub("", html)
    return _BLANK.sub("\n\n", "".join(_convert(f"\n<main>{html}"))).strip() + "\n"


def _convert(html: str) -> Iterator[str]:
    """Yield the Markdown of a page, blocks of code and lines in turn."""
    state = _START
    for number, part in enumerate(html.split(_BLOCK)):
        rest = part
        if number:
            block, _, rest = part.partition(_BLOCK_END)
            code = block.partition(_CODE)[2].partition(">")[2]
            yield _fence(_unescape(_strip_inline_tags(code)))
            state = (*state[:-1], False)
        # Cut before each cell, and before each line that begins with a tag, whose first character is left out.
        _, *lines = rest.replace("</td><td", "</td>\n<td").split("\n<")
        for line in _join_preformatted(lines) if "</pre>" in rest else lines:
            text, state = _convert_line(line, state)
            yield text


def _join_preformatted(lines: Iterable[str]) -> Iterator[str]:
    pending: list[str] = []
    for line in lines:
        pending.append(line)
        if "<pre" not in f"<{pending[0]}" or "</pre>" in line:
            yield "\n<".join(pending)
            pending = []
    yield from pending


@lru_cache(maxsize=MAX_CACHED)
def _convert_line(line: str, state: _State) -> tuple[str, _State]:
    """Return a line as Markdown, and the state after it."""
    writer, html = _LineWriter(state), f"\n<{line}"
    if "<nav" in html:
        html = _SILENT.sub("", html)
    return writer.convert(_strip_inline_tags(html)), writer.state


def _strip_inline_tags(html: str) -> str:
    for tag in _INLINE_TAGS if "<" in html else ():
        html = html.replace(tag, "")
    return html


class _LineWriter:
    """One pass over a line; ``code`` is "pre" or "code" inside such an element, ``links`` has targets of open links."""

    def __init__(self, state: _State) -> None:
        self.out: list[str] = []
        in_code, self.in_cell, self.cells, links, self.lists, self.after_item = state
        self.links = list(links)
        self.code, self.code_start = "code" if in_code else "", 0

    @property
    def state(self) -> _State:
        return bool(self.code), self.in_cell, self.cells, tuple(self.links), self.lists, self.is_after_item

    @property
    def is_after_item(self) -> bool:
        return self.out[-1].endswith("- ") if self.out else self.after_item

    def convert(self, html: str) -> str:
        first, *pieces = _TAG.split(html)
        self.text(first)
        for tag, text in zip(pieces[::2], pieces[1::2], strict=True):
            if tag.startswith("<a "):
                self.link(tag)
            else:
                self.tag(tag)
            if text and (text != "\n" or self.code):  # templates put most elements on lines of their own
                self.text(text)
        return "".join(self.out)

    def text(self, text: str) -> None:
        if self.code == "pre":
            self.out.append(_unescape(text))
        elif self.code:
            code = _unescape(text).replace("\n", " ").replace("`", "'")
            self.out.append(code.replace("|", "\\|") if self.in_cell else code)
        else:
            self.out.append(_escape(text))

    def tag(self, tag: str) -> None:
        key, name = _tag_names(tag)
        if key in _METHODS:
            _METHODS[key](self, name)
        elif key.startswith("</"):
            if name in CLOSING and not self.in_cell:
                self.out.append(CLOSING[name])
        elif self.in_cell:
            if name in SPACED:
                self.out.append(" ")
        elif name in OPENING and (name not in BEGINNING or not self.is_after_item):
            self.out.append(OPENING[name])

    def link(self, tag: str) -> None:
        match = _HREF.search(tag)
        self.links.append(unescape(match[1]) if match else "")
        self.out.append("[")

    def end_link(self, _: str) -> None:
        self.out.append(f"]({self.links.pop()})" if self.links else "]")

    def pre(self, _: str) -> None:
        self.code = "pre"
        self.code_start = len(self.out)

    def end_pre(self, _: str) -> None:
        self.code = ""
        self.out[self.code_start :] = [_fence("".join(self.out[self.code_start :]))]

    def inline_code(self, _: str) -> None:
        if not self.code:
            self.code = "code"
            self.out.append("`")

    def end_inline_code(self, _: str) -> None:
        if self.code == "code":
            self.code = ""
            self.out.append("`")

    def row(self, _: str) -> None:
        self.cells = 0
        self.out.append("\n| ")

    def cell(self, _: str) -> None:
        self.in_cell = True
        self.cells += 1

    def end_cell(self, _: str) -> None:
        self.in_cell = False
        self.out.append(" | ")

    def end_head(self, _: str) -> None:
        self.out.append("\n|" + " --- |" * self.cells)

    def begin_list(self, name: str) -> None:
        if not self.in_cell:
            self.lists += 1
            self.out.append(OPENING.get(name, "") if self.lists == 1 else "")

    def end_list(self, name: str) -> None:
        if not self.in_cell:
            self.lists -= 1
            self.out.append("" if self.lists else CLOSING[name])

    def begin_item(self, _: str) -> None:
        self.out.append(" " if self.in_cell else f"\n{'  ' * (self.lists - 1)}- ")


_METHODS: dict[str, Callable[[_LineWriter, str], None]] = {
    "<a": _LineWriter.link, "</a": _LineWriter.end_link, "<pre": _LineWriter.pre, "</pre": _LineWriter.end_pre,
    "<code": _LineWriter.inline_code, "</code": _LineWriter.end_inline_code,
    "<tr": _LineWriter.row, "</thead": _LineWriter.end_head,
    "<td": _LineWriter.cell, "<th": _LineWriter.cell, "</td": _LineWriter.end_cell, "</th": _LineWriter.end_cell,
    "<ul": _LineWriter.begin_list, "<ol": _LineWriter.begin_list, "<dl": _LineWriter.begin_list,
    "</ul": _LineWriter.end_list, "</ol": _LineWriter.end_list, "</dl": _LineWriter.end_list,
    "<li": _LineWriter.begin_item, "<dt": _LineWriter.begin_item,
}  # fmt: skip


@lru_cache(maxsize=MAX_CACHED)
def _tag_names(tag: str) -> tuple[str, str]:
    """Return the name of a tag with its first characters, such as ``</p``, and the name of the element."""
    match = _NAME.match(tag)
    key = match[0].lower() if match else ""
    return key, key.lstrip("</")


def _unescape(text: str) -> str:
    """Return a text with its entities read, those that templates write most before the rest."""
    if "&" not in text:
        return text
    return unescape(text.replace("&#34;", '"').replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">"))


@lru_cache(maxsize=MAX_CACHED)
def _escape(text: str) -> str:
    """Return a text of the page with the special characters of Markdown escaped."""
    text = _unescape(text)
    if text.isspace():
        return " " if text.startswith(" ") else ""
    return _SPACE.sub(" ", text).translate(_ESCAPES)


def _fence(text: str) -> str:
    """Return a text between fences that are longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"\n\n{fence}\n{text}\n{fence}\n"
