"""The model that is served, held against the published one of the same version."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from xregit.document.model_differences import differing_paths, intended_differences, page
from xregit.document.model_document import full_model, modelsource
from xregit.document.profiles import profile
from xregit.model import builtin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGE = "site/docs/model-differences.md"
VERSIONS = ("1.0-rc2", "1.0-rc4")


def published(shared: Path, version: str) -> dict[str, Any]:
    """Return the published models of a version as one."""
    folder = shared / "corpus" / "upstream" / f"v{version}"
    groups: dict[str, Any] = {}
    for part in ("message", "endpoint", "schema"):
        found = json.loads((folder / part / "model.json").read_bytes())["groups"]
        groups |= {plural: group for plural, group in found.items() if plural.startswith(part)}
    return {"groups": groups}


@pytest.mark.parametrize("version", VERSIONS)
def test_served_model_agrees_with_the_published_one(shared: Path, version: str) -> None:
    """Names, types and enums are the same but for the listed differences."""
    found = differing_paths(modelsource(builtin(), profile(version)), published(shared, version))
    known = [item for item in intended_differences() if version in item.versions]
    assert [path for path in found if not any(item.covers(path, version) for item in known)] == []


def test_every_pattern_is_about_something(shared: Path) -> None:
    """No pattern of the list is left over from a difference that is no more."""
    found = {
        version: differing_paths(modelsource(builtin(), profile(version)), published(shared, version))
        for version in VERSIONS
    }
    for item in intended_differences():
        for pattern in item.at:
            one = type(item)(item.topic, (pattern,), item.versions, "", "", "")
            assert any(one.covers(path, version) for version in item.versions for path in found[version]), pattern


@pytest.mark.parametrize("version", VERSIONS)
def test_unlisted_difference_is_found(shared: Path, version: str) -> None:
    """An attribute more, another type and another enum are each a difference."""
    theirs = published(shared, version)
    attributes = theirs["groups"]["endpoints"]["attributes"]
    attributes["channel"]["type"] = "integer"
    attributes["more"] = {"type": "string"}
    attributes["protocol"]["enum"] = ["NATS"]
    found = differing_paths(modelsource(builtin(), profile(version)), theirs)
    for path in ("endpoints/channel", "endpoints/more", "endpoints/protocol"):
        assert path in found
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
