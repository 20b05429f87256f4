"""Patterns of files, such as ``registry/**/order.*.yaml``, to regular expressions that answer quickly.

A wildcard takes as little as it can and gives nothing back (``(?>…)``), so that matching stays fast with many of them.
That loses no match: taking little leaves the most for the next wildcard. Only the last one, behind which the text has
to end, tries all lengths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

# What stands for characters of one name, and what for any number of names.
FLAT, DEEP, FOLDERS = "[^/]*?", ".*?", "(?:.*?/)??"
_SETTING = r"(?s)(?P<deep>\*\*)|(?P<flat>\*)|(?P<one>\?)|(?P<text>[^*?]+)"
_OWNED = (
    r"(?s)(?P<folders>(?:^|(?<=/))\*\*/)|(?P<deep>(?:^|(?<=/))\*\*$)|(?P<flat>\*)|(?P<one>\?)"
    r"|(?P<class>\[[^]]*\])|\\(?P<escaped>.)|(?P<text>[^*?\[\\]+|\\$|.)"
)
_PLAIN = r"[^*?\[\\]*"
_WILD = {"deep": DEEP, "folders": FOLDERS, "flat": FLAT}

Step = tuple[str, str]


def setting_regex(pattern: str) -> re.Pattern[str]:
    """Return the expression, for a whole text, for what a pattern of the settings names and all below it."""
    return re.compile(_joined(_steps(re.finditer(_SETTING, pattern.rstrip("/"))), "(?:/.*)?"), re.DOTALL)


def owned_regex(pattern: str) -> re.Pattern[str]:
    """Return the expression, to be searched for, for the paths that a pattern of CODEOWNERS names."""
    start = r"\A" if "/" in pattern[:-1] else r"(?:\A|/)"
    end = "/" if pattern.endswith("/") else r"\Z" if pattern.endswith("/*") else r"(?:\Z|/)"
    return re.compile(start + _joined(_steps(re.finditer(_OWNED, pattern.strip("/"))), end))


def is_owned_pattern(pattern: str) -> bool:
    """Tell whether CODEOWNERS may have a pattern: its brackets are closed, and not empty."""
    if "[" not in pattern:
        return True
    try:
        owned_regex(pattern)
    except re.error:
        return False
    return not any(match[0] == "[" for match in re.finditer(_OWNED, pattern.strip("/")))


class Owned:
    """The patterns of CODEOWNERS in their order: of many a path is compared with few.

    Those without wildcards are found by the folders that lead to a path. Of those with wildcards an expression is made
    when a path begins as they do.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        """Take patterns, each of which is one."""
        self._plain: dict[str, int] = {}
        self._wild: list[tuple[int, str, str]] = []
        for number, pattern in enumerate(patterns):
            body, anchored = pattern.strip("/"), "/" in pattern[:-1]
            plain = re.match(_PLAIN, body)
            if plain and plain.end() < len(body):
                self._wild.append((number, plain[0] if anchored else "", pattern))
            else:
                self._plain[f"{'/' * anchored}{body}{'/' * pattern.endswith('/')}"] = number
        self._regexes: dict[str, re.Pattern[str]] = {}

    def last(self, path: str) -> int:
        """Return the number, from 0, of the last pattern that names a path or a folder above it; -1 for none."""
        found = max((self._plain.get(name, -1) for name in _names(path)), default=-1)
        for number, start, pattern in reversed(self._wild):
            if number < found:
                break
            if path.startswith(start) and self._regex(pattern).search(path):
                return number
        return found

    def _regex(self, pattern: str) -> re.Pattern[str]:
        regex = self._regexes.get(pattern)
        return regex or self._regexes.setdefault(pattern, owned_regex(pattern))


def _names(path: str) -> Iterator[str]:
    """Give what a pattern without wildcards may be that names a path or a folder above it."""
    parts = path.split("/")
    for number, part in enumerate(parts, 1):
        whole = "/".join(parts[:number])
        yield from (f"/{whole}", part)
        if number < len(parts):
            yield from (f"/{whole}/", f"{part}/")


def _steps(found: Iterable[re.Match[str]]) -> Iterator[Step]:
    """Give each wildcard with the expression of the text that follows it; the first text follows none."""
    wildcard, text = "", ""
    for match in found:
        kind, part = match.lastgroup or "", match[match.lastgroup or 0]
        if kind in _WILD:
            yield wildcard, text
            wildcard, text = _WILD[kind], ""
        else:
            text += "[^/]" if kind == "one" else f"[{re.escape(part[1:-1])}]" if kind == "class" else re.escape(part)
    yield wildcard, text


def _joined(steps: Iterable[Step], end: str) -> str:
    """Return the expression: one group for each wildcard over names, with those inside names that follow it."""
    pieces: list[list[Step]] = [[]]
    for step in steps:
        if step[0] in {DEEP, FOLDERS}:
            pieces.append([])
        pieces[-1].append(step)
    inner = (f"(?>{_piece(piece)})" for piece in pieces[:-1])
    *before, (wildcard, text) = pieces[-1]
    return f"{''.join(inner)}{_piece(before)}{wildcard}{text}{end}"


def _piece(steps: list[Step]) -> str:
    return "".join(f"(?>{wildcard}{text})" if wildcard == FLAT else wildcard + text for wildcard, text in steps)
