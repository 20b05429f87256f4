"""The history of the registry and of each entity, commit by commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from xregit.catalog.entities import Place
from xregit.catalog.registry import Registry
from xregit.changes.change import Change, Impact
from xregit.changes.commit_changes import recent_commits
from xregit.pages.links import Link, is_safe
from xregit.source.commit_log import Commit

SHORT_HASH = 9
# A page has at most this many commits, and this many changes of each.
MAX_COMMITS, MAX_CHANGES = 20, 12
BREAKING = {Impact.BREAKING: "breaks", Impact.UNKNOWN: "may break"}


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """What changed in one entity; ``entity`` links to it unless the page is its own, ``breaks`` says whom it breaks."""

    text: str
    entity: Link | None
    breaks: str


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """One commit: its link, time, author and subject, and what it changed.

    ``more`` counts entries left out, ``touched`` the entities of a commit that changed too many to list each.
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
    """The history of a registry's entities; ``link`` returns the link to an entity's page, with a text of its own."""

    def __init__(self, registry: Registry, link: Callable[[str, str], Link]) -> None:
        """Compare the last commits, once for all entities."""
        self._registry, self._link = registry, link
        self._commits: Mapping[str, Commit] = {each.sha: each for each in registry.origin.history.commits}
        self._recent = recent_commits(registry)
        self._changes: dict[str, dict[str, list[Change]]] = defaultdict(lambda: defaultdict(list))
        for summary in self._recent:
            for change in summary.changes:
                # A change to a version of a schema is one of the schema.
                resource = change.xid.partition("/versions/")[0]
                for xid in dict.fromkeys((resource, change.xid, *change.reaches)):
                    self._changes[xid][summary.commit.sha].append(change)

    @cached_property
    def latest(self) -> tuple[CommitEntry, ...]:
        """The last commits that changed the registry, the newest first; where none of them did, all of them."""
        commits = [
            replace(self._entry(each.commit, each.changes), touched=0 if each.compared else each.touched)
            for each in self._recent
        ]
        return tuple(each for each in commits if each.changes or each.touched) or tuple(commits)

    def of(self, xid: str, place: Place) -> tuple[CommitEntry, ...]:
        """Return the commits that changed an entity, the newest first; only recent ones say what they changed."""
        changes = self._changes.get(xid, {})
        return tuple(self._entry(each, changes.get(each.sha, []), xid) for each in self._commits_of(xid, place))

    def changed_messages(self) -> Iterator[tuple[str, Sequence[Commit]]]:
        """Yield the messages that recent commits changed, each with all commits that did, the newest first."""
        for xid in self._changes:
            message = self._registry.resource(xid) if "/messages/" in xid else None
            if message is not None:
                yield xid, self._commits_of(xid, message.place)

    def _commits_of(self, xid: str, place: Place) -> Sequence[Commit]:
        file_commits, changes = dict.fromkeys(self._registry.facts(place).commits), self._changes.get(xid, {})
        recent = [each.commit.sha for each in self._recent]
        shas = dict.fromkeys((*(sha for sha in recent if sha in file_commits or sha in changes), *file_commits))
        return [self._commits[sha] for sha in list(shas)[:MAX_COMMITS] if sha in self._commits]

    def _entry(self, commit: Commit, changes: Sequence[Change], xid: str = "") -> CommitEntry:
        repository = self._registry.settings.repository.rstrip("/")
        url = f"{repository}/commit/{commit.sha}"
        entries = self._change_entries(changes, xid)
        return CommitEntry(
            sha=commit.sha,
            commit=Link(commit.sha[:SHORT_HASH], url if repository and is_safe(url) else ""),
            time=commit.time,
            author=commit.author,
            subject=commit.subject,
            changes=entries[:MAX_CHANGES],
            more=max(0, len(entries) - MAX_CHANGES),
        )

    def _change_entries(self, changes: Sequence[Change], xid: str) -> tuple[ChangeEntry, ...]:
        """Return an entry for each entity and whom its changes break."""
        texts: dict[tuple[str, str], list[str]] = defaultdict(list)
        for change in changes:
            verb = BREAKING.get(change.impact, "")
            breaks = f"{verb} {' and '.join(f'{name}s' for name in change.audience)}" if verb else ""
            texts[change.xid, breaks].append(change.text)
        return tuple(
            ChangeEntry(" ".join(each), self._change_link(changed) if changed != xid else None, breaks)
            for (changed, breaks), each in texts.items()
        )

    def _change_link(self, xid: str) -> Link:
        owner, is_version, version = xid.partition("/versions/")  # the id of a version alone says nothing
        return self._link(xid, f"{owner.rpartition('/')[2]}, version {version}" if is_version else "")
