"""Where a new repository's workflows and hooks get xregit from: its own place, as the installer noted it, or PyPI."""

from __future__ import annotations

import re
from importlib.metadata import distribution
from typing import Any

from xregit.errors import XregitError

#: An address as pip takes it behind an @, with nothing in it that YAML or a shell would read as something else.
_SOURCE = re.compile(r"(?:[a-z]+\+)?[a-z]+://[A-Za-z0-9][\w.:/@%+~=#&?,-]*")
_RELEASE = re.compile(r"(xregit(?:\[all\])?)~=[0-9.]+")


def source_of(given: str) -> str:
    """Return the address that the installed program came from, or the one that is given; empty text stands for PyPI.

    Raises:
        XregitError: what is given is no address that pip takes.
    """
    if given and not _SOURCE.fullmatch(given):
        message = f'"{given}" is no address that pip takes; write it as git+https://git.example.com/xregit@COMMIT'
        raise XregitError(message)
    return given or address(noted())


def address(note: dict[str, Any]) -> str:
    """Return what pip's note of an installation says of its place, but for one on this machine alone.

    The note is PEP 610's ``direct_url.json``; there is none for what came from an index.
    """
    url = str(note.get("url", ""))
    kept = note.get("vcs_info")
    found = f"{kept['vcs']}+{url}@{kept['commit_id']}" if kept else url
    return found if _SOURCE.fullmatch(found) and not is_here(note) else ""


def is_here(note: dict[str, Any]) -> bool:
    """Tell whether an installation came from a folder or file of this machine."""
    return str(note.get("url", "")).startswith("file:")


def noted() -> dict[str, Any]:
    """Return the installer's note of where xregit came from; nothing if it was an index."""
    from json import loads

    found: dict[str, Any] = loads(distribution("xregit").read_text("direct_url.json") or "{}")
    return found


def installing_from(source: str, data: bytes) -> bytes:
    """Return a file of the template whose requirements name a source instead of a release."""
    if not source:
        return data
    return _RELEASE.sub(lambda found: f"{found[1]} @ {source}", data.decode()).encode()
