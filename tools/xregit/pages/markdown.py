"""A finished page to Markdown, for machines that read text: the same words, tables, links and code.

It reads the HTML of our own templates and of cleaned descriptions, which is so regular that a pass over tags will do.
Most lines of a page stand on others too, so that each is read once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xregit.pages.page import Page

_TAG = re.compile(r'(<[^<>"]*+(?:"[^"]*+"[^<>"]*+)*+>)')
_NAME = re.compile(r"</?[a-zA-Z][a-zA-Z0-9]*")
# Tags that never leave a trace, and of which pages have so many that they are taken out beforehand, at once.
_TRACELESS = ("<wbr>", '<var class="xr-var">', "</var>")
# Around a block of code: what stands for a placeholder is all that may be marked in it. A line with a tag is next.
_BLOCK, _CODE, _BLOCK_END = '\n<div class="xr-code', "<code", "</code></pre></div>"
# What stands on a page for the eye alone.
_SILENT = re.compile(r"<(svg|nav)\b.*?</\1>", re.DOTALL)
# A drawing for wide windows, and what stands in its boxes: those before the channel send, those after it receive.
_DIAGRAM = '<svg class="xr-diagram"'
_DRAWING = re.compile(r'<div class="xr-scroll xr-wide"[^<>]*>\s*<svg class="xr-diagram"(.*?)</svg>\s*</div>', re.DOTALL)
_BOX = re.compile(r'<g class="xr-box xr-(\w+)[^<>]*>(.*?)</g>', re.DOTALL)
_BOX_LINE = re.compile(
    r'(<a href="[^"]*">)?<text\b[^<>]*?(xr-small[^<>]*)?>(?:<title>([^<]*)</title>)?'
    r"([^<]*)(?:<tspan[^<>]*>([^<]*)</tspan>)?</text>"
)
_HREF = re.compile(r'href="([^"]*)"')
_SPACE = re.compile(r"\s+")
_BLANK = re.compile(r"\n\n\n+")  # three beside each other, which are found sooner than a count
_TICKS = re.compile("`{3,}")
_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_[]|<>"})
# What stands before and after the text of an element; elements that are not named leave no trace.
OPENING = {
    "h1": "\n\n# ", "h2": "\n\n## ", "h3": "\n\n### ", "h4": "\n\n#### ", "h5": "\n\n##### ", "h6": "\n\n###### ",
    "p": "\n\n", "dl": "\n", "dd": ": ", "summary": "\n\n", "br": " ", "strong": "**",
    "em": "*", "blockquote": "\n\n> ", "label": "\n\n", "table": "\n\n", "hr": "\n\n---\n\n",
}  # fmt: skip
CLOSING = {
    "h1": "\n", "h2": "\n", "h3": "\n", "h4": "\n", "h5": "\n", "h6": "\n", "p": "\n", "ul": "\n", "ol": "\n",
    "dl": "\n", "strong": "**", "em": "*", "label": "\n", "summary": "\n", "table": "\n\n",
}  # fmt: skip
# Elements inside a cell whose text stands apart from that before them.
APART = frozenset({"p", "br", "dd", "small", "span"})
# Elements that may begin an item.
BEGINNING = frozenset({"p", "summary"})
MAX_TAGS = 1_024
MAX_TEXTS = 16_384
# What a page is like between two lines: in code or not, in a cell or not, how many cells the row has, where the links
# lead that are not closed, in how many lists it is, and whether an item has just begun.
_State = tuple[bool, bool, int, tuple[str, ...], int, bool]
_START: _State = (False, False, 0, (), 0, False)


def to_markdown(page: Page) -> str:
    """Return a page as Markdown; links stay relative to the page's address, and lead to its folders."""
    html = page.whole or page.html
    if _DIAGRAM in html:
        html = _SILENT.sub("", _DRAWING.sub(_drawn, html))
    return _BLANK.sub("\n\n", "".join(_converted(f"\n<main>{html}"))).strip() + "\n"


