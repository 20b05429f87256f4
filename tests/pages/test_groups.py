"""Many groups to the beginnings of their ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.catalog.folders import registry_of
from xregit.catalog import Registry
from xregit.pages.context import SiteContext
from xregit.pages.group_pages import MAX_FAMILIES, MAX_GROUPS, families, groups_page
from xregit.pages.overview_pages import registry_page

DOMAINS = [f"{first}.{second}" for first in ("Air", "sea", "land") for second in range(15)]


@pytest.mark.parametrize(
    ("ids", "due"),
    [
        (["b.x", "A.y", "a.x", "c"], {"a": 2, "b.x": 1, "c": 1}),
        (["org.a.x", "org.a.y", "org.b"], {"org.a": 2, "org.b": 1}),
        (
            [
                f"{name}{binding}"
                for name in ("de.rail", "de.water.level", "eu.air")
                for binding in ("", ".amqp", ".mqtt")
            ],
            {"de.rail": 3, "de.water.level": 3, "eu.air": 3},
        ),
        ([f"team{number}.events" for number in range(MAX_FAMILIES + 1)], {}),
        ([f"{letter}{number}" for letter in "xy" for number in range(MAX_FAMILIES)], {"x": 60, "y": 60}),
    ],
    ids=[
        "first labels, whatever their case",
        "second ones where the first are one",
        "all that they share",
        "too many",
        "first characters",
    ],
)
def test_groups_are_gathered_by_how_their_ids_begin(ids: list[str], due: dict[str, int], tmp_path: Path) -> None:
    """Each group is in one family; where ids begin in too many ways, or in one, there are none."""
    result = families(_registry(tmp_path, ids).groups["messagegroups"].values())
    assert {family.title: len(family.groups) for family in result} == due


def test_start_page_leads_to_many_groups(tmp_path: Path) -> None:
    """Each family leads to its first row on the page of all groups, and a group that is alone to its own page."""
    book = SiteContext(_registry(tmp_path, [*DOMAINS, "orders"]))
    assert len(DOMAINS) > MAX_GROUPS
    start = registry_page(book).html
    listed = groups_page(book, book.registry.model.groups["messagegroups"]).html
    for anchor in ("air", "land", "sea"):
        assert f'messagegroups/#from-{anchor}"' in start
        assert listed.count(f'<tr id="from-{anchor}">') == 1
    assert 'messagegroups/orders/"' in start
    assert "All 46 message groups" in start
    assert listed.index("/Air.0/") < listed.index("/land.9/") < listed.index("/orders/") < listed.index("/sea.0/")


def _registry(folder: Path, ids: list[str]) -> Registry:
    return registry_of(folder, {f"messagegroups/{each}/messagegroup.yaml": "description: D.\n" for each in ids})
