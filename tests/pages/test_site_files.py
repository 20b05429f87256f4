"""What the site has for machines: Markdown of every page, a list of what is where, a feed, links in the head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest

from tests.catalog.folders import registry_of
from tests.pages.links import target
from tests.source.repositories import new_repository
from xregit.catalog import Registry, read_folder
from xregit.changes.commit_changes import MAX_FILES
from xregit.pages.change_history import MAX_CHANGES
from xregit.pages.context import SiteContext
from xregit.pages.links import FEED
from xregit.pages.markdown import to_markdown
from xregit.pages.page import Page
from xregit.pages.site import LLMS, all_pages, as_markdown, feed, head_links, site_files

ATOM = {"a": "http://www.w3.org/2005/Atom"}
MESSAGE = "registry__messagegroups__g__messages__a.yaml"
CASES = [
    ("<h1 id='x'>A &amp; b</h1>\n<p>c <strong>d</strong>\n e</p>", "# A & b\n\nc **d** e\n"),
    ('<a href="../x/">y</a>', "[y](../x/)\n"),
    ("<code>a<wbr>|`b</code>", "`a|'b`\n"),
    ("<pre><code>{\n  &#34;a&#34;: *b*\n}</code></pre>", '```\n{\n  "a": *b*\n}\n```\n'),
    (
        "<table><thead><tr><th>A</th><th>B</th></tr></thead><tr><td><code>x|y</code></td><td><p>1</p></td></tr></table>",
        "| A | B | \n| --- | --- |\n| `x\\|y` |  1 |\n",
    ),
    ("<pre>a ``` b</pre>", "````\na ``` b\n````\n"),
    ("<ul><li>a</li><li><p>b</p></li></ul>", "- a\n- b\n"),
    ("<dl><dt>a</dt><dd>b</dd></dl>", "- a: b\n"),
    (
        "<ul>\n<li><details><summary>a <i>b</i></summary>\n<ul>\n<li>c</li>\n</ul></details></li>\n<li>d</li>\n</ul>",
        "- a b\n\n  - c\n- d\n",
    ),
    ("<dl><dt>a</dt><dd><dl><dt>b</dt><dd>c</dd></dl></dd><dt>d</dt><dd>e</dd></dl>", "- a: \n  - b: c\n- d: e\n"),
    ("<nav><a href='x'>y</a></nav><p>a*b [c]</p>", "a\\*b \\[c\\]\n"),
    ("<svg><text>drawn</text></svg><p>told</p>", "told\n"),
    ('<p title="a > b">c</p>', "c\n"),
]


@pytest.mark.parametrize(("html", "expected"), CASES)
def test_markdown_says_what_the_page_says(html: str, expected: str) -> None:
    """Headings, texts, links, lists, tables and code become their marks; what is for the eye alone goes."""
    assert to_markdown(Page("", "", html)) == expected


@pytest.mark.parametrize(
    "address", ["messagegroups/doors.mqtt/messages/doors.opened/", "endpoints/broker/", "map/", ""]
)
def test_markdown_is_as_it_was_looked_at(
    address: str, small_pages: Mapping[str, Page], golden: Callable[[str, str], None]
) -> None:
    """The Markdown of each kind of page is the one that was reviewed."""
    name = address.strip("/").replace("/", "+") or "start"
    golden(f"pages/{name}.md", to_markdown(small_pages[address]))


def test_links_of_markdown_are_those_of_the_page(small_pages: Mapping[str, Page]) -> None:
    """Each link in the Markdown that does not leave the site leads to a page."""
    for page in small_pages.values():
        unquoted = re.sub(r"```.*?```", "", to_markdown(page), flags=re.DOTALL)  # a source has links of its own
        for link in re.findall(r"\]\(([^)]*)\)", unquoted):
            result = target(page.path, link)
            assert result is None or result[0].removesuffix("index.html") in small_pages, (page.address, link)


def machine_files(book: SiteContext) -> Mapping[str, str]:
    """Return all that a site has for machines, by the paths of the files."""
    listed = list(all_pages(book))
    return dict((*site_files(book, listed), *map(as_markdown, listed)))


def test_list_names_overviews_and_groups(small: Registry) -> None:
    """llms.txt names files that are there, not each message."""
    book = SiteContext(small)
    files = machine_files(book)
    named = {unquote(link) for link in re.findall(r"\]\(([^)]*)\)", files[LLMS])}
    assert {"index.md", "map/index.md", "endpoints/broker/index.md", "messagegroups/doors/index.md"} <= named
    assert named <= files.keys()
    groups = unquote(files[LLMS].partition("## Groups")[2])
    assert set(re.findall(r"\]\(([^)]*)\)", groups)) == {f"{group.xid[1:]}/index.md" for group in small.all_groups}
    assert files[LLMS].startswith("# Small catalog\n\n> A small catalog; see the doors.\n")


def test_list_holds_no_markdown_of_others(tmp_path: Path) -> None:
    """A name or a description neither makes a link nor begins a line."""
    text = "A ](https://evil.example.com) <b> `c`\\n## Groups\\n- [x](y)"
    files = {
        "registry.yaml": f'registryid: r\nname: "{text}"\ndescription: "{text}"\n',
        "messagegroups/g/messagegroup.yaml": f'name: "{text}"\ndescription: "{text}"\n',
    }
    list_ = machine_files(SiteContext(registry_of(tmp_path, files)))[LLMS]
    assert "evil.example.com" in list_
    assert not re.search(r"(?<!\\)\]\(https|^- \[x\]|(?<!\\)<b>", list_, re.MULTILINE)
    assert list_.count("\n## Groups") == 1


def test_head_names_the_other_forms() -> None:
    """A page's head leads to its Markdown, its entity in the static API, and the feed."""
    page = Page("endpoints/a/", "A", "", api='https://example.com/api/endpoints/a?"<')
    links = head_links(page, has_feed=True)
    assert 'href="index.md"' in links
    assert 'rel="describedby" type="application/json" href="https://example.com/api/endpoints/a?&quot;&lt;"' in links
    assert 'href="../../changes.atom"' in links
    assert head_links(Page("", "", ""), has_feed=False).count("<link") == 1


