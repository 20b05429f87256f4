"""Profile 1.0-rc4: the names, types and forms of the published model, held against the published document schema."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.catalog.folders import registry_of
from tests.document.small import CASES, cases
from tests.sizes import sample
from xregit.catalog import Registry
from xregit.diagnostics import Severity
from xregit.document import api_files, compile_document, import_documents, load, to_bytes
from xregit.document.compiler import VIEWS
from xregit.document.model_document import modelsource
from xregit.document.profiles import profile
from xregit.model import builtin
from xregit.source import yaml_loader

PROFILE = "1.0-rc4"
ENDPOINT, MESSAGE = "endpoints/e", "messagegroups/g/messages/m"


@pytest.fixture(scope="module")
def published(shared: Path) -> Draft7Validator:
    """Return the published document schema of the release."""
    path = shared / "corpus" / "upstream" / f"v{PROFILE}" / "cloudevents" / "schemas" / "document-schema.json"
    return Draft7Validator(json.loads(path.read_bytes()))


def document_of(registry: Registry, **options: Any) -> Any:
    """Return a document as others read it."""
    return json.loads(to_bytes(compile_document(registry, profile=PROFILE, **options)))


def entity_of(tmp_path: Path, kind: str, attributes: dict[str, Any]) -> dict[str, Any]:
    """Return what the profile says of one endpoint or message."""
    paths = {"endpoint": f"{ENDPOINT}/endpoint.yaml", "message": f"{MESSAGE}.yaml"}
    registry = registry_of(tmp_path, {paths[kind]: json.dumps(attributes)})
    document = compile_document(registry, profile=PROFILE)
    if kind == "endpoint":
        return dict(document["endpoints"]["e"])
    return dict(document["messagegroups"]["g"]["messages"]["m"]["versions"]["1"])


@pytest.mark.requirement("MSG-14", "EP-3", "EP-37")
@pytest.mark.parametrize("case", cases("published"), ids=lambda case: case["title"])
def test_entity_is_stated_as_published(tmp_path: Path, case: dict[str, Any]) -> None:
    """Names, forms and types are those of the published model; all else is as it was written."""
    result = entity_of(tmp_path, case["kind"], case["in"])
    expected = {**case["in"], **case["out"]}
    assert {name: result.get(name) for name in expected} == expected


def test_endpoint_for_several_usages_is_divided(tmp_path: Path) -> None:
    """Each usage has an endpoint; they share a channel, and the messages of the first, which keeps its id."""
    attributes = {"usage": ["producer", "consumer"], "protocol": "KAFKA"}
    folder = {
        f"{ENDPOINT}/endpoint.yaml": json.dumps(attributes),
        f"{ENDPOINT}/messages/m.yaml": "description: A message.",
        "endpoints/E.consumer/endpoint.yaml": "usage: [consumer]",
    }
    registry = registry_of(tmp_path, folder)
    result = document_of(registry)["endpoints"]
    assert {name: (value["usage"], value.get("channel")) for name, value in result.items()} == {
        "e": (["producer"], "e"),
        "e.consumer_": (["consumer"], "e"),
        "E.consumer": (["consumer"], None),
    }
    assert result["e.consumer_"]["messages"]["m"]["meta"]["xref"] == "/endpoints/e/messages/m"
    assert result["e"]["messages"]["m"]["versions"]["1"]["description"] == "A message."
    answers = api_files(registry, "https://example.com", profile=PROFILE)
    assert json.loads(answers["endpoints/e.consumer_/messages/m/index.html"])["description"] == "A message."
    assert list(compile_document(registry)["endpoints"]) == list(registry.groups["endpoints"])


@pytest.mark.parametrize(
    ("protocol", "usage", "parts"),
    [
        ("NATS", ["subscriber", "consumer"], [["subscriber", "consumer"]]),
        ("MQTT", ["consumer", "producer", "subscriber"], [["consumer", "subscriber"], ["producer"]]),
        ("HTTP", ["subscriber", "consumer"], [["subscriber"], ["consumer"]]),
        ("", ["subscriber", "consumer"], [["subscriber"], ["consumer"]]),
        ("AMQP/1.0", "producer", [["producer"]]),
    ],
)
def test_usages_of_one_connection_stay_together(
    tmp_path: Path, protocol: str, usage: Any, parts: list[list[str]]
) -> None:
    """Who subscribes and consumes does so by one connection in MQTT, AMQP and NATS, and nowhere else."""
    attributes = {"usage": usage, **({"protocol": protocol} if protocol else {})}
    registry = registry_of(tmp_path, {f"{ENDPOINT}/endpoint.yaml": json.dumps(attributes)})
    assert [endpoint["usage"] for endpoint in document_of(registry)["endpoints"].values()] == parts


def test_json_that_is_no_object_is_carried_in_base64(tmp_path: Path) -> None:
    """A document such as a union of Avro is carried byte for byte, since the published schema knows objects alone."""
    schema = "schemagroups/g/schemas/s"
    union = '[{"type": "string"}]\n'
    registry = registry_of(
        tmp_path,
        {f"{schema}/schema.yaml": "format: Avro/1.11.0", f"{schema}/versions/1.avsc": union},
    )
    version = document_of(registry)["schemagroups"]["g"]["schemas"]["s"]["versions"]["1"]
    assert "schema" not in version
    assert b64decode(version["schemabase64"]).decode() == union
    assert compile_document(registry)["schemagroups"]["g"]["schemas"]["s"]["versions"]["1"]["schema"] == json.loads(
        union
    )


def test_profiles_state_the_same_capabilities_and_flags() -> None:
    """The reference client reads capabilities and models of both, since neither has a name that it doesn't know."""
    before, after = profile("1.0-rc2"), profile(PROFILE)
    assert before.capabilities.keys() == after.capabilities.keys()
    flags = [
        {name for group in modelsource(builtin(), each)["groups"].values() for name in aspects(group)}
        for each in (before, after)
    ]
    assert flags[0] == flags[1] == {"singular", "description", "maxversions", "hasdocument", "attributes"}


