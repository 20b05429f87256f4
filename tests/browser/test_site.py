"""The built site in a real browser: phone and desk, light and dark, searched and filtered, asking no other host.

All of it is served under a strict Content-Security-Policy, so that whatever breaks it is an error that a test finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.browser.visits import DESK, PHONE, Scheme, Visit, new_page, serving, visiting
from tests.pages.manual import build_manual
from tests.pages.small import small_folder
from tests.source.repositories import new_repository
from tests.waiting import wait_until
from xregit.pages.builder import build_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

MESSAGE = "messagegroups/doors.mqtt/messages/doors.opened/"
KINDS = [
    "",
    "all-messages/",
    "all-changes/",
    "all-deprecations/",
    "all-fields/",
    "all-fields/door/",
    "map/",
    "recognise/",
    "messagegroups/",
    "messagegroups/doors/",
    MESSAGE,
    "endpoints/broker/",
    "schemagroups/doors/schemas/opened/",
    "schemagroups/doors/schemas/opened/versions/1/",
    "schemagroups/doors/schemas/opened/versions/2/since/1/",
    "glossaries/trade/terms/lock/",
    "model-reference/messagegroups/messages/",
    "help/",
    "manual/",
    "manual/check-rules/",
    "manual/check-rules/missing-file/",
    "manual/authoring/",
    "manual/lakehouse/",
]
DEPRECATED = "deprecated: {removal: 2099-01-01T00:00:00Z, alternative: /messagegroups/doors/messages/doors.opened}\n"
# How each page is looked at, and what axe is asked there: nothing of colours that another width shows as well.
COLOURS = ["color-contrast", "link-in-text-block"]
VIEWS: list[tuple[tuple[int, int], Scheme, dict[str, object]]] = [
    (PHONE, "light", {"rules": {rule: {"enabled": False} for rule in COLOURS}}),
    (PHONE, "dark", {}),
    (DESK, "dark", {"runOnly": COLOURS}),
    (DESK, "light", {"rules": {}}),
]
# What the theme calls them.
SCHEMES: Mapping[Scheme, str] = {"light": "default", "dark": "slate"}
# Ends two frames after the window has changed, when what the theme moves then is at rest.
REST = """async () => {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
  await Promise.allSettled(document.getAnimations().map((each) => each.finished));
}"""
WIDTHS = "[document.documentElement.scrollWidth, document.body.scrollWidth]"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[str]:
    """Serve the small registry's site and return its address."""
    folder = tmp_path_factory.mktemp("browsed")
    repository = new_repository(folder / "repository")
    registry = small_folder(repository.root)
    repository.commit("Describe the doors")
    closed = registry / "messagegroups/doors/messages/doors.closed.yaml"
    closed.write_text(f"description: Shut.\n{DEPRECATED}", encoding="utf-8")
    repository.commit("Shorten a description")
    build_site(registry, folder / "site", root / "site" / "mkdocs.yml")
    build_manual(folder / "site" / "manual")
    with serving(folder / "site") as address:
        yield address


@pytest.fixture(scope="module")
def visit(browser: Browser, served: str) -> Iterator[Visit]:
    """Give a page in which one kind of page after the other is looked at."""
    with visiting(browser, served, PHONE, "light") as found:
        yield found


@pytest.mark.parametrize("address", KINDS)
def test_page_is_sound(visit: Visit, served: str, address: str) -> None:
    """A page of each kind is as wide as the window, logs no error, asks no other host, and axe finds nothing serious.

    It is loaded once, then shown as on a phone and on a desk, in light and in dark, with everything unfolded.
    """
    page = visit.page
    visit.complaints.clear()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.emulate_media(color_scheme="light")
    answer = page.goto(served + address, wait_until="networkidle")
    assert answer is not None
    assert answer.ok
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.evaluate(AXE_SCRIPT)
    results: list[str] = []
    for (width, height), scheme, options in VIEWS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.locator(f"body[data-md-color-scheme='{SCHEMES[scheme]}']").wait_for()
        assert widest(page) <= width, scheme
        results += serious(page, options) if options else []
    assert results == []
    assert visit.complaints == []


