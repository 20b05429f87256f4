"""Visits of a built site in a browser: served under the policy that the guide promises, errors noted, searched."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode, urljoin

from tests.conftest import ROOT
from tests.waiting import PATIENCE_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Scheme = Literal["light", "dark"]

PHONE, DESK = (390, 844), (1280, 900)
# The policy that the guide promises the site to work under.
POLICY = re.findall("^Content-Security-Policy: (.*)$", (ROOT / "site/manual/site.md").read_text(), re.MULTILINE)[0]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def handle(self) -> None:
        """Answer, if the browser still listens."""
        with suppress(ConnectionError):
            super().handle()

    def end_headers(self) -> None:
        """Send the policy with every answer."""
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
        """Log nothing."""


@dataclass
class Visit:
    """A page in the browser, and what went wrong on it."""

    page: Page
    complaints: list[str] = field(default_factory=list)


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve a built site meanwhile, and give its address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def new_page(browser: Browser, **options: Any) -> Page:
    """Open an empty page in a context of its own, which waits as long for a slow machine as other tests do."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_SECONDS * 1_000)
    return context.new_page()


@contextmanager
def visiting(browser: Browser, served: str, size: tuple[int, int], scheme: Scheme) -> Iterator[Visit]:
    """Open an empty page that notes errors, and requests to other hosts, which it refuses."""
    width, height = size
    visit = Visit(new_page(browser, viewport={"width": width, "height": height}, color_scheme=scheme))
    visit.page.on("console", lambda said: visit.complaints.append(said.text) if said.type == "error" else None)
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    visit.page.on("request", lambda made: None if made.url.startswith(served) else visit.complaints.append(made.url))
    try:
        yield visit
    finally:
        visit.page.context.close()


def searched(page: Page, words: str) -> list[str]:
    """Return where the results for some words lead, which the address asks for: none come for a part of the words."""
    page.goto(urljoin(page.url, f"?{urlencode({'q': words})}"))
    results = page.locator(".md-search-result__item > a")
    results.first.wait_for()
    links: list[str] = results.evaluate_all("links => links.map(link => link.getAttribute('href') || '')")
    return links
