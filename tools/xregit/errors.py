"""Exceptions that users see; each prints as one line."""

from __future__ import annotations

from collections.abc import Callable

from xregit.diagnostics import Diagnostic

# Returns the text of a file's line, by the file's path and the line's number, or None.
Lines = Callable[[str, int], str | None]


def no_lines(_path: str, _number: int) -> None:
    """Return no line, for findings whose files are not at hand."""


class XregitError(Exception):
    """A fault that ends a command; its text is one line that names the thing, the place and the way out."""

    exit_code = 2


class CatalogError(XregitError):
    """A catalog that can't be used because of what it contains.

    ``diagnostics`` say what that is, ``lines`` gives the text of a line that they are about, and ``outcome`` is a
    sentence that says what has come of it.
    """

    exit_code = 1

    def __init__(
        self, diagnostics: tuple[Diagnostic, ...], lines: Lines = no_lines, outcome: str = "Nothing was done."
    ) -> None:
        """Keep the diagnostics, at least one of them an error, the lines that they are about, and what came of it."""
        self.diagnostics, self.lines, self.outcome = diagnostics, lines, outcome
        first = diagnostics[0]
        more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
        super().__init__(f"{first.path}:{first.line}:{first.column}: {first.message}{more}")