@pytest.fixture
def changed(tmp_path: Path) -> Registry:
    """Return a registry whose only message was changed by a second commit."""
    repository = new_repository(tmp_path / "repository")
    begun = "envelope: CloudEvents/1.0\nenvelopemetadata: {type: {value: a}}\n"
    files = {"registry__registry.yaml": "registryid: test\n", MESSAGE: begun}
    repository.commit("Begin", **files)
    repository.commit("Call it <b> & \x08", **{MESSAGE: begun.replace("value: a", "value: b")})
    return read_folder(repository.root / "registry")


def test_page_tells_what_changed(changed: Registry) -> None:
    """A message's page and the page of changes tell in words what a commit did, and whom it breaks."""
    by_address = {page.address: page.html for page in all_pages(SiteContext(changed))}
    for address in ("messagegroups/g/messages/a/", "all-changes/", ""):
        assert "Call it &lt;b&gt; &amp;" in by_address[address], address
        html = by_address[address]
        assert "breaks producers and consumers" in html or "breaks consumers" in html, address


def test_commit_that_changes_nothing_is_left_out(tmp_path: Path) -> None:
    """A comment is no change of the catalog, though its commit touches a file of it."""
    repository = new_repository(tmp_path / "repository")
    repository.commit("Begin", **{"registry__registry.yaml": "registryid: test\n", MESSAGE: "name: A\n"})
    repository.commit("Comment on it", **{MESSAGE: "# A comment.\nname: A\n"})
    site = SiteContext(read_folder(repository.root / "registry"))
    assert [each.subject for each in site.history.latest] == ["Begin"]


def test_feed_has_an_entry_for_each_commit(changed: Registry) -> None:
    """The feed is well-formed, says when and what, and leads to the page of changes."""
    root = ET.fromstring(feed(SiteContext(changed), "https://docs.example.com/catalog/"))  # noqa: S314 - our own text
    titles = [found.text or "" for found in root.findall("a:entry/a:title", ATOM)]
    assert [title.strip()[:12] for title in titles] == ["Call it <b> ", "Begin"]
    link = root.find("a:entry/a:link", ATOM)
    assert link is not None
    assert link.get("href", "").startswith("https://docs.example.com/catalog/all-changes/#commit-")
    assert len({found.text for found in root.iterfind(".//a:id", ATOM)}) == len(titles) + 1
    content = root.find("a:entry/a:content", ATOM)
    assert content is not None
    assert "breaks" in (content.text or "")


def test_feed_stays_the_same_one_when_the_registry_gets_another_name(tmp_path: Path) -> None:
    """Who has subscribed to it goes on with it, and has no entry twice."""
    repository = new_repository(tmp_path / "repository")
    kept: list[set[str | None]] = []
    for name in ("A", "B"):
        files = {"registry__registry.yaml": f"registryid: r\nname: {name}\n", MESSAGE: f"name: {name}\n"}
        repository.commit(f"Call it {name}", **files)
        root = ET.fromstring(feed(SiteContext(read_folder(repository.root / "registry")), "https://docs.example.com/"))  # noqa: S314 - our own text
        assert root.findtext("a:title", None, ATOM) == name
        kept.append({found.text for found in root.iterfind(".//a:id", ATOM)})
    assert len(kept[0]) == 2
    assert kept[0] < kept[1]


def test_feed_is_as_it_was_looked_at(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    """It has all that Atom asks for, and of each commit what changed, as far as one reads on; links need no address."""
    repository = new_repository(tmp_path / "repository")
    groups = [f"registry__messagegroups__g{number:02}__messagegroup.yaml" for number in range(MAX_FILES + 1)]
    files = ["registry__registry.yaml", *groups]
    repository.commit("Touch too much", **dict.fromkeys(files, "name: A\n"))
    repository.commit("Call it A <&> b\x08", **{"registry__registry.yaml": "name: A & b\n"})
    for number in (1, 2):
        repository.commit(f"Leave {number} out", **dict.fromkeys(groups[: MAX_CHANGES + number], f"name: B{number}\n"))
    golden("pages/changes.atom", feed(SiteContext(read_folder(repository.root / "registry"))))


def test_without_history_there_is_no_feed(small: Registry) -> None:
    """A registry in no repository has neither feed nor page of changes."""
    book = SiteContext(small)
    files = machine_files(book)
    assert FEED not in files
    assert "all-changes/index.md" not in files
