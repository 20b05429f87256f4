"""Markup in every text of a catalog is text on every page, and signs that nobody sees have names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.mutation.mutations import contents_of
from tests.pages.links import links_of
from tests.pages.test_pages import OWN
from tests.source.repositories import new_repository
from xregit.catalog.loader import read_contents
from xregit.pages import pages
from xregit.pages.builder import build_site
from xregit.source import yaml_loader
from xregit.source.yaml_emitter import to_yaml

SMALL = Path(__file__).parents[1] / "cases" / "document" / "small"
EVIL = '"><script>alert(1)</script><img src="https://evil.example/x" onerror="alert(1)">\'--><svg onload=alert(1)>'
# What refers to something, or is compared with a list, is refused before it could do harm.
KEPT = frozenset({
    "envelope", "protocol", "basemessage", "dataschemauri", "dataschemaxid", "dataschemaformat", "format", "xref",
    "messagegroups", "type", "usage", "versionid", "ancestor", "defaultversionid", "specurl",
})  # fmt: skip


UNSEEN = "a\u202eb\u200bc"
TOLD = "a[U+202E]b[U+200B]c"


def spoiled(value: Any, attack: str) -> Any:
    """Return a value with the attack in every text that an author may write freely."""
    if isinstance(value, dict):
        return {name: item if name in KEPT else spoiled(item, attack) for name, item in value.items()}
    if isinstance(value, list):
        return [spoiled(item, attack) for item in value]
    return attack if isinstance(value, str) else value


def spoiled_catalog(attack: str) -> dict[str, bytes]:
    """Return a catalog with the attack everywhere."""
    return {
        path: to_yaml(spoiled(yaml_loader.parse(data).value, attack)).encode() if path.endswith(".yaml") else data
        for path, data in contents_of(SMALL).items()
        if path not in {"xregit.yaml", "model.yaml"}
    }


def test_no_text_becomes_markup(tmp_path: Path) -> None:
    """No page runs or loads anything but its own, wherever the texts of its catalog stand on it."""
    results = list(pages(read_contents(tmp_path / "registry", spoiled_catalog(EVIL))))
    assert sum("&lt;script&gt;alert" in page.html for page in results) > 5
    for page in results:
        links = links_of(page.html)
        assert set(links.loaded) <= OWN
        assert not any(
            "evil" in href or "alert" in href for href in links.linked if not href.startswith(("./", "../", "#"))
        )
        assert "<script>alert" not in page.html
        assert "<img src=" not in page.html
        assert "<svg onload" not in page.html


def test_no_sign_stays_unseen(tmp_path: Path) -> None:
    """No page, list, title, feed or result of a search has signs without width, or that turn around what follows."""
    repository = new_repository(tmp_path / "repository")
    for path, data in spoiled_catalog(UNSEEN).items():
        file = repository.root / "registry" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    repository.commit(UNSEEN)
    site = tmp_path / "site"
    build_site(repository.root / "registry", site)
    shown = [site / name for name in ("llms.txt", "changes.atom")]
    shown += [path for ending in ("html", "md", "json") for path in site.rglob(f"*.{ending}")]
    texts = {path: path.read_text(encoding="utf-8") for path in shown}
    assert [path for path, text in texts.items() if "\u202e" in text or "\u200b" in text] == []
    assert sum(f"<title>{TOLD}" in text for text in texts.values()) > 1
