"""The site's search in a real browser finds a message by all that people know of it, the best match first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.visits import DESK, searched, serving, visiting
from tests.catalog.folders import folder
from xregit.pages.builder import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SCHEMA = "{type: object, properties: {torque: {type: number, description: Newtonmetres.}, tool: "
SCHEMA += "{properties: {serial: {type: string}}}}}"
FILES = {
    "registry.yaml": "registryid: factory\n",
    "messagegroups/bolts/messagegroup.yaml": "envelope: CloudEvents/1.0\n",
    "messagegroups/bolts/messages/bolt.tightened.yaml": f"""
        name: Screw is tight
        description: A nutrunner reached its target.
        protocol: MQTT/5.0
        envelopemetadata:
          type: {{value: com.example.bolting.completed}}
          subject: {{type: uritemplate, value: "stations/{{station}}/bolt"}}
        protocoloptions: {{topic_name: "lines/{{line}}/results"}}
        datacontenttype: application/json
        dataschemaformat: JsonSchema/draft-07
        dataschema: {SCHEMA}
        """,
    "messagegroups/bolts/messages/bolt.loosened.yaml": """
        description: After bolt.tightened, and whatever its nutrunner did, a bolt came loose at a station.
        envelopemetadata:
          type: {value: com.example.bolting.undone}
        """,
    "messagegroups/bolts/messages/line.stopped.yaml": """
        description: The line stands still; results are late, and no tool turns.
        envelopemetadata:
          type: {value: com.example.line.stopped}
        """,
}
MANY = 60
NUTS = MANY + 3  # their group, and two that speak of a nutrunner
FILES |= {f"messagegroups/nuts/messages/nut.{number}.yaml": "description: A nut is there.\n" for number in range(MANY)}
TIGHTENED = "messagegroups/bolts/messages/bolt.tightened/"


@pytest.fixture(scope="module")
def factory(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """Serve the site of a registry in which several messages speak of the same things; return its address."""
    place = tmp_path_factory.mktemp("searched")
    build_site(folder(place, FILES), place / "site", root / "site" / "mkdocs.yml")
    with serving(place / "site") as address:
        yield address


@pytest.mark.parametrize(
    "words",
    [
        "bolt.tightened",
        "com.example.bolting.completed",
        "bolting completed",
        "lines/{line}/results",
        "stations/{station}/bolt",
        "{station}",
        "nutrunner reached its target",
        "torque",
        "serial",
        "newtonmetre",
        "Screw is tight",
        "which topic carries the results of a nutrunner",
        "everything that contains torque",
    ],
)
def test_best_match_is_first(browser: Browser, factory: str, words: str) -> None:
    """A message is first for its id, type, topic, subject, placeholder, description, payload field and name."""
    with visiting(browser, factory, DESK, "light") as visit:
        visit.page.goto(factory)
        result = searched(visit.page, words)
        assert TIGHTENED in result[0], result
        assert visit.complaints == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("bolt.tightened", ["bolt.tightened", "bolt.loosened"]),  # in the id, then in the text
        ("line", ["line.stopped", "bolt.tightened"]),  # a title, then a topic
        ("stopping", ["line.stopped"]),  # without its ending
        ("bolts", ["bolts", "bolt.tightened"]),  # the group, then one bolt
        ("stations", ["bolt.tightened", "bolt.loosened"]),  # as it is in an address, then as one in a text
        ("torques", ["bolt.tightened"]),
        ("torque unheard", ["bolt.tightened"]),  # what has most of the words
        ("nutruner", ["bolt.loosened", "bolt.tightened"]),  # a letter is missing
        ("torqeu", ["bolt.tightened"]),  # two have changed places
        ("stoppped", ["line.stopped"]),  # one too many
        ("tightaned bolt", ["bolt.tightened"]),  # another one
    ],
)
def test_matches_stand_in_order(browser: Browser, factory: str, words: str, expected: list[str]) -> None:
    """What is called so comes before what has it in an address, and that before what only speaks of it."""
    with visiting(browser, factory, DESK, "light") as visit:
        visit.page.goto(factory)
        result = searched(visit.page, words)
        places = [next((at for at, link in enumerate(result) if f"/{each}/" in link), 99) for each in expected]
        assert places == sorted(places), result
        assert places[-1] < 99, result


def test_index_is_read_sparingly(browser: Browser, factory: str) -> None:
    """A question reads no file of the index twice, and none that it doesn't need."""
    with visiting(browser, factory, DESK, "light") as visit:
        read: list[str] = []
        visit.page.on("request", lambda made: read.append(made.url) if "/search/" in made.url else None)
        visit.page.goto(f"{factory}?q=bolt")
        visit.page.locator(".md-search-result__item").first.wait_for()
        names = [url.split("/search/")[1].split("?")[0] for url in read]
        assert len(names) == len(set(names)), names
        assert {"search_index.json", "index.json"} < set(names)
        assert 0 < sum(name.startswith("words/") for name in names) <= 3, names


@pytest.mark.parametrize(
    ("words", "said"), [("nut", f"The 50 best of {NUTS} matching documents"), ("torque", "2 matching documents")]
)
def test_number_of_all_results_is_told(browser: Browser, factory: str, words: str, said: str) -> None:
    """Where not all are shown, it says so: one knows that another word is needed."""
    with visiting(browser, factory, DESK, "light") as visit:
        visit.page.goto(factory)
        searched(visit.page, words)
        assert said in visit.page.locator(".md-search-result__meta").inner_text()
        assert visit.complaints == []


def test_search_without_results_says_where_else_to_look(browser: Browser, factory: str) -> None:
    """Below it are links to the other ways to find a message, which a search with results has not."""
    with visiting(browser, factory, DESK, "light") as visit:
        visit.page.goto(f"{factory}?q=zzyzx")
        visit.page.get_by_text("No matching documents").wait_for()
        other = visit.page.locator(".md-search-result").get_by_role("link", name="filter all messages")
        assert other.is_visible()
        visit.page.locator("input.md-search__input").fill("")
        visit.page.keyboard.type("nutrunner")
        other.wait_for(state="hidden")
        assert visit.page.locator(".md-search-result__item").count() > 0
        assert visit.complaints == []
        visit.page.goto(f"{factory}?q=zzyzx")
        other.click()
        visit.page.wait_for_url("**/all-messages/**")
