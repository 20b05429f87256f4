"""A registry and the documents that are made of it say the same."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import xregit
from tests.catalog.folders import registry_of
from tests.sizes import sample
from xregit.catalog import Registry
from xregit.changes import diff
from xregit.changes.change import Impact
from xregit.errors import XregitError
from xregit.source.json_emitter import to_bytes

# What the published model of 1.0-rc4 has no place for: the type of a user property of MQTT.
LOST = "protocoloptions.user_properties."


def remade(registry: Registry, folder: Path, **how: str | bool) -> Registry:
    """Return what is read from the document of a registry."""
    path = folder / "document.json"
    path.write_bytes(to_bytes(xregit.compile(registry, **how)))  # type: ignore[arg-type]  # profile, view or resolved
    return xregit.read(path)


def differences(one: Registry, other: Registry) -> list[str]:
    """Return what differs between two registries, there and back."""
    return [
        f"{item.impact} {item.rule} {item.xid} {item.attribute}"
        for item in (*diff(one, other), *diff(other, one))
        if not item.attribute.startswith(LOST)
    ]


def breaks(told: list[str]) -> list[str]:
    """Return those differences that may harm somebody."""
    return [text for text in told if text.startswith((Impact.BREAKING, Impact.UNKNOWN))]


@cache
def corpus(root: Path) -> tuple[tuple[Path, Registry], ...]:
    """Return the registries among every fifth of real documents; all of them take long."""
    results = []
    for path in sorted(root.rglob("*.json"))[::5]:
        try:
            registry = xregit.read(path)
        except XregitError:
            continue  # a piece of a registry, or no JSON
        results += [(path, registry)] if list(registry) and not registry.broken else []
    return tuple(results)


def test_example_and_its_documents_say_the_same(root: Path, tmp_path: Path) -> None:
    """Nothing differs in our own names; other names break nothing, though they may have no place for a description."""
    registry = xregit.read(root / "registry")
    assert differences(registry, remade(registry, tmp_path)) == []
    assert breaks(differences(registry, remade(registry, tmp_path, profile="1.0-rc4"))) == []
    assert breaks(differences(registry, remade(registry, tmp_path, view="short"))) == []


def test_real_documents_and_what_is_made_of_them_say_the_same(shared: Path, tmp_path: Path) -> None:
    """As documents of two releases, and as files."""
    known = corpus(shared / "corpus" / "docs")
    assert len(known) > 20
    for number, (path, registry) in enumerate(sample(known)):
        assert (path, differences(registry, remade(registry, tmp_path))) == (path, [])
        assert (path, breaks(differences(registry, remade(registry, tmp_path, profile="1.0-rc4")))) == (path, [])
        if not xregit.import_documents((path,), tmp_path / str(number)).failed:
            assert (path, differences(registry, xregit.read(tmp_path / str(number)))) == (path, [])


@pytest.mark.parametrize(
    "endpoint",
    [
        "{usage: [producer, consumer], protocol: HTTP, protocoloptions: {endpoints: [{uri: 'https://a.example.com'}]}}",
        "{usage: [producer, subscriber], protocol: MQTT/5.0, protocoloptions: {topic: cars, cleansession: false}}",
        "{usage: [subscriber, producer, consumer], protocol: NATS, protocoloptions: {subject: cars}, channel: c}",
        "{usage: [producer, consumer], messages: {own: {protocol: HTTP}}, protocol: HTTP}",
        "{usage: [consumer], protocol: KAFKA, protocoloptions: {endpoints: [{uri: 'SSL://a:1'}, {uri: 'b:1'}]}}",
    ],
)
def test_an_endpoint_that_a_release_divides_is_the_same(endpoint: str, tmp_path: Path) -> None:
    """Its parts have its usages, and say what it says; nobody has to move."""
    registry = registry_of(tmp_path, {"endpoints/e/endpoint.yaml": endpoint})
    assert breaks(differences(registry, remade(registry, tmp_path, profile="1.0-rc4"))) == []
