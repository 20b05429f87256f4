"""The built site in a real browser: phone and desk, light and dark, searched and filtered, asking no other host.

All of it is served under a strict Content-Security-Policy, so that whatever breaks it is an error that a test finds.
"""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.conftest import ROOT
from tests.pages.small import small_folder
from tests.source.repositories import new_repository
from xregit.pages.building import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

Scheme = Literal["light", "dark"]

pytestmark = pytest.mark.browser

# How often words are typed into the search, and how long each time may take on a busy machine.
TRIES, PATIENCE_MS, SETTLE_MS = 6, 15_000, 500
PHONE, DESK = (390, 844), (1280, 900)
MESSAGE = "messagegroups/doors.mqtt/messages/doors.opened/"
KINDS = [
    "",
    "all-messages/",
    "all-changes/",
    "all-placeholders/",
    "map/",
    "recognise/",
    "messagegroups/",
    "messagegroups/doors/",
    MESSAGE,
    "endpoints/broker/",
    "schemagroups/doors/schemas/opened/",
    "schemagroups/doors/schemas/opened/versions/1/",
    "glossaries/trade/terms/lock/",
    "model-reference/messagegroups/messages/",
    "check-rules/",
    "authoring/",
]


# The policy that the guide promises the site to work under.
POLICY = re.findall("^Content-Security-Policy: (.*)$", (ROOT / "site/docs/site.md").read_text(), re.MULTILINE)[0]


class _Quiet(http.server.SimpleHTTPRequestHandler):
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


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """Serve the small registry's site and return its address."""
    folder = tmp_path_factory.mktemp("browsed")
    repository = new_repository(folder / "repository")
    registry = small_folder(repository.root)
    repository.commit("Describe the doors")
    (registry / "messagegroups/doors/messages/doors.closed.yaml").write_text("description: Shut.\n", encoding="utf-8")
    repository.commit("Shorten a description")
    build_site(registry, root / "site" / "mkdocs.yml", folder / "site")
    with serving(folder / "site") as address:
        yield address


@contextmanager
def visiting(browser: Browser, served: str, size: tuple[int, int], scheme: Scheme) -> Iterator[Visit]:
    """Open an empty page that notes errors, and requests to other hosts, which it refuses."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    visit = Visit(context.new_page())
    visit.page.on("console", lambda said: visit.complaints.append(said.text) if said.type == "error" else None)
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    visit.page.on("request", lambda made: None if made.url.startswith(served) else visit.complaints.append(made.url))
    try:
        yield visit
    finally:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_pages_are_sound(browser: Browser, served: str, size: tuple[int, int], scheme: Scheme) -> None:
    """No kind of page is wider than the window, logs an error, or asks another host for anything."""
    with visiting(browser, served, size, scheme) as visit:
        for address in KINDS:
            visit.page.goto(served + address, wait_until="networkidle")
            widths = visit.page.evaluate("[document.documentElement.scrollWidth, document.body.scrollWidth]")
            assert max(widths) <= size[0], address
        assert visit.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_pages_are_accessible(browser: Browser, served: str, size: tuple[int, int], scheme: Scheme) -> None:
    """Axe has no serious finding on any kind of page, with everything unfolded."""
    from axe_playwright_python.sync_playwright import Axe

    found: list[str] = []
    with visiting(browser, served, size, scheme) as visit:
        for address in KINDS:
            visit.page.goto(served + address, wait_until="networkidle")
            visit.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            results = Axe().run(visit.page, context={"include": [["article"]]})
            found += [
                f"{address}: {each['id']}, {node['target']}: {node['failureSummary']}"
                for each in results.response["violations"]
                if each["impact"] in {"serious", "critical"}
                for node in each["nodes"]
            ]
    assert found == []


def test_tabs_need_no_script(browser: Browser, served: str) -> None:
    """The example of another mode is shown by the keys of a keyboard, with scripts switched off."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(served + "messagegroups/doors/messages/doors.opened/")
    panels = page.locator(".xr-panel")
    assert [panel.is_visible() for panel in panels.all()] == [True, *[False] * (panels.count() - 1)]
    page.locator(".xr-tabs input").first.focus()
    page.keyboard.press("ArrowRight")
    assert [panel.is_visible() for panel in panels.all()][:2] == [False, True]
    context.close()


def test_button_copies_what_is_shown(browser: Browser, served: str) -> None:
    """The button beside a command copies it as it stands there."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(served + MESSAGE)
    page.locator("details", has_text="Make it with xregit").locator("summary").click()
    box = page.locator("details .xr-code", has_text="xregit new").first
    box.locator("button").click()
    box.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == box.locator("code").text_content()
    context.close()


def test_dark_scheme_is_dark(browser: Browser, served: str) -> None:
    """A reader whose system is dark gets light text on a dark page, in our own tables too."""
    with visiting(browser, served, PHONE, "dark") as visit:
        visit.page.goto(served + MESSAGE)
        ground = _luminance(visit.page, "document.body", "backgroundColor")
        for selector in (".xr-facts dt", ".xr-facts dd", ".xr-own", ".xr-table td code"):
            assert _luminance(visit.page, f"document.querySelector('{selector}')", "color") > ground + 60, selector


def _luminance(page: Page, element: str, name: str) -> float:
    """Return the brightness of a colour, from 0 to 255, as it is painted on the page's ground."""
    paint = (
        f"() => {{ const c = document.createElement('canvas').getContext('2d', {{willReadFrequently: true}});"
        f" for (const e of [document.body, {element}])"
        f" {{ c.fillStyle = getComputedStyle(e)[e === document.body ? 'backgroundColor' : '{name}'];"
        " c.fillRect(0, 0, 1, 1); }"
        " return Array.from(c.getImageData(0, 0, 1, 1).data.slice(0, 3)); }"
    )
    red, green, blue = page.evaluate(paint)
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("doors.opened", "doors.opened/"),
        ("region", MESSAGE),
        ("broker", "endpoints/broker/"),
        ("panels button", "panel.pressed/"),
        ("released lock", "doors.opened/"),
    ],
)
def test_search_finds(browser: Browser, served: str, words: str, expected: str) -> None:
    """Search finds a message by id, placeholder, topic or description, and an endpoint by its name."""
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(served)
        found = searched(visit.page, words)
        assert any(expected in link for link in found[:3]), found


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
    found: list[str] = results.evaluate_all(links)
    for _ in range(TRIES):
        page.wait_for_timeout(SETTLE_MS)
        before, found = found, results.evaluate_all(links)
        if before == found:
            break
    return found


def test_filter_narrows_a_list(browser: Browser, served: str) -> None:
    """Words typed above a list leave the rows that have them all."""
    with visiting(browser, served, PHONE, "light") as visit:
        visit.page.goto(served + "all-messages/")
        visit.page.fill("[data-xr-filter]", "panel http")
        rows = visit.page.locator(".xr-table tbody tr:visible")
        assert rows.count() == 1
        assert "panel.pressed" in rows.first.inner_text()


def test_lists_are_there_without_script(browser: Browser, served: str) -> None:
    """Without script the whole list is shown, and no field that would do nothing."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(served + "all-messages/")
    assert page.locator(".xr-table tbody tr").count() == 5
    assert not page.locator("[data-xr-filter]").is_visible()
    context.close()
