"""What can go wrong apart from the catalog's own content, as exceptions that print as one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xregit.diagnostics import Diagnostic


class XregitError(Exception):
    """A fault that ends a command; its text is one line that names the thing, the place and the way out."""

    exit_code = 2


class CatalogError(XregitError):
    """A catalog that can't be used because of what it contains."""

    exit_code = 1

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Keep the diagnostics, at least one of them an error."""
        self.diagnostics = diagnostics
        first = diagnostics[0]
        more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
        super().__init__(f"{first.path}:{first.line}:{first.column}: {first.message}{more}")
