"""The pages of rules about changes: their examples as two registries, and the findings that are due."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from tests.rules.examples import Due, Example, example
from xregit.changes import diff
from xregit.changes.review import Review, review

# The day on which the examples are looked at.
TODAY = date(2026, 6, 1)


@dataclass(frozen=True)
class Pair:
    """One example: a registry before and after a change, and the findings that are due after it."""

    before: Example
    after: Example

    def review(self, root: Path) -> Review:
        """Write both registries below the folder, compare them and judge the changes."""
        for name in ("before", "after"):
            (root / name).mkdir()
        old, new = self.before.registry(root / "before"), self.after.registry(root / "after")
        return review(diff(old, new), old, new, today=TODAY)


def pair(name: str, kind: str) -> Pair:
    """Return the example of a rule's page, of kind ``Bad`` or ``Good``."""
    whole = example(name, kind)
    return Pair(_part(whole, "before"), _part(whole, "after"))


def count_findings(made: Review, due: Counter[Due]) -> Counter[Due]:
    """Return the findings of a review in the form of those that are due."""
    anywhere = {(path, rule) for path, line, rule in due if line == 0}
    places = ((item.path.removeprefix("registry/"), item.line, item.rule) for item in made.diagnostics)
    return Counter((path, 0 if (path, rule) in anywhere else line, rule) for path, line, rule in places)


def _part(whole: Example, side: str) -> Example:
    """Return the files of one side; what is missing on the other side has no place there."""
    start = f"{side}/"
    texts = {path.removeprefix(start): text for path, text in whole.texts.items() if path.startswith(start)}
    due = {(path.removeprefix(start), line, rule): n for (path, line, rule), n in whole.due.items()}
    special = {path.removeprefix(start): kind for path, kind in whole.special.items() if path.startswith(start)}
    return Example(whole.about, texts, special, Counter(due if side == "after" else {}))
