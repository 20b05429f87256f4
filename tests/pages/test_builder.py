"""The built site: every link resolves, nothing is fetched from elsewhere, and a failed build leaves the old one."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.pages.links import links_of, target
from tests.pages.small import small_folder
from xregit.catalog import Registry, read_folder
from xregit.errors import XregitError
from xregit.pages import pages
from xregit.pages.builder import build_site, write_files, write_pages


def test_every_link_resolves(site: Path) -> None:
    """Each link of each page leads to a file of the site, and to an id that is there."""
    result = {path.relative_to(site).as_posix(): links_of(path.read_text()) for path in site.rglob("*.html")}
    broken = [
        (page, href)
        for page, links in result.items()
        if not page.endswith("404.html")
        for href in (*links.linked, *links.loaded)
        if (meant := target(page, href))
        and (
            not (site / meant[0]).is_file()
            or (meant[1] and meant[0] in result and not _has(result[meant[0]].ids, meant))
        )
    ]
    assert broken == []


def _has(ids: set[str], meant: tuple[str, str]) -> bool:
    # Material's own switches and the top of a page need no element.
    return meant[1] in ids or meant[1].startswith("__")


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No page has the browser fetch anything from another host, and neither does our style sheet."""
    loaded = [(path, href) for path in site.rglob("*.html") for href in links_of(path.read_text()).loaded]
    assert [each for each in loaded if "//" in each[1]] == []
    assert "url(" not in (site / "assets/xregit.css").read_text()


def test_address_of_the_site_is_used(tmp_path: Path) -> None:
    """Where the configuration says where the site is, the sitemap names every page, and the lost find their way."""
    (tmp_path / "docs").mkdir()
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        "site_name: Test\nsite_url: https://docs.example.com/catalog/\ntheme: {name: material, font: false}\n"
        "plugins: [search, xregit]\n"
    )
    registry = small_folder(tmp_path)
    build_site(registry, tmp_path / "out", config)
    sitemap = (tmp_path / "out/sitemap.xml").read_text()
    results = set(re.findall("<loc>https://docs.example.com/catalog/([^<]*)</loc>", sitemap))
    assert {quote(page.address) for page in pages(read_folder(registry))} <= results
    lost = (tmp_path / "out/404.html").read_text()
    assert 'src="/catalog/assets/inline/' in lost
    assert '<li><a href="/catalog/all-messages/">All messages' in lost
    assert "<script>" not in lost


@pytest.mark.parametrize("address", ["https://docs.example.com/catalog/", ""])
def test_address_of_the_site_may_come_from_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """The configuration takes the address from the environment; without one there is no sitemap, which needs it."""
    monkeypatch.setenv("SITE_URL", address)
    build_site(small_folder(tmp_path), tmp_path / "out")
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        assert (tmp_path / "out" / name).is_file() == bool(address)
    if address:
        assert f"<loc>{address}messagegroups/doors/</loc>" in (tmp_path / "out/sitemap.xml").read_text()


def test_configurations_are_one(root: Path) -> None:
    """The project's own configuration is the one that new repositories get, and that serves where there is none."""
    assert (root / "site/mkdocs.yml").read_text() == (root / "tools/xregit/pages/assets/mkdocs.yml").read_text()


def test_no_script_stands_in_a_page(site: Path) -> None:
    """All scripts are in files that are there, and nothing has a style of its own."""
    for path in site.rglob("*.html"):
        text = path.read_text()
        assert "<script>" not in text, path
        assert "<style" not in text, path
        assert ' style="' not in text, path


def test_search_knows_every_entity(site: Path, small: Registry) -> None:
    """The search index has exactly one entry for each page that the registry gives, but for those that compare two."""
    shelves = sorted((site / "search/entries").iterdir())
    places = [location for shelf in shelves for location, *_ in json.loads(shelf.read_text())]
    assert {f"{xid[1:]}/" for xid in small} <= set(places)
    assert all(places.count(page.address) == ("/since/" not in page.address) for page in pages(small) if page.address)
    assert json.loads((site / "search/search_index.json").read_text())["docs"] == []  # Material loads it with each page


def test_navigation_of_a_page_is_its_first_level(site: Path) -> None:
    """A page's size doesn't grow with the registry: the rest of the tree is in files, and the page says where it is."""
    html = (site / "messagegroups/doors/messages/doors.opened/index.html").read_text()
    navigation = html[html.index('class="xr-nav"') : html.index("md-sidebar--secondary")]
    titles = ["Overview", "Messages", "Endpoints", "Schemas", "Glossaries", "Changes", "Map", "Recognise", "Help"]
    assert re.findall(">([^<]+)</a>", navigation) == [title for title in titles if title != "Changes"]
    assert re.findall('data-tree="([^"]+)"( class="xr-here")?', navigation)[0] == ("messagegroups", ' class="xr-here"')
    (place,) = re.findall('data-place="([^"]+)"', navigation)
    entries = json.loads((site / "assets/tree/messagegroups-0.json").read_text())
    for number in map(int, place.split(".")):
        entry = entries[number]
        entries = entry[-1]
    assert entry[:2] == ["Door opened", "messagegroups/doors/messages/doors.opened/"]


