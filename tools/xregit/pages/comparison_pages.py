"""The pages that compare two versions of a schema, or a message at two commits: what differs, and whom it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import combinations, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from xregit.catalog.entities import Resource, Version
from xregit.changes.attribute_diff import diff_leaves
from xregit.changes.change import AUDIENCES, WORST_FIRST, Change, Impact
from xregit.changes.commit_changes import diff_snapshots, message_snapshots
from xregit.changes.field_diff import FieldChange, PayloadChange, diff_versions
from xregit.model.excerpts import cut, to_json
from xregit.pages import documents
from xregit.pages.change_history import SHORT_HASH
from xregit.pages.links import Link, address, href
from xregit.pages.page import Page
from xregit.pages.renderer import content, day, render

if TYPE_CHECKING:
    from xregit.pages.context import SiteContext


# Of so many of the last versions any two are compared; of older ones, each with the next one and with the last.
MAX_ANY_TWO = 6
# Of so many that are the newest, each is compared with the last one.
MAX_WITH_LAST = 20
# The last commits of a message that are compared, and of so many messages; those of a catalog that are, see
# `commit_changes`.
MAX_COMMITS, MAX_MESSAGES = 5, 200
# A page has at most so many rows, and so many lines and characters of documents side by side.
MAX_ROWS, MAX_DIFFED_LINES, MAX_DIFF_CHARS = 100, 1_500, 12_000
MAX_TEXT_CHARS = 400
# The words for an impact on producers or consumers.
IMPACTS = {
    Impact.BREAKING: "breaks",
    Impact.UNKNOWN: "may break",
    Impact.COMPATIBLE: "safe",
    Impact.COSMETIC: "no effect",
}


class Effect(NamedTuple):
    """What a difference does to producers or to consumers: the impact in a word, and what that means for them."""

    verdict: str
    breaks: bool
    meaning: str


class Row(NamedTuple):
    """One difference: where it is, what was there and what is there now, its effects, and what else is known of it."""

    place: str
    before: str
    after: str
    producer: Effect
    consumer: Effect
    notes: tuple[str, ...]


class Table(NamedTuple):
    """The differences of one thing, such as a type inside a document; ``more`` counts those left out."""

    title: str
    rows: tuple[Row, ...]
    more: int


class Choice(NamedTuple):
    """One side of a comparison: the name of what is shown, links to the others, and further words for it."""

    name: str
    links: tuple[Link, ...]
    note: str


def compared_pairs(ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of versions that are compared, each the older one first; neighbours come before others."""
    neighbours = list(pairwise(ids))
    others = [(old, ids[-1]) for old in ids[-MAX_WITH_LAST:-MAX_ANY_TWO]]
    yield from dict.fromkeys((*neighbours, *others, *combinations(ids[-MAX_ANY_TWO:], 2)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one comparison found; ``text`` is how the two documents differ."""

    changes: tuple[Change, ...]
    payloads: tuple[PayloadChange, ...]
    text: Markup | None = None

    @property
    def all_changes(self) -> tuple[Change, ...]:
        """The changes with those of the payloads as a whole."""
        return (*self.changes, *(each.change for each in self.payloads))


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The comparisons of the states of one entity: versions of a schema, or commits of a message.

    ``names`` are the states by their ids, the oldest first, ``notes`` are further words for them, ``place`` is what the
    addresses of the pages begin with, and ``results`` has each pair of ids that is compared, the older one first.
    """

    place: str
    names: Mapping[str, str]
    results: Mapping[tuple[str, str], Comparison]
    notes: Mapping[str, str] = field(default_factory=dict)

    def link(self, old: str, new: str, text: str) -> Link | None:
        """Return the link to the page of a comparison, with whom it breaks as its note; None where there is none."""
        result = self.results.get((old, new))
        return Link(text, href(self.address(old, new)), note=breaks_text(result.all_changes)) if result else None

    def since(self, new: str) -> tuple[Link, ...]:
        """Return the links to the comparisons of a state with those before it, the nearest first."""
        links = (self.link(old, new, name) for old, name in reversed(list(self.names.items())))
        return tuple(link for link in links if link)

    def address(self, old: str, new: str) -> str:
        """Return the address of the page of a comparison."""
        return address(f"{self.place}/{new}/since/{old}")

    def choices(self, old: str, new: str) -> tuple[Choice, Choice]:
        """Return what each side of a comparison may be changed to."""
        items = self.names.items()
        before = (self.link(each, new, name) for each, name in items)
        after = (self.link(old, each, name) for each, name in items)
        return (
            Choice(self.names[old], tuple(filter(None, before)), self.notes.get(old, "")),
            Choice(self.names[new], tuple(filter(None, after)), self.notes.get(new, "")),
        )


def schema_comparisons(site: SiteContext, schema: Resource) -> Comparisons:
    """Return the comparisons of the versions of a schema; after one that is too large, no others."""
    results: dict[tuple[str, str], Comparison] = {}
    for pair in compared_pairs(list(schema.versions)):
        old, new = (schema.versions[vid] for vid in pair)
        changes = diff_versions(site.registry, schema, old, new)
        results[pair] = Comparison((), changes, _text_diff(old, new))
        if any(each.is_partial for each in changes):  # as may be the others, and each takes seconds
            break
    return Comparisons(f"{schema.xid}/versions", {vid: vid for vid in schema.versions}, results)


def message_comparisons(site: SiteContext) -> dict[str, Comparisons]:
    """Return the comparisons of each message that one of the last commits changed, and another one before it."""
    changed = ((xid, items[:MAX_COMMITS]) for xid, items in site.history.changed_messages() if len(items) > 1)
    commits = dict(islice(changed, MAX_MESSAGES))
    snapshots = message_snapshots(site.registry, {xid: [each.sha for each in items] for xid, items in commits.items()})
    result = {}
    for xid, states in snapshots.items():
        names = {each.sha[:SHORT_HASH]: f"{day(each.time)} {each.sha[:SHORT_HASH]}" for each in reversed(commits[xid])}
        by_name = {sha[:SHORT_HASH]: state for sha, state in states.items()}
        results = {}
        for old, new in compared_pairs([name for name in names if name in by_name]):
            changes, payload = diff_snapshots(xid, by_name[old], by_name[new])
            if changes or payload:
                results[old, new] = Comparison(changes, (payload,) if payload else ())
        if results:
            subjects = {each.sha[:SHORT_HASH]: each.subject for each in commits[xid]}
            result[xid] = Comparisons(f"{xid}/commits", names, results, subjects)
    return result


def breaks_text(changes: Iterable[Change]) -> str:
    """Return whom changes break, or may break, in words; nothing where they break nobody."""
    items = list(changes)
    worst = {name: min((getattr(each, name) for each in items), key=WORST_FIRST.index) for name in AUDIENCES if items}
    for impact in (Impact.BREAKING, Impact.UNKNOWN):
        names = [f"{name}s" for name, item in worst.items() if item is impact]
        if names:
            return f"{IMPACTS[impact]} {' and '.join(names)}"
    return ""


def comparison_pages(site: SiteContext, entity: Resource, name: str, comparisons: Comparisons) -> Iterator[Page]:
    """Yield the pages that compare two states of an entity."""
    for (old, new), result in comparisons.results.items():
        before, after = (comparisons.names[each].rpartition(" ")[2] for each in (old, new))
        title = f"{name} {before} to {after}"
        tables = [
            _table("Definition", (row for each in result.changes for row in _change_rows(each))),
            *(_table(each.label or "Fields", map(_field_row, each.fields)) for each in result.payloads),
        ]
        html = render(
            "comparison.html",
            crumbs=(*site.crumbs(entity.xid), site.link(entity.xid)),
            title=title,
            choices=comparisons.choices(old, new),
            effects=_effects(result.all_changes),
            tables=[each for each in tables if each.rows],
            same=tuple(each.title for each in tables[1:] if not each.rows),
            is_partial=any(each.is_partial for each in result.payloads),
            reasons=[each.change.message for each in result.payloads if not each.fields and breaks_text([each.change])],
            text=result.text,
        )
        description = f"What changed in {title}, and which clients it breaks"
        yield Page(comparisons.address(old, new), title, html, description, parent=address(entity.xid))


def _effects(changes: Sequence[Change]) -> Mapping[str, Effect]:
    """Return the worst effect of changes on each audience."""
    if not changes:
        return {}
    worst = {name: min(changes, key=lambda each: WORST_FIRST.index(getattr(each, name))) for name in AUDIENCES}
    return {f"{name.capitalize()}s": _effect(change, name) for name, change in worst.items()}


def _effect(change: Change | FieldChange, audience: str) -> Effect:
    impact: Impact = getattr(change, audience)
    return Effect(IMPACTS[impact], impact in {Impact.BREAKING, Impact.UNKNOWN}, change.says.get(audience, ""))


def _table(title: str, rows: Iterable[Row]) -> Table:
    items = tuple(rows)
    return Table(title, items[:MAX_ROWS], max(0, len(items) - MAX_ROWS))


def _change_rows(change: Change) -> Iterator[Row]:
    """Yield the rows of a change; of an object one for each member that differs."""
    effects = _effect(change, "producer"), _effect(change, "consumer")
    values = change.before, change.after
    if any(isinstance(value, Mapping) for value in values) and all(isinstance(each, Mapping | None) for each in values):
        leaves = list(diff_leaves(change.before or {}, change.after or {}, path=change.path))
    else:
        leaves = [(change.path, *values)]
    for path, *pair in leaves:
        before, after = ("" if value is None else to_json(value, MAX_TEXT_CHARS) for value in pair)
        yield Row(".".join(path) or change.entity, before, after, *effects, () if before or after else (change.text,))


def _field_row(change: FieldChange) -> Row:
    before, after = (cut(text, MAX_TEXT_CHARS) for text in (change.before, change.after))
    return Row(change.place, before, after, _effect(change, "producer"), _effect(change, "consumer"), change.messages)


def _text_diff(old: Version, new: Version) -> Markup | None:
    """Return how the texts of two documents differ, as HTML; None where they are too long or the same."""
    before, after = (
        documents.document_source(each.document).text.splitlines() if each.document else [] for each in (old, new)
    )
    if not before or not after or len(before) + len(after) > MAX_DIFFED_LINES:
        return None
    lines = list(unified_diff(before, after, lineterm="", n=2))[2:]
    if not lines or sum(map(len, lines)) > MAX_DIFF_CHARS:
        return None
    tags = {"+": "ins", "-": "del"}
    marked = (f"<{tag}>{content(line)}</{tag}>" if (tag := tags.get(line[:1])) else content(line) for line in lines)
    return Markup("\n".join(marked))  # noqa: S704 - escaped here
