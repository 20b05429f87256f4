"""The page of the docs that lists every kind of change with what it does to whom, made from the table of verdicts."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from xregit.changes.verdict_table import VerdictRow, load_table
from xregit.rules import rule_named

PAGE = "site/manual/verdicts.md"
HEAD = """\
# What each change does to whom

The table that `xregit diff` uses; the first row that matches a change applies. X is the attribute, A its old value and
B its new one. `pytest tests/changes --update-golden` writes this page;
[Changing what others rely on](changing.md) explains how a change is judged.

| in | change | now allowed | producers | consumers | rule |
|---|---|---|---|---|---|
"""
MAX_PLACES = 3
_WORD = re.compile(r"\{([a-z]+)\}")
_WORDS = {
    "name": "X",
    "before": "A",
    "after": "B",
    "about": "definition",
    "item": "A",
    "what": "Messages leave or join the contract",
    "same": "it says the same",
    "edited": "changes in any other way",
    "moves": "moves from A to B",
    "changes": "changes from A to B",
    "wasallowed": "A was allowed",
    "nowallowed": "B is allowed",
}
_RELATIONS = {
    "wider": "more",
    "narrower": "less",
    "other": "something else",
    "same": "the same",
    "equal": "the same",
    "perhaps wider": "perhaps more",
    "perhaps narrower": "perhaps less",
    "wider, perhaps narrower": "more, perhaps less too",
    "narrower, perhaps wider": "less, perhaps more too",
}


def page() -> str:
    """Return the page's Markdown."""
    return HEAD + "".join(map(_line, load_table().rows))


def _line(row: VerdictRow) -> str:
    places = row.conditions.get("path") or row.conditions.get("about") or ("anything",)
    shown = ", ".join(f"`{place}`" for place in places[:MAX_PLACES]) + (", …" if len(places) > MAX_PLACES else "")
    message = _WORD.sub(lambda word: _WORDS.get(word[1], ""), row.message)
    allowed = _RELATIONS.get(str(row.conditions.get("relation", ("",))[0]), "")
    rule = f"[{row.rule}](check-rules/{row.rule}/index.md)" if rule_named(row.rule) else row.rule
    text = f"{message[:1].upper()}{message[1:]}"
    return f"| {shown} | {text} | {allowed} | {row.producer} | {row.consumer} | {rule} |\n"


def test_page_is_current(root: Path, golden: Callable[[str | Path, str | bytes], None]) -> None:
    """Whoever changes a verdict changes the page with it."""
    golden(root / PAGE, page())