def test_frame_is_sound(visit: Visit, served: str) -> None:
    """What the theme puts around every page keeps nobody out either."""
    page = visit.page
    for width, height in (PHONE, DESK):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(served, wait_until="networkidle")
        page.evaluate(AXE_SCRIPT)
        assert serious(page, {}, "body") == []


def widest(page: Page) -> int:
    """Return the width of what is shown, once what the theme moves has come to rest."""
    page.evaluate(REST)
    width: int = max(page.evaluate(WIDTHS))
    return width


def serious(page: Page, options: dict[str, object], part: str = "article") -> list[str]:
    """Return what axe finds in a part of the page that keeps people out."""
    asked = [part, {"resultTypes": ["violations"], **options}]
    results = page.evaluate("([part, options]) => axe.run(part, options)", asked)
    return [
        f"{each['id']}, {node['target']}: {node['failureSummary']}"
        for each in results["violations"]
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]


def test_tabs_need_no_script(browser: Browser, served: str) -> None:
    """The example of another mode is shown by the keys of a keyboard, with scripts switched off."""
    page = new_page(browser, java_script_enabled=False)
    page.goto(served + "messagegroups/doors/messages/doors.opened/")
    panels = page.locator(".xr-example .xr-panel")
    assert [panel.is_visible() for panel in panels.all()] == [True, *[False] * (panels.count() - 1)]
    page.locator(".xr-example .xr-tabs input").first.focus()
    page.keyboard.press("ArrowRight")
    assert [panel.is_visible() for panel in panels.all()][:2] == [False, True]
    page.context.close()


def test_button_copies_what_is_shown(browser: Browser, served: str) -> None:
    """The button beside a command copies it as it stands there."""
    page = new_page(browser, permissions=["clipboard-read", "clipboard-write"])
    page.goto(served + MESSAGE)
    page.locator("details", has_text="Make it with xregit").locator("summary").click()
    box = page.locator("details .xr-code", has_text="xregit new").first
    box.locator("button").click()
    box.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == box.locator("code").text_content()
    page.context.close()


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


def test_long_placeholder_fits_a_phone(visit: Visit, served: str) -> None:
    """A placeholder that is longer than the line is broken, not the page made wider."""
    page = visit.page
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto(served + MESSAGE)
    page.locator(".xr-facts .xr-var").first.evaluate("(shown) => { shown.textContent = `{${'long'.repeat(20)}}`; }")
    assert widest(page) <= PHONE[0]


def test_paragraphs_run_as_their_first_letter_says(visit: Visit, served: str) -> None:
    """A description in Hebrew begins at the right, with its full stop at the left end."""
    page = visit.page
    page.goto(served + MESSAGE)
    place = "(shown) => { shown.textContent = 'רכבת.'; const range = document.createRange();"
    place += " range.setStart(shown.firstChild, 4); range.setEnd(shown.firstChild, 5);"
    place += " const whole = shown.getBoundingClientRect(); const stop = range.getBoundingClientRect();"
    place += " range.selectNodeContents(shown); const all = range.getBoundingClientRect();"
    place += " return [whole.right - all.right, stop.left - all.left]; }"
    assert page.locator(".xr-prose p").first.evaluate(place) == [0, 0]


