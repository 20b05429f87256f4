"""All pages of a site, and the files beside them for programs: `llms.txt`, each page as Markdown, the feed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape as escape_xml
from xml.sax.saxutils import quoteattr

from xregit.catalog.entities import Group
from xregit.catalog.views import Endpoint, Message, text_of
from xregit.pages.change_history import CommitEntry
from xregit.pages.context import SiteContext
from xregit.pages.endpoint_page import endpoint_page
from xregit.pages.group_pages import group_list_pages, group_page
from xregit.pages.index_pages import index_pages, name_pages
from xregit.pages.links import CHANGES, FEED, address
from xregit.pages.map_page import map_data, map_page
from xregit.pages.markdown import to_markdown
from xregit.pages.message_page import message_pages
from xregit.pages.messages_page import messages_data, messages_pages
from xregit.pages.overview_pages import changes_page, help_page, registry_page
from xregit.pages.page import Page, with_relative_links
from xregit.pages.recognise_page import definitions, recognise_page
from xregit.pages.reference_pages import model_pages, rule_pages
from xregit.pages.renderer import name_invisible
from xregit.pages.resource_pages import resource_pages

MARKDOWN = "index.md"
LLMS = "llms.txt"
_MARKDOWN = re.compile(r"[\\`*_\[\]<>]")
# Material takes exactly "alternate" for another language, and fetches its sitemap; a space changes nothing else.
ALTERNATE = "alternate "
# A longer list helps nobody: the page of a group lists its resources.
MAX_LISTED = 2_000
_FORBIDDEN_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def all_pages(site: SiteContext) -> Iterator[Page]:
    """Yield every page of a site: overviews, each group with its resources, indexes, the reference."""
    places = site.navigation.places
    return (replace(finished(page), place=_place(page.address, places)) for page in _pages(site))


def _place(address: str, places: Mapping[str, str]) -> str:
    """Return where a page is in the tree: a page of a version is where its schema is."""
    while address and address not in places:
        address = address[: address.rfind("/", 0, -1) + 1]
    return places.get(address, "")


def manual_pages(site: SiteContext) -> Iterator[Page]:
    """Yield the pages that the manual of xregit has of it: the rules, and what the specification's model allows."""
    return map(finished, (*model_pages(site), *rule_pages(site)))


def _pages(site: SiteContext) -> Iterator[Page]:
    registry = site.registry
    yield registry_page(site)
    if registry.messages:
        yield from messages_pages(site)
    yield from map_page(site)
    yield from recognise_page(site)
    for model in registry.model.groups.values():
        groups = registry.groups.get(model.plural)
        if groups:
            yield from group_list_pages(site, model)
            for group in groups.values():
                yield from _group_pages(site, group)
    yield from name_pages(site)
    yield from index_pages(site)
    yield from changes_page(site)
    yield from model_pages(site)
    yield help_page(site)


def _group_pages(site: SiteContext, group: Group) -> Iterator[Page]:
    if group.type.plural == "endpoints":
        yield endpoint_page(site, Endpoint(site.registry, group))
    else:
        yield group_page(site, group)
    for collection in group.collections.values():
        for resource in collection.values():
            if resource.type.plural == "messages":
                yield from message_pages(site, Message(site.registry, resource))
            else:
                yield from resource_pages(site, resource)


def finished(page: Page) -> Page:
    """Return a page with links relative to its address, and invisible characters named outside its HTML too."""
    return replace(
        page,
        html=with_relative_links(page.html, page.address),
        whole=with_relative_links(page.whole, page.address),
        title=name_invisible(page.title),
        description=name_invisible(page.description),
        search=name_invisible(page.search),
        keys=tuple(map(name_invisible, page.keys)),
        names=tuple(map(name_invisible, page.names)),
    )


def site_files(site: SiteContext, pages: Sequence[Page], site_url: str = "") -> Iterator[tuple[str, str]]:
    """Yield the files of the whole site by their paths below its start."""
    yield LLMS, llms(site, pages)
    text = feed(site, site_url)
    if text:
        yield FEED, text
    yield from data_files(site, pages)
    yield from site.navigation.files()


