"""What the script of every page does, on a page that has a bit of all that it looks for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files as package_files
from typing import TYPE_CHECKING

import pytest

from tests.browser.visits import DESK, serving, visiting
from xregit.pages import ASSETS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SCRIPT = next(name for name in ASSETS if name.endswith(".js"))
TABLE = "<table><tbody><tr><td>Door <b>opened</b></td></tr><tr><td>Door closed</td></tr></tbody>"
TABLE += "<tbody><tr><th>Gates</th></tr><tr><td>Gate closed</td></tr></tbody></table>"
FIELDS = """<ul class="xr-fields">
<li><details><summary><code>address</code></summary><ul class="xr-fields">
<li><details><summary>street</summary><ul class="xr-fields"><li>number</li></ul></details></li><li>city</li>
</ul></details></li><li>number of doors</li></ul>"""
SECTIONS = '<div class="xr-sections"><section><h2>{vin}</h2>car</section><section><h2>{door}</h2>house</section></div>'
FILTER = '<div class="xr-filter" id="{}" hidden><input data-xr-filter value="{}"><output></output></div>'
HTML = f"""<!doctype html><title>Test</title><link rel="icon" href="data:,"><body><article>
{FILTER.format("beside", "")}{TABLE}
{FILTER.format("within", "closed")}<div>{TABLE}</div>
{FILTER.format("nothing", "")}<p>No table</p>
{FILTER.format("fields", "")}{FIELDS}
{FILTER.format("sections", "")}{SECTIONS}
<div class="xr-code"><pre aria-label="Example"><code>a &lt; b</code></pre></div>
<div class="md-typeset__scrollwrap" id="wide"><img width="5000" height="9"></div>
<div class="md-typeset__scrollwrap" id="narrow"><img width="5" height="9"></div>
</article><script src="{SCRIPT}"></script>"""
LATER = '<div class="md-typeset__scrollwrap" id="later"><img width="9000" height="9"></div>'
ROWS = (
    "id => [...document.querySelectorAll(`#${id} + * tr:has(td)`)].filter(row => !row.hidden).map(row => row.innerText)"
)
# The clipboard of a page that is served without TLS, of one that may not write there, and of one that may.
NONE, REFUSING, WRITING = (
    "undefined",
    "{ writeText: () => Promise.reject() }",
    "{ writeText: async (text) => { copied = text; } }",
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the page with the script, and return its address."""
    folder = tmp_path_factory.mktemp("script")
    for name, text in ((SCRIPT, (package_files("xregit.pages") / SCRIPT).read_text()), ("index.html", HTML)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with serving(folder) as address:
        yield address


@pytest.fixture
def page(browser: Browser, served: str) -> Iterator[Page]:
    """Open it."""
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(served)
        yield visit.page


def test_filter_leaves_what_has_all_words(page: Page) -> None:
    """It counts what is left; without words the whole table is there, and nothing is counted."""
    for words, rows, said in (
        ("OPEN  door", ["Door opened"], "1 of 3"),
        ("door", ["Door opened", "Door closed"], "2 of 3"),
        ("window", [], "0 of 3"),
        (" ", ["Door opened", "Door closed", "Gate closed"], ""),
    ):
        page.fill("#beside input", words)
        assert (page.evaluate(ROWS, "beside"), page.inner_text("#beside output")) == (rows, said)


def test_filter_has_what_was_typed_before(page: Page) -> None:
    """Whoever comes back finds the words that the browser has kept, and the table as they leave it."""
    assert (page.evaluate(ROWS, "within"), page.inner_text("#within output")) == (
        ["Door closed", "Gate closed"],
        "2 of 3",
    )


@pytest.mark.parametrize(
    ("words", "rows", "said"),
    [
        ("", ["address", "number of doors"], ""),
        ("number", ["address", "street", "number", "number of doors"], "2 of 5"),
        ("NUMBER doors", ["number of doors"], "1 of 5"),
        ("city", ["address", "city"], "1 of 5"),
        ("address", ["address"], "1 of 5"),  # with what is inside, which stays folded
        ("window", [], "0 of 5"),
    ],
)
def test_filter_unfolds_what_is_around_a_field(page: Page, words: str, rows: list[str], said: str) -> None:
    """A field that fits is seen with those around it, and those inside one are there with it; then all is as before."""
    for typed in (words, "street", words):
        page.fill("#fields input", typed)
    lines = [line.strip("▸▾ ") for line in page.inner_text("#fields + ul").splitlines() if line.strip()]
    assert (lines, page.inner_text("#fields output")) == (rows, said)


def test_filter_leaves_sections(page: Page) -> None:
    """A section is looked at as a whole: its title, and what stands in it."""
    page.fill("#sections input", "vin car")
    assert page.inner_text("#sections + div").split() == ["{vin}", "car"]
    assert page.inner_text("#sections output") == "1 of 2"


def test_filter_is_shown_where_it_filters(page: Page) -> None:
    """Without a table there is nothing to type into."""
    assert [page.is_visible(f"#{each}") for each in ("beside", "within", "nothing")] == [True, True, False]


def test_wide_table_is_scrolled_by_keys(page: Page) -> None:
    """One is reached with the keyboard while it is wider than the page, also one that the theme wraps later."""
    page.wait_for_selector("#wide[tabindex='0']", state="attached")
    assert page.get_attribute("#narrow", "tabindex") is None
    page.set_viewport_size({"width": 6_000, "height": 900})
    page.wait_for_selector("#wide:not([tabindex])", state="attached")
    page.evaluate("html => document.querySelector('#within + div').insertAdjacentHTML('beforeend', html)", LATER)
    page.wait_for_selector("#later[tabindex='0']", state="attached")


@pytest.mark.parametrize(
    ("clipboard", "told", "copied"),
    [(WRITING, "Copied", "a < b"), (REFUSING, "Failed", None), (NONE, "Copied", "a < b")],
    ids=["writing", "refusing", "none"],
)
def test_button_says_whether_it_copied(
    browser: Browser, served: str, clipboard: str, told: str, copied: str | None
) -> None:
    """What is copied is the text of the code, also where the site is served without TLS; the page stays as it was."""
    with visiting(browser, served, DESK, "light") as visit:
        page = visit.page
        page.add_init_script(f"Object.defineProperty(navigator, 'clipboard', {{ value: {clipboard} }})")
        page.add_init_script("addEventListener('copy', () => { window.copied = `${getSelection()}`; })")
        page.clock.install()
        page.goto(served)
        button = page.get_by_role("button", name="Copy: Example")
        assert button.inner_text() == "Copy"
        button.click()
        page.wait_for_selector(f".xr-copy:text-is('{told}')")
        assert page.evaluate("window.copied") == copied
        assert page.locator("textarea").count() == 0
        page.clock.run_for(2_000)
        assert button.inner_text() == ("Copy" if copied else told)
        assert visit.complaints == []


@pytest.mark.parametrize(
    ("element", "refused"),
    [
        ("Object.assign(document.createElement('script'), { text: 'window.ran = 1' })", "script"),
        ("Object.assign(document.createElement('style'), { textContent: 'p { color: red }' })", "style"),
        ("Object.assign(new Image(), { src: 'http://other.example/' })", "http://other.example/"),
    ],
    ids=["script", "style", "image"],
)
def test_policy_is_in_force(browser: Browser, served: str, element: str, refused: str) -> None:
    """What the guide's policy forbids is refused and noted, so that a page on which nothing is noted keeps to it."""
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(served)
        with visit.page.expect_console_message(lambda said: "Content Security Policy" in said.text):
            visit.page.evaluate(f"document.body.append({element})")
        assert visit.page.evaluate("window.ran") is None
        assert refused in "".join(visit.complaints)
