"""Documents that are right by their language's rules, but say something else than is meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema.validators import validator_for

from xregit.payloads import problems
from xregit.payloads.json_schema.lint import KEYWORDS
from xregit.payloads.json_schema.schema import DRAFTS, Draft

CASES: list[list[Any]] = yaml.safe_load((Path(__file__).parent / "cases_doubts.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[1][-40:]} {case[-1]}")
def test_doubt_is_found_at_its_place(case: list[Any]) -> None:
    """A document has one thing that nobody can mean, which is named with its place and what to do."""
    format_, document, line, column, part = case
    found = problems(format_, document.encode())
    assert [(item.kind, item.line, item.column) for item in found] == ([("doubt", line, column)] if part else [])
    assert all(item.help and part in f"{item.message}; {item.help}" for item in found)


@pytest.mark.parametrize("draft", [draft for draft in DRAFTS if draft.number < DRAFTS[-2].number], ids=str)
def test_keywords_of_a_metaschema_are_known(draft: Draft) -> None:
    """Every keyword that a draft's metaschema has is in the table, so that none counts as misspelled."""
    metaschema = validator_for({"$schema": draft.uri}).META_SCHEMA
    assert set(metaschema["properties"]) <= KEYWORDS


def test_many_names_are_looked_at_in_seconds() -> None:
    """Thousands of required names that no property has are not each compared with thousands of properties."""
    schema = {
        "properties": {f"property{number}": {} for number in range(5000)},
        "required": [f"propertx{number}" for number in range(5000)],
    }
    assert len(problems("JsonSchema/draft-07", json.dumps(schema).encode())) == 20
