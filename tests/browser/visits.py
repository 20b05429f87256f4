"""Visits of a built site in a browser: served under the policy that the guide promises, errors noted, searched."""

from __future__ import annotations

import http.server
import re
import threading
from _thread import start_new_thread
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tests.conftest import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

Scheme = Literal["light", "dark"]

# How often words are typed into the search, and how long each time may take on a busy machine.
TRIES, PATIENCE_MS, SETTLE_MS = 6, 15_000, 250
# What one may wait for a page, or for anything on it, before a busy machine is taken for a fault.
LOAD_MS = 120_000
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


class _Server(http.server.ThreadingHTTPServer):
    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread that coverage does not follow: of two that begin at once, Python 3.11 may end one."""
        start_new_thread(self.process_request_thread, (request, client_address))


@dataclass
class Visit:
    """A page in the browser, and what went wrong on it."""

    page: Page
    complaints: list[str] = field(default_factory=list)


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve a built site meanwhile, and give its address."""
    with _Server(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@contextmanager
def visiting(browser: Browser, served: str, size: tuple[int, int], scheme: Scheme) -> Iterator[Visit]:
    """Open an empty page that notes errors, and requests to other hosts, which it refuses."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    context.set_default_timeout(LOAD_MS)
    visit = Visit(context.new_page())
    visit.page.on("console", lambda said: visit.complaints.append(said.text) if said.type == "error" else None)
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    visit.page.on("request", lambda made: None if made.url.startswith(served) else visit.complaints.append(made.url))
    try:
        yield visit
    finally:
        context.close()


def searched(page: Page, words: str) -> list[str]:
    """Return where the results for some words lead; where the theme has not heard them, they are typed anew."""
    from playwright.sync_api import TimeoutError as Late

    field, results = page.locator("input.md-search__input"), page.locator(".md-search-result__item > a")
    field.click()
    ready = page.locator(".md-search-result__meta", has_not_text="Initializing")
    ready.wait_for(state="attached", timeout=TRIES * PATIENCE_MS)  # the worker has the index
    for _ in range(TRIES):
        field.fill("")
        field.press_sequentially(words, delay=20)  # the theme listens to keys
        with suppress(Late):
            results.first.wait_for(timeout=PATIENCE_MS)
            break
    return settled(page, results)


def settled(page: Page, results: Locator) -> list[str]:
    """Return where the results lead once they stay the same: while one types, those for fewer letters come and go."""
    links = "links => links.map(link => link.getAttribute('href') || '')"
    result: list[str] = results.evaluate_all(links)
    for _ in range(TRIES):
        page.wait_for_timeout(SETTLE_MS)
        before, result = result, results.evaluate_all(links)
        if before == result:
            break
    return result
