"""Who owns a file: the repository's CODEOWNERS, as Git hosts read it, and patterns of paths that answer quickly.

A wildcard matches as little as it can and never backtracks (``(?>…)``), so that matching stays fast with many of them.
That loses no match: a short match leaves the most for the next wildcard. Only the last one, behind which the text has
to end, tries all lengths.

pathspec, the library for such patterns, needs more than 20 s for ``*a*a*a*a*a!`` and a name of 250 letters, and reads
``docs/*`` as .gitignore does: with all below, which CODEOWNERS leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from xregit.diagnostics import Diagnostic, Severity, Span, sentence
from xregit.source.parse_result import CONFLICT_MARKS, NOWHERE, Problem, conflict_problem

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


# Where hosts look for the file; the first that exists counts.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
MAX_BYTES = 3 * 2**20
# No path is longer than 4,096 bytes, and compiling the expression of a much longer line would take minutes.
MAX_LINE_CHARS = 16_384
RULE = "malformed-codeowners"
_SHORTER = "Name the owners in several lines, or those of a folder above."
_PATTERN = "Close it, or remove the brackets."
_OWNER = "Write @name, @organisation/team or an email address."
# GitLab's headings, such as "^[Texts and pictures][2] @team".
HEADING = re.compile(r"\s*\^?\[[^\]]+\](?:\[\d+\])?(?:\s.*)?$")
ESCAPED_SPACE = "\\ "
# Stands for an escaped space while a line is divided; no path has it.
_JOINT = "\0"

# The number of a line, counted from 1, its pattern, and what follows that.
Line = tuple[int, str, list[str]]


@dataclass(frozen=True, eq=False)
class Owners:
    """The owners that a repository names; ``path`` is the file's own, empty where there is none.

    ``error`` says why the file can't be read as a whole.
    """

    path: str = ""
    text: str = ""
    error: str = ""

    def of(self, path: str) -> tuple[str, ...]:
        """Return the owners of a file by its path in the repository, such as ``@fleet/team``; the last line counts."""
        last = self._patterns.last_match(path) if self._patterns else -1
        return tuple(dict.fromkeys(word for word in self._lines[last][2] if _is_owner(word))) if last >= 0 else ()

    @cached_property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Why the file, or a line of it, can't be used."""
        return tuple(self._problems())

    @property
    def usable(self) -> bool:
        """Whether there is a file that says who owns what, and every pattern in it is well-formed."""
        return self._patterns is not None

    @cached_property
    def _conflict(self) -> Problem | None:
        return conflict_problem(self.text.encode(), RULE)

    @cached_property
    def _lines(self) -> list[Line]:
        return list(_lines(self.text, CONFLICT_MARKS if self._conflict else ()))

    @cached_property
    def _patterns(self) -> PatternIndex | None:
        """The patterns in their order; None where there is no file, or one of them is malformed."""
        patterns = [pattern for _, pattern, _ in self._lines]
        if not self.path or self.error or not all(map(is_codeowners_pattern, patterns)):
            return None
        return PatternIndex(patterns)

    def _problems(self) -> Iterator[Diagnostic]:
        if self.error:
            yield self._problem(self.error, "Git hosts ignore it as well.")
        if self._conflict:
            yield self._problem(sentence(self._conflict.message), sentence(self._conflict.help), self._conflict.span)
        lines = self.text.splitlines()
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_LINE_CHARS:
                long = f"The line has more than {MAX_LINE_CHARS} characters, so it is ignored."
                yield self._problem(long, _SHORTER, Span(number, 1, number))
        for number, pattern, words in self._lines:
            line = lines[number - 1]
            if not is_codeowners_pattern(pattern):
                message = f'"{pattern}" is not a valid pattern: its bracket is not closed.'
                yield self._problem(message, _PATTERN, _span(line, number, pattern))
            for word in words:
                if not _is_owner(word):
                    yield self._problem(f'"{word}" is not an owner.', _OWNER, _span(line, number, word))

    def _problem(self, message: str, advice: str, span: Span = NOWHERE) -> Diagnostic:
        return Diagnostic(RULE, Severity.ERROR, self.path, message, *span, "/", advice)


def read_owners(repository: Path) -> Owners:
    """Return the owners that a repository names; none where it has no such file."""
    for path in PLACES:
        file = repository / path
        try:
            if not file.is_file():
                continue
            if not file.resolve().is_relative_to(repository.resolve()):
                return Owners(path, error="The file is a link that leads out of the repository.")
            if file.stat().st_size > MAX_BYTES:
                return Owners(path, error=f"The file is larger than {MAX_BYTES // 2**20} MiB.")
            return Owners(path, file.read_text(encoding="utf-8", errors="replace"))
        except OSError as error:
            return Owners(path, error=f"The file can't be read: {error.strerror}.")
    return Owners()


class PatternIndex:
    """The patterns of CODEOWNERS in their order, of which a file may have tens of thousands.

    Those without wildcards are looked up by the folders that lead to a path; the others become expressions only for
    paths that begin as they do.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        """Divide patterns, none of them malformed, into those with wildcards and those without."""
        self._plain: dict[str, int] = {}
        self._wild: list[tuple[int, str, str]] = []
        for number, pattern in enumerate(patterns):
            body, anchored = pattern.strip("/"), "/" in pattern[:-1]
            start = re.match(r"[^*?\[\\]*", body)
            if start and start.end() < len(body):
                self._wild.append((number, start[0] if anchored else "", pattern))
            else:
                self._plain[f"{'/' * anchored}{body}{'/' * pattern.endswith('/')}"] = number
        self._regex = cache(codeowners_regex)

    def last_match(self, path: str) -> int:
        """Return the number, from 0, of the last pattern that names a path or a folder above it; -1 for none."""
        parts = path.split("/")
        names = [name for number, part in enumerate(parts, 1) for name in (part, f"/{'/'.join(parts[:number])}")]
        folders = [f"{name}/" for name in names[:-2]]
        last = max((self._plain.get(name, -1) for name in (*names, *folders)), default=-1)
        for number, start, pattern in reversed(self._wild):
            if number < last:
                break
            if path.startswith(start) and self._regex(pattern).search(path):
                return number
        return last


def _lines(text: str, skipped: tuple[str, ...]) -> Iterator[Line]:
    """Yield the lines that say who owns what, without those that begin with a ``skipped`` text.

    A word that begins with ``#`` begins a comment.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_LINE_CHARS or HEADING.match(line) or line.startswith(skipped):
            continue
        words = line.replace(ESCAPED_SPACE, _JOINT).split()
        entry = words[: next((index for index, word in enumerate(words) if word.startswith("#")), len(words))]
        if entry:
            pattern, *owners = (word.replace(_JOINT, ESCAPED_SPACE) for word in entry)
            yield number, pattern, owners


def _is_owner(word: str) -> bool:
    return "@" in word[:-1]


def _span(line: str, number: int, word: str) -> Span:
    column = line.find(word) + 1
    return Span(number, column, number, column + len(word)) if column else Span(number, 1, number)
