"""The JSON Schemas for editors: valid themselves, and of one mind with `check`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from tests.model.cases import cases, expected_of
from xregit.model import builtin, extend, json_schemas

OWN_MODEL = """
groups:
  glossaries:
    singular: glossary
    attributes: {owner: {type: string, required: true}}
    resources:
      schemas: {singular: schema, hasdocument: false, attributes: {abbreviation: string}}
  messagegroups:
    attributes: {tier: {type: string, enum: [gold, silver]}}
    resources:
      messages: {attributes: {retention: {type: uinteger, required: true}}}
"""
SCHEMAS = json_schemas(builtin())
EXTENDED = json_schemas(extend(builtin(), yaml.safe_load(OWN_MODEL))[0])
IMPLIED = json_schemas(builtin(), {"envelope": "CloudEvents/1.0"})


def validator(schemas: dict[str, Any], name: str) -> Draft202012Validator:
    """Return the validator for a kind of file; the schemas refer to one another by file name."""
    resources = [(file, Resource.from_contents(schema)) for file, schema in schemas.items()]
    return Draft202012Validator(schemas[f"{name}.schema.json"], registry=Registry().with_resources(resources))


def patterns(schema: Any) -> Iterator[str]:
    """Yield every pattern in a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        for item in schema.values():
            yield from patterns(item)
    elif isinstance(schema, list):
        for item in schema:
            yield from patterns(item)


def test_there_is_one_for_each_kind_of_file() -> None:
    """Each file of the layout has a schema, and so has each type of a registry's own model."""
    expected = [
        "registry",
        "xregit",
        "waivers",
        "model",
        "messagegroup",
        "message",
        "endpoint",
        "schemagroup",
        "schema",
    ]
    assert list(SCHEMAS) == [f"{name}.schema.json" for name in expected]
    assert EXTENDED.keys() - SCHEMAS.keys() == {"glossary.schema.json", "glossary.schema.schema.json"}


@pytest.mark.parametrize("schemas", [SCHEMAS, EXTENDED, {"message": IMPLIED["message.schema.json"]}])
def test_they_are_json_schemas(schemas: dict[str, Any]) -> None:
    """Each is valid JSON Schema 2020-12, and plain JSON."""
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
        assert json.loads(json.dumps(schema)) == schema


def test_patterns_mean_the_same_everywhere() -> None:
    """Patterns keep to what Python, Rust and JavaScript agree on."""
    for pattern in {pattern for schema in SCHEMAS.values() for pattern in patterns(schema)}:
        re.compile(pattern)
        assert not re.search(r"\\[dwbAZpP]|\(\?<|\(\?[a-zA-Z]", pattern), pattern


@pytest.mark.parametrize("case", cases())
def test_editors_judge_as_check_does(case: dict[str, Any]) -> None:
    """An editor underlines what check reports; a case names the reason where one file can't tell."""
    value = json.loads(json.dumps(case["value"]))
    errors = list(validator(SCHEMAS, case.get("of", "message")).iter_errors(value))
    agrees = bool(errors) == bool(expected_of(case))
    assert agrees == ("editor" not in case), [error.message for error in errors]


@pytest.mark.parametrize(
    ("name", "value", "good"),
    [
        ("glossary", {"owner": "me"}, True),
        ("glossary", {}, False),
        ("glossary.schema", {"abbreviation": "x"}, True),
        ("glossary.schema", {"abreviation": "x"}, False),
        ("messagegroup", {"tier": "gold"}, True),
        ("messagegroup", {"tier": "tin"}, False),
        ("message", {"retention": 5}, True),
        ("message", {}, False),
        ("message", {"xref": "/messagegroups/g/messages/m"}, True),
        ("message", {"basemessage": "/messagegroups/g/messages/m"}, True),
        ("message", {"versions": {"1": {"retention": 5}}}, True),
        ("message", {"retention": 5, "versions": {"1": {"retentoin": 5}}}, False),
        ("message", {"retention": 5, "meta": {"readonly": True}}, True),
        ("message", {"retention": 5, "meta": {"readonyl": True}}, False),
        ("messagegroup", {"messages": {"m": {"retention": 5, "protocol": "NATS"}}}, True),
        ("messagegroup", {"messages": {"m": {"retention": "long"}}}, False),
        ("messagegroup", {"messages": {"a b": {"retention": 5}}}, False),
    ],
)
def test_a_registry_s_own_model_counts(name: str, value: Any, good: bool) -> None:
    """Extension attributes, further types, inline messages, versions and meta entities are checked too."""
    assert validator(EXTENDED, name).is_valid(value) is good


@pytest.mark.parametrize(
    ("value", "good"),
    [
        ({"envelopemetadata": {"subject": {"required": True}}}, True),
        ({"envelopemetadata": {"subject": {"required": "ja"}}}, False),
        ({"envelope": "Acme/2", "envelopemetadata": {"subject": 5}}, True),
        ({"name": "A payload alone"}, True),
    ],
)
def test_what_a_message_does_not_state_is_implied(value: Any, good: bool) -> None:
    """Where a group states the envelope of its messages, an editor that sees one of these knows it all the same."""
    assert validator(IMPLIED, "message").is_valid(value) is good
    assert validator(SCHEMAS, "message").is_valid(value)


@pytest.mark.parametrize(
    ("value", "good"),
    [
        (yaml.safe_load(OWN_MODEL), True),
        ({"attributes": {"a": "string", "b": {"type": "array", "item": {"type": "uri"}}}}, True),
        ({"attributes": {"a": {"type": "object", "attributes": {"b-c": {"type": "strin"}}}}}, False),
        ({"attributes": {"a": {"type": "string", "ifvalues": {"x": {"siblingattributes": {"b": {}}}}}}}, False),
        ({"groups": {"Groups": {}}}, False),
        ({"grops": {}}, False),
    ],
)  # fmt: skip
def test_model_files_are_checked_at_any_depth(value: Any, good: bool) -> None:
    """The schema of model.yaml follows definitions into definitions."""
    assert validator(SCHEMAS, "model").is_valid(value) is good


def test_protocols_and_envelopes_are_offered() -> None:
    """Editors get the predefined names to complete, and a description for every attribute."""
    properties = SCHEMAS["message.schema.json"]["properties"]
    assert "MQTT/5.0" in json.dumps(properties["protocol"])
    assert "CloudEvents/1.0" in json.dumps(properties["envelope"])
    assert [name for name, schema in properties.items() if not schema.get("description")] == []


def test_the_example_catalog_is_right(root: Path) -> None:
    """Every file of the example catalog passes the schema of its kind."""
    folder = root / "registry"
    own = folder / "model.yaml"
    model = extend(builtin(), yaml.safe_load(own.read_text(encoding="utf-8")))[0] if own.is_file() else builtin()
    schemas = json_schemas(model)
    singular = {kind.plural: kind.singular for group in model.groups.values() for kind in group.resources.values()}
    paths = [path for path in sorted(folder.rglob("*.yaml")) if path.parent.name != "versions"]
    assert len(paths) > len(schemas)
    for path in paths:
        name = path.stem if f"{path.stem}.schema.json" in schemas else singular[path.parent.name]
        value = json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8")), default=str))
        assert [error.message for error in validator(schemas, name).iter_errors(value)] == [], path
