"""Three things that a reader wants who has never seen the catalog, and has only its site, in clicks from its start.

The site is that of the example catalog, without the history that Git would tell, which these tasks need not.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.visits import DESK, PHONE, Visit, serving, visiting
from xregit.pages.builder import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def northgate(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """Serve the example catalog's site with its guide, which a search finds too; return its address."""
    place = tmp_path_factory.mktemp("northgate")
    shutil.copytree(root / "registry", place / "registry")
    build_site(place / "registry", place / "site", root / "site" / "mkdocs.yml")
    with serving(place / "site") as address:
        yield address


@pytest.fixture(params=[PHONE, DESK], ids=["phone", "desk"])
def visit(request: pytest.FixtureRequest, browser: Browser, northgate: str) -> Iterator[Visit]:
    """Open the start page."""
    with visiting(browser, northgate, request.param, "light") as found:
        found.page.goto(northgate)
        yield found
        assert found.complaints == []


def search_results(visit: Visit, words: str) -> Locator:
    """Type words into the search, which is one click away; return what is found."""
    button, box = (visit.page.locator(each) for each in ("label.md-header__button[for=__search]", ".md-search__input"))
    (button if button.is_visible() else box).click()  # a phone has no room for the box
    visit.page.keyboard.type(words, delay=20)
    results = visit.page.locator(".md-search-result__item")
    results.first.wait_for()
    return results


def in_sight(visit: Visit, shown: Locator) -> bool:
    """Tell whether something is in the window, without scrolling."""
    shown.first.wait_for()
    box, window = shown.first.bounding_box(), visit.page.viewport_size
    return bool(box and window and box["y"] >= 0 and box["y"] + box["height"] <= window["height"])


def test_which_topic_carries_faults_and_what_is_its_key(visit: Visit) -> None:
    """Two clicks: the search, and its first result, which names topic and key already; so does the top of the page."""
    result = search_results(visit, "fault raised kafka").first
    assert "fleet.faults" in result.inner_text()
    assert "{vin}/{dtc}" in result.inner_text()
    result.locator("a").first.click()
    visit.page.wait_for_url("**/fleet.history/messages/fleet.fault.raised/**")
    for title, value in (("Topic", "fleet.faults"), ("Key", "{vin}/{dtc}")):
        fact = visit.page.locator(f".xr-facts dt:text-is('{title}') + dd")
        assert fact.inner_text() == value
        assert in_sight(visit, fact)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("which topic carries faults", "fleet.faults"), ("everything that contains vin", "The 35 messages that have vin")],
)
def test_questions_are_answered_as_their_words_are(visit: Visit, question: str, answer: str) -> None:
    """What a question has beside its subject does not lead elsewhere."""
    assert answer in search_results(visit, question).first.inner_text()


def test_what_replaces_a_deprecated_message(visit: Visit) -> None:
    """Two clicks: the search, and its first result, whose page says it before anything else; one more leads there."""
    search_results(visit, "fuel reported").first.locator("a").first.click()
    notice = visit.page.locator(".admonition.warning")
    assert in_sight(visit, notice)
    assert "Use fleet.engine.reported instead." in notice.inner_text()
    notice.get_by_role("link", name="fleet.engine.reported").click()
    visit.page.wait_for_url("**/fleet.telemetry/messages/fleet.engine.reported/")


@pytest.mark.parametrize("words", ["deprecations", "deprecated messages", "deprecated"])
def test_all_that_is_deprecated_is_on_one_page(visit: Visit, words: str) -> None:
    """Who does not know the message's name finds the page of all that leave: two clicks."""
    search_results(visit, words)
    visit.page.locator(".md-search-result__item:first-child > a", has_text="Deprecations").click()
    row = visit.page.locator("tr", has_text="fleet.fuel.reported")
    row.wait_for()
    assert "fleet.engine.reported" in row.inner_text()


def test_everything_that_contains_a_vin(visit: Visit) -> None:
    """Two clicks: the search, and its first result, which lists every message with a vin, and where it has it."""
    search_results(visit, "vin").first.locator("a").first.click()
    visit.page.wait_for_url("**/all-fields/vin/**")
    count = visit.page.get_by_text("35 messages have a field or a placeholder of this name.")
    assert in_sight(visit, count)
    rows = visit.page.locator(".xr-table tbody tr")
    assert rows.count() == 35
    assert {"topic_name", "key", "path"} <= set(" ".join(rows.all_inner_texts()).replace(",", " ").split())
