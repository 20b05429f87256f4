"""Diagnostics → lines for a terminal, which editors can follow to the place."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from xregit.diagnostics import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xregit.diagnostics import Diagnostic


def text(diagnostics: Sequence[Diagnostic]) -> str:
    """Return ``path:line:column: severity rule: message`` and any help for each, then a summary; no final newline."""
    return "\n".join([*(_lines(item) for item in diagnostics), summary(diagnostics)])


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one sentence that says how many findings there are, and in how many files."""
    if not diagnostics:
        return "Nothing found."
    found = ", ".join(_many(count, severity) for severity, count in counts(diagnostics).items() if count)
    return f"Found {found} in {_many(len({item.path for item in diagnostics}), 'file')}."


def counts(diagnostics: Sequence[Diagnostic]) -> Mapping[str, int]:
    """Return how many diagnostics there are of each severity, worst first."""
    found = Counter(item.severity for item in diagnostics)
    return {severity.value: found[severity] for severity in Severity}


def place(diagnostic: Diagnostic) -> str:
    """Return where a diagnostic points, without the line or column that isn't known."""
    known = [str(number) for number in (diagnostic.line, diagnostic.column) if number]
    return ":".join([diagnostic.path, *known])


def _lines(item: Diagnostic) -> str:
    first = f"{place(item)}: {item.severity} {item.rule}: {item.message}"
    return f"{first}\n    help: {item.help}" if item.help else first


def _many(count: int, noun: str) -> str:
    plural = "" if count == 1 or noun == Severity.INFO else "s"
    return f"{count} {noun}{plural}"
