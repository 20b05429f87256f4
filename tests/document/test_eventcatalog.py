"""EventCatalog folders as registries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import xregit
from xregit.diagnostics import Severity
from xregit.document.foreign import load_foreign

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/document/eventcatalog/cases.yaml").read_text())


def test_no_link_leads_out(tmp_path: Path) -> None:
    """A page that is a link to a file elsewhere is left out."""
    (tmp_path / "secret").write_text("---\nid: secret\n---\n")
    (tmp_path / "shop/events/E").mkdir(parents=True)
    (tmp_path / "shop/eventcatalog.config.js").touch()
    (tmp_path / "shop/events/E/index.mdx").symlink_to("../../../secret")
    foreign = load_foreign(tmp_path / "shop")
    assert foreign is not None
    assert foreign.value == {"messagegroups": {}}
    assert any("symbolic link" in item.message for item in foreign.loaded.registry.problems)


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    """A folder becomes the entities of the case, which check without errors, and says what it leaves out."""
    folder = tmp_path / "shop"
    for name, text in {**case["files"], "eventcatalog.config.js": ""}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    group = case.get("group", "")
    foreign = load_foreign(folder, group=group)
    assert foreign is not None
    assert foreign.value == case["document"]
    notes = [f"{item.severity} {item.message}" for item in foreign.loaded.registry.problems]
    assert sorted(notes) == sorted(case["notes"])
    assert not xregit.import_documents(folder, tmp_path / "registry", group=group).failed
    found = xregit.check(xregit.load(tmp_path / "registry")).diagnostics
    assert [item for item in found if item.severity is Severity.ERROR or item.rule == "unused-schema"] == []