def aspects(group: Mapping[str, Any]) -> set[str]:
    """Return what a model says of the resource types of a group type."""
    return {name for resource in group.get("resources", {}).values() for name in resource}


@pytest.mark.parametrize(
    ("name", "expected"), [("1.0-rc2", "docs"), (PROFILE, "documentation")], ids=["1.0-rc2", PROFILE]
)
def test_deprecation_is_explained_under_the_name_of_the_release(tmp_path: Path, name: str, expected: str) -> None:
    """So it is for entities of every type, those of the registry's own model among them."""
    url = "https://example.com/why"
    files = {
        "model.yaml": "groups: {dirs: {singular: dir, resources: {files: {singular: file, hasdocument: false}}}}",
        "dirs/d/dir.yaml": f"deprecated: {{documentation: '{url}'}}",
        "dirs/d/files/f.yaml": f"meta: {{deprecated: {{docs: '{url}'}}}}",
        "schemagroups/g/schemagroup.yaml": f"deprecated: {{docs: '{url}'}}",
    }
    document = compile_document(registry_of(tmp_path, files), profile=name)
    group, own = document["schemagroups"]["g"], document["dirs"]["d"]
    for entity in (group, own, own["files"]["f"]["meta"]):
        assert entity["deprecated"] == {expected: url}


@pytest.mark.parametrize("view", VIEWS)
def test_example_catalog_is_published(root: Path, published: Draft7Validator, view: str) -> None:
    """The published document schema has nothing against the example catalog."""
    assert [error.message for error in published.iter_errors(document_of(load(root / "registry"), view=view))] == []


def test_published_document_is_read_back(root: Path, tmp_path: Path) -> None:
    """What the profile writes is imported without an error, and compiled to the same document again."""
    before = document_of(load(root / "registry"))
    (tmp_path / "document.json").write_text(json.dumps(before), encoding="utf-8")
    report = import_documents([tmp_path / "document.json"], tmp_path / "registry")
    assert not report.failed
    after = document_of(load(tmp_path / "registry"))
    assert undated(after) == undated(before)


def undated(value: Any) -> Any:
    """Return a value without what commits say."""
    if not isinstance(value, dict):
        return value
    return {name: undated(item) for name, item in value.items() if name not in {"epoch", "createdat", "modifiedat"}}


@pytest.mark.parametrize("view", VIEWS)
def test_real_documents_are_published(shared: Path, tmp_path: Path, published: Draft7Validator, view: str) -> None:
    """Nor against any document that is imported, but for those whose content it can't take; each is accounted for."""
    refused: dict[str, set[str]] = {}
    files = sample(sorted(path for path in (shared / "corpus" / "docs").rglob("*") if path.is_file()))
    for number, path in enumerate(files):
        report = import_documents([path], tmp_path / str(number) / "registry")
        if any(item.severity is Severity.ERROR for item in report.diagnostics):
            continue
        document = document_of(load(tmp_path / str(number) / "registry"), view=view)
        for error in published.iter_errors(document):
            refused.setdefault(reason(error.instance), set()).add(path.name)
    table = yaml_loader.parse((CASES / "unpublishable.yaml").read_bytes()).value
    known = {why: set(names) & {path.name for path in files} for why, names in table.items()}
    assert refused == {why: names for why, names in known.items() if names}


def reason(schema: dict[str, Any]) -> str:
    """Return why the published schema can't take a schema."""
    if "xref" in {**schema, **schema.get("meta", {})}:
        return "alias"
    carriers = {"schema", "schemaurl", "schemabase64"}
    return (
        "no document" if any(carriers.isdisjoint(version) for version in schema["versions"].values()) else str(schema)
    )
