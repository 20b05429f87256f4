"""The model that is served, held against the published one of the same version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from xregit.document.model_document import full_model, modelsource
from xregit.document.profiles import profile
from xregit.model import builtin
from xregit.source import yaml_loader

PAGE = "site/manual/model-differences.md"
VERSIONS = ("1.0-rc2", "1.0-rc4")
LIST = Path(__file__).with_name("differences.yaml")
# What describes or holds a type, rather than says how it behaves.
DESCRIBING = frozenset(
    {"plural", "singular", "description", "modelversion", "compatiblewith", "modelcompatiblewith", "ximportresources"}
    | {"attributes", "resourceattributes", "metaattributes", "resources"}
)
HEAD = """\
# Our model and the published ones

What a registry serves as `model` agrees with the `model.json` that xRegistry has published for the same version in
names, types, enums and what it says of whole types, but for what this page lists. *Text* is the specification of
message definitions of May 2026 and of endpoints of April 2025; it calls itself 1.0-rc2, as the model published in June
2025 does.

This page is made from `tests/document/differences.yaml`; a test compares the models and fails on
anything that isn't listed.

| topic | versions | published | ours | why |
|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference on purpose: the attributes by patterns of their paths, and the versions in which they differ."""

    topic: str
    at: tuple[str, ...]
    versions: tuple[str, ...]
    published: str
    ours: str
    why: str

    def covers(self, path: str, version: str) -> bool:
        """Return whether it is about an attribute of a version's model."""
        return version in self.versions and any(fnmatchcase(path, pattern.replace("?", "[?]")) for pattern in self.at)


def intended_differences() -> tuple[Difference, ...]:
    """Return all differences that are on purpose."""
    return tuple(
        Difference(item["topic"], tuple(item["at"]), tuple(item["in"]), item["published"], item["ours"], item["why"])
        for item in yaml_loader.parse(LIST.read_bytes()).value
    )


def page() -> str:
    """Return the page that lists them, as Markdown."""
    rows = [
        f"| {item.topic} | {', '.join(item.versions)} | {item.published} | {item.ours} | {item.why} |\n"
        for item in intended_differences()
    ]
    return HEAD + "".join(rows)


