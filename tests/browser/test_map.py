"""The map: whole and in words at 300 and 3,000 parts, focused by its address, with a keyboard, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.browser.systems import system_files
from tests.browser.test_site import serious
from tests.browser.visits import DESK, PHONE, Scheme, Visit, new_page, serving, visiting
from tests.catalog.folders import folder
from xregit.pages.builder import build_site
from xregit.pages.diagrams import MAX_DOMAINS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

INTAKE = "map/?focus=/endpoints/domain00.in0"


@pytest.fixture(scope="module", params=[300, 3_000])
def size(request: pytest.FixtureRequest) -> int:
    """Return the number of nodes of a system."""
    number: int = request.param
    return number


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, size: int) -> Iterator[str]:
    """Serve the site of a system and return its address."""
    place = tmp_path_factory.mktemp("system")
    build_site(folder(place, dict(system_files(size // 5, max(3, size // 100)))), place / "site")
    with serving(place / "site") as address:
        yield address


@pytest.fixture(params=[PHONE, DESK], ids=["phone", "desk"])
def visit(request: pytest.FixtureRequest, browser: Browser, served: str) -> Iterator[Visit]:
    """Open a window, in which nothing must go wrong."""
    with visiting(browser, served, request.param, "light") as found:
        yield found
        assert found.complaints == []


def test_whole_system_is_drawn(visit: Visit, served: str, size: int) -> None:
    """At 300 all is drawn, at 3,000 a box for each domain; axe finds nothing in either scheme."""
    page = visit.page
    page.goto(f"{served}map/")
    page.locator("#xr-map.xr-live").wait_for()
    by_domain = ", in 30 domains" if size == 3_000 else ""
    assert page.locator(".xr-count").inner_text() == f"{size:,} parts of the system{by_domain}"
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert not page.locator(".xr-whole").is_visible()
    page.evaluate(AXE_SCRIPT)
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        assert serious(page, {}) == []


def test_domains_without_a_line_stand_apart(browser: Browser, tmp_path: Path) -> None:
    """Boxes of domains that exchange nothing don't lie on one another."""
    files = {
        f"endpoints/domain{number % 40}.e{number}/endpoint.yaml": f"usage: [consumer]\nchannel: domain{number % 40}\n"
        for number in range(300)
    }
    build_site(folder(tmp_path, files), tmp_path / "site")
    with serving(tmp_path / "site") as address, visiting(browser, address, DESK, "light") as visit:
        visit.page.goto(f"{address}map/")
        visit.page.locator("#xr-map.xr-live").wait_for()
        boxes = visit.page.locator(".xr-canvas").evaluate(
            "canvas => canvas._cyreg.cy.nodes().map(node => node.boundingBox())"
        )
        assert visit.complaints == []
    assert len(boxes) == 40
    for one, other in combinations(boxes, 2):
        assert one["x2"] < other["x1"] or other["x2"] < one["x1"] or one["y2"] < other["y1"] or other["y2"] < one["y1"]


def test_focus_is_in_the_address(visit: Visit, served: str) -> None:
    """The link on a page shows what it is about; steps narrow it, and what is beside it is one press away."""
    page = visit.page
    count = page.locator(".xr-count")
    page.goto(f"{served}endpoints/domain00.in0/")
    page.get_by_role("link", name="Open in the map").click()
    assert count.inner_text() == "Endpoint Intake 0: 5 parts"
    page.get_by_label("Steps each way").select_option("1")
    assert count.inner_text() == "Endpoint Intake 0: 3 parts"
    assert page.url.endswith("&steps=1")
    page.locator(".xr-map-facts").get_by_role("button", name="Facts 0").press("Enter")
    assert page.locator(".xr-map-facts a").inner_text() == "Facts 0"
    page.get_by_role("button", name="Show its messages").click()
    page.locator(".xr-count", has_text="Message group Facts 0: 3 parts").wait_for()
    page.go_back()
    assert count.inner_text() == "Endpoint Intake 0: 3 parts"
    page.locator(".xr-map-facts a", has_text="Intake 0").click()
    page.wait_for_url("**/endpoints/domain00.in0/")


def test_words_and_domains_find_parts(visit: Visit, served: str, size: int) -> None:
    """What fits some words is shown with what is next to it; Enter focuses on the first; a domain can be opened."""
    page = visit.page
    count = page.locator(".xr-count")
    page.goto(f"{served}map/")
    page.get_by_label("Find").fill("domain00.c0")
    page.locator(".xr-count", has_text=re.compile("^4 parts of the system$")).wait_for()
    page.get_by_label("Find").fill("outlet 7a")
    page.keyboard.press("Enter")
    assert count.inner_text() == "Endpoint Outlet 7a: 4 parts"
    page.locator(".xr-controls select").first.select_option("domain01")
    assert re.fullmatch(r"Domain domain01: \d{2,3} parts, and \d other domains?", count.inner_text())
    page.get_by_role("button", name="Whole map").click()
    assert count.inner_text().startswith(f"{size:,} parts of the system")


@pytest.mark.parametrize(
    ("focus", "expected"),
    [
        ("/messagegroups/domain00.g0/messages/fact0", "Message fact0: 6 parts"),
        ("channel/domain00.c0", "Channel domain00.c0: 5 parts"),
        ("/endpoints/nobody", "parts of the system"),
    ],
)
def test_anything_can_have_the_focus(visit: Visit, served: str, focus: str, expected: str) -> None:
    """A message and a channel too; what the system doesn't have is left out."""
    visit.page.goto(f"{served}map/?focus={focus}")
    assert expected in visit.page.locator(".xr-count").inner_text()


def test_picture_without_scripts_and_on_paper(browser: Browser, served: str, size: int) -> None:
    """The picture that was drawn when the site was built is there instead, with the same in words below."""
    page = new_page(browser, java_script_enabled=False)
    page.goto(f"{served}map/")
    assert page.locator(".xr-whole svg a").count() == {300: 6, 3_000: MAX_DOMAINS}[size]
    assert page.locator(".xr-lanes > li").count() == 60
    page.context.close()
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(f"{served}map/")
        visit.page.emulate_media(media="print")
        assert visit.page.locator(".xr-whole").is_visible()
        assert not visit.page.locator(".xr-canvas").is_visible()
