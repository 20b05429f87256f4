"""Markup in every text of a catalog is text on every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.faults.faults import contents_of
from tests.pages.links import links_of
from tests.pages.test_any_value import OWN
from xregit.catalog.reading import read_contents
from xregit.pages import pages
from xregit.source import yaml
from xregit.source.emitting import to_yaml

SMALL = Path(__file__).parents[1] / "cases" / "document" / "small"
EVIL = '"><script>alert(1)</script><img src="https://evil.example/x" onerror="alert(1)">\'--><svg onload=alert(1)>'
# What refers to something, or is compared with a list, is refused before it could do harm.
KEPT = frozenset({
    "envelope", "protocol", "basemessage", "dataschemauri", "dataschemaxid", "dataschemaformat", "format", "xref",
    "messagegroups", "type", "usage", "versionid", "ancestor", "defaultversionid", "specurl",
})  # fmt: skip


def spoiled(value: Any) -> Any:
    """Return a value with the attack in every text that an author may write freely."""
    if isinstance(value, dict):
        return {name: item if name in KEPT else spoiled(item) for name, item in value.items()}
    if isinstance(value, list):
        return [spoiled(item) for item in value]
    return EVIL if isinstance(value, str) else value


def test_no_text_becomes_markup(tmp_path: Path) -> None:
    """No page runs or loads anything but its own, wherever the texts of its catalog stand on it."""
    contents = contents_of(SMALL)
    changed = {
        path: to_yaml(spoiled(yaml.parse(data).value)).encode() if path.endswith(".yaml") else data
        for path, data in contents.items()
        if path not in {"xregit.yaml", "model.yaml"}
    }
    found = list(pages(read_contents(tmp_path / "registry", changed)))
    assert sum("&lt;script&gt;alert" in page.html for page in found) > 5
    for page in found:
        links = links_of(page.html)
        assert set(links.loaded) <= OWN
        assert not any("evil" in href or "alert" in href for href in links.linked if not href.startswith(("../", "#")))
        assert "<script>alert" not in page.html
        assert "<img src=" not in page.html
        assert "<svg onload" not in page.html
