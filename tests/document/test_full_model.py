"""The full model: what a registry's entities may hold and always state, in the names of a profile."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from xregit.catalog import Registry
from xregit.document import api_files, compile_document, read_document, to_bytes
from xregit.document.model_document import full_model, modelsource
from xregit.document.profiles import profile, profiles
from xregit.model import builtin

BASE = "https://example.com"
PROFILES = profiles()
ASPECTS = {"maxversions", "setversionid", "hasdocument", "versionmode", "singleversionroot"}
VALIDATION = {"validateformat", "validatecompatibility", "strictvalidation"}


@pytest.mark.parametrize("name", PROFILES)
def test_resource_types_state_all_aspects(name: str) -> None:
    """A client that shows documents, or asks how many versions there may be, needs no default."""
    groups = full_model(builtin(), profile(name))["groups"]
    schema, message = groups["schemagroups"]["resources"]["schemas"], groups["endpoints"]["resources"]["messages"]
    for resource in (schema, message):
        assert resource.keys() >= {"plural", "singular"} | ASPECTS | VALIDATION
    assert (schema["hasdocument"], schema["maxversions"]) == (True, 0)
    assert (message["hasdocument"], message["maxversions"]) == (False, 1)
    assert message == groups["messagegroups"]["resources"]["messages"]


@pytest.mark.parametrize("name", PROFILES)
def test_source_is_a_subset(small: Registry, name: str) -> None:
    """What the authors' form of the model says, the full one says too (model specification, "modelsource")."""
    for model in (builtin(), small.model):
        full = full_model(model, profile(name))
        assert list(missing(modelsource(model, profile(name)), full)) == []


def missing(source: Any, full: Any, at: str = "") -> Iterator[str]:
    """Give the paths at which the full model says otherwise."""
    if isinstance(source, Mapping) and isinstance(full, Mapping):
        for key, value in source.items():
            if key != "ximportresources":
                yield from missing(value, full.get(key), f"{at}/{key}")
    elif source != full:
        yield at


@pytest.mark.parametrize("version", PROFILES)
def test_attributes_of_registries_are_those_published(shared: Path, version: str) -> None:
    """Types and flags are those of the published model of the core specification."""
    path = shared / "corpus" / "upstream" / f"v{version}" / "core" / "model.json"
    published = json.loads(path.read_bytes())["attributes"]
    ours = full_model(builtin(), profile(version))["attributes"]
    flags = ("type", "readonly", "immutable", "required", "default")
    assert {name: {flag: each.get(flag) for flag in flags} for name, each in ours.items() if name in published} == {
        name: {flag: each.get(flag) for flag in flags} for name, each in published.items()
    }
    collections = {f"{plural}{ending}" for plural in builtin().groups for ending in ("", "url", "count")}
    assert ours.keys() == published.keys() | collections


@pytest.mark.parametrize("name", PROFILES)
def test_entities_state_what_is_required_and_nothing_undefined(small: Registry, name: str) -> None:
    """Whatever the static API answers holds all attributes that the model requires, and none that it doesn't define."""
    files = api_files(small, BASE, profile=name)
    model = json.loads(files["model"])
    seen = 0
    for path, attributes in definitions(files, model):
        entity = json.loads(files[path])
        # What messages alone require may come from a base message.
        required = {key for key, each in attributes.items() if each.get("required")} - {"sensitivity"}
        assert required <= entity.keys(), path
        if "*" not in attributes:
            siblings = {key for each in attributes.values() for key in conditional(each)}
            assert entity.keys() <= attributes.keys() | siblings, path
        seen += 1
    assert seen > 30


def definitions(files: Mapping[str, bytes], model: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the files of all entities but aliases, each with the attributes that such an entity may have."""
    yield "index.html", model["attributes"]
    for path in files:
        parts = path.split("/")
        if len(parts) == 3 and path.endswith("index.html"):
            yield path, model["groups"][parts[0]]["attributes"]
        if len(parts) < 4:
            continue
        kind = model["groups"][parts[0]]["resources"][parts[2]]
        if path.endswith("/meta") and b'"xref"' not in files[path]:
            yield path, kind["metaattributes"]
        elif path.endswith("$details"):
            own = {} if "/versions/" in path else kind["resourceattributes"]
            yield path, {**kind["attributes"], **own}


def conditional(attribute: Mapping[str, Any]) -> Iterator[str]:
    """Give the names of the attributes that some values of an attribute bring with them."""
    for clause in attribute.get("ifvalues", {}).values():
        for name, sibling in clause["siblingattributes"].items():
            yield name
            yield from conditional(sibling)


@pytest.mark.parametrize("name", PROFILES)
def test_import_takes_from_a_full_model_what_it_takes_from_its_source(
    small: Registry, tmp_path: Path, name: str
) -> None:
    """A server's document may have either; what the core specification gives every entity is no extension of ours."""
    document = compile_document(small, profile=name)
    models = []
    for key, model in (("modelsource", document.pop("modelsource")), ("model", full_model(small.model, profile(name)))):
        (tmp_path / f"{key}.json").write_bytes(to_bytes({**document, key: model}))
        models.append(modelsource(read_document(tmp_path / f"{key}.json").model, profile(name)))
    assert models[0] == models[1]
