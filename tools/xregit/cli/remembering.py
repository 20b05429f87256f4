"""The cache of a registry in the user's cache folder: values of files, findings, and what is known of documents."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from xregit.collecting import uncollected
from xregit.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog.reading import Parse
    from xregit.document.copying import Written
    from xregit.rules.kept import Kept
    from xregit.source.remembered import Remembered
    from xregit.source.text import Parsed

MIN_VALUES_TO_KEEP = 500  # fewer files are parsed in less time than it takes to keep their values
VALUES, FINDINGS, DOCUMENTS = "values", "findings", "documents"
_NAME_CHARS = 32


@record
class Memory:
    """What is kept of one registry; each part is read when it is first used."""

    registry: Path

    @cached_property
    def values(self) -> Remembered:
        """The values of files."""
        from xregit.source.remembered import recall

        return recall(place(self.registry, VALUES))

    def parse(self, data: bytes) -> Parsed:
        """Return the value of a file, from the cache if it is there."""
        return self.values.parse(data)

    @property
    def has_findings(self) -> bool:
        """Whether an earlier check has kept anything."""
        return place(self.registry, FINDINGS).is_file()

    def findings(self, context: str) -> Kept | None:
        """Return what an earlier check has found in the same context."""
        from xregit.rules.kept import from_bytes

        try:
            data = place(self.registry, FINDINGS).read_bytes()
        except OSError:
            return None
        with uncollected():
            return from_bytes(data, context)

    def keep_findings(self, kept: Kept) -> None:
        """Keep what a check has found, unless JSON can't hold it, as when it quotes a lone surrogate."""
        from xregit.rules.kept import to_bytes
        from xregit.source.remembered import put

        data = to_bytes(kept)
        if data is not None:
            put(place(self.registry, FINDINGS), data)

    def document(self, output: Path) -> Written | None:
        """Return what is known of a document that an earlier run has written."""
        from xregit.document.copying import from_bytes

        try:
            data = place(self.registry, DOCUMENTS, output).read_bytes()
        except OSError:
            return None
        with uncollected():
            return from_bytes(data)

    def keep_document(self, output: Path, written: Written) -> None:
        """Keep what is known of a document, unless JSON can't hold it, as when it has a lone surrogate."""
        from xregit.document.copying import to_bytes
        from xregit.source.remembered import put

        data = to_bytes(written)
        if data is not None:
            put(place(self.registry, DOCUMENTS, output), data)

    def forget_document(self, output: Path) -> None:
        """Keep nothing of a document any more."""
        with suppress(OSError):
            place(self.registry, DOCUMENTS, output).unlink()

    def keep_values(self) -> None:
        """Keep the values of files, if enough of them were used."""
        from xregit.source.remembered import keep

        if "values" in vars(self) and len(self.values.used) >= MIN_VALUES_TO_KEEP:
            keep(place(self.registry, VALUES), self.values)


@contextmanager
def remembering(registry: Path) -> Iterator[Parse]:
    """Give the function that parses files, and keep what it has parsed if all goes well."""
    memory = Memory(registry)
    yield memory.parse
    memory.keep_values()


def place(registry: Path, what: str, output: Path | None = None) -> Path:
    """Return where something of a registry, or of one of its outputs, is kept.

    It is below ``XDG_CACHE_HOME``, by default ``~/.cache``.
    """
    given = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(given) if given.startswith("/") else Path("~/.cache").expanduser()
    paths = (registry.resolve(), *([output.resolve()] if output else []))
    name = sha256(b"\0".join(map(os.fsencode, paths))).hexdigest()[:_NAME_CHARS]
    return folder / "xregit" / what / name
