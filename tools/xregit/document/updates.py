"""The update of a registry from a source that was imported before: a merge of three sides, file by file.

The base is what the source said last time, which the registry keeps in ``imports/``. What the source changed since is
taken over, what people have edited stays, and a line that both changed is left as people have it, and told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xregit.diagnostics import Diagnostic, Severity
from xregit.source.repository import merge_texts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STATES = "imports"


@dataclass
class Update:
    """What changes below the registry's folder: the new bytes of files, the files to remove, and what was decided."""

    files: dict[str, bytes] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def note(self, rule: str, path: Path, message: str, advice: str, severity: Severity = Severity.WARNING) -> None:
        """Add what a person should look at."""
        self.diagnostics.append(Diagnostic(rule, severity, path.as_posix(), message, help=advice))


def plan_update(into: Path, base: Mapping[str, bytes], new: Mapping[str, bytes]) -> Update:
    """Return what to do so that the files of a folder follow a source; nothing is written.

    ``base`` holds the files as the source made them last time, ``new`` as it makes them now, by their paths.
    """
    update = Update()
    for name in sorted({*base, *new}):
        path = into / name
        current = path.read_bytes() if path.is_file() else None
        if name.startswith(f"{STATES}/"):
            update.files |= {name: new[name]} if name in new and current != new[name] else {}
            continue
        if name not in new:
            _remove(update, path, name, current, base[name])
        elif current is None and not path.exists():
            _add(update, path, name, base.get(name), new[name])
        elif current == new[name] or base.get(name) == new[name]:
            update.kept.append(name)
        elif name not in base or current is None:
            message = "The import would write this file, but it is there and holds something else."
            update.note(
                "different-entity", path, message, "Move the file away, or rename it in the source.", Severity.ERROR
            )
        else:
            update.files[name], conflicts = merge_texts(current, base[name], new[name])
            if conflicts:
                lines = ", ".join(map(str, conflicts))
                message = (
                    f"The source and this file were both changed in the same lines; the file's are kept (line {lines})."
                )
                update.note("edited-here-and-there", path, message, "Compare them with the source.")
    return update


def _remove(update: Update, path: Path, name: str, current: bytes | None, base: bytes) -> None:
    if current == base:
        update.removed.append(name)
    elif current is not None:
        message = "The source no longer has this; the file is kept, since it was edited here."
        update.note("gone-from-source", path, message, "Delete it if nobody needs it.")


def _add(update: Update, path: Path, name: str, base: bytes | None, new: bytes) -> None:
    if base is None:
        update.files[name] = new
    elif base != new:
        message = "The file was deleted here, and the source has changed it since; it stays deleted."
        update.note("deleted-here", path, message, f"To have it again, delete its entry from {STATES}/ and import.")
    else:
        update.kept.append(name)
