"""A reader's five questions, each answered from the start page in at most two clicks.

What is this event? Who sends it? Who gets it? What changed? What do I send? The catalog is the example, with a history.
`pytest -m long --durations=0 tests/browser/test_questions.py` prints how long each takes.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.visits import DESK, PHONE, Visit, serving, visiting
from tests.source.repositories import new_repository
from xregit.pages.builder import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytestmark = pytest.mark.browser

MAX_CLICKS = 2
CHANGED = "registry/messagegroups/fleet.telemetry.mqtt/messages/fleet.position.reported.yaml"


@pytest.fixture(scope="module")
def northgate(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """Serve the example catalog's site, with a history of two commits; return its address."""
    repository = new_repository(tmp_path_factory.mktemp("questions") / "northgate")
    shutil.copytree(root / "registry", repository.root / "registry")
    repository.commit("Describe the airports")
    text = (repository.root / CHANGED).read_text(encoding="utf-8")
    repository.commit("Move the topic of positions", **{CHANGED: text.replace("fleet/{vin}/position", "v2/{vin}/gps")})
    build_site(repository.root / "registry", repository.root / "site")
    with serving(repository.root / "site") as address:
        yield address


@dataclass
class Reader:
    """Somebody who begins at the start page, and whose clicks are counted."""

    visit: Visit
    clicks: int = 0

    def click(self, target: Locator) -> None:
        """Click, once it is there."""
        self.clicks += 1
        target.first.click()

    def search(self, words: str, said: str) -> None:
        """Open the search in the middle of the start page, type, and follow the first result once it says this."""
        self.click(self.visit.page.get_by_role("button", name="Search messages"))
        self.visit.page.keyboard.type(words, delay=10)
        self.click(self.visit.page.locator(".md-search-result__item:first-child > a", has_text=said))
        self.visit.page.locator("h1#top").wait_for()

    def sees(self, shown: Locator) -> str:
        """Return the text of what is on the first screen, without scrolling."""
        shown.first.wait_for()
        box, window = shown.first.bounding_box(), self.visit.page.viewport_size
        assert box is not None
        assert window is not None
        assert 0 <= box["y"] < window["height"]
        return shown.first.inner_text()


@pytest.fixture(params=[PHONE, DESK], ids=["phone", "desk"])
def reader(request: pytest.FixtureRequest, browser: Browser, northgate: str) -> Iterator[Reader]:
    """Open the start page; hold afterwards how many clicks the answer took."""
    with visiting(browser, northgate, request.param, "light") as visit:
        reader = Reader(visit)
        visit.page.goto(northgate)
        yield reader
        assert reader.clicks <= MAX_CLICKS
        assert visit.complaints == []


def fact(reader: Reader, name: str) -> Locator:
    """Return what stands beside a name in the facts of a page."""
    return reader.visit.page.locator(f".xr-facts dt:text-is('{name}') + dd")


def test_what_is_this_event(reader: Reader) -> None:
    """Its type leads to its page, which begins with what happened."""
    reader.search("fleet.geofence.entered", "fleet.geofence.entered")
    assert "crossed into a geofence" in reader.sees(reader.visit.page.locator(".xr-prose"))


def test_who_sends_it(reader: Reader) -> None:
    """The first screen of its page names the endpoints that producers send it to."""
    reader.search("position mqtt", "fleet.position.reported")
    assert "Vehicle gateway, telemetry in" in reader.sees(fact(reader, "Producers"))


def test_who_gets_it(reader: Reader) -> None:
    """And the endpoints that consumers receive it from."""
    reader.search("fleet.tyres.reported", "fleet.tyres.reported")
    assert "Telemetry stream" in reader.sees(fact(reader, "Consumers"))


def test_what_changed(reader: Reader) -> None:
    """The start page has the last changes, and one click leads to all that one changed, and whom it breaks."""
    commit = reader.visit.page.get_by_role("link", name="Move the topic of positions")
    reader.click(commit)
    reader.visit.page.wait_for_url("**/all-changes/#commit-*")
    changes = reader.sees(reader.visit.page.locator("li:target"))
    assert "fleet.position.reported" in changes
    assert "v2/{vin}/gps" in changes
    assert "breaks" in changes


def test_what_do_i_send(reader: Reader) -> None:
    """Its page has a whole example, as it is on the wire."""
    reader.search("luggage.bag.loaded", "luggage.bag.loaded")
    example = reader.visit.page.locator(".xr-code code:visible")
    event = json.loads(reader.sees(example))
    assert event["type"] == "luggage.bag.loaded"
    assert event["data"]
