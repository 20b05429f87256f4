"""The tree beside each page: it shows where one is, is loaded by part, and works on a phone and by keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.visits import DESK, PHONE, Visit, new_page, serving, visiting
from tests.catalog.folders import folder
from xregit.pages.builder import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

MESSAGES = 450
DEEP = "messagegroups/metering.readings.hourly/messages/m0007/"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a catalog whose tree has several parts."""
    place = tmp_path_factory.mktemp("tree")
    files = {
        "registry.yaml": "registryid: tree\n",
        "messagegroups/billing/messagegroup.yaml": "name: Billing\n",
        "messagegroups/metering.readings.hourly/messagegroup.yaml": "name: Hourly\n",
        "messagegroups/metering.tariffs/messagegroup.yaml": "name: Tariffs\n",
    }
    for number in range(MESSAGES):
        group = "metering.readings.hourly" if number < MESSAGES // 2 else "metering.tariffs"
        files[f"messagegroups/{group}/messages/m{number:04}.yaml"] = f"name: Message {number}\n"
    build_site(folder(place / "registry", files), place / "site")
    with serving(place / "site") as address:
        yield address


@pytest.fixture(params=[PHONE, DESK], ids=["phone", "desk"])
def visit(request: pytest.FixtureRequest, browser: Browser, served: str) -> Iterator[Visit]:
    """Open an empty page."""
    with visiting(browser, served, request.param, "light") as found:
        yield found
        assert found.complaints == []


def open_tree(visit: Visit) -> None:
    """Open the drawer in which a narrow window has the tree."""
    button = visit.page.locator(".md-header__button[for=__drawer]")
    if button.is_visible():
        button.click()


def test_tree_shows_where_one_is(visit: Visit, served: str) -> None:
    """All on the way to the page is open, the page is marked and in sight, and no other part was loaded."""
    loaded: list[str] = []
    visit.page.on("request", lambda made: loaded.append(made.url) if "/assets/tree/" in made.url else None)
    visit.page.goto(served + DEEP)
    open_tree(visit)
    current = visit.page.locator(".xr-nav a[aria-current=page]")
    current.wait_for()
    assert current.inner_text() == "Message 7"
    box, window = current.bounding_box(), visit.page.viewport_size
    assert box is not None
    assert window is not None
    assert 0 <= box["y"] <= window["height"] - box["height"]
    above = visit.page.locator(".xr-nav li.xr-here > :is(a, button)").all_inner_texts()
    assert [text for text in above if text][:3] == ["Messages", "metering", "readings.hourly"]
    assert len(loaded) == 1
    assert visit.page.locator(".xr-nav", has_text="Message 300").count() == 0


def test_tree_of_a_page_that_is_not_there(visit: Visit, served: str) -> None:
    """The page of what is not found, whose address says nothing, has the tree too."""
    visit.page.goto(served + "404.html")
    open_tree(visit)
    visit.page.locator(".xr-nav a", has_text="billing").click()
    assert visit.page.url == served + "messagegroups/billing/"


def test_tree_leads_elsewhere(visit: Visit, served: str) -> None:
    """A closed part is loaded when it is opened, by keys too, and its entries lead to their pages."""
    visit.page.goto(served + DEEP)
    open_tree(visit)
    button = visit.page.get_by_role("button", name="What is in tariffs")
    button.wait_for()
    assert button.get_attribute("aria-expanded") == "false"
    button.focus()
    visit.page.keyboard.press("Enter")
    visit.page.locator(".xr-nav a", has_text="All 225").nth(1).wait_for()
    assert button.get_attribute("aria-expanded") == "true"
    visit.page.locator(".xr-nav a", has_text="Message 300").click()
    visit.page.wait_for_url("**/messagegroups/metering.tariffs/messages/m0300/")


def test_first_level_needs_no_script(browser: Browser, served: str) -> None:
    """Without scripts the lists are one click away."""
    page = new_page(browser, java_script_enabled=False, viewport={"width": DESK[0], "height": DESK[1]})
    page.goto(served + DEEP)
    page.locator(".xr-nav").get_by_role("link", name="Messages").click()
    page.wait_for_url("**/all-messages/")
    page.context.close()


def test_from_a_disk_the_lists_are_left(browser: Browser, tmp_path: Path) -> None:
    """Where nothing can be loaded there is nothing to open."""
    files = {"registry.yaml": "registryid: tree\n", "messagegroups/a/messagegroup.yaml": "name: A\n"}
    build_site(folder(tmp_path / "registry", files), tmp_path / "site")
    page = new_page(browser)
    page.goto((tmp_path / "site/messagegroups/a/index.html").as_uri())
    page.locator(".xr-nav button").first.wait_for(state="detached")
    assert page.locator(".xr-nav").get_by_role("link", name="Messages").count() == 1
    page.close()
