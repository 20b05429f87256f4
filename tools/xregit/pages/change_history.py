"""The history of the registry and of each entity, commit by commit."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import escape, quoteattr

from xregit.catalog.views import text_of
from xregit.changes.change import Impact
from xregit.changes.history import CommitSummary, recent_commits
from xregit.pages.addresses import CHANGES
from xregit.pages.links import Link, href, is_safe
from xregit.pages.page import Page
from xregit.pages.renderer import render, seen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xregit.catalog.entities import Place
    from xregit.changes.change import Change
    from xregit.pages.context import SiteContext
    from xregit.source.commit_log import Commit


SHORT_HASH = 9
# A page has at most this many commits, and this many changes of each.
MAX_COMMITS, MAX_CHANGES = 20, 12
BREAKING = {Impact.BREAKING: "breaks", Impact.UNKNOWN: "may break"}


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """One change in words; ``entity`` is what changed where that is another one, ``breaks`` says whom it breaks."""

    text: str
    entity: Link | None
    breaks: str


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One commit: its link, time, author and subject, and what it changed.

    ``more`` counts changes left out, ``touched`` the entities of a commit that changed too many to tell each.
    """

    sha: str
    commit: Link
    time: str
    author: str
    subject: str
    changes: tuple[ChangeEntry, ...] = ()
    more: int = 0
    touched: int = 0

    @property
    def anchor(self) -> str:
        """The id of its place on the page of all changes."""
        return f"commit-{self.sha[:SHORT_HASH]}"


class ChangeHistory:
    """The history of a registry's entities; the last commits are compared once for all of them."""

    def __init__(self, book: SiteContext) -> None:
        """Read the last commits."""
        self.book = book
        self.commits: Mapping[str, Commit] = {each.sha: each for each in book.registry.origin.history.commits}
        self.recent: tuple[CommitSummary, ...] = recent_commits(book.registry)
        self.changes: dict[str, dict[str, list[Change]]] = defaultdict(lambda: defaultdict(list))
        for past in self.recent:
            for change in past.changes:
                # A change to a version of a schema is one of the schema.
                own = change.xid.partition("/versions/")[0]
                for xid in dict.fromkeys((own, change.xid, *change.reaches)):
                    self.changes[xid][past.commit.sha].append(change)

    def of(self, xid: str, place: Place) -> tuple[CommitEntry, ...]:
        """Return what happened to an entity, the newest first; earlier commits stand without words of ours."""
        own = dict.fromkeys(self.book.registry.facts(place).commits)
        words = self.changes.get(xid, {})
        last = [past.commit.sha for past in self.recent if past.commit.sha in own or past.commit.sha in words]
        found = [*last, *(sha for sha in own if sha not in last)]
        known = [self.commits[sha] for sha in found[:MAX_COMMITS] if sha in self.commits]
        return tuple(self.happening(commit, words.get(commit.sha, []), xid) for commit in known)

    @cached_property
    def latest(self) -> tuple[CommitEntry, ...]:
        """The last commits of the registry, the newest first."""
        return tuple(
            replace(self.happening(past.commit, past.changes), touched=0 if past.compared else past.touched)
            for past in self.recent
        )

    def happening(self, commit: Commit, changes: Sequence[Change], xid: str = "") -> CommitEntry:
        """Return one commit with what it changed."""
        return CommitEntry(
            sha=commit.sha,
            commit=self._link(commit),
            time=commit.time,
            author=commit.author,
            subject=commit.subject,
            changes=tuple(self._said(change, xid) for change in changes[:MAX_CHANGES]),
            more=max(0, len(changes) - MAX_CHANGES),
        )

    def _said(self, change: Change, xid: str) -> ChangeEntry:
        who = " and ".join(f"{name}s" for name in change.audience)
        verb = BREAKING.get(change.impact, "")
        return ChangeEntry(
            change.message,
            self._about(change.xid) if change.xid != xid else None,
            f"{verb} {who}" if verb else "",
        )

    def _about(self, xid: str) -> Link:
        """Return the link to what changed; the id of a version alone would say nothing."""
        owner, within, version = xid.partition("/versions/")
        return self.book.link(xid, f"{owner.rpartition('/')[2]}, version {version}" if within else "")

    def _link(self, commit: Commit) -> Link:
        repository = self.book.registry.settings.repository.rstrip("/")
        url = f"{repository}/commit/{commit.sha}"
        return Link(commit.sha[:SHORT_HASH], url if repository and is_safe(url) else "")


FEED = "changes.atom"
LATEST = 5
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def changes_page(book: SiteContext) -> Iterator[Page]:
    """Give the page of the last changes, unless Git knows of none."""
    found = book.lives.latest
    if not found:
        return
    said = "What the last commits changed, and whom that breaks."
    html = render(
        "changes.html",
        title="Changes",
        crumbs=(Link(book.title, href("")),),
        said=said,
        happenings=found,
        feed=Link("Atom feed", href(FEED)),
        shallow=book.registry.origin.history.shallow,
    )
    yield Page(CHANGES, "Changes", html, description=said, search="changes changelog history news", listed=True)


def feed(book: SiteContext, site_url: str = "") -> str:
    """Return the Atom feed of the last commits (RFC 4287), nothing where there are none.

    Without the site's address its links are relative to the feed.
    """
    found = book.lives.latest
    if not found:
        return ""
    base = site_url.rstrip("/") + "/" if site_url else ""
    # RFC 4287, 4.2.6: an id never changes, which a name may.
    own = base + text_of(book.registry.attributes, "registryid")
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"  <title>{_text(book.title)}</title>",
        f"  <id>{_id(own)}</id>",
        f"  <updated>{found[0].time}</updated>",
        f"  <link href={quoteattr(base or './')}/>",
        f'  <link rel="self" href={quoteattr(base + FEED)}/>',
        *(line for each in found for line in _entry(each, base)),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def _entry(each: CommitEntry, base: str) -> Iterator[str]:
    yield "  <entry>"
    yield f"    <title>{_text(each.subject)}</title>"
    yield f"    <id>{_id(each.sha)}</id>"
    yield f"    <updated>{each.time}</updated>"
    yield f"    <author><name>{_text(each.author)}</name></author>"
    yield f"    <link href={quoteattr(f'{base}{CHANGES}#{each.anchor}')}/>"
    yield f"    <content>{_text(chr(10).join(_words(each)))}</content>"
    yield "  </entry>"


def _words(each: CommitEntry) -> Iterator[str]:
    yield from (_word(change) for change in each.changes)
    if each.more:
        yield "One more change" if each.more == 1 else f"{each.more} more changes"
    if each.touched and not each.changes:
        yield "One entity" if each.touched == 1 else f"{each.touched} entities"


def _word(change: ChangeEntry) -> str:
    about = f"{change.entity.text}: " if change.entity else ""
    return f"{about}{change.text}" + (f" ({change.breaks})" if change.breaks else "")


def _id(name: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, name)}"


def _text(text: str) -> str:
    return escape(seen(_FORBIDDEN.sub("\ufffd", text)))
