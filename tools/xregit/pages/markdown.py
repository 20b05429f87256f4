"""A finished page to Markdown, for machines that read text: the same words, tables, links and code.

It reads the HTML of our own templates and of cleaned descriptions, which is so regular that a pass over tags will do.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xregit.pages.page import Page

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[^<>\"]++|\"[^\"]*+\")*+)>")
# Tags that never leave a trace, and of which pages have so many that they are taken out beforehand, at once.
_TRACELESS = re.compile(r"</?(?:wbr|var)\b[^<>]*>")
_HREF = re.compile(r'href="([^"]*)"')
_SPACE = re.compile(r"\s+")
_BLANK = re.compile(r"\n{3,}")
_TICKS = re.compile("`{3,}")
_ESCAPED = re.compile(r"[\\`*_\[\]|<>]")
# What stands before and after the text of an element; elements that are not named leave no trace.
OPENING = {
    "h1": "\n\n# ", "h2": "\n\n## ", "h3": "\n\n### ", "h4": "\n\n#### ", "h5": "\n\n##### ", "h6": "\n\n###### ",
    "p": "\n\n", "dl": "\n", "dt": "\n- ", "dd": ": ", "li": "\n- ", "summary": "\n\n", "br": " ", "strong": "**",
    "em": "*", "blockquote": "\n\n> ", "label": "\n\n", "table": "\n\n", "tr": "\n| ", "wbr": "", "hr": "\n\n---\n\n",
}  # fmt: skip
CLOSING = {
    "h1": "\n", "h2": "\n", "h3": "\n", "h4": "\n", "h5": "\n", "h6": "\n", "p": "\n", "ul": "\n", "ol": "\n",
    "dl": "\n", "td": " | ", "th": " | ", "strong": "**", "em": "*", "label": "\n", "summary": "\n", "table": "\n\n",
}  # fmt: skip
# What stands on a page for the eye alone.
SILENT = frozenset({"svg", "nav"})
IN_CELL = frozenset({"td", "th"})
# Elements inside a cell whose text stands apart from that before them.
APART = frozenset({"p", "br", "li", "dt", "dd", "small", "span"})


def to_markdown(page: Page) -> str:
    """Return a page as Markdown; links stay relative to the page's address, and lead to its folders."""
    return _BLANK.sub("\n\n", "".join(_Writing(page.html).parts())).strip() + "\n"


class _Writing:
    """One pass over a page; ``cells`` counts the cells of a row, ``held`` has where links lead."""

    def __init__(self, html: str) -> None:
        self.html = _TRACELESS.sub("", html)
        self.out: list[str] = []
        self.held: list[str] = []
        self.silent, self.code, self.began, self.cell, self.cells = 0, "", 0, False, 0

    def parts(self) -> list[str]:
        end = 0
        for found in _TAG.finditer(self.html):
            self.text(self.html[end : found.start()])
            end = found.end()
            name = found[2].lower()
            if name in SILENT:
                self.silent += -1 if found[1] else 1
            elif not self.silent:
                (self.close if found[1] else self.open)(name, found[3])
        self.text(self.html[end:])
        return self.out

    def text(self, text: str) -> None:
        if self.silent or not text:
            return
        said = _read(text) if "&" in text else text
        if self.code == "pre":
            self.out.append(said)
        elif self.code:
            self.out.append(said.replace("\n", " ").replace("`", "'").replace("|", "\\|" if self.cell else "|"))
        else:
            self.out.append(_escaped(said) if not said.isspace() else " " * (said[:1] == " "))

    def open(self, name: str, attributes: str) -> None:
        if name == "a":
            found = _HREF.search(attributes)
            self.held.append(unescape(found[1]) if found else "")
            self.out.append("[")
        elif name == "pre":
            self.code = "pre"
            self.began = len(self.out)
        elif name == "code":
            if not self.code:
                self.code = "code"
                self.out.append("`")
        elif name in IN_CELL:
            self.cell = True
            self.cells += 1
        elif name == "tr":
            self.cells = 0
            self.out.append(OPENING["tr"])
        elif self.cell:
            self.out.append(" " if name in APART else "")
        elif name != "p" or not self.out or not self.out[-1].endswith("- "):  # a paragraph may begin an item
            self.out.append(OPENING.get(name, ""))

    def close(self, name: str, _: str) -> None:
        if name == "a":
            self.out.append(f"]({self.held.pop()})" if self.held else "]")
        elif name == "pre":
            self.code = ""
            self.out[self.began :] = [_fenced("".join(self.out[self.began :]))]
        elif name == "code":
            if self.code == "code":
                self.code = ""
                self.out.append("`")
        elif name == "thead":
            self.out.append("\n|" + " --- |" * self.cells)
        elif name in IN_CELL:
            self.cell = False
            self.out.append(CLOSING[name])
        elif not self.cell:
            self.out.append(CLOSING.get(name, ""))


def _read(text: str) -> str:
    """Return a text with its entities read, the ones that templates write most of before the rest."""
    return unescape(text.replace("&#34;", '"').replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">"))


def _escaped(text: str) -> str:
    return _ESCAPED.sub(r"\\\g<0>", _SPACE.sub(" ", text))


def _fenced(text: str) -> str:
    """Return a text between fences that it does not hold itself."""
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(text))])
    return f"\n\n{fence}\n{text}\n{fence}\n"