def data_files(site: SiteContext, pages: Iterable[Page]) -> Iterator[tuple[str, str]]:
    """Yield the files that scripts of single pages read, by their paths below the site's start."""
    yield from definitions(site, pages)
    yield from messages_data(site)
    yield from map_data(site)


def as_markdown(page: Page) -> tuple[str, str]:
    """Return the path of a page's Markdown, and the Markdown."""
    return f"{page.address}{MARKDOWN}", to_markdown(page)


def head_links(page: Page, *, has_feed: bool) -> str:
    """Return the links for a page's head: its Markdown, its entity in the static API, the feed."""
    up = "../" * page.address.count("/")
    links = [(ALTERNATE, "text/markdown", MARKDOWN, "Markdown")]
    links += [("describedby", "application/json", page.api, "xRegistry entity")] if page.api else []
    links += [(ALTERNATE, "application/atom+xml", f"{up}{FEED}", "Changes")] if has_feed else []
    return "".join(
        f'<link rel="{relation}" type="{media_type}" href="{escape(href)}" title="{title}">'
        for relation, media_type, href, title in links
    )


def llms(site: SiteContext, pages: Iterable[Page]) -> str:
    """Return the list of pages for language models (llmstxt.org): the overviews, then every group."""
    overviews, groups = [], []
    type_addresses = {address(f"/{plural}") for plural in site.registry.model.groups}
    for page in pages:
        if page.listed:
            overviews.append(page)
        if page.parent in type_addresses:
            groups.append(page)
    lines = [
        f"# {_prose(site.title)}",
        "",
        f"> {_prose(site.summary)}",
        "",
        "Every page has its text in index.md beside it.",
    ]
    for heading, section in (("Overviews", overviews), ("Groups", groups)):
        lines += ["", f"## {heading}", ""]
        for page in section[:MAX_LISTED]:
            description = f": {_prose(page.description)}" if page.description else ""
            lines.append(f"- [{_prose(page.title)}]({quote(page.address + MARKDOWN)}){description}")
    return name_invisible("\n".join(lines) + "\n")


def _prose(text: str) -> str:
    """Return a text in one line, in which nothing is Markdown."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.split()))


def feed(site: SiteContext, site_url: str = "") -> str:
    """Return the Atom feed of the last commits (RFC 4287), nothing where there are none.

    Without the site's address its links are relative to the feed.
    """
    commits = site.history.latest
    if not commits:
        return ""
    base = site_url.rstrip("/") + "/" if site_url else ""
    # RFC 4287, 4.2.6: an id never changes, which a name may.
    feed_name = base + text_of(site.registry.attributes, "registryid")
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"  <title>{_xml(site.title)}</title>",
        f"  <id>{_urn(feed_name)}</id>",
        f"  <updated>{commits[0].time}</updated>",
        f"  <link href={quoteattr(base or './')}/>",
        f'  <link rel="self" href={quoteattr(base + FEED)}/>',
    ]
    for commit in commits:
        lines += [
            "  <entry>",
            f"    <title>{_xml(commit.subject)}</title>",
            f"    <id>{_urn(commit.sha)}</id>",
            f"    <updated>{commit.time}</updated>",
            f"    <author><name>{_xml(commit.author)}</name></author>",
            f"    <link href={quoteattr(f'{base}{CHANGES}#{commit.anchor}')}/>",
            f"    <content>{_xml(_summary(commit))}</content>",
            "  </entry>",
        ]
    return "\n".join((*lines, "</feed>")) + "\n"


def _summary(commit: CommitEntry) -> str:
    """Return what a commit changed, a line for each change."""
    lines = []
    for change in commit.changes:
        entity = f"{change.entity.text}: " if change.entity else ""
        lines.append(f"{entity}{change.text}" + (f" ({change.breaks})" if change.breaks else ""))
    if commit.more:
        lines.append("One more change" if commit.more == 1 else f"{commit.more} more changes")
    if commit.touched and not commit.changes:
        lines.append("One entity" if commit.touched == 1 else f"{commit.touched} entities")
    return "\n".join(lines)


def _urn(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"


def _xml(text: str) -> str:
    return escape_xml(name_invisible(_FORBIDDEN_IN_XML.sub("\ufffd", text)))
