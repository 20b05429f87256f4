"""A registry's own model on top of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.model.cases import brief
from tests.model.test_interpreter import JSON
from xregit.model import builtin, check, export_source, extend, json_schemas

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "extending.yaml").read_text(encoding="utf-8"))
WORDS = st.sampled_from(
    [
        "attributes",
        "groups",
        "resources",
        "messagegroups",
        "messages",
        "singular",
        "type",
        "item",
        "enum",
        "default",
        "ifvalues",
        "siblingattributes",
        "string",
        "array",
        "object",
        "xid",
        "target",
        "ximportresources",
        "name",
        "maxversions",
        "x",
        "*",
    ]
)
MODELS = st.recursive(
    JSON | WORDS,
    lambda inner: st.dictionaries(WORDS, inner, max_size=4) | st.lists(inner, max_size=2),
    max_leaves=25,
)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_faults_of_a_model_are_found(case: dict[str, Any]) -> None:
    """Every fault is found at its place, once, and what is left makes a model."""
    model, findings = extend(builtin(), case["model"])
    assert brief(findings) == case.get("finds", [])
    assert [finding for finding in findings if not finding.help] == []
    assert check(model.groups["messagegroups"].attributes, {"owner": "me"}) == []


@given(st.dictionaries(WORDS, MODELS, max_size=4))
def test_any_value_makes_a_model(value: dict[str, Any]) -> None:
    """Whatever model.yaml holds there is a model, which everything else can work with."""
    model, _ = extend(builtin(), value)
    json_schemas(model)
    export_source(model)
    for group in model.groups.values():
        check(group.attributes, {"x": 1, "name": "y"})


def test_nesting_without_end_is_a_fault() -> None:
    """A model that nests deeper than anyone means is refused where it gets too deep."""
    value: dict[str, Any] = {"type": "string"}
    for _ in range(5000):
        value = {"type": "array", "item": value}
    _, findings = extend(builtin(), {"attributes": {"a": value}})
    assert [item.message for item in findings] == ["The model is nested too deeply."]


def test_extensions_count() -> None:
    """Attributes of ours and of the registry's own model are checked side by side."""
    own = CASES[0]["model"]
    model, findings = extend(builtin(), own)
    assert findings == []
    message = model.groups["endpoints"].resources["messages"]
    assert message is model.groups["messagegroups"].resources["messages"]
    assert brief(check(message.attributes, {"retention": -1, "name": "x"})) == ["invalid-attribute retention"]
    assert "reviewed" in message.metaattributes
    assert brief(check(model.attributes, {"registryid": "a", "tier": "tin"})) == ["invalid-attribute tier"]
    term = model.groups["glossaries"].resources["terms"]
    assert brief(check(term.attributes, {"kind": "SHORT"})) == ["required-attribute-missing kind"]
    assert brief(check(term.attributes, {"seealso": ["/glossaries/g"]})) == ["malformed-xid seealso.0"]
    assert brief(check(term.attributes, {"size": {"max-width": "x", "more": [1]}})) == [
        "invalid-attribute size.max-width"
    ]
    assert "termsurl" in model.groups["glossaries"].attributes
    assert "termid" in term.attributes
    assert "term" not in term.attributes


def test_a_known_attribute_keeps_what_is_not_said_of_it() -> None:
    """Asking for an attribute leaves its form and description as they are, and shows in the source."""
    value = {"groups": {"messagegroups": {"attributes": {"description": {"type": "string", "required": True}}}}}
    model, _ = extend(builtin(), value)
    group = model.groups["messagegroups"]
    assert (
        group.attributes["description"].description
        == builtin().groups["messagegroups"].attributes["description"].description
    )
    assert brief(check(group.attributes, {})) == ["required-attribute-missing"]
    assert export_source(model)["groups"]["messagegroups"]["attributes"]["description"]["required"] is True


@pytest.mark.parametrize("value", ["KAFKA", "kafka", "Apache Kafka"])
def test_a_clause_adds_to_what_a_specification_defines_for_its_value(value: str) -> None:
    """An option of one's own for Kafka stands beside the specification's, which stay as they are."""
    added = {"protocoloptions": {"type": "object", "attributes": {"compression": "integer"}}, "team": "string"}
    protocol = {"type": "string", "ifvalues": {value: {"siblingattributes": added}}}
    source = {"groups": {"messagegroups": {"resources": {"messages": {"attributes": {"protocol": protocol}}}}}}
    model, findings = extend(builtin(), source)
    assert findings == []
    message = {"protocol": "KAFKA", "team": "a", "protocoloptions": {"partition": "x", "compression": "x"}}
    assert brief(
        check(model.groups["messagegroups"].resources["messages"].attributes, {"messageid": "m", **message})
    ) == [
        "invalid-attribute protocoloptions.partition",
        "invalid-attribute protocoloptions.compression",
    ]


def test_a_faulty_attribute_takes_any_value() -> None:
    """One fault in the model is one finding: entities that have the attribute are not reported for it."""
    model, findings = extend(builtin(), {"groups": {"messagegroups": {"attributes": {"team": {"type": "strin"}}}}})
    assert len(findings) == 1
    assert check(model.groups["messagegroups"].attributes, {"team": ["a"]}) == []


def test_the_source_form_gives_the_same_model_again() -> None:
    """What we serve says what its authors wrote: read again, it adds nothing and lacks nothing."""
    model, _ = extend(builtin(), CASES[0]["model"])
    source = export_source(model)
    again, findings = extend(builtin(), source)
    assert findings == []
    assert export_source(again)["groups"]["glossaries"] == source["groups"]["glossaries"]
    assert source["groups"]["glossaries"]["resources"]["terms"]["attributes"]["kind"]["ifvalues"]["short"]
    assert source["attributes"]["tier"] == {
        "type": "string",
        "enum": ["gold", "silver"],
        "required": True,
        "default": "gold",
    }


def test_flags_and_open_enumerations_count() -> None:
    """What a registry's own model says of an attribute reaches check, editors and servers."""
    value = next(case for case in CASES if case["name"].startswith("flags"))["model"]
    model, _ = extend(builtin(), value)
    assert brief(check(model.attributes, {"registryid": "r", "a": "y", "b": True})) == ["required-attribute-missing b"]
    assert check(model.attributes, {"registryid": "r", "b": False}) == []
    source = export_source(model)["attributes"]
    assert source["a"] == {"type": "string", "enum": ["x"], "strict": False, "readonly": True, "immutable": True}
    schema = json_schemas(model)["registry.schema.json"]
    errors = [Draft202012Validator(schema).is_valid({"registryid": "r", **more}) for more in SELECTED]
    assert errors == [not check(model.attributes, {"registryid": "r", **more}) for more in SELECTED]


SELECTED: list[dict[str, Any]] = [
    {"b": True},
    {"b": True, "c": "x"},
    {"b": False},
    {"d": 5, "e": "x"},
    {"d": 5, "e": ["x"]},
    {"d": 6},
    {"a": "y"},
]
