"""Changes between two states of a registry, and an entity's history, as text for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any

from xregit.changes.change import AUDIENCES, Change, Impact
from xregit.changes.commit_changes import CommitSummary, HistoryEntry
from xregit.changes.review import MergeDecision, Review, ReviewItem
from xregit.diagnostics import Diagnostic
from xregit.reports.text import escape_control
from xregit.reports.text import place as diagnostic_place
from xregit.source.commit_log import Commit

POLICY = "To look at first, since it decides on the rest"
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Part:
    """The changes of one kind; ``title`` says what they have in common, ``brief`` that one line each is enough."""

    name: str
    title: str
    items: tuple[ReviewItem, ...]
    brief: bool = False


def parts(review: Review) -> tuple[Part, ...]:
    """Return the changes in the order in which a reader needs them: what breaks first, wording last."""
    items_by_name: dict[str, list[ReviewItem]] = {name: [] for name in _TITLES}
    for item in review.items:
        items_by_name[_part_of(item)].append(item)
    return tuple(
        Part(name, _TITLES[name], tuple(items), name in _BRIEF) for name, items in items_by_name.items() if items
    )


_TITLES: Mapping[str, str] = {
    "breaking": "Breaking",
    "unknown": "Needs review",
    "let-through": "Breaking, but allowed",
    "compatible": "Non-breaking",
    "cosmetic": "Documentation only",
}
_COUNTS: Mapping[str, str] = {
    "breaking": "{} breaking {}",
    "unknown": "{} {} to review",
    "let-through": "{} allowed {}",
    "compatible": "{} non-breaking {}",
    "cosmetic": "{} documentation-only {}",
}
_BRIEF = frozenset({"compatible", "cosmetic"})


def _part_of(item: ReviewItem) -> str:
    return str(item.change.impact) if item.decision in {MergeDecision.FINE, MergeDecision.STANDS} else "let-through"


def changes_text(review: Review) -> str:
    """Return all changes for people, breaking ones first and in full, then one sentence to sum up.

    At the head is what changes the judgement itself. No name or value leaves its line.
    """
    lines = [f"{POLICY}:", *_policy_lines(review.policy), ""] if review.policy else []
    for part in parts(review):
        lines += [
            f"{part.title}:",
            *(line for item in part.items for line in _change_lines(item, brief=part.brief)),
            "",
        ]
    advice = [review.advice] if review.advice else []
    return "\n".join(map(escape_control, [*lines, summary(review), *advice]))


def changes_json(review: Review) -> str:
    """Return `review_json` as text."""
    return dumps(review_json(review), indent=2, ensure_ascii=False, default=list)


def review_json(review: Review) -> dict[str, Any]:
    """Return ``{"policy": […], "changes": […], "counts": {…}, "diagnostics": […], "unread": […]}``.

    Changes say where they are. ``policy`` are the diagnostics on what changes the judgement itself.
    """
    return {
        "policy": [item.as_json() for item in review.policy],
        "changes": [
            {
                **item.change.as_json(),
                "standing": str(item.decision),
                "why": item.reason,
                "path": item.place.path,
                "line": item.span.line,
            }
            for item in review.items
        ],
        "counts": counts(review),
        "diagnostics": [item.as_json() for item in review.diagnostics],
        "unread": review.unreadable,
    }


def counts(review: Review) -> Mapping[str, int]:
    """Return how many changes there are of each kind; those that are let through count as such alone."""
    numbers = {part.name: len(part.items) for part in parts(review)}
    return {name: numbers.get(name, 0) for name in _TITLES}


def summary(review: Review) -> str:
    """Return one sentence that says how many changes there are, and of what kind."""
    if not review.items:
        return "No changes in what can be read." if review.unreadable else "No changes."
    numbers = {name: number for name, number in counts(review).items() if number}
    noun = "change" if len(review.items) == 1 else "changes"
    if len(numbers) == 1:
        return "".join(f"{_COUNTS[name].format(number, noun)}." for name, number in numbers.items())
    clauses = (" ".join(_COUNTS[name].format(number, "").split()) for name, number in numbers.items())
    return f"{len(review.items)} {noun}: {', '.join(clauses)}."


def place(item: ReviewItem) -> str:
    """Return where a change is to be seen, without the line that isn't known."""
    return f"{item.place.path}:{item.span.line}" if item.span.line else item.place.path


def _policy_lines(policy: Sequence[Diagnostic]) -> Iterator[str]:
    for item in policy:
        yield f"  {diagnostic_place(item)}: {item.severity} {item.rule}: {item.message}"
        yield f"{_INDENT}help: {item.help}"


def _change_lines(item: ReviewItem, *, brief: bool) -> Iterator[str]:
    change = item.change
    if brief:
        yield f"  {change.xid}: {change.text}"
        return
    yield f"  {change.xid}"
    yield f"{_INDENT}{change.message}"
    yield from (f"{_INDENT}- {detail}" for detail in change.details)
    for who in AUDIENCES:
        if who in change.says:
            yield f"{_INDENT}{who}s {change.says[who]} ({getattr(change, who)})"
    if change.reaches:
        yield f"{_INDENT}reaches {_many(len(change.reaches), 'other')}:"
        yield from (f"{_INDENT}  {xid}" for xid in change.reaches)
    if item.reason:
        yield f"{_INDENT}{item.reason}"
    yield f"{_INDENT}{place(item)}: {change.rule}{f' ({change.requirement})' if change.requirement else ''}"
    if change.help and item.decision is MergeDecision.STANDS:
        yield f"{_INDENT}help: {change.help}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


SHORT_HASH = 9


def history_text(entries: Sequence[HistoryEntry]) -> str:
    """Return a paragraph for each commit, the newest first: when, who, what they said, and what changed by it."""
    return "\n\n".join("\n".join(map(escape_control, _entry_lines(entry))) for entry in entries)


def history_json(entries: Sequence[HistoryEntry]) -> list[dict[str, Any]]:
    """Return one object for each commit that touched an entity, the newest first."""
    return [
        {
            **_commit_json(entry.commit),
            "xid": entry.xid,
            "readable": entry.readable,
            "changes": [change.as_json() for change in entry.changes],
        }
        for entry in entries
    ]


def commits_json(commits: Sequence[CommitSummary]) -> list[dict[str, Any]]:
    """Return one object for each commit that touched the registry, the newest first.

    ``touched`` counts entities; a commit that touched too many is not ``compared``, and so has no changes.
    """
    return [
        {
            **_commit_json(item.commit),
            "touched": item.touched,
            "compared": item.compared,
            "changes": [change.as_json() for change in item.changes],
        }
        for item in commits
    ]


def _commit_json(commit: Commit) -> dict[str, Any]:
    return {"commit": commit.sha, "time": commit.time, "author": commit.author, "subject": commit.subject}


def _entry_lines(entry: HistoryEntry) -> Iterator[str]:
    commit = entry.commit
    yield f"{commit.time[:10]}  {commit.sha[:SHORT_HASH]}  {commit.author}: {commit.subject}"
    if not entry.readable:
        yield "    Some of it can't be read at this commit."
    elif not entry.changes:
        yield "    Created." if entry.begins else "    No catalog changes."
    for change in entry.changes:
        by = "" if change.xid == entry.xid else f" (through {change.xid})"
        yield f"    {change.text}{by}{_consequence(change)}"


def _consequence(change: Change) -> str:
    words = {Impact.BREAKING: "This breaks", Impact.UNKNOWN: "This may break"}
    if change.impact not in words:
        return ""
    return f" {words[change.impact]} {' and '.join(f'{who}s' for who in change.audience)}."
