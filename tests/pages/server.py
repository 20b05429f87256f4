"""A server of the site in a process of its own, for tests that change files while it runs."""

from __future__ import annotations

import subprocess
import sys
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.ports import HOST, next_port
from tests.waiting import PATIENCE_SECONDS, wait_until

SERVE = "import sys; from pathlib import Path; from xregit.pages.builder import serve_site as serve; "
SERVE += "serve(Path(sys.argv[1]), None, sys.argv[2])"
#: Serves the registry at a path, given after it, at an address.
COMMAND = (sys.executable, "-c", SERVE)


def next_address() -> str:
    """Return an address at which nothing else is served."""
    return f"{HOST}:{next_port()}"


def wait_for(url: str, text: str, *server: subprocess.Popen[bytes]) -> None:
    """Wait until a page has a text."""
    wait_until(lambda: text in page_text(url), *server, told=lambda: page_text(url))


def page_text(url: str) -> str:
    """Return what is at an address, the page for what is not found too; nothing where nobody answers."""
    try:
        with urlopen(url, timeout=PATIENCE_SECONDS) as answer:  # noqa: S310 - our own server
            return str(answer.read().decode())
    except HTTPError as error:
        return error.read().decode()
    except (OSError, HTTPException):
        return ""
