"""Notes on a document: what was changed in it, and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xregit.diagnostics import Severity
from xregit.records import record

if TYPE_CHECKING:
    from xregit.document.changes import Change
    from xregit.keypaths import KeyPath


@record
class Note:
    """What was changed or is wrong at a path of the document."""

    rule: str
    severity: Severity
    path: KeyPath
    message: str
    help: str = ""
    xid: str = ""


def noted(change: Change, at: KeyPath, xid: str = "") -> Note:
    """Return the note of a change to an entity, at a path of the document."""
    if change.conflict:
        return Note("conflicting-names", Severity.ERROR, at, change.message, "Keep one of the two.", xid)
    return Note("other-dialect", Severity.WARNING if change.warns else Severity.INFO, at, change.message)
