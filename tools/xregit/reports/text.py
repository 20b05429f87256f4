"""Diagnostics → lines for a terminal, which editors can follow to the place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from xregit.diagnostics import Severity
from xregit.errors import Lines, no_lines
from xregit.reports.excerpts import excerpt, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xregit.diagnostics import Diagnostic

# Returns a text in a style.
Paint = Callable[[str, str], str]

# A line that holds a credential would carry it into the logs of CI.
UNSHOWN = "credential-in-"
MAX_RULES_LISTED = 10
MIN_FINDINGS_TO_NAME_A_FILE = 3
# Styles and their codes (ECMA-48, "select graphic rendition").
CODES: Mapping[str, str] = {
    "error": "1;31", "warning": "1;33", "info": "1;34", "place": "1", "rule": "36", "margin": "2", "help": "32",
}  # fmt: skip


def plain(text: str, _style: str) -> str:
    """Return a text as it is."""
    return text


def coloured(text: str, style: str) -> str:
    """Return a text in the colours of a terminal."""
    return f"\x1b[{CODES[style]}m{text}\x1b[0m"


def text(diagnostics: Sequence[Diagnostic], lines: Lines = no_lines, paint: Paint = plain) -> str:
    """Return ``path:line:column: severity rule: message`` for each, with the line and any help, then a summary.

    There is no final newline. What a catalog's author wrote can't steer the terminal.
    """
    findings = (line for item in diagnostics for line in _lines(item, lines, paint))
    return "\n".join([*findings, summary(diagnostics), *_next(diagnostics, paint)])


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Return one sentence that says how many findings there are, and in how many files."""
    if not diagnostics:
        return "No findings."
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


def _lines(item: Diagnostic, lines: Lines, paint: Paint) -> Iterator[str]:
    where, rule = paint(safe(place(item)), "place"), paint(item.rule, "rule")
    yield f"{where}: {paint(item.severity, item.severity)} {rule}: {safe(item.message)}"
    line = lines(item.path, item.line) if item.line and not item.rule.startswith(UNSHOWN) else None
    if line is not None:
        shown = excerpt(line, item.column, item.endcolumn if item.endline in {0, item.line} else len(line) + 1)
        margin = f"  {item.line} |"
        yield f"{paint(margin, 'margin')} {shown.line}".rstrip()
        yield f"{paint('|'.rjust(len(margin)), 'margin')} {paint(shown.carets, item.severity)}"
    if item.help:
        yield f"    {paint('help:', 'help')} {safe(item.help)}"


def _next(diagnostics: Sequence[Diagnostic], paint: Paint) -> Iterator[str]:
    """Yield what to do next: the rules, most findings first, the file to begin with, and where to read more."""
    rules = Counter(item.rule for item in diagnostics).most_common()
    if not rules:
        return
    if len(rules) > 1:
        width = len(str(rules[0][1]))
        yield from (f"  {count:>{width}}  {paint(rule, 'rule')}" for rule, count in rules[:MAX_RULES_LISTED])
        if len(rules) > MAX_RULES_LISTED:
            yield f"  {'':>{width}}  and {_many(len(rules) - MAX_RULES_LISTED, 'more rule')}"
    files = Counter(item.path for item in diagnostics).most_common(2)
    if len(files) > 1 and files[0][1] >= MIN_FINDINGS_TO_NAME_A_FILE and files[0][1] > files[1][1]:
        yield f"Most are in {safe(files[0][0])}: {files[0][1]}."
    which = rules[0][0] if len(rules) == 1 else "RULE"
    yield f'Next: "xregit explain {which}" says why, and shows what is right.'


def _many(count: int, noun: str) -> str:
    plural = "" if count == 1 or noun == Severity.INFO else "s"
    return f"{count} {noun}{plural}"
