"""The laws of comparing JSON Schemas: what is said to be read is read, and what is said not to be read isn't."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from xregit.payloads import parse
from xregit.payloads.compatibility import Answer, compare

FORMAT = "JsonSchema/draft/2020-12"
NAMES = st.sampled_from(("a", "b", "ab", "1"))
SIMPLE = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from((0.5, 1.0, "", "a", "b", "ab", "aab")))
VALUES = st.recursive(
    SIMPLE, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=5
)
KINDS = st.sampled_from(("null", "boolean", "integer", "number", "string", "array", "object"))
COUNTS = st.integers(0, 3)
BOUNDS = st.integers(-2, 2)
PATTERNS = st.sampled_from(("^a", "b", "^[ab]+$", "^[0-9]"))
SINGLE: dict[str, st.SearchStrategy[Any]] = {
    "type": KINDS | st.lists(KINDS, min_size=1, max_size=3, unique=True),
    "enum": st.lists(SIMPLE, min_size=1, max_size=3),
    "const": SIMPLE,
    "minimum": BOUNDS,
    "exclusiveMaximum": BOUNDS,
    "multipleOf": st.sampled_from((1, 2, 3, 0.5)),
    "minLength": COUNTS,
    "maxLength": COUNTS,
    "pattern": PATTERNS,
    "minItems": COUNTS,
    "maxItems": COUNTS,
    "uniqueItems": st.booleans(),
    "minProperties": COUNTS,
    "maxProperties": COUNTS,
    "required": st.lists(NAMES, max_size=2, unique=True),
}


def holding(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return schemas that hold others."""
    schemas = st.lists(inner, min_size=1, max_size=2)
    # What leads back to the root stands below it, so that no reference is its own target.
    deeper = inner | st.just({"$ref": "#"}) | st.just({"$ref": "#/$defs/d"})
    keywords = {
        **SINGLE,
        "properties": st.dictionaries(NAMES, deeper, max_size=2),
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=1),
        "additionalProperties": deeper,
        "propertyNames": inner,
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=1),
        "items": deeper,
        "prefixItems": schemas,
        "contains": inner,
        "unevaluatedProperties": inner,
        "allOf": schemas,
        "anyOf": schemas,
        "oneOf": schemas,
        "not": inner,
        "if": inner,
        "then": inner,
    }
    names = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    return names.flatmap(lambda stated: st.fixed_dictionaries({name: keywords[name] for name in stated}))


SCHEMAS = st.recursive(st.booleans() | st.fixed_dictionaries({"type": KINDS}), holding, max_leaves=6)
OBJECTS = SCHEMAS.filter(lambda schema: isinstance(schema, dict))
DOCUMENTS = st.builds(lambda root, inner: {**root, "$defs": {"d": inner}}, OBJECTS, SCHEMAS)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw two documents, often alike but for one keyword."""
    before = draw(DOCUMENTS)
    if draw(st.booleans()):
        return before, draw(DOCUMENTS)
    after = json.loads(json.dumps(before))
    name = draw(st.sampled_from(sorted({*after, *SINGLE} - {"$defs"})))
    if name in after and draw(st.booleans()):
        del after[name]
    elif name in SINGLE:
        after[name] = draw(SINGLE[name])
    return before, after


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(pairs(), st.lists(VALUES, min_size=10, max_size=30))
def test_nothing_is_called_compatible_that_a_value_disproves(pair: tuple[Any, Any], values: list[Any]) -> None:
    """Every value of the old schema is one of the new, where the verdict says so, and the other way round."""
    old, new = (parse(FORMAT, json.dumps(item).encode()) for item in pair)
    result = compare(old, new)
    judges = tuple(map(Draft202012Validator, pair))
    for value in values:
        accepted = tuple(judge.is_valid(value) for judge in judges)
        assert not (accepted == (True, False) and result.backward is Answer.YES), value
        assert not (accepted == (False, True) and result.forward is Answer.YES), value


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS)
@example({"oneOf": [{"type": "string"}, {"maxLength": 2}], "$defs": {"d": True}})
def test_a_schema_never_contradicts_itself(document: Any) -> None:
    """Nothing is refused by the schema by which it was written."""
    schema = parse(FORMAT, json.dumps(document).encode())
    assert compare(schema, schema).full is not Answer.NO
