"""Lists of groups, and the start page's cards, by domain."""

from __future__ import annotations

from pathlib import Path

from tests.catalog.folders import registry_of
from xregit.catalog import Registry
from xregit.pages.context import SiteContext
from xregit.pages.group_pages import group_list_pages
from xregit.pages.overview_pages import MAX_DOMAINS, MAX_PARTS, registry_page

DOMAINS = [f"{first}.{second}" for first in ("Air", "sea", "land") for second in range(15)]


def test_start_page_has_a_card_for_each_domain(tmp_path: Path) -> None:
    """A card leads to its groups on the page of all, one of a single group to that; what is left out is counted."""
    site = SiteContext(_registry(tmp_path, [*DOMAINS, "orders"]))
    start = registry_page(site).html
    listed = next(group_list_pages(site, site.registry.model.groups["messagegroups"])).html
    for anchor in ("air", "land", "sea"):
        assert f'messagegroups/#domain-{anchor}"' in start
        assert listed.count(f'<tbody id="domain-{anchor}">') == 1
    assert 'messagegroups/orders/"' in start
    assert start.count(f">{15 - MAX_PARTS} more<") == 3
    assert "All 46 message groups" not in start
    assert listed.index("/Air.0/") < listed.index("/land.9/") < listed.index("/orders/") < listed.index("/sea.0/")


def test_start_page_has_the_largest_of_many_domains(tmp_path: Path) -> None:
    """Those with the most messages, in the order of their names, and a link to all groups."""
    files = {f"messagegroups/g{number}/messagegroup.yaml": "description: D.\n" for number in range(MAX_DOMAINS + 9)}
    files |= {"messagegroups/z/messages/m.yaml": "name: M\n", "messagegroups/z/messagegroup.yaml": "name: Z\n"}
    start = registry_page(SiteContext(registry_of(tmp_path, files))).html
    assert start.count("<h3>") == MAX_DOMAINS
    assert start.index("messagegroups/g0/") < start.index("messagegroups/z/")
    assert f"All {MAX_DOMAINS + 10} message groups" in start


def test_card_tells_size_and_owners(tmp_path: Path) -> None:
    """It counts messages and groups of other types, and names who owns its groups."""
    files = {
        "messagegroups/a.b/messagegroup.yaml": "name: B\n",
        "messagegroups/a.b/messages/m.yaml": "name: M\n",
        "endpoints/a.hook/endpoint.yaml": "usage: [producer]\n",
        "schemagroups/a/schemagroup.yaml": "name: A\n",
    }
    (tmp_path / "CODEOWNERS").write_text("* @everyone\n/registry/messagegroups/a.b/ @team-b\n")
    start = registry_page(SiteContext(registry_of(tmp_path, files))).html
    assert "1 message · 1 endpoint<" in start
    assert "@team-b</a>" in start
    assert "@everyone" not in start


def _registry(folder: Path, ids: list[str]) -> Registry:
    return registry_of(folder, {f"messagegroups/{each}/messagegroup.yaml": "description: D.\n" for each in ids})
