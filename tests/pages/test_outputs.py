"""What a served site writes again: what has changed, and all of it where that is around every page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from mkdocs.config import load_config
from mkdocs.structure.files import File, Files

from xregit.pages.outputs import Outputs
from xregit.pages.page import Page

if TYPE_CHECKING:
    from pathlib import Path

LIST, MESSAGE, OTHER = Page("all/", "All", "", listed=True), Page("a/", "A", "1"), Page("b/", "B", "1")
PAGES = (LIST, MESSAGE, OTHER)
STANDING = {page.address for page in PAGES}


@dataclass
class Site:
    """A folder with a configuration, a hand-written page, and what was built from them so far."""

    root: Path
    outputs: Outputs = field(default_factory=Outputs)

    @property
    def about(self) -> Path:
        """The hand-written page as it was built."""
        return self.root / "site/about/index.html"

    def begin(self, pages: tuple[Page, ...] = PAGES, *, dirty: bool = True) -> Outputs:
        """Begin to build."""
        config = load_config(str(self.root / "mkdocs.yml"))
        file = File("about.md", config.docs_dir, config.site_dir, use_directory_urls=True)
        self.outputs.begin(pages, Files([file]), config, dirty=dirty)
        return self.outputs

    def build(self, pages: tuple[Page, ...] = PAGES) -> None:
        """Build it: each page as HTML and Markdown, and the hand-written one."""
        self.begin(pages)
        for name in (f"{page.address}{name}" for page in pages for name in ("index.html", "index.md")):
            (self.root / "site" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / "site" / name).touch()
        self.about.parent.mkdir(exist_ok=True)
        self.about.touch()
        self.outputs.end(pages)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Return a site that has been built."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/about.md").write_text("# About\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: Test\ntheme: {name: null, custom_dir: docs}\nplugins: []\n")
    made = Site(tmp_path)
    made.build()
    return made


def test_what_is_the_same_stands(site: Site) -> None:
    """Where nothing has changed, nothing is written."""
    outputs = site.begin()
    assert (outputs.anew, set(outputs.pages)) == (False, STANDING)
    assert site.about.is_file()


def test_changed_page_is_written(site: Site) -> None:
    """One whose contents differ is written, and again if the build that was to write it has failed."""
    changed = (LIST, MESSAGE, replace(OTHER, html="2"))
    for _ in range(2):
        outputs = site.begin(changed)
        assert (outputs.anew, set(outputs.pages)) == (False, STANDING - {OTHER.address})
    site.build(changed)
    assert site.begin(changed).pages.keys() == STANDING


def test_page_that_is_gone_is_removed(site: Site) -> None:
    """Neither its HTML nor its Markdown stays; the other pages do."""
    assert site.begin((LIST, MESSAGE)).anew is False
    left = {path.relative_to(site.root / "site").as_posix() for path in (site.root / "site").rglob("index.*")}
    assert left == {"all/index.html", "all/index.md", "a/index.html", "a/index.md", "about/index.html"}


@pytest.mark.parametrize("name", ["mkdocs.yml", "docs/about.md"])
def test_changed_source_writes_all(site: Site, name: str) -> None:
    """Configuration and hand-written pages may show on any page, in its navigation if nowhere else."""
    (site.root / name).write_text((site.root / name).read_text() + "\n")
    outputs = site.begin()
    assert (outputs.anew, outputs.pages) == (True, {})
    assert not site.about.exists()


@pytest.mark.parametrize(
    "pages",
    [
        (replace(LIST, title="Everything"), MESSAGE, OTHER),
        (replace(LIST, address="everything/"), MESSAGE, OTHER),
        (MESSAGE, OTHER),
        (*PAGES, Page("more/", "More", "", listed=True)),
    ],
    ids=["title", "address", "less", "more"],
)
def test_changed_navigation_writes_all(site: Site, pages: tuple[Page, ...]) -> None:
    """All pages name those that are listed."""
    outputs = site.begin(pages)
    assert (outputs.anew, outputs.pages) == (True, {})


def test_clean_build_writes_all(site: Site) -> None:
    """Whoever asks for it gets everything anew."""
    outputs = site.begin(dirty=False)
    assert (outputs.anew, outputs.pages) == (True, {})
