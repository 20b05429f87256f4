"""A Markdown summary, for a pull request, of the changes between two states of a registry; what breaks comes first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from xregit.changes.change import AUDIENCES
from xregit.changes.review import Review, ReviewItem
from xregit.reports.changes import POLICY, Part, counts, parts, place
from xregit.reports.text import escape_control, path_bytes

# Where an entity's page and a line of a file are on the web; an empty text where nobody knows.
Page = Callable[[str], str]
Line = Callable[[str, int], str]

# GitHub takes a comment of at most 65,536 characters, and a summary of one MiB.
MAX_CHARACTERS = 65_000
# So many rows are shown of each table, as long as all of it has room; a table beyond this helps nobody.
MAX_ROWS = 200
MAX_REACHED = 50
_FEWER_ROWS = (MAX_ROWS, 50, 10, 1, 0)
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#&$])")
_SPACES = re.compile(r"\s+")
# A space that browsers and Markdown leave out of code: at an end, and behind another one.
_LOST_SPACE = re.compile("^ | $|(?<= ) ")
# What is in quotes, and the example of a payload, which has quotes of its own.
_QUOTED = re.compile(r'(?<=; for example )([\[{].{0,200}?)(?=\.(?: |$))|"([^"]*)"')
_NOTES = {
    "breaking": "A definition in use should stay what it is on the wire: make a new one, and deprecate the old.",
    "unknown": "Compatibility couldn't be determined; review each change.",
}


def nowhere(*_: object) -> str:
    """Return no address."""
    return ""


def changes_markdown(review: Review, page: Page = nowhere, line: Line = nowhere) -> str:
    """Return the summary; it links to the entities' pages and to the lines that changed where these are known.

    It is never longer than GitHub takes: the rest is counted.
    """
    texts = (_summary(review, _Form(page, line, rows)) for rows in _FEWER_ROWS)
    return next((text for text in texts if len(text) <= MAX_CHARACTERS), f"## {headline(review)}\n")


@dataclass(frozen=True, slots=True)
class _Form:
    """How a summary is written: where pages and lines are on the web, and how many rows of each table are shown."""

    page: Page
    line: Line
    rows: int

    @property
    def reached(self) -> int:
        """How many of the entities are shown that a change reaches."""
        return min(self.rows, MAX_REACHED)


def _summary(review: Review, form: _Form) -> str:
    blocks = [f"## {headline(review)}", *_policy(review, form), *_unread(review, form)]
    for part in parts(review):
        blocks += _block(part, form)
    if review.advice:
        blocks.append(_prose(review.advice))
    return "\n\n".join(blocks) + "\n"


def headline(review: Review) -> str:
    """Return in a few words what a reader most needs to know."""
    numbers = counts(review)
    if numbers["breaking"]:
        return f"{numbers['breaking']} breaking change{'' if numbers['breaking'] == 1 else 's'}"
    if numbers["unknown"]:
        verb = "change needs" if numbers["unknown"] == 1 else "changes need"
        return f"{numbers['unknown']} {verb} review"
    if review.unreadable:
        return "What can't be read can't be compared"
    if not review.items:
        return "No catalog changes"
    return "No breaking changes" if not numbers["let-through"] else "All breaking changes are allowed"


def _policy(review: Review, form: _Form) -> Iterator[str]:
    """Yield what changes the judgement itself."""
    if review.policy:
        items = review.policy[: form.reached]
        places = (_link(_escaped(item.path), form.line(item.path, item.line)) for item in items)
        rows = [
            f"- {item.rule}: {_prose(item.message)} <sub>{at}</sub>" for item, at in zip(items, places, strict=True)
        ]
        remaining = len(review.policy) - len(items)
        yield f"{POLICY}:"
        yield "\n".join([*rows, *([f"- and {remaining:,} more"] if remaining else [])])


def _unread(review: Review, form: _Form) -> Iterator[str]:
    """Yield the files whose definitions are not among the changes, whatever has become of them."""
    unread = sorted({*review.unreadable} - {item.path for item in review.policy})
    if unread:
        paths = unread[: form.reached]
        remaining = len(unread) - len(paths)
        rows = [f"- {_code(path)}" for path in paths]
        yield "Not compared, as it can't be read, before the change or after it:"
        yield "\n".join([*rows, *([f"- and {remaining:,} more"] if remaining else [])])


def _block(part: Part, form: _Form) -> Iterator[str]:
    title = f"{part.title} ({len(part.items)})"
    items = part.items[: form.rows]
    remaining = len(part.items) - len(items)
    rest = [f"… and {remaining:,} more."] if remaining else []
    if part.brief:
        rows = [_line(item, form.page) for item in items]
        yield "\n".join([f"<details><summary>{title}</summary>", "", *rows, *rest, "", "</details>"])
        return
    yield f"### {title}"
    if part.name in _NOTES:
        yield _NOTES[part.name]
    yield "\n".join(["| What | Producers | Consumers |", "|---|---|---|", *(_row(item, form) for item in items)])
    yield from rest
    advice = dict.fromkeys(item.change.help for item in items if item.change.help and not item.reason)
    if advice:
        rows = [f"- {_prose(text)}" for text in advice]
        yield "\n".join(["<details><summary>What helps</summary>", "", *rows, "", "</details>"])
    yield from (_reached_entities(item, form) for item in items if item.change.reaches)


def _line(item: ReviewItem, page: Page) -> str:
    return f"- {_link(_code(item.change.xid), page(item.change.xid))}: {_prose(item.change.text)}"


def _row(item: ReviewItem, form: _Form) -> str:
    change = item.change
    what = [_title(item, form.page), *map(_prose, (change.message, *change.details[: form.rows]))]
    if change.details[form.rows :]:
        what.append(f"… and {len(change.details) - form.rows} more.")
    if change.reaches:
        what.append(f"It also affects {len(change.reaches)} more, listed below.")
    if item.reason:
        what.append(f"_{_prose(item.reason)}_")
    at = _link(_escaped(place(item).rpartition("/")[2]), form.line(item.place.path, item.span.line))
    what.append(f"<sub>{change.rule} · {at}</sub>")
    cells = ["<br>".join(what), *(_cell(change.says.get(who, ""), str(getattr(change, who))) for who in AUDIENCES)]
    return f"| {' | '.join(cells)} |"


def _title(item: ReviewItem, page: Page) -> str:
    """Return an entity's id as a link, and what it is and where."""
    xid, kind = item.change.xid, item.change.entity
    parts_of_xid = xid.split("/")
    name = _link(_code(parts_of_xid[-1] or "registry"), page(xid))
    parents = "/".join(parts_of_xid[2:-2:2])  # the group, and of a version the schema too
    return f"**{name}**, {_escaped(kind)}{f' of {_code(parents)}' if parents else ''}"