def test_message_page_is_light(site: Path) -> None:
    """A message's page with the theme's frame is below 60 kB."""
    assert (site / "messagegroups/doors/messages/doors.opened/index.html").stat().st_size < 60_000


@pytest.mark.parametrize("name", ["doors/index.md", "doors.md"])
def test_hand_written_page_takes_the_place(tmp_path: Path, name: str) -> None:
    """A hand-written page at an entity's address is shown instead of ours."""
    page = tmp_path / "docs/messagegroups" / name
    page.parent.mkdir(parents=True)
    page.write_text("# All about doors\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text("site_name: Test\ntheme: {name: material, font: false}\nplugins: [search, xregit]\n")
    build_site(small_folder(tmp_path), tmp_path / "out", config)
    assert "All about doors" in (tmp_path / "out/messagegroups/doors/index.html").read_text()
    assert "All about doors" not in "".join(path.read_text() for path in (tmp_path / "out").rglob("index.md"))
    shelves = [json.loads(shelf.read_text()) for shelf in (tmp_path / "out/search/entries").iterdir()]
    results = [title for shelf in shelves for location, title, *_ in shelf if location == "messagegroups/doors/"]
    assert results == ["All about doors"]


def test_site_without_configuration(tmp_path: Path) -> None:
    """Without a mkdocs.yml the registry's pages make a site of their own, of a registry as of its path."""
    registry = small_folder(tmp_path)
    assert build_site(registry, tmp_path / "out") > 20
    assert (tmp_path / "out/endpoints/broker/index.html").is_file()
    build_site(read_folder(registry), tmp_path / "again")
    pages = [{path.name: path.read_bytes() for path in (tmp_path / name).glob("*.html")} for name in ("out", "again")]
    assert pages[0] == pages[1]


# What a header says, as the browser tests do, but for what only a header can.
(HEADER,) = re.findall("^Content-Security-Policy: (.*)$", Path("site/manual/site.md").read_text(), re.MULTILINE)
POLICY = 'http-equiv="Content-Security-Policy" content="' + HEADER.removesuffix("; frame-ancestors 'none'") + '">'


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", True),
        ("extra_javascript: [own.js]\n", True),
        ("extra_javascript: ['https://example.com/a.js']\n", False),
        ("extra: {analytics: {provider: google, property: G-1}}\n", False),
    ],
)
def test_pages_of_the_catalog_run_only_what_the_site_has(tmp_path: Path, more: str, expected: bool) -> None:
    """A browser is told so in each, unless the configuration has pages load more; hand-written pages are their own."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/hand.md").write_text("# By hand\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"site_name: T\ntheme: {{name: material, font: false}}\nplugins: [search, xregit]\n{more}")
    build_site(small_folder(tmp_path), tmp_path / "out", config)
    pages = {path: path.read_text() for path in (tmp_path / "out").rglob("index.html")}
    assert len(pages) > 10
    assert {POLICY in text for path, text in pages.items() if path.parent.name != "hand"} == {expected}
    assert POLICY not in pages[tmp_path / "out/hand/index.html"]


@pytest.mark.parametrize("link", ["docs/x.md", "docs/x", "docs"])
def test_link_is_not_published(tmp_path: Path, link: str) -> None:
    """Whoever may add a hand-written page can't have a file of the machine shown."""
    place = tmp_path / "repository"
    for name in (".git", "docs"):
        (place / name).mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/page.md").write_text("secret")
    config = place / "mkdocs.yml"
    config.write_text("site_name: T\nplugins: [xregit]\n")
    registry = small_folder(place)
    build_site(registry, tmp_path / "out", config)
    if link == "docs":
        (place / "docs").rmdir()
    (place / link).symlink_to(tmp_path / "secret" / ("page.md" if link.endswith(".md") else ""))
    with pytest.raises(XregitError, match="is a symbolic link or lies behind one"):
        build_site(registry, tmp_path / "out", config)


def test_name_of_the_site_is_escaped_once(tmp_path: Path) -> None:
    """In the title, which the theme does not escape, and on the logo, where it does."""
    registry = small_folder(tmp_path)
    (registry / "registry.yaml").write_text('registryid: r\nname: "A & <b> \\"c\\""\n')
    build_site(registry, tmp_path / "out")
    text = (tmp_path / "out/index.html").read_text()
    assert "<title>Start - A &amp; &lt;b&gt; &#34;c&#34;</title>" in text
    assert 'title="A &amp; &lt;b&gt; &#34;c&#34;" class="md-header__button md-logo"' in text


