"""The theme's frame, rendered for few pages, is around every page what the theme itself would put there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages.small import small_folder
from xregit.pages.builder import build_site

OWN = re.compile(r'<meta name="own" content="([^"]*)">')
# A theme that says on each page which it is, so that no page has the frame of another.
TELLING = '{% extends "base.html" %}{% block extrahead %}<meta name="own" content="{{ page.url }}">{% endblock %}'
CONFIG = """\
site_name: Test
site_url: https://docs.example.com/catalog/
theme: {name: material, font: false, custom_dir: theme}
plugins: [search, xregit]
"""
# What ends a title if a theme reads entities in it, as Material does, and a description's attribute.
WICKED = "&lt;/title&gt;<b>&lt;script&gt;alert(1)&lt;/script&gt; \" & '"


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the small registry's site with the theme as it is, and with one that tells pages apart."""
    return {
        name: _site(tmp_path_factory.mktemp(name), said) for name, said in {"plain": "", "telling": TELLING}.items()
    }


def _site(folder: Path, main: str) -> Path:
    registry = small_folder(folder)
    message = registry / "messagegroups/doors/messages/wicked.yaml"
    message.write_text(f"name: '{WICKED.replace(chr(39), chr(39) * 2)}'\ndescription: '\"><script>alert(1)</script>'\n")
    (folder / "theme").mkdir()
    if main:
        (folder / "theme/main.html").write_text(main)
    (folder / "docs").mkdir()
    (folder / "docs/about.md").write_text("# About\n")
    (folder / "mkdocs.yml").write_text(CONFIG)
    build_site(registry, folder / "site", folder / "mkdocs.yml")
    return folder / "site"


def _pages(site: Path) -> dict[str, str]:
    return {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("index.html")}


def test_framed_pages_are_what_the_theme_makes(sites: dict[str, Path]) -> None:
    """But for space between elements and what a theme says of each page, all pages are the same in both sites.

    The one whose title is full of signs is left out: the theme escapes them twice in one place, a frame once.
    """
    plain, telling = (_pages(sites[name]) for name in ("plain", "telling"))
    assert plain.keys() == telling.keys()
    compared = [name for name in plain if "wicked" not in name]
    assert [name for name in compared if _bare(plain[name]) != _bare(OWN.sub("", telling[name]))] == []


def _bare(text: str) -> str:
    return "".join(text.split())


def test_theme_that_tells_pages_apart_is_heard(sites: dict[str, Path]) -> None:
    """Where a frame says more of a page than we know, no page gets that of another."""
    for name, text in _pages(sites["telling"]).items():
        result = OWN.search(text)
        assert result is not None
        assert result[1] in {name.removesuffix("index.html"), "./"}


@pytest.mark.parametrize("name", ["plain", "telling"])
def test_titles_run_no_script(sites: dict[str, Path], name: str) -> None:
    """A name with tags, written out or as entities, is shown as it is and never read as HTML."""
    text = (sites[name] / "messagegroups/doors/messages/wicked/index.html").read_text()
    assert "<script>alert" not in text
    assert "<title>&amp;lt;/title&amp;gt;&lt;b&gt;" in text


def test_frame_is_small(sites: dict[str, Path]) -> None:
    """A frame is free of the lines of space that templates leave, of the first pages of a kind too."""
    framed = {name: text for name, text in _pages(sites["plain"]).items() if "/messages/" in name}
    assert len(framed) > 3
    assert [name for name, text in framed.items() if "\n\n" in text[: text.index("<article")]] == []
