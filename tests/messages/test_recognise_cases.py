"""The shared table of messages, held against `xregit match`; tests/browser holds the page of the site against it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import xregit
from tests.messages.recognise_cases import FOLDER, answers, example, example_cases, hand_made, recorded, small, text_of
from xregit.messages.definition import target
from xregit.pages.context import SiteContext
from xregit.pages.recognise_page import script


@pytest.fixture(scope="module")
def matcher(tmp_path_factory: pytest.TempPathFactory) -> xregit.Matcher:
    """Return what recognises messages by the definitions written by hand."""
    return xregit.Matcher(small(tmp_path_factory.mktemp("small")))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in hand_made()["cases"]])
def test_messages_written_by_hand(case: dict[str, Any], matcher: xregit.Matcher) -> None:
    """Each fits the definitions that its writer says, is wrong by itself where it should be or mapped."""
    result = answers(matcher, text_of(case))
    fits = [{xid.rpartition("/")[2]: context for xid, context in item["matches"].items()} for item in result]
    assert fits == case.get("results", [case.get("matches")])
    assert any(xid == "" for item in result for xid, _ in item["reasons"]) == case.get("wrong", False)
    assert any(item["mapped"] for item in result) == case.get("mapped", False)


def test_messages_of_which_the_payload_decides(tmp_path: Path) -> None:
    """A payload's schema decides between definitions that a message fits otherwise."""
    matcher = xregit.Matcher(small(tmp_path, "payloads"))
    for case in hand_made("payloads")["cases"]:
        (result,) = answers(matcher, text_of(case))
        assert [xid.rpartition("/")[2] for xid in result["matches"]] == case["matches"], case["name"]
        assert set(case["matches"]) <= {*case["fits"], *case["may"]}, case["name"]
        assert set(case["fits"]) - set(case["matches"]) <= set(case["may"]), case["name"]


def test_messages_of_the_example_catalog(request: pytest.FixtureRequest) -> None:
    """Its own messages, and those that differ from them, get the answers that were looked at and kept."""
    if request.config.getoption("--update-golden"):
        lines = "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in example_cases())
        (FOLDER / "example.jsonl").write_text(lines, encoding="utf-8")
    by_name = xregit.Matcher(example())
    for case in recorded():
        result = json.loads(json.dumps(answers(by_name, case["text"])))
        assert result == case["results"], f"{case['name']}; pytest --update-golden makes the cases anew"


def test_shared_definitions_grow_with_the_catalog_alone() -> None:
    """Each definition takes its own room once, whatever others there are."""
    text = script(SiteContext(example()))
    data = json.loads(text.partition(" = ")[2].rstrip(";\n"))
    sizes = [len(json.dumps(item)) for item in data["definitions"]]
    assert [item["xid"] for item in data["definitions"]] == sorted({target(item).xid for item in example().messages})
    payloads = len(json.dumps(data["payloads"]))
    assert len(json.dumps(data)) < sum(sizes) + 3 * len(sizes) + payloads + 10_000
    numbers = [number for *_, users in data["payloads"] for number in users]
    assert len(numbers) == len(set(numbers))
    assert payloads < sum(sizes) / 10