@pytest.mark.parametrize(("stated", "expected"), [('""', "Small catalog"), ("Test", "Test")])
def test_site_is_named_after_the_registry(tmp_path: Path, stated: str, expected: str) -> None:
    """The site has the registry's name, unless its configuration gives it another."""
    (tmp_path / "docs").mkdir()
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"site_name: {stated}\ntheme: {{name: material, font: false}}\nplugins: [search, xregit]\n")
    build_site(small_folder(tmp_path), tmp_path / "out", config)
    assert f"<title>Start - {expected}</title>" in (tmp_path / "out/index.html").read_text()


def test_new_site_replaces_the_old_one(tmp_path: Path) -> None:
    """A page whose entity is gone is gone, and nothing is left beside."""
    registry = small_folder(tmp_path)
    build_site(registry, tmp_path / "out")
    (registry / "glossaries/trade/terms/lock.yaml").unlink()
    build_site(registry, tmp_path / "out")
    assert not (tmp_path / "out/glossaries/trade/terms/lock").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"registry", "out"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("site_name: [", "mkdocs.yml"),
        ("site_name: Test\ntheme: nothing\n", "nothing"),
        ("site_name: Test\nplugins: [nothing, xregit]\n", "nothing"),
        ("site_name: Test\ndocs_dir: nowhere\n", "nowhere"),
        ("- a\n", "mkdocs.yml"),
        ("site_dir: x\n", "site_name"),
        ("", "site_name"),
    ],
)
def test_wrong_configuration_is_one_line(tmp_path: Path, text: str, expected: str) -> None:
    """A configuration that MkDocs refuses is an error of one line, and nothing is written."""
    (tmp_path / "docs").mkdir()
    config = tmp_path / "mkdocs.yml"
    config.write_text(text)
    with pytest.raises(XregitError, match=expected) as caught:
        build_site(small_folder(tmp_path), tmp_path / "out", config)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_site_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    """An error during the build keeps what was built before."""
    (tmp_path / "docs").mkdir()
    config = tmp_path / "mkdocs.yml"
    config.write_text("site_name: Test\nplugins: [nothing, xregit]\n")
    registry, out = small_folder(tmp_path), tmp_path / "out"
    build_site(registry, out)
    with pytest.raises(XregitError, match="nothing"):
        build_site(registry, out, config)
    assert (out / "index.html").is_file()


@pytest.mark.parametrize("kind", ["file", "foreign"])
def test_foreign_target_is_refused(tmp_path: Path, kind: str) -> None:
    """A target that is a file, or a folder with something else in it, is left alone."""
    out = tmp_path / "out"
    kept = out if kind == "file" else out / "thesis.txt"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("precious")
    with pytest.raises(XregitError, match="out"):
        build_site(small_folder(tmp_path), out)
    assert kept.read_text() == "precious"


def test_missing_registry_is_one_line(tmp_path: Path) -> None:
    """A registry that is not there is an error that names it."""
    with pytest.raises(XregitError, match="nowhere"):
        build_site(tmp_path / "nowhere", tmp_path / "out")


def test_pages_for_another_engine(small: Registry, tmp_path: Path) -> None:
    """The same pages can be written as files, each with its title."""
    count = write_pages(small, tmp_path / "docs")
    text = (tmp_path / "docs/endpoints/broker/index.md").read_text()
    assert count == len(list(tmp_path.glob("docs/**/index.md")))
    assert text.startswith('---\ntitle: "Door broker"\n')
    assert "mqtts://" in text


def test_file_is_whole_where_the_system_takes_it_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system may write less than it is given, and says how much."""
    whole = os.write
    monkeypatch.setattr(os, "write", lambda file, data: whole(file, data[:3]))
    write_files(tmp_path, [("a/b/index.html", "grün und lang"), ("a/b/index.md", "")])
    assert (tmp_path / "a/b/index.html").read_bytes() == "grün und lang".encode()
    assert (tmp_path / "a/b/index.md").read_bytes() == b""


def test_file_takes_the_place_of_a_longer_one(tmp_path: Path) -> None:
    """Nothing of the former file stays, and lines end as they do in the text."""
    write_files(tmp_path, [("index.html", "a\nlong text\n"), ("index.html", "a\nb\n")])
    assert (tmp_path / "index.html").read_bytes() == b"a\nb\n"


@pytest.mark.parametrize("page", ["api.md", "api/messagegroups/index.json", "API/index.md"])
def test_address_of_the_static_api_is_free(tmp_path: Path, page: str) -> None:
    """A hand-written file there would take the place of what the API says; a page beside it is fine."""
    config = tmp_path / "mkdocs.yml"
    config.write_text("site_name: T\nplugins: [xregit]\n")
    (tmp_path / "docs" / page).parent.mkdir(parents=True)
    (tmp_path / "docs" / "apis.md").write_text("# APIs\n")
    registry = small_folder(tmp_path)
    build_site(registry, tmp_path / "out", config)
    assert (tmp_path / "out" / ".nojekyll").read_bytes() == b""
    (tmp_path / "docs" / page).write_text("{}")
    with pytest.raises(XregitError, match=f'"{page}" would be in the folder "api/" of the site'):
        build_site(registry, tmp_path / "out", config)
