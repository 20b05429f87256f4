"""The table of all messages: facets, words, order and address agree, and ten thousand rows are quick."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.synthetic import write_registry
from tests.browser.visits import DESK, PHONE, Visit, serving, visiting
from tests.catalog.folders import folder
from xregit.pages.builder import build_site, write_files
from xregit.pages.context import SiteContext
from xregit.pages.messages_page import messages_data

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

MANY = 10_000
MESSAGE = "description: x\nlabels: {{team: {0}}}\nenvelope: CloudEvents/1.0\n{1}"
OLD = "deprecated: {removal: 2099-01-01T00:00:00Z}\n"
FILES = {
    "messagegroups/shops.sales/messages/sale.made.yaml": MESSAGE.format("tills", ""),
    "messagegroups/shops.sales/messages/sale.undone.yaml": MESSAGE.format("tills", OLD),
    "messagegroups/shops.stock/messages/stock.moved.yaml": MESSAGE.format("stock", ""),
    "messagegroups/fleet/messages/moved.yaml": "protocol: KAFKA\nprotocoloptions: {topic: 'fleet.{vin}'}\n",
    "endpoints/fleet.out/endpoint.yaml": "usage: [consumer]\nchannel: cars\nmessagegroups: [/messagegroups/fleet]\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the site of four messages and return its address."""
    place = tmp_path_factory.mktemp("table")
    build_site(folder(place / "registry", FILES), place / "site")
    with serving(place / "site") as address:
        yield address


def _ids(visit: Visit) -> list[str]:
    return visit.page.locator("#xr-messages tbody td:first-child > a").all_inner_texts()


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", ["moved", "sale.made", "sale.undone", "stock.moved"]),
        ("sort=-group", ["stock.moved", "sale.made", "sale.undone", "moved"]),
        ("words=sale+made", ["sale.made"]),
        ("words=vin", ["moved"]),
        ("domain=shops&deprecated=no", ["sale.made", "stock.moved"]),
        ("deprecated=yes", ["sale.undone"]),
        ("group=fleet&group=shops.stock", ["moved", "stock.moved"]),
        ("label=team%3A+tills", ["sale.made", "sale.undone"]),
        ("protocol=KAFKA", ["moved"]),
        ("protocol=", ["sale.made", "sale.undone", "stock.moved"]),
        ("used=cars", ["moved"]),
        ("used=fleet.out&envelope=CloudEvents%2F1.0", []),
        ("sort=nonsense&unknown=1", ["moved", "sale.made", "sale.undone", "stock.moved"]),
    ],
)
def test_address_says_what_is_shown(browser: Browser, served: str, query: str, ids: list[str]) -> None:
    """An address that somebody shares shows the same rows in the same order."""
    with visiting(browser, served, DESK, "light") as visit:
        visit.page.goto(f"{served}all-messages/?{query}")
        assert _ids(visit) == ids
        assert visit.page.get_by_text("No messages match these filters").is_visible() is (not ids)
        if not ids:
            visit.page.get_by_role("button", name="Clear all filters").click()
            assert len(_ids(visit)) == 4
        assert visit.complaints == []


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_choices_are_in_the_address(browser: Browser, served: str, size: tuple[int, int]) -> None:
    """Each choice counts what the others leave, stands above the table, can be taken back, and is in the address."""
    with visiting(browser, served, size, "light") as visit:
        page = visit.page
        page.goto(f"{served}all-messages/")
        page.locator("summary", has_text="Label").click()
        page.get_by_role("checkbox", name="team: tills").check()
        page.keyboard.press("Escape")
        page.locator("summary", has_text="Group").click()
        options = page.locator(".xr-facet[open] .xr-options label").all_inner_texts()
        assert [each.split() for each in options] == [["shops.sales", "2"]]
        page.keyboard.press("Escape")
        page.get_by_label("Search", exact=True).last.fill("undone")
        assert _ids(visit) == ["sale.undone"]
        assert page.url.endswith("/all-messages/?words=undone&label=team%3A+tills")
        page.get_by_role("button", name="Remove “undone”").click()
        page.locator("th button", has_text="Message").click()
        assert _ids(visit) == ["sale.undone", "sale.made"]
        page.reload()
        assert _ids(visit) == ["sale.undone", "sale.made"]
        page.get_by_role("button", name="Remove Label: team: tills").click()
        assert page.url.endswith("/all-messages/?sort=-id")
        page.locator("#xr-messages td a", has_text="stock.moved").click()
        page.wait_for_url("**/messagegroups/shops.stock/messages/stock.moved/")
        assert visit.complaints == []


def test_ten_thousand_messages_are_drawn_in_parts(browser: Browser, tmp_path: Path, root: Path) -> None:
    """Few rows are drawn until one reads on."""
    from xregit.catalog import read_folder

    registry = read_folder(write_registry(tmp_path / "registry", MANY))
    site = tmp_path / "site"
    write_files(site, messages_data(SiteContext(registry)))
    assets = root / "tools/xregit/pages/assets"
    write_files(
        site, ((f"assets/{name}", (assets / name).read_text("utf-8")) for name in ("messages.js", "xregit.css"))
    )
    write_files(site, [("all-messages/index.html", _BARE)])
    with serving(site) as address, visiting(browser, address, DESK, "light") as visit:
        page = visit.page
        page.goto(f"{address}all-messages/")
        assert f"{MANY:,} messages" in page.locator(".xr-count").inner_text()
        assert page.locator("tbody tr").count() < MANY / 10
        page.get_by_label("Search", exact=True).fill("reading 777")
        page.locator(".xr-count", has_text="of 10,000").wait_for()


_BARE = (
    '<link rel="stylesheet" href="../assets/xregit.css"><form id="xr-messages" data-root="../" hidden></form>'
    '<div id="xr-messages-list"></div><script src="messages.js"></script><script src="../assets/messages.js"></script>'
)
