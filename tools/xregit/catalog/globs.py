"""Regular expressions for patterns of paths, such as ``registry/**/order.*.yaml``, which answer quickly.

A wildcard matches as little as it can and never backtracks (``(?>…)``), so that matching stays fast with many of them.
That loses no match: a short match leaves the most for the next wildcard. Only the last one, behind which the text has
to end, tries all lengths.

pathspec, the library for such patterns, needs more than 20 s for ``*a*a*a*a*a!`` and a name of 250 letters, and reads
``docs/*`` as .gitignore does: with all below, which CODEOWNERS leaves out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# Expressions for characters of one name, for any characters, and for any number of folders.
_FLAT, _DEEP, _FOLDERS = "[^/]*?", ".*?", "(?:.*?/)??"
_SETTINGS = r"(?s)(?P<deep>\*\*)|(?P<flat>\*)|(?P<one>\?)|(?P<text>[^*?]+)"
_CODEOWNERS = (
    r"(?s)(?P<folders>(?:^|(?<=/))\*\*/)|(?P<deep>(?:^|(?<=/))\*\*$)|(?P<flat>\*)|(?P<one>\?)"
    r"|(?P<class>\[[^]]*\])|\\(?P<escaped>.)|(?P<text>[^*?\[\\]+|\\$|.)"
)
_WILD = {"deep": _DEEP, "folders": _FOLDERS, "flat": _FLAT}

# A wildcard with the expression of the text that follows it.
Step = tuple[str, str]


def settings_regex(pattern: str) -> re.Pattern[str]:
    """Return the expression, for a whole path or xid, for what a pattern of the settings names and all below it."""
    return re.compile(_join(_steps(re.finditer(_SETTINGS, pattern.rstrip("/"))), "(?:/.*)?"), re.DOTALL)


def codeowners_regex(pattern: str) -> re.Pattern[str]:
    """Return the expression to search for in paths that a pattern of CODEOWNERS names."""
    start = r"\A" if "/" in pattern[:-1] else r"(?:\A|/)"
    end = "/" if pattern.endswith("/") else r"\Z" if pattern.endswith("/*") else r"(?:\Z|/)"
    return re.compile(start + _join(_steps(re.finditer(_CODEOWNERS, pattern.strip("/"))), end))


def is_codeowners_pattern(pattern: str) -> bool:
    """Return whether a pattern is well-formed: its brackets are closed, and not empty."""
    if "[" not in pattern:
        return True
    try:
        codeowners_regex(pattern)
    except re.error:
        return False
    return not any(match[0] == "[" for match in re.finditer(_CODEOWNERS, pattern.strip("/")))


def _steps(matches: Iterable[re.Match[str]]) -> Iterator[Step]:
    """Yield each wildcard with the expression of the text that follows it; the first text follows none."""
    wildcard, text = "", ""
    for match in matches:
        kind, part = match.lastgroup or "", match[match.lastgroup or 0]
        if kind in _WILD:
            yield wildcard, text
            wildcard, text = _WILD[kind], ""
        else:
            text += "[^/]" if kind == "one" else f"[{re.escape(part[1:-1])}]" if kind == "class" else re.escape(part)
    yield wildcard, text


def _join(steps: Iterable[Step], end: str) -> str:
    """Return the expression: one group for each wildcard over names, with those inside names that follow it."""
    pieces: list[list[Step]] = [[]]
    for step in steps:
        if step[0] in {_DEEP, _FOLDERS}:
            pieces.append([])
        pieces[-1].append(step)
    inner = (f"(?>{_join_piece(piece)})" for piece in pieces[:-1])
    *before, (wildcard, text) = pieces[-1]
    return f"{''.join(inner)}{_join_piece(before)}{wildcard}{text}{end}"


def _join_piece(steps: list[Step]) -> str:
    return "".join(f"(?>{wildcard}{text})" if wildcard == _FLAT else wildcard + text for wildcard, text in steps)
