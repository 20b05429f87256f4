"""Who owns a file: the repository's CODEOWNERS, as Git hosts read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import catch_warnings

from xregit.catalog.globs import owned_regex
from xregit.diagnostics import Diagnostic, Severity
from xregit.records import distinct

if TYPE_CHECKING:
    from codeowners import CodeOwners

# Where hosts look for the file, the first that exists counts.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
MAX_BYTES = 3 * 2**20
# No path is longer than 4,096 bytes, and compiling the expression of a much longer line would take minutes.
MAX_LINE_CHARS = 16_384
RULE = "malformed-codeowners"
_SHORTER = "Name the owners in several lines, or those of a folder above."
# What the library raises for a text that is no pattern.
NO_PATTERN = (ValueError, re.error)
ESCAPED_SPACE = "\\ "
# GitLab's headings, such as "^[Texts and pictures][2] @team".
HEADING = re.compile(r"\s*\^?\[[^\]]+\](?:\[\d+\])?(?:\s.*)?$")


@distinct
class Owners:
    """The owners that a repository names; ``path`` is the file's own, empty where there is none.

    ``unread`` says why the file can't be read as a whole.
    """

    path: str = ""
    text: str = ""
    unread: str = ""

    def of(self, path: str) -> tuple[str, ...]:
        """Return the owners of a file by its path in the repository, such as ``@fleet/team``; the last line counts."""
        return tuple(dict.fromkeys(owner for _, owner in self._parsed.of(path))) if self._parsed else ()

    @cached_property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Why the file, or a line of it, can't be used."""
        found = tuple(self._problems())
        if found or not self.path or self._parsed is not None:
            return found
        message, advice = "The file has a line that is no pattern.", "Do without brackets."
        return (Diagnostic(RULE, Severity.ERROR, self.path, message, xid="/", help=advice),)

    @property
    def usable(self) -> bool:
        """Whether there is a file that says who owns what."""
        return self._parsed is not None

    @cached_property
    def _parsed(self) -> CodeOwners | None:
        if not self.path or self.unread:
            return None
        from codeowners import MASK, CodeOwners  # few repositories name owners

        try:
            with catch_warnings(action="ignore"):  # a pattern may hold what a regular expression frowns at
                found = CodeOwners("\n".join(line if _counts(line) else "" for line in self.text.splitlines()))
            # Its own expressions take ages on many wildcards.
            found.paths = [(owned_regex(item[1].replace(ESCAPED_SPACE, MASK)), *item[1:]) for item in found.paths]
        except NO_PATTERN:
            return None
        return found

    def _problems(self) -> Iterator[Diagnostic]:
        if self.unread:
            yield Diagnostic(RULE, Severity.ERROR, self.path, self.unread, xid="/", help="Hosts pass over it as well.")
        for number, line in enumerate(self.text.splitlines(), 1):
            if len(line) > MAX_LINE_CHARS:
                long = f"The line has more than {MAX_LINE_CHARS} characters, so it is passed over."
                yield Diagnostic(RULE, Severity.ERROR, self.path, long, number, 1, number, 0, "/", help=_SHORTER)
            words = line.replace(ESCAPED_SPACE, "??").partition("#")[0].split() if _counts(line) else ()
            if not words:
                continue
            for word in words[_is_pattern(words[0]) :]:
                if word is words[0]:
                    text = (f'"{word}" is no pattern: its bracket is not closed.', "Close it, or do without brackets.")
                elif "@" not in word:
                    text = (f'"{word}" is no owner.', "Write @name, @organisation/team or an email address.")
                else:
                    continue
                column = line.find(word) + 1
                place = (number, column, number, column + len(word)) if column else (number, 1, number, 0)
                yield Diagnostic(RULE, Severity.ERROR, self.path, text[0], *place, "/", text[1])


def read_owners(repository: Path) -> Owners:
    """Return the owners that a repository names; none where it has no such file."""
    for path in PLACES:
        file = repository / path
        try:
            if not file.is_file():
                continue
            if not file.resolve().is_relative_to(repository.resolve()):
                return Owners(path, unread="The file is a link that leads out of the repository.")
            if file.stat().st_size > MAX_BYTES:
                return Owners(path, unread=f"The file is larger than {MAX_BYTES // 2**20} MiB.")
            return Owners(path, file.read_text(encoding="utf-8", errors="replace"))
        except OSError as error:
            return Owners(path, unread=f"The file can't be read: {error.strerror}.")
    return Owners()


def _counts(line: str) -> bool:
    """Tell whether a line may say who owns what."""
    return len(line) <= MAX_LINE_CHARS and not HEADING.match(line)


def _is_pattern(text: str) -> bool:
    from codeowners import path_to_regex

    try:
        with catch_warnings(action="ignore"):
            path_to_regex(text)
    except NO_PATTERN:
        return False
    return True
