"""What the worker of the search answers, word for word; how the theme asks it is in `test_search.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.visits import DESK, Visit, serving, visiting
from xregit.pages.search import WORKER, Entry, Index

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

THEME_WORKER = "assets/javascripts/workers/search.js"  # so deep below the site's start stands the theme's
# Asks several questions at once, as fast typing does, and returns the first answer.
ASK = """questions => new Promise(resolve => {
  window.worker ||= new Worker("assets/javascripts/workers/search.js");
  worker.onmessage = ({ data: { type, data } }) => { if (type === 3) resolve(data); };
  questions.forEach(data => worker.postMessage({ type: 2, data }));
})"""
# More words than the blocks hold that are read for a beginning, and more results than are shown.
MANY, BLOCKS = 9_000, 6
RIVETS, SHOWN = 60, 50
NAMES = ("sluiceWidth", "<s>.sluice", "depth")
ENTRIES = [
    Entry("text/", "First", "Speaks of a lever."),
    Entry("name/", "Second", names=("lever",)),
    Entry("key/", "Third", keys=("lever.pulled",)),
    Entry("title/", "Lever pulled twice"),
    Entry("equal/", "Lever"),
    Entry("prefix/", "Big boltsmith"),
    Entry("word/", "Strong bolts"),
    Entry("harbour/", "Harbour signal", "Große Fähre"),
    Entry("crab/", "Crab"),
    Entry("box/", "Box"),
    Entry("wait/", "Wait"),
    Entry("ring/", "Ring"),
    Entry("rings/", "Rings"),
    Entry("dynamo/", "Dynamo"),
    Entry("what/", "What is it"),
    Entry("turned/", "Winch turned twice"),
    Entry("winch/", "Fourth", keys=("winch.turned",)),
    Entry("winds/", "Wind from north east south west upper lower"),
    Entry("north/", "North east south west upper lower winds"),
    Entry("shown/", 'A <b> & "c" sluice', "Its <i>, unsluiced.", ("gate/{sluice}", "<u>"), NAMES),
    Entry("many/", "Many", " ".join(f"w{number:05}" for number in range(MANY))),
    *(Entry(f"{number}/", f"Rivet {number}", "flat" * (number < SHOWN)) for number in range(RIVETS)),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write an index, the worker where it reads it, and a page without anything."""
    folder, index = tmp_path_factory.mktemp("answers"), Index()
    for entry in ENTRIES:
        index.add(entry)
    worker = (package_files("xregit.pages") / WORKER).read_text()
    for name, text in (*index.files(), (THEME_WORKER, worker), ("index.html", "<!doctype html>")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def served(place: Path) -> Iterator[str]:
    """Serve it, and return the address."""
    with serving(place) as address:
        yield address


@pytest.fixture(scope="module")
def visit(browser: Browser, served: str) -> Iterator[Visit]:
    """Open the page."""
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(served)
        yield visit


def answer(visit: Visit, *questions: str) -> dict[str, Any]:
    """Return what the worker answers."""
    result: dict[str, Any] = visit.page.evaluate(ASK, list(questions))
    return result


def places(found: dict[str, Any]) -> list[str]:
    """Return where the results of an answer lead."""
    return [each["location"] for (each,) in found["items"]]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("lever", ["equal/", "title/", "key/", "name/", "text/"]),
        ("lever pulled", ["key/", "title/"]),  # a whole key, then the beginning of a title
        ("winch turned", ["winch/", "turned/"]),
        ("north east south west upper lower", ["north/", "winds/"]),  # the beginning, however many words
        ("pulled lever", ["key/", "title/"]),  # both have both, so that the first is first
        ("bolts", ["word/", "prefix/"]),  # a word, then what begins with it
        ("LEVER Twice", ["title/"]),
        ("größe fähre", ["harbour/"]),  # the one is mistyped, the other not
        ("where can I find the harbour", ["harbour/"]),
        ("what is it", ["what/"]),  # nothing else was asked
        ("harbour unheard", ["harbour/"]),
        ("harbour crab", ["harbour/", "crab/"]),
        ("rings", ["rings/", "ring/"]),  # the word itself, then other forms of it
        ("ring", ["ring/", "rings/"]),
        ("boxes", ["box/"]),
        ("waited", ["wait/"]),
        ("waiting", ["wait/"]),
        ("dyed", []),  # two letters are too few to say that it is a form of anything
        ("habrour", ["harbour/"]),  # changed places
        ("harxour", ["harbour/"]),  # another letter
        ("harour", ["harbour/"]),  # a letter less
        ("harbbour", ["harbour/"]),  # a letter more
        ("harbuo", ["harbour/"]),  # the beginning of it
        ("harxoru", []),  # two faults
        ("haxxour", []),
        ("habrxxx", []),
        ("hrabour", []),  # the first two letters are sure
        ("sigal", ["harbour/"]),
        ("sigl", []),  # too short to be mistyped
        ("zzzzzz", []),
        ("", []),
        ("-", []),
    ],
)
def test_question_has_its_results(visit: Visit, question: str, expected: list[str]) -> None:
    """What has most of the words is found, the best of it first."""
    assert places(answer(visit, question)) == expected


