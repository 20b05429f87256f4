"""Where xregit was installed from, by the installer's record, and the command that installs more of it from there."""

from __future__ import annotations

import re
import shlex
from json import loads
from typing import Any
from urllib.parse import unquote, urlsplit

#: An address as pip takes it behind an @, with nothing in it that YAML or a shell would read as something else.
SOURCE = re.compile(r"(?:[a-z]+\+)?[a-z]+://[A-Za-z0-9][\w.:/@%+~=#&?,-]*")


def installation_record() -> dict[str, Any]:
    """Return the installer's record of where xregit came from, empty if it was an index."""
    from importlib.metadata import distribution  # few commands ask

    record: dict[str, Any] = loads(distribution("xregit").read_text("direct_url.json") or "{}")
    return record


def is_local(record: dict[str, Any]) -> bool:
    """Return whether an installation came from a folder or file of this machine."""
    return str(record.get("url", "")).startswith("file:")


def source_address(record: dict[str, Any]) -> str:
    """Return the address that an installation came from, empty if that is of this machine alone.

    The record is PEP 610's ``direct_url.json``; there is none for what came from an index.
    """
    url = str(record.get("url", ""))
    vcs = record.get("vcs_info")
    sha256 = record.get("archive_info", {}).get("hashes", {}).get("sha256")
    source = f"{vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else f"{url}#sha256={sha256}" if sha256 else url
    return source if SOURCE.fullmatch(source) and not is_local(record) else ""


def pip_command(extras: str, record: dict[str, Any]) -> str:
    """Return the command that installs extras, such as ``site,spark``, from the address in a record."""
    source, editable = source_address(record), record.get("dir_info", {}).get("editable")
    requirement = f"{unquote(urlsplit(record['url']).path) if is_local(record) else 'xregit'}[{extras}]"
    return (
        f"pip install {'-e ' if editable else ''}{shlex.quote(f'{requirement} @ {source}' if source else requirement)}"
    )


def install_command(extras: str) -> str:
    """Return the command that installs extras from where xregit itself came from: it may be in no index."""
    return pip_command(extras, installation_record())
