"""Where xregit was installed from, as the installer noted it, and how to install more of it from there."""

from __future__ import annotations

import re
import shlex
from typing import Any
from urllib.parse import unquote, urlsplit

#: An address as pip takes it behind an @, with nothing in it that YAML or a shell would read as something else.
SOURCE = re.compile(r"(?:[a-z]+\+)?[a-z]+://[A-Za-z0-9][\w.:/@%+~=#&?,-]*")


def noted() -> dict[str, Any]:
    """Return the installer's note of where xregit came from; nothing if it was an index."""
    from importlib.metadata import distribution  # few commands ask
    from json import loads

    found: dict[str, Any] = loads(distribution("xregit").read_text("direct_url.json") or "{}")
    return found


def is_here(note: dict[str, Any]) -> bool:
    """Tell whether an installation came from a folder or file of this machine."""
    return str(note.get("url", "")).startswith("file:")


def address(note: dict[str, Any]) -> str:
    """Return what pip's note of an installation says of its place, but for one on this machine alone.

    The note is PEP 610's ``direct_url.json``; there is none for what came from an index.
    """
    url = str(note.get("url", ""))
    kept = note.get("vcs_info")
    found = f"{kept['vcs']}+{url}@{kept['commit_id']}" if kept else url
    return found if SOURCE.fullmatch(found) and not is_here(note) else ""


def command(extras: str, note: dict[str, Any]) -> str:
    """Return the command that brings some extras, such as ``site,spark``, from the place that a note names."""
    source, editable = address(note), note.get("dir_info", {}).get("editable")
    wanted = f"{unquote(urlsplit(note['url']).path) if is_here(note) else 'xregit'}[{extras}]"
    return f"pip install {'-e ' if editable else ''}{shlex.quote(f'{wanted} @ {source}' if source else wanted)}"


def bringing(extras: str) -> str:
    """Return the command that brings some extras from where xregit itself came from: it may be in no index."""
    return command(extras, noted())