def _cell(says: str, impact: str) -> str:
    mark = {"breaking": "**breaking**", "unknown": "to review"}.get(impact, "fine")
    return f"{mark}: {_prose(says)}" if says else mark


def _reached_entities(item: ReviewItem, form: _Form) -> str:
    reached = item.change.reaches[: form.reached]
    rows = [f"- {_link(_code(xid), form.page(xid))}" for xid in reached]
    remaining = len(item.change.reaches) - len(reached)
    title = f"{len(item.change.reaches)} reached by {_escaped_html(item.change.attribute or 'the change')} of "
    head = f"<details><summary>{title}{_escaped_html(item.change.xid)}</summary>"
    return "\n".join([head, "", *rows, *([f"- and {remaining:,} more"] if remaining else []), "", "</details>"])


def _link(text: str, address: str) -> str:
    return f"[{text}]({quote(path_bytes(address), safe=':/?#@!$&*+,;=%~')})" if address else text


def _prose(text: str) -> str:
    """Return a sentence with what it quotes as code, and nothing in it that Markdown would take for its own."""
    text = text.strip()
    pieces: list[str] = []
    at = 0
    for match in _QUOTED.finditer(text):
        pieces += (_escaped(_SPACES.sub(" ", text[at : match.start()])), _code(match[1] or match[2]))
        at = match.end()
    return "".join([*pieces, _escaped(_SPACES.sub(" ", text[at:]))])


def _escaped(text: str) -> str:
    # In a comment, a name behind an @ would call somebody.
    return _SPECIAL.sub(r"\\\1", escape_control(text)).replace("@", "@&#8203;")


def _escaped_html(text: str) -> str:
    """Return a text for a line of HTML, where Markdown's escapes mean nothing."""
    return escape(escape_control(text)).replace("@", "@&#8203;")


def _code(text: str) -> str:
    """Return a text between as many backquotes as it needs; in a table even code can't hold a bare ``|``."""
    text = _LOST_SPACE.sub(r"\\u0020", escape_control(text))
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}".replace("|", "\\|") if text else '""'
