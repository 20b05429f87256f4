"""What people write as Markdown becomes HTML that runs no script, loads nothing and leads only to safe places."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xregit.pages.links import is_safe
from xregit.pages.prose import TAGS, plain, prose, summary
from xregit.pages.renderer import name_invisible

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/x.png)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' javascript:alert(1)'>x</a>",
    "<a onclick=alert(1) href='https://example.com'>x</a>",
    "<iframe src='https://evil.example'></iframe>",
    "<style>body{background:url(https://evil.example)}</style>",
    "<p style='background:url(https://evil.example)'>x</p>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
    "<form action='https://evil.example'><input></form>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href='https://evil.example/x.css'>",
    "`<script>`</code><script>alert(1)</script>",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
]

_TAG = re.compile(r"<\s*/?\s*([a-zA-Z][a-zA-Z0-9]*)((?:\s+[^<>]*)?)>")


def only_safe(url: str) -> str:
    """Let links that leave the site through if they are safe."""
    return url if is_safe(url) else ""


def is_harmless(html: str) -> bool:
    """Tell whether HTML has only allowed elements, no handler, no style and no dangerous link."""
    for name, attributes in _TAG.findall(html):
        if name.lower() not in TAGS:
            return False
        for href in re.findall(r'href="([^"]*)"', attributes):
            if not is_safe(href):
                return False
        if re.search(r"\b(on\w+|style|src|srcset|id|class)\s*=", attributes):
            return False
    return True


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_disarmed(attack: str) -> None:
    """Nothing that runs, loads or misleads is left of it."""
    assert is_harmless(str(prose(attack, only_safe)))


@given(st.text(alphabet=st.sampled_from("<>/=\"'`[]()!&#;: \nasvgcriptonhefjimdl*_-")))
def test_whatever_is_written_is_harmless(text: str) -> None:
    """No text at all gets anything dangerous through."""
    assert is_harmless(str(prose(text, only_safe)))


@given(st.text())
def test_summary_and_search_text_are_plain(text: str) -> None:
    """Any text has a summary of one line."""
    assert "\n" not in summary(text)
    assert "\n" not in plain(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A door was **opened**. Sent at once.", "A door was opened."),
        ("Version 1.2 of it, e.g. this.", "Version 1.2 of it, e.g. this."),
        ("First\nline.\n\nSecond paragraph.", "First line."),
        ("See `a < b` & more.", "See a < b & more."),
        (f"{'word, ' * 40}end.", f"{'word, ' * 25}word…"),
        (f"{'word ' * 31}words.", f"{'word ' * 30}word…"),
        (f"{'word ' * 31}ends.", f"{'word ' * 31}ends."),
        ("x" * 200, f"{'x' * 160}…"),
        (None, ""),
        (["a"], ""),
    ],
)
def test_summary_is_first_sentence(text: object, expected: str) -> None:
    """The first sentence stands for the whole."""
    assert summary(text) == expected


def test_search_text_is_what_is_read() -> None:
    """The index has all of a description without its mark-up, in the letters that people type."""
    assert plain("See `a < b` & <i>more</i>.\n\n- *One*\n- two\n") == "See a < b & more. One two"


@pytest.mark.parametrize("begun", ["x" * 60_000, "[a](<b" * 8_000])
def test_what_is_too_long_for_markdown_is_shown_as_it_is(begun: str) -> None:
    """Signs and tags of a text that takes too long to convert stay what was written."""
    text = f"{begun} <b>*bold*</b> & more"
    html = str(prose(text, only_safe))
    assert html == f"<pre>{escape(text, quote=False)}</pre>"


def test_markdown_is_rendered() -> None:
    """Lists, code, tables and links come out as such; headings are below the page's own."""
    html = str(prose("# Title\n\n- a `b`\n- [c](https://example.com)\n\n| x |\n|---|\n| y |", only_safe))
    assert all(tag in html for tag in ("<h3>", "<li>", "<code>b</code>", '<a href="https://example.com">', "<td>"))


def test_plain_text_is_escaped() -> None:
    """Text without any mark-up is only escaped."""
    assert str(prose("Tom, \"Dick\" and 'Harry'.\n\nTwo", only_safe)).count("<p>") == 2


QUADRATIC = ["[" * 40_000, "[a](<b" * 8_000, "<![CDATA[" * 5_000, "<http://" * 6_000, "x" + "\n" * 300_000 + "x"]


@pytest.mark.parametrize(
    "text", ["> " * 3000 + "x", "*" * 20_000, "[" * 5000, "- " * 3000, "x" * 60_000 + "*", *QUADRATIC]
)
def test_hostile_depth_is_survived(text: str) -> None:
    """What is nested or long beyond reason is shown somehow, and soon."""
    assert prose(text, only_safe)


def test_what_is_not_seen_is_told() -> None:
    """A sign that turns the following text around, or has no width, stands on the page by its name."""
    assert name_invisible("<p>a\u202egnp\u200b\u200d.exe</p>") == "<p>a[U+202E]gnp[U+200B]\u200d.exe</p>"
