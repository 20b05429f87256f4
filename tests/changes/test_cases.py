"""What differs between two states of a registry, and what that does to whom: cases as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.catalog.folders import registry_of
from xregit.changes import Change, diff

CASES = Path(__file__).parent / "cases"
MESSAGE = "messagegroups/g/messages/m.yaml"


def cases(name: str) -> list[Any]:
    """Return the cases of a file, each under its name."""
    listed = yaml.safe_load((CASES / name).read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["name"]) for case in listed]


def changes(folder: Path, before: dict[str, Any], after: dict[str, Any]) -> tuple[Change, ...]:
    """Write two states of a registry, and compare them."""
    old, new = (
        registry_of(
            folder / name,
            {path: value if isinstance(value, str) else json.dumps(value) for path, value in files.items()},
        )
        for name, files in (("before", before), ("after", after))
    )
    return diff(old, new)


@pytest.mark.requirement("MSG-7")
@pytest.mark.parametrize("case", cases("messages.yaml"))
def test_one_message_changes(case: dict[str, Any], tmp_path: Path) -> None:
    """Producers and consumers are judged apart."""
    found = changes(tmp_path, {MESSAGE: case["before"]}, {MESSAGE: case["after"]})
    told = [f"{item.producer}/{item.consumer} {item.rule} {item.attribute}" for item in found]
    assert sorted(case["changes"]) == sorted(told)


@pytest.mark.parametrize("case", cases("registries.yaml"))
def test_a_registry_changes(case: dict[str, Any], tmp_path: Path) -> None:
    """Each change is said once, with all that it reaches."""
    found = changes(tmp_path, case["before"], case["after"])
    told = [
        f"{item.producer}/{item.consumer} {item.rule} {item.xid} {item.attribute or '-'} +{len(item.reaches)}"
        for item in found
    ]
    assert sorted(case["changes"]) == sorted(told)


@pytest.mark.parametrize("case", [*cases("messages.yaml"), *cases("registries.yaml")])
def test_a_state_is_no_different_from_itself(case: dict[str, Any], tmp_path: Path) -> None:
    """Nothing changes where nothing has changed."""
    for name in ("before", "after"):
        files = case[name] if any("/" in path for path in case[name]) else {MESSAGE: case[name]}
        assert changes(tmp_path / name, files, files) == ()
