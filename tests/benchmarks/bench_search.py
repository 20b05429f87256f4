"""How soon a search is answered in Chromium: from the end of loading a page to the first result, at two sizes.

    pytest -s tests/benchmarks/bench_search.py

A page is opened with the question in its address, in a browser that has nothing of the site yet. Printed too is the
time that it takes to ask again: from the last key to the first result.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.benchmarks.synthetic import PREFIX, write_registry
from tests.browser.conftest import browser  # noqa: F401 - a fixture
from tests.browser.visits import serving
from xregit.pages.builder import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SMALL, LARGE, ROUNDS = 50, 5_000, 3
AIM_MS = 300  # on a machine with nothing else to do
QUESTIONS = (f"{PREFIX}42", "reading 42", "plants.{plant}", "cycle of the machine", "unit", "p")
# Notes when the page is loaded, and when the first result is there.
CLOCK = """
addEventListener("load", () => { window.loaded = performance.now(); });
new MutationObserver(() => {
  if (!window.answered && document.querySelector(".md-search-result__item")) window.answered = performance.now();
}).observe(document, { childList: true, subtree: true });
"""
# Asks the question again with another key, and returns when the first result is there.
AGAIN = """async () => {
  const [box, list] = [".md-search__input", ".md-search-result__list"].map((each) => document.querySelector(each));
  list.replaceChildren();
  const began = performance.now();
  box.value += " ";
  box.dispatchEvent(new KeyboardEvent("keyup", { key: " " }));
  while (!list.firstChild) await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now() - began;
}"""


def test_first_answer(browser: Browser, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    """At both sizes, the first answer after loading, and that to another question."""
    with ExitStack() as stack:
        places = {size: stack.enter_context(serving(_built(tmp_path, size))) for size in (SMALL, LARGE)}
        first: dict[int, list[float]] = {size: [] for size in places}
        again: dict[int, list[float]] = {size: [] for size in places}
        for question in QUESTIONS * ROUNDS:
            for size, address in places.items():
                one, other = _answer_times(browser, f"{address}?q={quote(question)}")
                first[size].append(one)
                again[size].append(other)
    for size in places:
        print(
            f"\n{size} messages: {median(first[size]):.0f} ms after loading, {median(again[size]):.0f} ms to ask again"
        )
    print(f"aim {AIM_MS} ms")


def _built(folder: Path, size: int) -> Path:
    build_site(write_registry(folder / f"registry{size}", size), folder / f"site{size}")
    return folder / f"site{size}"


def _answer_times(browser: Browser, address: str) -> tuple[float, float]:  # noqa: F811 - the fixture
    """Return the milliseconds from the end of loading to the first result, and those of asking again."""
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(CLOCK)
    page.goto(address)
    page.locator(".md-search-result__item").first.wait_for()
    first: float = page.evaluate("window.answered - window.loaded")
    again: float = page.evaluate(AGAIN)
    context.close()
    return first, again
