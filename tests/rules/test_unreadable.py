"""A folder that can't be read is one fault, whatever refers to what it may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.catalog.folders import folder
from xregit.catalog import read_folder
from xregit.diagnostics import Severity
from xregit.rules import check

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "messagegroups/g/messages/a.yaml": "name: A\n",
    "messagegroups/h/messages/b.yaml": "basemessage: /messagegroups/g/messages/a\n",
    "endpoints/e/endpoint.yaml": "usage: [producer]\nprotocol: HTTP\nmessagegroups: [/messagegroups/g]\n",
}


def test_references_into_a_closed_folder_are_no_faults(nobodys_folder: Path) -> None:
    """Nobody can say whether the group is there, so nobody says that it isn't."""
    root = folder(nobodys_folder, FILES)
    closed = root / "messagegroups/g"
    closed.chmod(0)
    try:
        diagnostics = check(read_folder(root)).diagnostics
        found = [(item.rule, item.path) for item in diagnostics if item.severity is not Severity.INFO]
    finally:
        closed.chmod(0o700)
    assert found == [("file-unreadable", "registry/messagegroups/g/")]