def test_result_is_shown_with_its_words_marked(visit: Visit) -> None:
    """Titles, texts and names are text, whatever is in them; the words that begin as the one asked for are marked."""
    result = answer(visit, "sluice unheard")["items"][0][0]
    del result["score"]
    assert result == {
        "location": "shown/",
        "title": "A &lt;b&gt; &amp; &quot;c&quot; <mark>sluice</mark>",
        "text": '<p class="xr-teaser">Its &lt;i&gt;, unsluiced.</p>'
        '<p class="xr-teaser">has <mark>sluiceWidth</mark>, &lt;s&gt;.<mark>sluice</mark></p>',
        "tags": ["gate/{<mark>sluice</mark>}", "&lt;u&gt;"],
        "terms": {"sluice": True, "unheard": False},
    }


def test_result_has_no_more_than_there_is(visit: Visit) -> None:
    """Without text, keys and names there is a title alone; a word that is only begun has been found too."""
    result = answer(visit, "CRA")["items"][0][0]
    assert (result["title"], result["text"], result.get("tags")) == ("<mark>Crab</mark>", "", None)
    assert answer(visit, "spea")["items"][0][0]["terms"] == {"spea": True}


@pytest.mark.parametrize(
    ("question", "expected"), [("slu", ["sluice"]), ("lever dyn", ["dynamo"]), ("habrour", ["harbour"]), ("zzzzzz", [])]
)
def test_last_word_is_completed(visit: Visit, question: str, expected: list[str]) -> None:
    """The box suggests how the word goes on that is being typed."""
    assert answer(visit, question)["suggest"] == expected


def test_overtaken_question_is_not_answered(browser: Browser, served: str) -> None:
    """Whoever types on sees no results of what stood there before, however long their files take."""
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(served)
        assert places(answer(visit, "lever", "crab")) == ["crab/"]


def test_best_of_many_are_shown(visit: Visit) -> None:
    """Of more results than are shown the first says how many there are."""
    rivets, flat = answer(visit, "rivet")["items"], answer(visit, "flat")["items"]
    assert len(rivets) == len(flat) == SHOWN
    text = f'<span data-xr-fitting="{RIVETS}" hidden></span>'
    assert [text in each["text"] for (each,) in rivets] == [True, *[False] * (SHOWN - 1)]
    assert "data-xr-fitting" not in "".join(each["text"] for (each,) in flat)


def test_word_is_found_wherever_its_block_has_it(visit: Visit, place: Path) -> None:
    """Be it the first or the last of its block."""
    blocks = [json.loads(path.read_text()) for path in (place / "search/words").iterdir()]
    ends = [word for block in blocks for word, *_ in (block[0], block[-1]) if word.startswith("w0")]
    assert len(ends) > 2 * BLOCKS
    assert [word for word in ends if places(answer(visit, word)) != ["many/"]] == []


def test_beginning_of_many_words_reads_some_blocks(browser: Browser, served: str, place: Path) -> None:
    """What is read does not grow with the site, and is of the site's own version."""
    version = json.loads((place / "search/index.json").read_text())["version"]
    with visiting(browser, served, DESK, "light") as visit:
        read: list[str] = []
        visit.page.on("request", lambda made: read.append(made.url) if "/words/" in made.url else None)
        visit.page.goto(served)
        assert places(answer(visit, "w0")) == ["many/"]
    assert len(read) == BLOCKS
    assert {url.partition("?")[2] for url in read} == {version}