def _drawn(drawing: re.Match[str]) -> str:
    """Return a drawing of who sends to whom as a list, in the order of the drawing."""
    role, items = "sends", []
    for kind, inside in _BOX.findall(drawing[1]):
        lines = _BOX_LINE.findall(inside)
        role = ("through" if lines and lines[0][1] else "channel") if kind == "channel" else role
        said = ", ".join(f"{link}{full or text + rest}{'</a>' if link else ''}" for link, _, full, text, rest in lines)
        items.append(f"\n<li>{role}: {said}</li>")
        role = "receives" if kind == "channel" else role
    return f"\n<ul>{''.join(items)}\n</ul>"


def _converted(html: str) -> Iterator[str]:
    state = _START
    for number, part in enumerate(html.split(_BLOCK)):
        rest = part
        if number:
            block, _, rest = part.partition(_BLOCK_END)
            _, _, code = block.partition(_CODE)
            _, _, said = code.partition(">")  # which is long and a page's own
            yield _fenced(_read(_traceless(said) if "<" in said else said))
            state = (*state[:-1], False)
        for line in _lines(rest):
            text, state = _known(line, state)
            yield text


def _lines(html: str) -> list[str]:
    """Cut HTML before each cell, and each line that begins with a tag, whose first sign is left out.

    Preformatted text stays whole.
    """
    _, *lines = html.replace("</td><td", "</td>\n<td").split("\n<")
    return list(_whole(lines)) if "</pre>" in html else lines


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """Put preformatted text together again."""
    held: list[str] = []
    for line in lines:
        held.append(line)
        if "<pre" not in f"<{held[0]}" or "</pre>" in line:
            yield "\n<".join(held)
            held = []
    yield from held


def _written(line: str, state: _State) -> tuple[str, _State]:
    """Return a line as Markdown, and what the page is like behind it."""
    writing, html = _Writing(state), f"\n<{line}"
    if "<nav" in html or "<svg" in html:
        html = _SILENT.sub("", html)
    return "".join(writing.written(_traceless(html))), writing.state


def _traceless(html: str) -> str:
    for tag in _TRACELESS:
        html = html.replace(tag, "")
    return html


_known = lru_cache(maxsize=MAX_TEXTS)(_written)


class _Writing:
    """One pass over a line; ``cells`` counts those of a row, ``lists`` those around; ``held`` has where links lead."""

    def __init__(self, state: _State) -> None:
        self.out: list[str] = []
        inline, self.cell, self.cells, held, self.lists, self.item = state
        self.held = list(held)
        self.code, self.began = "code" if inline else "", 0

    @property
    def state(self) -> _State:
        return bool(self.code), self.cell, self.cells, tuple(self.held), self.lists, self.begun_item

    @property
    def begun_item(self) -> bool:
        return self.out[-1].endswith("- ") if self.out else self.item

    def written(self, html: str) -> list[str]:
        pieces = _TAG.split(html)
        self.text(pieces[0])
        for tag, text in zip(pieces[1::2], pieces[2::2], strict=True):
            if tag.startswith("<a "):
                self.link(tag)
            else:
                act, said = _act(tag)
                if act is not None:
                    act(self, said)
            if text and (text != "\n" or self.code):  # templates put most elements on lines of their own
                self.text(text)
        return self.out

    def text(self, text: str) -> None:
        if self.code == "pre":
            self.out.append(_read(text))
        elif self.code:
            self.out.append(_coded(text, in_cell=self.cell))
        else:
            self.out.append(_escaped(text))

    def link(self, tag: str) -> None:
        found = _HREF.search(tag)
        self.held.append(unescape(found[1]) if found else "")
        self.out.append("[")

    def end_link(self, _: str) -> None:
        self.out.append(f"]({self.held.pop()})" if self.held else "]")

    def pre(self, _: str) -> None:
        self.code = "pre"
        self.began = len(self.out)

    def end_pre(self, _: str) -> None:
        self.code = ""
        self.out[self.began :] = [_fenced("".join(self.out[self.began :]))]

    def inline(self, _: str) -> None:
        if not self.code:
            self.code = "code"
            self.out.append("`")

    def end_inline(self, _: str) -> None:
        if self.code == "code":
            self.code = ""
            self.out.append("`")

    def row(self, _: str) -> None:
        self.cells = 0
        self.out.append("\n| ")

    def begin_cell(self, _: str) -> None:
        self.cell = True
        self.cells += 1

    def end_cell(self, _: str) -> None:
        self.cell = False
        self.out.append(" | ")

    def end_head(self, _: str) -> None:
        self.out.append("\n|" + " --- |" * self.cells)

    def begin(self, name: str) -> None:
        if self.cell:
            self.out.append(" " if name in APART else "")
        elif name not in BEGINNING or not self.begun_item:
            self.out.append(OPENING.get(name, ""))

    def begin_list(self, name: str) -> None:
        if not self.cell:
            self.lists += 1
            self.out.append(OPENING.get(name, "") if self.lists == 1 else "")

    def end_list(self, name: str) -> None:
        if not self.cell:
            self.lists -= 1
            self.out.append("" if self.lists else CLOSING[name])

    def begin_item(self, _: str) -> None:
        self.out.append(" " if self.cell else f"\n{'  ' * (self.lists - 1)}- ")

    def end(self, name: str) -> None:
        if not self.cell:
            self.out.append(CLOSING[name])


