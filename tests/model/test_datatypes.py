"""Each data type by what belongs to it and what does not, for `check` and for JSON Schema alike."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from xregit.model.datatypes import DATATYPES, PROPERTY_TYPES, SYNTAXES, has_placeholders, matches_syntax

TABLES = {"types": DATATYPES, "properties": PROPERTY_TYPES, "syntaxes": SYNTAXES}
CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "datatypes.yaml").read_text(encoding="utf-8"))
ROWS = [
    (table, name, value, verdict == "good")
    for table, types in CASES.items()
    for name, verdicts in types.items()
    for verdict in ("good", "bad")
    for value in verdicts[verdict]
]
#: The forms whose pattern alone decides.
PATTERNS = [name for name, form in SYNTAXES.items() if "pattern" in form.schema and name != "date"]
#: A pattern knows no calendar, and "$" of Python's regular expressions stands before a last newline too.
NOT_IN_PATTERNS = ["2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "a\n"]


@pytest.mark.parametrize(("table", "name", "value", "good"), ROWS)
def test_a_value_belongs_to_its_type(table: str, name: str, value: Any, good: bool) -> None:
    """Good values pass and bad ones don't, whichever of the two judges."""
    datatype = TABLES[table][name]
    assert datatype.test(value) is good
    if value not in NOT_IN_PATTERNS and name != "nonempty":
        assert Draft202012Validator(datatype.schema).is_valid(value) is good


def test_every_type_has_cases() -> None:
    """No type of the specifications, and no narrower form, goes without good and bad values."""
    assert set(CASES["types"]) == set(DATATYPES)
    assert set(CASES["properties"]) == set(PROPERTY_TYPES)
    assert set(CASES["syntaxes"]) == set(SYNTAXES)


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    """Every type judges every text, and what is no text of it is text still."""
    for table in TABLES.values():
        for datatype in table.values():
            assert datatype.test(text) in {True, False}


@given(st.from_regex(r"\A\{[A-Za-z0-9_]{1,8}\}\Z"))
def test_a_placeholder_alone_follows_every_form(text: str) -> None:
    """A value that is all placeholder will be filled with one that has the form."""
    assert has_placeholders(text)
    assert all(matches_syntax(name, text) for name in ("token", "mqtttopic", "natssubject", "mediatype", "httpstatus"))


@given(st.sampled_from(PATTERNS), st.text(max_size=20))
def test_a_form_holds_where_its_pattern_does(name: str, value: str) -> None:
    """Whether Python is asked for printable texts first or words are remembered, the pattern's answer counts."""
    pattern = SYNTAXES[name].schema["pattern"].removeprefix("^").removesuffix("$")
    assert SYNTAXES[name].test(value) == (re.fullmatch(pattern, value) is not None)
