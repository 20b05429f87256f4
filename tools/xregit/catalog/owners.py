"""Who owns a file: the repository's CODEOWNERS, as Git hosts read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeowners import CodeOwners

# Where hosts look for the file, the first that exists counts.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
MAX_BYTES = 3 * 2**20


@dataclass(frozen=True, eq=False)
class Owners:
    """The owners that a repository names; ``path`` is the file's own, empty where there is none.

    ``reason`` says why the file can't be used.
    """

    path: str = ""
    text: str = ""

    def of(self, path: str) -> tuple[str, ...]:
        """Return the owners of a file by its path in the repository, such as ``@fleet/team``; the last line counts."""
        parsed = self._parsed[0]
        return tuple(dict.fromkeys(owner for _, owner in parsed.of(path))) if parsed else ()

    @property
    def reason(self) -> str:
        """Why the file can't be used, or an empty string."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[CodeOwners | None, str]:
        if not self.text:
            return None, ""
        from codeowners import CodeOwners

        try:
            return CodeOwners(self.text), ""
        except ValueError as error:  # a pattern that is none
            return None, str(error)


def read_owners(repository: Path) -> Owners:
    """Return the owners that a repository names; none where it has no such file, or one that is no text."""
    for path, file in _candidates(repository):
        try:
            if file.is_file() and file.stat().st_size <= MAX_BYTES:
                return Owners(path, file.read_text(encoding="utf-8", errors="replace"))
        except OSError:
            continue
    return Owners()


def _candidates(repository: Path) -> Iterator[tuple[str, Path]]:
    for place in PLACES:
        yield place, repository / place