_Act = Callable[[_Writing, str], None]
_ACTS: dict[str, _Act] = {
    "<a": _Writing.link, "</a": _Writing.end_link, "<pre": _Writing.pre, "</pre": _Writing.end_pre,
    "<code": _Writing.inline, "</code": _Writing.end_inline, "<tr": _Writing.row, "</thead": _Writing.end_head,
    "<ul": _Writing.begin_list, "<ol": _Writing.begin_list, "<dl": _Writing.begin_list, "<li": _Writing.begin_item,
    "</ul": _Writing.end_list, "</ol": _Writing.end_list, "</dl": _Writing.end_list, "<dt": _Writing.begin_item,
    "<td": _Writing.begin_cell, "<th": _Writing.begin_cell, "</td": _Writing.end_cell, "</th": _Writing.end_cell,
}  # fmt: skip


@lru_cache(maxsize=MAX_TAGS)
def _act(tag: str) -> tuple[_Act | None, str]:
    """Return what a tag does to what is written, and the name of its element."""
    found = _NAME.match(tag)
    known = found[0].lower() if found else ""
    name = known.lstrip("</")
    if known in _ACTS:
        return _ACTS[known], name
    if known.startswith("</"):
        return (_Writing.end if name in CLOSING else None), name
    return (_Writing.begin if name in OPENING or name in APART else None), name


def _read(text: str) -> str:
    """Return a text with its entities read, the ones that templates write most of before the rest."""
    if "&" not in text:
        return text
    return unescape(text.replace("&#34;", '"').replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">"))


@lru_cache(maxsize=MAX_TEXTS)
def _coded(text: str, *, in_cell: bool) -> str:
    """Return a text of the page as it stands between ticks."""
    return _read(text).replace("\n", " ").replace("`", "'").replace("|", "\\|" if in_cell else "|")


@lru_cache(maxsize=MAX_TEXTS)
def _escaped(text: str) -> str:
    """Return a text of the page without signs of Markdown; pages name the same things over and over."""
    said = _read(text)
    if said.isspace():
        return " " * (said[:1] == " ")
    # Of all that is space, only the plain one can be printed.
    if not said.isprintable() or "  " in said:
        said = _SPACE.sub(" ", said)
    return said.translate(_ESCAPES)


def _fenced(text: str) -> str:
    """Return a text between fences that it does not hold itself."""
    ticks = _TICKS.findall(text) if "`" in text else ()  # a single sign is found sooner than three
    fence = "`" * (max(map(len, ticks)) + 1 if ticks else 3)
    return f"\n\n{fence}\n{text}\n{fence}\n"
