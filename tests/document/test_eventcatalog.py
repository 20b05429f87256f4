"""EventCatalog folders as registries."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import xregit
from tests.sizes import some
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


# What a page may state, each with a value that is told apart from the others.
ATTRIBUTES: dict[str, Any] = {
    "name": "MARK1Z",
    "summary": "MARK2Z",
    "owners": ["MARK3Z"],
    "tags": ["MARK4Z"],
    "badges": [{"content": "MARK5Z"}],
    "draft": "MARK6Z",
    "operation": {"method": "MARK7Z", "path": "/MARK8Z"},
    "externalLinks": [{"url": "https://a.example.com/MARK9Z"}, {"url": "https://a.example.com/MARK10Z"}],
    "producers": ["MARK11Z"],
    "sidebar": {"label": "MARK12Z"},
    "x-team": "MARK13Z",
    "channels": [{"id": "one"}, {"id": "two"}],
    "description": "MARK14Z",
}


@settings(max_examples=some(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.sets(st.sampled_from(sorted(ATTRIBUTES))), kind=st.sampled_from(["events", "domains", "channels"]))
def test_each_attribute_is_kept_or_told(names: set[str], kind: str, tmp_path: Path) -> None:
    """What a page states is in the document, or a note names its attribute."""
    with TemporaryDirectory(dir=tmp_path) as top:
        folder = Path(top, "shop")
        pages: dict[str, dict[str, Any]] = {
            "domains": {"id": "d", "services": ["s"]},
            "services": {"id": "s", "sends": ["e"]},
            "events": {"id": "e", "channels": [{"id": "one"}]},
            "channels": {"id": "one", "address": "a", "protocols": ["kafka"]},
        }
        pages[kind] |= {name: ATTRIBUTES[name] for name in names}
        for name, value in pages.items():
            (folder / name / "page").mkdir(parents=True)
            (folder / name / "page/index.md").write_text(f"---\n{json.dumps(value)}\n---\n")
        foreign = load_foreign(folder)
    assert foreign is not None
    notes = " ".join(item.message for item in foreign.loaded.registry.problems)
    document = json.dumps(foreign.value).casefold()
    for name in names:
        marks = re.findall("MARK[0-9]+Z", str(ATTRIBUTES[name]))
        assert f'"{name}"' in notes or all(f"{mark}".casefold() in document for mark in marks), (name, notes)
