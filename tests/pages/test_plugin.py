"""The plugin under a theme and beside plugins of others: what it needs of them, and what it tells."""

from __future__ import annotations

import filecmp
import re
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from tests.benchmarks.synthetic import write_registry
from tests.catalog.folders import folder
from tests.pages.small import small_folder
from xregit.errors import XregitError
from xregit.pages.builder import build_site
from xregit.pages.search import PLUGIN, Entry, pop_theme_entries

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

CONFIG = "site_name: Test\ntheme: {name: null, custom_dir: theme}\nplugins: [xregit]\n"
THEME = """<html><head><title>{{ page.title }}</title>
{% for path in config.extra_css %}<link rel="stylesheet" href="{{ path | url }}">{% endfor %}
{% for path in config.extra_javascript %}<script src="{{ path | url }}"></script>{% endfor %}
</head><body>{{ page.content }}<script>"of the theme"</script><nav>{% for item in nav.pages %}
{{ item.file.src_uri }}{% endfor %} </nav></body></html>
"""
HOOK = """
def on_post_page(output, page, config):
    return output.replace("</html>", "<!-- seen --></html>")
"""
MESSAGE = "messagegroups/doors/messages/doors.opened/index.html"


@pytest.fixture(autouse=True)
def plain(tmp_path: Path) -> None:
    """Write the configuration of a site without Material and its search."""
    for name, text in {
        "mkdocs.yml": CONFIG,
        "theme/main.html": THEME,
        "docs/b.md": "# B\n",
        "docs/a.md": "# A\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)


def test_any_theme_frames_pages(tmp_path: Path) -> None:
    """A theme without search and table of contents is enough; its scripts are in files, ours and the styles named."""
    build_site(small_folder(tmp_path), tmp_path / "site", tmp_path / "mkdocs.yml")
    assert not (tmp_path / "site/search").exists()
    text = (tmp_path / "site" / MESSAGE).read_text()
    assert "A door was <strong>opened</strong>." in text
    for part in ("assets/xregit.css", "assets/xregit.js", "assets/inline/", "index.md"):
        assert f'="{"../" * 4 * (part != "index.md")}{part}' in text
    assert '"of the theme"' not in text
    listed = text.partition("<nav>")[2].split()
    assert listed[0] == "index.md"
    assert [each for each in listed if each in {"all-messages/index.md", "a.md", "b.md"}] == [
        "all-messages/index.md",
        "a.md",
        "b.md",
    ]


@pytest.mark.parametrize(("count", "last"), [(10, "m9.yaml:1:4: "), (12, '2 more; "xregit check" lists all')])
def test_files_that_cannot_be_read_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], count: int, last: str
) -> None:
    """Ten are named, each with its place and what to do; of the others it says how many they are."""
    broken = {f"messagegroups/doors/messages/m{number:x}.yaml": "a: [" for number in range(count)}
    build_site(folder(tmp_path / "broken", broken), tmp_path / "site", tmp_path / "mkdocs.yml")
    results = [line for line in capsys.readouterr().err.splitlines() if line.startswith("site: xregit: ")]
    assert results[0].endswith("/messages/m0.yaml:1:4: The bracket that opens here is not closed. Close it.")
    assert len(results) == min(count, 11)
    assert last in results[-1]


@pytest.mark.parametrize("address", ["http://[::1", "javascript:alert(1)", "http:"])
def test_manual_is_at_a_safe_address(tmp_path: Path, address: str) -> None:
    """Its address becomes a link of the page of help."""
    (tmp_path / "mkdocs.yml").write_text(CONFIG.replace("[xregit]", f'[{{xregit: {{manual: "{address}"}}}}]'))
    with pytest.raises(XregitError, match=re.escape(f'"manual" is "{address}"; give an http or https URL, or a path')):
        build_site(small_folder(tmp_path), tmp_path / "site", tmp_path / "mkdocs.yml")


def test_search_entries_of_others_are_taken() -> None:
    """Their HTML is read as text, a section named after its page, and nothing left for every page to load."""
    entries: list[object] = [
        {"location": "guide/#first", "title": "First", "text": ""},
        {"location": "guide/", "title": "Guide &amp; <em>more</em>", "text": "<p>Read <b>it</b></p>", "tags": ["a", 1]},
        {"location": "lost/#last", "title": "Last", "text": "", "tags": None},
    ]
    search = SimpleNamespace(search_index=SimpleNamespace(entries=entries))
    assert pop_theme_entries(cast("MkDocsConfig", SimpleNamespace(plugins={PLUGIN: search}))) == [
        Entry("guide/#first", "First · Guide & more"),
        Entry("guide/", "Guide & more", "Read it", ("a", "1")),
        Entry("lost/#last", "Last"),
    ]
    assert entries == []


def test_plugins_that_look_at_pages_see_ours(tmp_path: Path) -> None:
    """A hook for each page is shown those of messages too, which are else as they would be."""
    registry = write_registry(tmp_path / "registry", 20)
    (tmp_path / "hook.py").write_text(HOOK)
    config = "site_name: Test\ntheme: {name: material, font: false}\nplugins: [search, xregit]\n"
    for name, more in {"without": "", "with": "hooks: [hook.py]\n"}.items():
        (tmp_path / "mkdocs.yml").write_text(config + more)
        build_site(registry, tmp_path / name, tmp_path / "mkdocs.yml")
    pages = [path.relative_to(tmp_path / "with") for path in (tmp_path / "with").rglob("index.html")]
    assert len([path for path in pages if path.parts[0] == "messagegroups" and len(path.parts) == 5]) == 20
    for path in pages:
        text = (tmp_path / "with" / path).read_text()
        assert "<!-- seen -->" in text
        # Where a hook may put a script into a page, no policy forbids it.
        without = re.sub(
            '<meta http-equiv="Content-Security-Policy"[^>]*>', "", (tmp_path / "without" / path).read_text()
        )
        assert text.replace("<!-- seen -->", "") == without
    assert set(_differing(tmp_path / "with", tmp_path / "without")) <= {*map(str, pages)}


def _differing(one: Path, other: Path) -> list[str]:
    """Return the files, by their paths, that are not in both folders with the same bytes."""
    results = {str(path.relative_to(folder)) for folder in (one, other) for path in folder.rglob("*") if path.is_file()}
    _, differing, missing = filecmp.cmpfiles(one, other, results, shallow=False)
    return [*differing, *missing]
