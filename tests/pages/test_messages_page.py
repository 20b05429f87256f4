"""The list of all messages in parts, and the data of the table that a script makes of it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.catalog.folders import registry_of
from xregit.pages import pages
from xregit.pages.context import SiteContext
from xregit.pages.messages_page import MAX_ROWS, messages_data
from xregit.pages.page import Page


def _pages(folder: Path, count: int) -> dict[str, Page]:
    files = {f"messagegroups/g/messages/m{number:04}.yaml": "description: x\n" for number in range(count)}
    by_address = {page.address: page for page in pages(registry_of(folder, files))}
    return {address: page for address, page in by_address.items() if address.startswith("all-messages/")}


def test_list_without_scripts_is_in_parts(tmp_path: Path) -> None:
    """Each part has so many messages that a page stays short, and leads to the next; the first leads to all."""
    assert list(_pages(tmp_path / "few", MAX_ROWS)) == ["all-messages/"]
    parts = _pages(tmp_path / "many", 2 * MAX_ROWS + 1)
    assert [page.html.count("<tr><td") for page in parts.values()] == [MAX_ROWS, MAX_ROWS, 1]
    assert [page.html.count('<script defer src="messages.js">') for page in parts.values()] == [1, 0, 0]
    first, second, third = parts.values()
    assert f'<p>Next: <a href="../all-messages/2/">m{MAX_ROWS:04}' in first.html
    assert first.html.count('href="../all-messages/3/"') == 1
    assert 'href="../../all-messages/3/"' in second.html
    assert "Next:" not in third.html
    assert (second.listed, second.parent) == (False, "all-messages/")


def test_data_has_each_message_once(tmp_path: Path) -> None:
    """A row names its group, owners and labels by number; a page that is elsewhere than its group's has its address."""
    files = {
        "messagegroups/shops.sales/messages/made.yaml": """
            name: Sale made
            labels: {team: tills}
            protocol: KAFKA
            protocoloptions: {topic: "sales.{shop}"}
            """,
        "messagegroups/shops.sales/messages/~x.yaml": "deprecated: {removal: 2099-01-01T00:00:00Z}\n",
        "endpoints/out/endpoint.yaml": "channel: tills\nmessagegroups: [/messagegroups/shops.sales]\n",
        "endpoints/out/messages/own.yaml": "deprecated: {}\n",
    }
    ((path, script),) = messages_data(SiteContext(registry_of(tmp_path, files)))
    assert path == "all-messages/messages.js"
    data = json.loads(script.removeprefix("globalThis.xregitMessages = ").removesuffix(";\n"))
    assert data["uses"] == ["tills", "out"]
    assert data["groups"] == [
        ["shops.sales", "messagegroups/shops.sales/", 0, [0, 1]],
        ["out", "endpoints/out/", 0, [0, 1]],
    ]
    rows = {row[0]: row[1:] for row in data["messages"]}
    assert rows["made"] == ["Sale made", 0, 0, 0, "sales.{shop}", "", "", [], [0], ""]
    assert rows["own"] == ["", 1, 0, 1, "", "", "yes", [], [], ""]
    assert rows["~x"][6] == "2099-01-01"
    assert [data["protocols"], data["labels"], data["owners"]] == [["KAFKA", ""], ["team: tills"], []]
