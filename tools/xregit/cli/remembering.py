"""Where a run keeps what files hold for the runs after it: in the user's folder of caches, a file for each registry."""

from __future__ import annotations

import os
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xregit.catalog.reading import Parse

FEW_FILES = 500  # so few are parsed sooner than they are worth keeping
_NAME_CHARS = 32


@contextmanager
def remembering(registry: Path) -> Iterator[Parse]:
    """Give the function that parses files, and keep what it has parsed if all goes well."""
    from xregit.source.remembered import keep, recall

    file = place(registry)
    remembered = recall(file)
    yield remembered.parse
    if len(remembered.used) >= FEW_FILES:
        keep(file, remembered)


def place(registry: Path) -> Path:
    """Return where the values of a registry are kept: below ``XDG_CACHE_HOME``, by default ``~/.cache``."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(given) if given.startswith("/") else Path("~/.cache").expanduser()
    name = sha256(os.fsencode(registry.resolve())).hexdigest()[:_NAME_CHARS]
    return folder / "xregit" / "values" / name
