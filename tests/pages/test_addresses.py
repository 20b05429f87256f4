"""No two pages have one address, and no page stands where a file does: nothing is lost, whatever the names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.catalog.folders import folder, registry_of
from tests.pages.links import links_of, target
from xregit.catalog import read_folder
from xregit.errors import XregitError
from xregit.pages import Page, pages
from xregit.pages.builder import build_site, write_pages
from xregit.pages.links import unique_ids

OURS = ("map", "recognise", "help", "search", "assets")
MODEL = "groups:\n" + "".join(
    f"  {name}: {{singular: {name}one, resources: {{things: {{singular: thing, hasdocument: false}}}}}}\n"
    for name in OURS
)
NAMES = ("vin", "vin_", "VIN", "vin_2")
MESSAGE = "messagegroups/g/messages/a/"
FILES = {
    "model.yaml": MODEL,
    "messagegroups/g/messages/a.yaml": """
        envelope: CloudEvents/1.0
        envelopemetadata: {subject: {type: uritemplate, value: "{vin}/{vin_}/{VIN}/{vin_2}"}}
        """,
    "messagegroups/g/messages/b.yaml": """
        envelope: CloudEvents/1.0
        envelopemetadata: {subject: {type: uritemplate, value: "{vin}/{vin_}/{VIN}/{vin_2}"}}
        """,
    "endpoints/e/endpoint.yaml": "usage: [producer]\nchannel: c\nmessagegroups: [/messagegroups/g]\n",
}


def _pages(tmp_path: Path, files: Mapping[str, str]) -> dict[str, Page]:
    """Return the pages by address, of which no two are the same."""
    results = list(pages(registry_of(tmp_path, files)))
    by_address = {page.address: page for page in results}
    assert len(by_address) == len(results)
    return by_address


def _assert_leading(found: Mapping[str, Page]) -> None:
    """Hold that each link that stays on the site leads to a page, and to something on it."""
    ids_of = {page.path: links_of(page.html).ids for page in found.values()}
    for page in found.values():
        for path, fragment in filter(None, (target(page.path, link) for link in links_of(page.html).linked)):
            assert path in ids_of, page.address
            assert not fragment or fragment in ids_of[path], (page.address, path, fragment)


@given(st.lists(st.text("aAbB-_ 123ü", max_size=6), unique=True, max_size=12))
def test_ids_differ(titles: list[str]) -> None:
    """Each title has an id that no other has, also where one ends in the number that another would get."""
    result = unique_ids(titles)
    assert list(result) == titles
    assert len(set(result.values())) == len(titles)


def test_id_is_what_it_was() -> None:
    """Titles that differ only in case or signs get numbers; what has no letter of ASCII is an entry."""
    assert unique_ids(["VIN", "vin", "vin-2", "ü", "ö"]) == {
        "VIN": "vin",
        "vin": "vin-2",
        "vin-2": "vin-2-2",
        "ü": "entry",
        "ö": "entry-2",
    }


@pytest.mark.parametrize("group", ["", "a"])
def test_group_types_keep_their_addresses(tmp_path: Path, group: str) -> None:
    """Where a type of groups is called as a page of ours, that gives way, with all that leads to it."""
    groups = {f"{name}/{group}/{name}one.yaml": "description: x\n" for name in OURS if group}
    result = _pages(tmp_path, {**FILES, **groups})
    assert {"the-map/", "the-recognise/", "the-help/"} <= result.keys()
    assert {f"{name}/{part}" for name in OURS for part in ("", "a/") if group} <= result.keys()
    _assert_leading(result)


def test_links_to_placeholders_and_names_lead_to_their_own(tmp_path: Path) -> None:
    """Names that differ in signs alone have sections and pages of their own, and links lead to the right ones."""
    result = _pages(tmp_path, FILES)
    links = re.findall(r'(all-fields/[^"]*)" title="All messages with {([^"]*)}"', result[MESSAGE].html)
    assert {title: result[at].title for at, title in links} == {name: name for name in NAMES}
    names = [page.title for page in result.values() if page.parent == "all-fields/"]
    assert sorted(names) == sorted(NAMES)


def test_owners_and_files_are_linked_by_their_own_names(tmp_path: Path) -> None:
    """Owners whose names differ in signs alone have sections of their own, and the names of files are quoted."""
    files = {
        "xregit.yaml": "repository: https://git.example.com/a\n",
        "messagegroups/a/messages/a.yaml": "description: x\n",
        "messagegroups/b/messages/a%3Ab.yaml": "description: x\n",
    }
    registry = folder(tmp_path, files)
    owned = "/registry/messagegroups/a/ @x/y\n/registry/messagegroups/b/ @x-y\n/registry/**/a%3Ab.yaml @z\n"
    (registry.parent / "CODEOWNERS").write_text(owned)
    by_address = {page.address: page for page in pages(read_folder(registry))}
    _assert_leading(by_address)
    listed = {each.id: each.title for each in by_address["all-owners/"].headings}
    for group, owner in {"a": "@x/y", "b": "@x-y"}.items():
        (at,) = re.findall(r'all-owners/#([^"]*)"', by_address[f"messagegroups/{group}/"].html)
        assert listed[at] == owner
    page = by_address["messagegroups/b/messages/a%3Ab/"].html
    assert "<dt>Owned by</dt><dd>@z</dd>" in page
    assert "https://git.example.com/a/blob/main/registry/messagegroups/b/messages/a%253Ab.yaml" in page


def test_many_names_are_parted(tmp_path: Path) -> None:
    """A table of very many names is cut into pages, which have all of them."""
    fields = ", ".join(f"f{number:04}: {{type: string}}" for number in range(601))
    text = f"dataschemaformat: JsonSchema/draft-07\ndataschema: {{type: object, properties: {{{fields}}}}}\n"
    result = _pages(tmp_path, {"messagegroups/g/messages/a.yaml": text})
    parts = [page for page in result.values() if page.address.startswith("all-fields/part-")]
    assert [page.title for page in parts] == ["f0000 to f0199", "f0200 to f0399", "f0400 to f0599", "f0600 to f0600"]
    assert [page.html.count("<tr><td") for page in parts] == [200, 200, 200, 1]
    assert all(f"all-fields/part-{number}/" in result["all-fields/"].html for number in (1, 2, 3, 4))


def test_entities_called_as_files_of_pages_have_pages(tmp_path: Path) -> None:
    """An entity called as one of the files of a page has a folder beside those."""
    files = {"messagegroups/index.md/messages/a.yaml": "", "messagegroups/INDEX.html/messages/index.md.yaml": ""}
    build_site(str(folder(tmp_path, files)), str(tmp_path / "out"))
    result = {path.parent.name for path in (tmp_path / "out/messagegroups").rglob("index.html")}
    assert result == {"messagegroups", "%69ndex.md", "a", "%49NDEX.html"}


@pytest.mark.parametrize("xid", ["search/index.json", "search/search_index.json", "assets/xregit.css"])
def test_page_where_a_file_stands_is_refused(tmp_path: Path, xid: str) -> None:
    """An entity whose page would stand where a file of the site does is named in an error, and nothing is written."""
    registry = folder(tmp_path, {**FILES, f"{xid}/{xid.split('/', maxsplit=1)[0]}one.yaml": "description: x\n"})
    with pytest.raises(XregitError, match=rf'the page of "/{xid}" needs a folder'):
        build_site(registry, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_page_where_an_asset_stands_is_refused(tmp_path: Path) -> None:
    """Pages for other engines are refused likewise."""
    registry = registry_of(tmp_path, {**FILES, "assets/xregit.js/assetsone.yaml": "description: x\n"})
    with pytest.raises(XregitError, match="needs a folder"):
        write_pages(registry, tmp_path / "out")
    assert not (tmp_path / "out").exists()
