"""What Git knows of an entity: its commits, and for the last ones what they changed, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from xregit.changes.change import Impact
from xregit.changes.recent import CommitSummary, recent_commits
from xregit.pages.linking import Link, is_safe

if TYPE_CHECKING:
    from xregit.catalog.entities import Place
    from xregit.changes.change import Change
    from xregit.pages.book import Book
    from xregit.source.commit_log import Commit

SHORT_HASH = 9
# A page has at most this many commits, and this many changes of each.
MAX_COMMITS, MAX_CHANGES = 20, 12
BREAKING = {Impact.BREAKING: "breaks", Impact.UNKNOWN: "may break"}


@dataclass(frozen=True, slots=True)
class Said:
    """One change in words; ``entity`` is what changed where that is another one, ``breaks`` says whom it breaks."""

    text: str
    entity: Link | None
    breaks: str


@dataclass(frozen=True, slots=True)
class Happening:
    """One commit: its link, time, author and subject, and what it changed.

    ``more`` counts changes left out, ``touched`` the entities of a commit that changed too many to tell each.
    """

    sha: str
    commit: Link
    time: str
    author: str
    subject: str
    changes: tuple[Said, ...] = ()
    more: int = 0
    touched: int = 0

    @property
    def anchor(self) -> str:
        """The id of its place on the page of all changes."""
        return f"commit-{self.sha[:SHORT_HASH]}"


class Lives:
    """The history of a registry's entities; the last commits are compared once for all of them."""

    def __init__(self, book: Book) -> None:
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

    def of(self, xid: str, place: Place) -> tuple[Happening, ...]:
        """Return what happened to an entity, the newest first; earlier commits stand without words of ours."""
        own = dict.fromkeys(self.book.registry.facts(place).commits)
        words = self.changes.get(xid, {})
        last = [past.commit.sha for past in self.recent if past.commit.sha in own or past.commit.sha in words]
        found = [*last, *(sha for sha in own if sha not in last)]
        known = [self.commits[sha] for sha in found[:MAX_COMMITS] if sha in self.commits]
        return tuple(self.happening(commit, words.get(commit.sha, []), xid) for commit in known)

    @cached_property
    def latest(self) -> tuple[Happening, ...]:
        """The last commits of the registry, the newest first."""
        return tuple(
            replace(self.happening(past.commit, past.changes), touched=0 if past.told else past.touched)
            for past in self.recent
        )

    def happening(self, commit: Commit, changes: Sequence[Change], xid: str = "") -> Happening:
        """Return one commit with what it changed."""
        return Happening(
            sha=commit.sha,
            commit=self._link(commit),
            time=commit.time,
            author=commit.author,
            subject=commit.subject,
            changes=tuple(self._said(change, xid) for change in changes[:MAX_CHANGES]),
            more=max(0, len(changes) - MAX_CHANGES),
        )

    def _said(self, change: Change, xid: str) -> Said:
        who = " and ".join(f"{name}s" for name in change.audience)
        verb = BREAKING.get(change.impact, "")
        return Said(
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
