"""What differs between two states of a registry, and what that does to whom: cases as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.catalog.folders import registry_of
from xregit.catalog import Registry
from xregit.changes import diff

CASES = Path(__file__).parent / "cases"


MESSAGE = "messagegroups/g/messages/m.yaml"


def cases(name: str) -> list[Any]:
    """Return the cases of a file, each under its name."""
    listed = yaml.load((CASES / name).read_text(encoding="utf-8"), yaml.CSafeLoader)
    return [pytest.param(case, id=case["name"]) for case in listed]


def states(folder: Path, case: dict[str, Any]) -> tuple[Registry, Registry]:
    """Write two states of a registry, and read them; a case of one message has its attributes only."""
    results = []
    for name in ("before", "after"):
        files = case[name] if "/" in next(iter(case[name])) or "registry.yaml" in case[name] else {MESSAGE: case[name]}
        texts = {path: value if isinstance(value, str) else json.dumps(value) for path, value in files.items()}
        results.append(registry_of(folder / name, texts))
    return results[0], results[1]


@pytest.mark.requirement("MSG-7")
@pytest.mark.parametrize("case", cases("messages.yaml"))
def test_one_message_changes(case: dict[str, Any], tmp_path: Path) -> None:
    """Producers and consumers are judged apart."""
    result = diff(*states(tmp_path, case))
    results = [f"{item.producer}/{item.consumer} {item.rule} {item.attribute}" for item in result]
    assert sorted(case["changes"]) == sorted(results)


@pytest.mark.parametrize("case", cases("registries.yaml"))
def test_a_registry_changes(case: dict[str, Any], tmp_path: Path) -> None:
    """Each change is said once, with all that it reaches."""
    result = diff(*states(tmp_path, case))
    results = [
        f"{item.producer}/{item.consumer} {item.rule} {item.xid} {item.attribute or '-'} +{len(item.reaches)}"
        for item in result
    ]
    assert sorted(case["changes"]) == sorted(results)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a", "b", 'moves from "a" to "b".'),
        (None, "b", 'is added: "b".'),
        ("a", None, 'is removed; it was "a".'),
    ],
)
def test_words_tell_what_comes_and_goes_from_what_changes(
    tmp_path: Path, before: str | None, after: str | None, expected: str
) -> None:
    """No sentence says that something moves to none."""
    path, base = "endpoints/e/endpoint.yaml", {"usage": ["producer"], "protocol": "KAFKA"}
    texts = [json.dumps({**base, "protocoloptions": {"topic": topic} if topic else {}}) for topic in (before, after)]
    old, new = (registry_of(tmp_path / str(number), {path: text}) for number, text in enumerate(texts))
    assert [item.message for item in diff(old, new)] == [f'"protocoloptions.topic" {expected}']


every_case = pytest.mark.parametrize("case", [*cases("messages.yaml"), *cases("registries.yaml")])


@every_case
def test_a_state_is_no_different_from_itself(case: dict[str, Any], tmp_path: Path) -> None:
    """Nothing changes where nothing has changed."""
    for state in states(tmp_path, case):
        assert diff(state, state) == ()
