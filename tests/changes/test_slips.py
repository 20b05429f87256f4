"""A name that is written otherwise is one finding of what `check` finds and what changes break."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.catalog.folders import registry_of
from xregit.changes import diff
from xregit.changes.policy import review
from xregit.changes.slips import told_once
from xregit.diagnostics import Severity, ordered
from xregit.rules import check

if TYPE_CHECKING:
    from xregit.diagnostics import Diagnostic

GIVEN: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "cases" / "slips.yaml").read_text(encoding="utf-8"))
TODAY = date(2026, 6, 1)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in GIVEN["cases"]])
def test_one_slip_is_one_finding(case: dict[str, Any], tmp_path: Path) -> None:
    """It is at the line of the new name, and says which name was meant."""
    found = findings(tmp_path, case["edits"])
    assert case["findings"] == [f"{item.severity} {item.rule} {item.path}:{item.line}" for item in found]
    assert case.get("help", "") in found[0].help


def findings(folder: Path, edits: dict[str, str]) -> list[Diagnostic]:
    """Return what ``check --against`` reports of edits to the registry that all cases begin with."""
    edited = dict(GIVEN["before"])
    for old, new in edits.items():
        assert sum(old in text for text in edited.values()) == 1, old
        edited = {path: text.replace(old, new) for path, text in edited.items()}
    before, after = registry_of(folder / "before", GIVEN["before"]), registry_of(folder / "after", edited)
    made = review(diff(before, after), before, after, today=TODAY)
    told = ordered(told_once(check(after).diagnostics, made.diagnostics, made.on_new_names))
    return [item for item in told if item.severity is not Severity.INFO]
