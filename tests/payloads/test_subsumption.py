"""The laws of comparing JSON Schemas: what is said to be read is read, and what is said not to be read isn't."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.sizes import some
from xregit.payloads import parse
from xregit.payloads.compatibility import Answer, compare
from xregit.payloads.json_schema.subschemas import map_subschemas

LATEST = "draft/2020-12"
# Each draft with another implementation of it; up to draft-07, formats count.
DRAFTS: dict[str, Any] = {
    "draft-04": jsonschema.Draft4Validator,
    "draft-06": jsonschema.Draft6Validator,
    "draft-07": jsonschema.Draft7Validator,
    "draft/2019-09": jsonschema.Draft201909Validator,
    LATEST: jsonschema.Draft202012Validator,
}
OLD_DRAFTS = ("draft-04", "draft-06", "draft-07")
# A name may look like a path through a schema.
NAMES = st.sampled_from(("a", "b", "ab", "1", "a/properties/b"))
SIMPLE = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from((0.5, "", "a", "b", "ab", "aab", "192.0.2.1"))
)
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
    "format": st.just("ipv4"),
    "minContains": COUNTS,
    "maxContains": COUNTS,
}


def holding(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return schemas that hold others."""
    schemas = st.lists(inner, min_size=1, max_size=2)
    # What leads back to the root stands below it, so that no reference is its own target.
    references = st.sampled_from(("#", "#/$defs/d", "#/$defs/e"))
    deeper = inner | references.map(lambda reference: {"$ref": reference})
    names = st.lists(NAMES, max_size=2, unique=True)
    keywords = {
        **SINGLE,
        "properties": st.dictionaries(NAMES, deeper, max_size=2),
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "additionalProperties": deeper,
        "propertyNames": inner,
        "dependentRequired": st.dictionaries(NAMES, names, max_size=1),
        "dependentSchemas": st.dictionaries(NAMES, inner, max_size=1),
        "dependencies": st.dictionaries(NAMES, inner | names, max_size=1),
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
        "else": inner,
    }
    names = st.lists(st.sampled_from(sorted(keywords)), max_size=4, unique=True)
    return names.flatmap(lambda stated: st.fixed_dictionaries({name: keywords[name] for name in stated}))


SCHEMAS = st.recursive(st.booleans() | st.fixed_dictionaries({"type": KINDS}), holding, max_leaves=6)
OBJECTS = SCHEMAS.filter(lambda schema: isinstance(schema, dict))
# A part that has an address of its own: what it refers to is inside it.
EMBEDDED = st.builds(
    lambda inner: {
        "$id": "https://example.com/e",
        "$defs": {"d": inner, "e": {}},
        "properties": {"a": {"$ref": "#/$defs/d"}},
    },
    SCHEMAS,
)
DOCUMENTS = st.builds(
    lambda root, inner, embedded: {**root, "$defs": {"d": inner, "e": embedded}}, OBJECTS, SCHEMAS, EMBEDDED
)


def as_draft(schema: Any, draft: str) -> Any:
    """Return a schema in the words of a draft, which may ignore some of them."""
    if draft == "draft-04" and isinstance(schema, bool):
        return {} if schema else {"not": {}}
    if isinstance(schema, bool):
        return schema
    schema = map_subschemas(schema, lambda inner: as_draft(inner, draft))
    if draft == "draft-04":
        if "exclusiveMaximum" in schema:
            schema["maximum"] = schema["exclusiveMaximum"]
            schema["exclusiveMaximum"] = True
        if "$id" in schema:
            schema["id"] = schema.pop("$id")
        if schema.get("required") == []:
            del schema["required"]
        if "dependencies" in schema:
            schema["dependencies"] = {name: item for name, item in schema["dependencies"].items() if item != []}
    if "enum" in schema:
        schema["enum"] = [item for index, item in enumerate(schema["enum"]) if item not in schema["enum"][:index]]
    return schema


@st.composite
def pairs(draw: st.DrawFn) -> tuple[tuple[str, Any], tuple[str, Any]]:
    """Draw two documents with their drafts, often alike but for one keyword or for the draft."""
    before = draw(DOCUMENTS)
    drafts = [draw(st.sampled_from(list(DRAFTS)))] * 2
    kind = draw(st.sampled_from(("unlike", "keyword", "draft")))
    after = draw(DOCUMENTS) if kind == "unlike" else json.loads(json.dumps(before))
    if kind == "draft":
        drafts[1] = draw(st.sampled_from(list(DRAFTS)))
    elif kind == "keyword":
        name = draw(st.sampled_from(sorted({*after, *SINGLE} - {"$defs"})))
        if name in after and draw(st.booleans()):
            del after[name]
        elif name in SINGLE:
            after[name] = draw(SINGLE[name])
    old, new = ((draft, as_draft(item, draft)) for draft, item in zip(drafts, (before, after), strict=True))
    return old, new


def judge(draft: str, document: Any) -> Any:
    """Return another implementation's validator."""
    validator = DRAFTS[draft]
    return validator(document, format_checker=validator.FORMAT_CHECKER if draft in OLD_DRAFTS else None)


@settings(max_examples=some(800), suppress_health_check=[HealthCheck.too_slow])
@given(pairs(), st.lists(VALUES, min_size=10, max_size=30))
def test_nothing_is_called_compatible_that_a_value_disproves(
    pair: tuple[tuple[str, Any], tuple[str, Any]], values: list[Any]
) -> None:
    """Every value of the old schema is one of the new, where the verdict says so, and the other way round.

    What is shown as an example is one that one of them accepts and the other refuses.
    """
    old, new = (parse(f"JsonSchema/{draft}", json.dumps(item).encode()) for draft, item in pair)
    result = compare(old, new)
    judges = [judge(*item) for item in pair]
    for value in values:
        accepted = tuple(judge.is_valid(value) for judge in judges)
        assert not (accepted == (True, False) and result.backward is Answer.YES), value
        assert not (accepted == (False, True) and result.forward is Answer.YES), value
    for verdict in result.verdicts:
        if shown := re.search(r"; for example ([^…]*)\.$", verdict.message):
            assert len({judge.is_valid(json.loads(shown[1])) for judge in judges}) == len(judges), verdict.message


@settings(max_examples=some(150), suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS)
@example({"oneOf": [{"type": "string"}, {"maxLength": 2}], "$defs": {"d": True}})
def test_a_schema_never_contradicts_itself(document: Any) -> None:
    """Nothing is refused by the schema by which it was written."""
    schema = parse(f"JsonSchema/{LATEST}", json.dumps(document).encode())
    assert compare(schema, schema).full is not Answer.NO