def differing_paths(ours: Mapping[str, Any], published: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the paths of all that one model has and the other not, or says otherwise."""
    one, other = dict(_attributes_of(ours)), dict(_attributes_of(published))
    return tuple(sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path)))


def _attributes_of(model: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for plural, group in model["groups"].items():
        yield from _aspects(group, plural)
        yield from _walk(group.get("attributes", {}), plural)
        for name, resource in group.get("resources", {}).items():
            yield from _aspects(resource, f"{plural}/{name}")
            yield from _walk(resource.get("attributes", {}), f"{plural}/{name}")
            for part in ("metaattributes", "resourceattributes"):
                yield from _walk(resource.get(part, {}), f"{plural}/{name}.{part}")


def _aspects(kind: Mapping[str, Any], at: str) -> Iterator[tuple[str, Any]]:
    """Give what a model says of a whole type, such as how many versions its resources have."""
    for name, value in kind.items():
        if name not in DESCRIBING:
            yield f"{at}!{name}", value


def _walk(attributes: Mapping[str, Any], at: str) -> Iterator[tuple[str, Any]]:
    for name, attribute in attributes.items():
        path = f"{at}/{name}"
        matching = attribute.get("matchversions", False)
        yield path, (_type_of(attribute), sorted(map(str, attribute.get("enum", ()))), matching)
        yield from _inner_attributes(attribute, path)
        for value, clause in attribute.get("ifvalues", {}).items():
            yield from _walk(clause.get("siblingattributes", {}), f"{at}?{value}")


def _inner_attributes(attribute: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    yield from _walk(attribute.get("attributes", {}), path)
    if "item" in attribute:
        yield from _inner_attributes(attribute["item"], f"{path}[]")


def _type_of(attribute: Mapping[str, Any]) -> str:
    item = attribute.get("item")
    return f"{attribute['type']} of {_type_of(item)}" if isinstance(item, Mapping) else str(attribute["type"])


def published(shared: Path, version: str) -> dict[str, Any]:
    """Return the published models of a version as one."""
    folder = shared / "corpus" / "upstream" / f"v{version}"
    groups: dict[str, Any] = {}
    for part in ("message", "endpoint", "schema"):
        result = json.loads((folder / part / "model.json").read_bytes())["groups"]
        groups |= {plural: group for plural, group in result.items() if plural.startswith(part)}
    return {"groups": groups}


@pytest.mark.parametrize("version", VERSIONS)
def test_served_model_agrees_with_the_published_one(shared: Path, version: str) -> None:
    """Names, types and enums are the same but for the listed differences."""
    result = differing_paths(modelsource(builtin(), profile(version)), published(shared, version))
    known = [item for item in intended_differences() if version in item.versions]
    assert [path for path in result if not any(item.covers(path, version) for item in known)] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_unlisted_aspect_is_found(shared: Path, version: str) -> None:
    """So are aspects of whole types, and attributes that must be the same in all versions."""
    theirs = published(shared, version)
    theirs["groups"]["endpoints"]["constraints"] = {}
    schemas = theirs["groups"]["schemagroups"]["resources"]["schemas"]
    schemas["maxversions"] = 3
    schemas["attributes"]["more"] = {"type": "string", "matchversions": True}
    result = differing_paths(modelsource(builtin(), profile(version)), theirs)
    assert {"endpoints!constraints", "schemagroups/schemas!maxversions", "schemagroups/schemas/more"} <= set(result)


def test_every_pattern_is_about_something(shared: Path) -> None:
    """No pattern of the list is left over from a difference that is no more."""
    result = {
        version: differing_paths(modelsource(builtin(), profile(version)), published(shared, version))
        for version in VERSIONS
    }
    for item in intended_differences():
        for pattern in item.at:
            one = type(item)(item.topic, (pattern,), item.versions, "", "", "")
            assert any(one.covers(path, version) for version in item.versions for path in result[version]), pattern


@pytest.mark.parametrize("version", VERSIONS)
def test_unlisted_difference_is_found(shared: Path, version: str) -> None:
    """An attribute more, another type and another enum are each a difference."""
    theirs = published(shared, version)
    attributes = theirs["groups"]["endpoints"]["attributes"]
    attributes["channel"]["type"] = "integer"
    attributes["more"] = {"type": "string"}
    attributes["protocol"]["enum"] = ["NATS"]
    result = differing_paths(modelsource(builtin(), profile(version)), theirs)
    for path in ("endpoints/channel", "endpoints/more", "endpoints/protocol"):
        assert path in result
        assert not any(item.covers(path, version) for item in intended_differences())


def test_model_says_what_documents_of_the_profile_hold() -> None:
    """Renames hold where they are conditional too, and bare values have their own type."""
    model = full_model(builtin(), profile("1.0-rc4"))["groups"]
    options = model["endpoints"]["attributes"]["protocol"]["ifvalues"]["MQTT/5.0"]["siblingattributes"][
        "protocoloptions"
    ]
    assert {"topic", "topicfilter", "cleanstart"} <= options["attributes"].keys()
    assert "cleansession" not in options["attributes"]
    message = model["messagegroups"]["resources"]["messages"]["attributes"]
    header = message["protocol"]["ifvalues"]["AMQP/1.0"]["siblingattributes"]["protocoloptions"]["attributes"]["header"]
    assert header["attributes"]["ttl"]["type"] == "integer"


def test_page_is_current(root: Path, golden: Callable[[str | Path, str | bytes], None]) -> None:
    """The page is what the list makes; --update-golden rewrites it."""
    golden(root / PAGE, page())