def test_diagram_fits_between_the_sidebars(visit: Visit, served: str) -> None:
    """At each width, enlarged text included, an endpoint's page shows a diagram or a list, and all of it."""
    page = visit.page
    page.goto(served + "endpoints/broker/")
    for width in (390, 720, 1000, 1225, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        shown = page.locator(":is(.xr-diagram, .xr-flow):visible")
        assert shown.count() == 1, width
        over = shown.evaluate("(drawing) => drawing.parentElement.scrollWidth - drawing.parentElement.clientWidth")
        assert over <= 0, width


@pytest.mark.parametrize("address", ["", "all-messages/", "recognise/", MESSAGE, "manual/authoring/"])
def test_paper_has_nothing_to_click(browser: Browser, served: str, address: str) -> None:
    """Printed, a page has its text and what a reader has chosen, and no button, field or menu."""
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(served + address)
        visit.page.emulate_media(media="print")
        seen = visit.page.locator(
            "button:not(th > *):visible, input:visible, nav:is(.md-nav, .xr-nav):visible, .md-search:visible"
        )
        assert seen.evaluate_all("found => found.map(each => each.outerHTML)") == []
        assert visit.page.locator(".xr-tabs > label:visible").count() == visit.page.locator(".xr-tabs").count()
        assert visit.page.locator("h1").is_visible()


@pytest.mark.parametrize("address", ["", MESSAGE, "endpoints/broker/", "all-deprecations/"])
def test_paper_is_the_same_in_light_and_dark(visit: Visit, served: str, address: str) -> None:
    """Who reads in dark prints dark on white all the same: each text has the colour that it has in light."""
    visit.page.goto(served + address)
    visit.page.emulate_media(media="print")
    printed = {scheme: _colours(visit.page, scheme) for scheme in ("default", "slate")}
    visit.page.emulate_media(media="screen")
    assert len(printed["default"]) > 10
    assert printed["slate"] == printed["default"]


def _colours(page: Page, scheme: str) -> list[str]:
    """Return the colour of each element once none of them is changing any more."""
    page.evaluate("scheme => document.body.setAttribute('data-md-color-scheme', scheme)", scheme)
    result = "each => `${each.tagName}.${each.className}: ${getComputedStyle(each).color}`"
    read = f"Array.from(document.querySelectorAll('article *'), {result})"
    page.evaluate(f"{read}; document.getAnimations().forEach((each) => each.finish())")
    colours: list[str] = page.evaluate(read)
    return colours


@pytest.mark.smoke
def test_filter_narrows_a_list(browser: Browser, served: str) -> None:
    """Words typed above a list leave the rows that have them all."""
    with visiting(browser, served, PHONE, "light") as visit:
        visit.page.goto(served + "all-fields/")
        visit.page.fill("[data-xr-filter]", "butt press")
        rows = visit.page.locator(".xr-table tbody tr:visible")
        assert rows.count() == 1
        assert rows.first.inner_text().startswith("button")


def test_field_of_a_filter_shows_that_one_types_there(visit: Visit, served: str) -> None:
    """Who comes by the keyboard sees where they are: the theme takes the line around a field away."""
    visit.page.goto(f"{served}all-fields/")
    visit.page.focus("[data-xr-filter]")
    assert visit.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_filter_narrows_a_table_written_by_hand(browser: Browser, served: str) -> None:
    """The table of requirements has a filter too; what a row folds is found as well."""
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(served + "manual/conformance/")
        field, rows = (
            visit.page.locator("[data-xr-filter]").first,
            visit.page.locator("table").first.locator("tbody tr:visible"),
        )
        assert rows.count() > 100
        field.fill("MSG-2 should_not_be_in_any_test")
        assert rows.count() == 0
        field.fill("test_a_cycle_ends_and_is_told no message is its own")
        assert rows.all_inner_texts()[0].startswith("MSG-28")
        assert rows.count() == 1


def test_lists_are_there_without_script(browser: Browser, served: str) -> None:
    """Without script the whole list is shown, and no field that would do nothing."""
    page = new_page(browser, java_script_enabled=False)
    page.goto(served + "all-messages/")
    assert page.locator(".xr-table tbody tr").count() == 5
    assert not page.locator("#xr-messages").is_visible()
    page.context.close()


def test_code_has_colours(visit: Visit, served: str) -> None:
    """The parts of code are coloured as what they are, without a change of the page: names, texts, numbers, remarks."""
    visit.page.goto(served + MESSAGE)
    texts = """name => [...CSS.highlights.get(name)].map((part) => {
        const range = new Range();
        range.setStart(part.startContainer, part.startOffset);
        range.setEnd(part.endContainer, part.endOffset);
        return String(range);
    })"""
    coloured = "['xr-keyword', 'xr-key'].every((name) => CSS.highlights.get(name)?.size > 0)"
    wait_until(lambda: visit.page.evaluate(coloured))  # Playwright's own wait needs what the site's policy forbids.
    kinds = {name: set(visit.page.evaluate(texts, f"xr-{name}")) for name in ("key", "keyword", "string")}
    assert '"basemessage"' in kinds["key"]
    assert "import" in kinds["keyword"]
    assert all(text[0] in "\"'" for text in kinds["string"])
