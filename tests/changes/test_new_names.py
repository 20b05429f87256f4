"""A name that is written otherwise is one finding of what `check` finds and what changes break."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.catalog.folders import registry_of
from xregit.changes import diff
from xregit.changes.review import merge_findings, review
from xregit.diagnostics import Diagnostic, Severity, ordered
from xregit.rules import check

GIVEN: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "cases" / "slips.yaml").read_text(encoding="utf-8"))
TODAY = date(2026, 6, 1)
MANY = 300


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in GIVEN["cases"]])
def test_one_slip_is_one_finding(case: dict[str, Any], tmp_path: Path) -> None:
    """It is at the line of the new name, and says which name was meant."""
    result = findings(tmp_path, case["edits"])
    assert case["findings"] == [f"{item.severity} {item.rule} {item.path}:{item.line}" for item in result]
    assert case.get("help", "") in result[0].help


def test_many_names_are_not_compared_with_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more names stand side by side than anybody writes, what is gone is told for itself, in bounded time."""
    compared: list[str] = []

    def noted(one: str, _other: str) -> bool:
        compared.append(one)
        return False

    monkeypatch.setattr("xregit.changes.review.is_misspelled", noted)
    state = {"registry.yaml": "registryid: a\n", "messagegroups/g/messagegroup.yaml": "name: G\n"}
    before, after = (
        registry_of(tmp_path / sign, {**state, "messagegroups/g/messages/a.yaml": f"labels: {{{many(sign)}}}\n"})
        for sign in "ab"
    )
    result = review(diff(before, after), before, after, today=TODAY)
    assert len(result.items) == 2 * MANY
    assert compared == []


def many(sign: str) -> str:
    """Return many members of a mapping."""
    return ", ".join(f"{sign}{number}: x" for number in range(MANY))


def findings(folder: Path, edits: dict[str, str]) -> list[Diagnostic]:
    """Return what ``check --against`` reports of edits to the registry that all cases begin with."""
    edited = dict(GIVEN["before"])
    for old, new in edits.items():
        assert sum(old in text for text in edited.values()) == 1, old
        edited = {path: text.replace(old, new) for path, text in edited.items()}
    before, after = registry_of(folder / "before", GIVEN["before"]), registry_of(folder / "after", edited)
    result = review(diff(before, after), before, after, today=TODAY)
    told = ordered(merge_findings(check(after).diagnostics, result.diagnostics, result.on_new_names))
    return [item for item in told if item.severity is not Severity.INFO]
