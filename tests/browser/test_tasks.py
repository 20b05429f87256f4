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


def first_result(visit: Visit, words: str, said: str) -> Locator:
    """Type words into the search, which is one click away; wait until the first result says this, and return it."""
    button, box = (visit.page.locator(each) for each in ("label.md-header__button[for=__search]", ".md-search__input"))
    (button if button.is_visible() else box).click()  # a phone has no room for the box
    visit.page.keyboard.type(words, delay=20)
    result = visit.page.locator(".md-search-result__item:first-child", has_text=said)
    result.wait_for()  # what was found for fewer words may be shown before
    return result


def in_sight(visit: Visit, shown: Locator) -> bool:
    """Tell whether something is in the window, without scrolling."""
    shown.first.wait_for()
    box, window = shown.first.bounding_box(), visit.page.viewport_size
    return bool(box and window and box["y"] >= 0 and box["y"] + box["height"] <= window["height"])


def test_which_topic_carries_faults_and_what_is_its_key(visit: Visit) -> None:
    """Two clicks: the search, and its first result, which names topic and key already; so does the top of the page."""
    result = first_result(visit, "fault raised kafka", "fleet.faults")
    assert "{vin}/{dtc}" in result.inner_text()
    result.locator("a").first.click()
    visit.page.wait_for_url("**/fleet.history/messages/fleet.fault.raised/**")
    for title, value in (("Topic", "fleet.faults"), ("Key", "{vin}/{dtc}")):
        fact = visit.page.locator(f".xr-facts dt:text-is('{title}') + dd")
        assert fact.inner_text() == value
        assert in_sight(visit, fact)


@pytest.mark.parametrize(
    ("question", "answer"),
    [("which topic carries faults", "fleet.faults"), ("everything that contains vin", "35 messages have vin")],
)
def test_questions_are_answered_as_their_words_are(visit: Visit, question: str, answer: str) -> None:
    """What a question has beside its subject does not lead elsewhere."""
    first_result(visit, question, answer)


def test_what_replaces_a_deprecated_message(visit: Visit) -> None:
    """Two clicks: the search, and its first result, whose page says it before anything else; one more leads there."""
    first_result(visit, "fuel reported", "fleet.fuel.reported").locator("a").first.click()
    notice = visit.page.locator(".admonition.warning")
    assert in_sight(visit, notice)
    assert "Use fleet.engine.reported instead." in notice.inner_text()
    notice.get_by_role("link", name="fleet.engine.reported").click()
    visit.page.wait_for_url("**/fleet.telemetry/messages/fleet.engine.reported/")


@pytest.mark.parametrize("words", ["deprecations", "deprecated messages", "deprecated"])
def test_all_that_is_deprecated_is_on_one_page(visit: Visit, words: str) -> None:
    """Who does not know the message's name finds the page of all that leave: two clicks."""
    first_result(visit, words, "Deprecations").locator("a").first.click()
    row = visit.page.locator("tr", has_text="fleet.fuel.reported")
    row.wait_for()
    assert "fleet.engine.reported" in row.inner_text()


def test_everything_that_contains_a_vin(visit: Visit) -> None:
    """Two clicks: the search, and its first result, which lists every message with a vin, and where it has it."""
    first_result(visit, "vin", "35 messages have vin").locator("a").first.click()
    visit.page.wait_for_url("**/all-fields/vin/**")
    count = visit.page.get_by_text("35 messages have a payload field or a placeholder with this name.")
    assert in_sight(visit, count)
    rows = visit.page.locator(".xr-table tbody tr")
    assert rows.count() == 35
    assert {"topic_name", "key", "path"} <= set(" ".join(rows.all_inner_texts()).replace(",", " ").split())


@pytest.mark.parametrize(
    ("address", "facts"),
    [
        (
            "messagegroups/shops.sales.kafka/messages/shops.receipt.completed/",
            {
                "Producers": "send it to Shop stream, sending",
                "Consumers": "receive it from Shop stream, receiving",
                "Channel": "shops.stream",
                "Topic": "shops.sales",
            },
        ),
        (
            "messagegroups/luggage.handling/messages/luggage.bag.checkedin/",
            {
                "Producers": "Bag events, sending as luggage.handling.kafka/luggage.bag.checkedin",
                "Channel": "luggage.bags",
            },
        ),
    ],
)
def test_first_screen_of_a_message(visit: Visit, northgate: str, address: str, facts: dict[str, str]) -> None:
    """What happened, who sends it, who gets it, on which channel, and an example are seen without scrolling."""
    visit.page.goto(f"{northgate}{address}")
    assert in_sight(visit, visit.page.locator(".xr-prose"))
    for title, value in facts.items():
        fact = visit.page.locator(f".xr-overview dt:text-is('{title}') + dd")
        assert value in " ".join(fact.inner_text().split())
        assert in_sight(visit, fact)
    example, window = visit.page.locator(".xr-example code").first.bounding_box(), visit.page.viewport_size
    assert example
    assert window
    assert example["y"] + 60 < window["height"]


def test_what_changed_between_two_versions(visit: Visit, northgate: str) -> None:
    """From a message two clicks lead to what any two versions of its payload differ in, and one more to another two."""
    page = visit.page
    page.goto(f"{northgate}messagegroups/shops.sales/messages/shops.receipt.completed/")
    page.locator("#payload ~ dl dt:text-is('Compare with') + dd a", has_text="1").click()
    page.wait_for_url("**/receipt/versions/3/since/1/")
    rows = page.locator("#differences ~ div tbody tr, h2 ~ .xr-scroll tbody tr")
    assert {"member", "flight", "lines[].discounts", "tip"} == {row.split("\n")[0] for row in rows.all_inner_texts()}
    page.locator(".xr-facts dt:text-is('From') + dd a", has_text="2").click()
    page.wait_for_url("**/receipt/versions/3/since/2/")
    assert page.locator("h1").inner_text() == "Receipt, version 2 to 3"
    assert rows.count() == 2


def test_whom_a_new_version_breaks(visit: Visit, northgate: str) -> None:
    """A schema's page says it in its first screen, and the comparison says which field does."""
    page = visit.page
    page.goto(f"{northgate}schemagroups/luggage.events/schemas/bag-scan/")
    since = page.locator(".xr-facts dt:text-is('Compare with') + dd")
    assert since.inner_text() == "1 breaks consumers"
    assert in_sight(visit, since)
    since.get_by_role("link").click()
    assert page.locator("tr", has_text="method").locator("td").last.inner_text().endswith("breaks")
