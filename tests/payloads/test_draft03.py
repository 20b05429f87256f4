"""JSON Schema of draft-03, held against `jsonschema`, which implements that draft itself."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft3Validator

from xregit.payloads import SchemaError, parse

FORMAT = "JsonSchema/draft-03"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "ab", "abc"]) | st.just(1.5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array", "any"])


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    kinds = TYPES | st.lists(TYPES | inner, min_size=1, max_size=3, unique_by=str)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": kinds,
            "disallow": kinds,
            "properties": named,
            "required": st.booleans(),
            "extends": inner | st.lists(inner, max_size=2),
            "items": inner | st.lists(inner, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "dependencies": st.dictionaries(st.sampled_from("abc"), st.sampled_from("abc") | inner, max_size=2),
            "divisibleBy": st.integers(1, 4),
            "minimum": st.integers(-3, 3),
            "maxLength": st.integers(0, 2),
            "enum": st.lists(VALUES, min_size=1, max_size=3, unique_by=repr),
        },
    )


SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(st.just({}), _schemas, max_leaves=6)


@given(SCHEMAS, VALUES)
def test_the_same_values_are_accepted(schema: dict[str, Any], value: Any) -> None:
    """Whatever is written in draft-03 means what it means to its own implementation."""
    due = Draft3Validator(schema).is_valid(value)
    assert due == (parse(FORMAT, orjson.dumps(schema)).validate(orjson.dumps(value)) == ())


@pytest.mark.parametrize(("schema", "said"), [({"type": 5}, "type"), ({"required": ["a"]}, "required"), ([], "object")])
def test_what_the_draft_does_not_allow_is_told(schema: Any, said: str) -> None:
    """A schema of draft-03 that is none is refused, at its place."""
    with pytest.raises(SchemaError) as caught:
        parse(FORMAT, orjson.dumps(schema))
    assert said in str(caught.value.problems)
