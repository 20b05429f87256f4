"""The tree beside each page, its parts, and the domains of a catalog."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.folders import folder
from xregit.catalog import Registry, read_folder
from xregit.pages.context import SiteContext
from xregit.pages.navigation import MAX_CHILDREN, MAX_PART


def context(tmp_path: Path, files: Mapping[str, str]) -> SiteContext:
    """Return the context of a registry of some files."""
    return SiteContext(read_folder(folder(tmp_path / "registry", {"registry.yaml": "registryid: r\n", **files})))


def groups(*names: str, plural: str = "messagegroups", text: str = "description: x\n") -> dict[str, str]:
    """Return the files of some groups."""
    singular = {"messagegroups": "messagegroup", "endpoints": "endpoint", "schemagroups": "schemagroup"}[plural]
    return {f"{plural}/{name}/{singular}.yaml": text for name in names}


def tree(site: SiteContext, plural: str = "messagegroups") -> list[Any]:
    """Return the tree of a type as a browser that has loaded all parts shows it: titles, with those below."""
    parts = {path: json.loads(text) for path, text in site.navigation.files()}

    def titles(entries: list[Any]) -> list[Any]:
        result: list[Any] = []
        for entry in entries:
            below = entry[4] if len(entry) > 4 else []
            below = parts[f"assets/tree/{plural}-{below}.json"] if isinstance(below, int) else below
            result.append([entry[0], titles(below)] if below else entry[0])
        return result

    return titles(parts[f"assets/tree/{plural}-0.json"])


@pytest.mark.parametrize(
    ("names", "due"),
    [
        (["orders", "payments"], ["orders", "payments"]),
        (["a.b", "a.c.d", "a.c.e"], [["a", ["b", ["c", ["d", "e"]]]]]),
        (["a.b.c"], ["a.b.c"]),
        (["a.v10", "a.v2", "a.V1"], [["a", ["V1", "v2", "v10"]]]),
        (["a", "a.b"], [["a", ["b"]]]),
        (["org.acme.x", "org.acme.y", "org.other.z"], [["org.acme", ["x", "y"]], "org.other.z"]),
        (["AU.Gov.BOM", "AU.Gov.GA.x", "uk.co"], ["AU.Gov.BOM", "AU.Gov.GA.x", "uk.co"]),
        (["DE.DWD.Alerts", "de.dwd.Radar"], [["DE.DWD", ["Alerts", "Radar"]]]),
    ],
)
def test_groups_are_a_tree_by_the_parts_of_their_ids(tmp_path: Path, names: list[str], due: list[Any]) -> None:
    """What has one entry below and no page is one with it; the beginnings of hosts' names tell nothing."""
    assert tree(context(tmp_path, groups(*names))) == due


def test_a_label_may_name_the_domain(tmp_path: Path) -> None:
    """Then it comes first, and is not repeated; groups without it stand beside by their ids."""
    files = {
        "xregit.yaml": "domainlabel: area\n",
        **groups("sales.web", "sales", "billing.sales", text="labels: {area: Sales}\n"),
        **groups("stock"),
    }
    site = context(tmp_path, files)
    assert tree(site) == [["Sales", ["billing.sales", "sales", "web"]], "stock"]
    assert [(each.title, len(each.groups)) for each in site.navigation.domains] == [("Sales", 3), ("stock", 1)]
    assert site.domain("/messagegroups/billing.sales/messages/x") == "Sales"
    assert site.domain("/messagegroups/gone") == ""


def test_titles_of_domains_that_differ_in_case_are_one(tmp_path: Path) -> None:
    """The first one, of a message group if it has one; an endpoint that names itself has its own."""
    files = {
        **groups("Shop.a", "shop.b"),
        **groups("SHOP", plural="endpoints"),
        **groups("other", plural="endpoints", text="messagegroups: [/endpoints/other, /messagegroups/shop.b]\n"),
    }
    site = context(tmp_path, files)
    names = ("messagegroups/Shop.a", "messagegroups/shop.b", "endpoints/SHOP", "endpoints/other")
    assert {site.domain(f"/{name}") for name in names} == {"Shop"}
    assert [(each.title, len(each.groups)) for each in site.navigation.domains] == [("Shop", 4)]


def test_endpoints_are_by_channel(tmp_path: Path) -> None:
    """Those without a channel stand behind."""
    files = {**groups("b", "a", plural="endpoints", text="channel: c\n"), **groups("alone", plural="endpoints")}
    assert tree(context(tmp_path, files), "endpoints") == [["c", ["a", "b"]], "alone"]


def test_endpoint_belongs_to_what_it_carries(tmp_path: Path) -> None:
    """Unless its own id begins like a message group, or what it carries has several domains."""
    carrying = "messagegroups: [/messagegroups/{}]\n".format
    files = {
        **groups("orders", "orders.web", "stock"),
        **groups("hook", plural="endpoints", text=carrying("orders.web")),
        **groups("stock.hook", plural="endpoints", text=carrying("orders")),
        **groups("bus", plural="endpoints", text="messagegroups: [/messagegroups/orders, /messagegroups/stock]\n"),
    }
    site = context(tmp_path, files)
    domains = {name: site.domain(f"/endpoints/{name}") for name in ("hook", "stock.hook", "bus")}
    assert domains == {"hook": "orders", "stock.hook": "stock", "bus": "bus"}


def test_parts_are_small_and_hold_all(tmp_path: Path) -> None:
    """No part has more entries than it may, and places lead to each entity, or to where the rest is counted."""
    names = [f"a{number}.b{each}.c{inner}" for number in range(12) for each in range(6) for inner in range(8)]
    messages = {f"messagegroups/big/messages/m{number:04}.yaml": "name: x\n" for number in range(MAX_CHILDREN + 7)}
    site = context(tmp_path, {**groups(*names, "big"), **messages})
    parts = {path: json.loads(text) for path, text in site.navigation.files()}
    assert len(parts) > 2
    assert max(map(_count, parts.values())) <= max(MAX_PART, MAX_CHILDREN + 1)
    places = site.navigation.places
    assert {address: _at(parts, place)[1] for address, place in places.items() if "/m0" not in address} == {
        address: address for address in places if "/m0" not in address
    }
    big = _below(parts, _at(parts, places["messagegroups/big/"]))
    assert len(big) == MAX_CHILDREN + 1
    assert big[-1] == [f"All {MAX_CHILDREN + 7}", "messagegroups/big/"]


def test_every_entity_of_a_catalog_has_a_place(small: Registry) -> None:
    """Each group and each resource is in the tree."""
    places = SiteContext(small).navigation.places
    assert {xid[1:] + "/" for xid in small} == set(places)


def test_an_empty_catalog_has_no_tree(tmp_path: Path) -> None:
    """Nor domains."""
    site = context(tmp_path, {})
    assert (list(site.navigation.files()), site.navigation.domains) == ([], ())


def _count(entries: list[Any]) -> int:
    return sum(1 + (_count(entry[4]) if len(entry) > 4 and isinstance(entry[4], list) else 0) for entry in entries)


def _below(parts: Mapping[str, Any], entry: list[Any]) -> Any:
    below = entry[4]
    return parts[f"assets/tree/messagegroups-{below}.json"] if isinstance(below, int) else below


def _at(parts: Mapping[str, Any], place: str) -> Any:
    first, *rest = map(int, place.split("."))
    entry = parts["assets/tree/messagegroups-0.json"][first]
    for number in rest:
        entry = _below(parts, entry)[number]
    return entry
