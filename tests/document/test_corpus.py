"""Real documents that others wrote: each is imported without loss, or refused with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.document.small import tree
from xregit.diagnostics import Severity
from xregit.document import compile_document, import_documents, load, read_document, to_bytes
from xregit.model import canonical
from xregit.rules import check
from xregit.source import json, yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REFUSALS = {"unknown-dialect", "unknown-group-type", "conflicting-names", "json-syntax"}
# What a server makes, and what our own form leaves out or spells in another way on purpose.
LEFT_OUT = {"$schema", "specversion", "epoch", "createdat", "modifiedat", "self", "xid", "id", "messageid", "schemaid"}
LEFT_OUT |= {"messagegroupid", "schemagroupid", "endpointid", "versionid", "schema", "dataschema"}

# A declaration that says no more than the option's own type becomes the bare value.
OWN_TYPES = {"boolean", "integer", "uritemplate"}


@pytest.fixture(scope="module")
def documents(shared: Path) -> list[Path]:
    """Return all documents of the corpus."""
    return sorted(path for path in (shared / "corpus" / "docs").rglob("*") if path.is_file())


def leaves(value: Any) -> Iterator[str]:
    """Give every single value as a text that is the same in every dialect."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in LEFT_OUT:
                yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif value not in {None, "None"}:
        text = str(value).removeprefix("#")
        for selector in ("protocol", "envelope", "format"):
            text = canonical(selector, text)
        yield text


def entities(document: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Give every group without its resources, and every resource, by their ids."""
    for groups, resources in (("messagegroups", "messages"), ("endpoints", "messages"), ("schemagroups", "schemas")):
        for gid, group in (document.get(groups) or {}).items():
            yield (f"{groups}/{gid}", ""), {name: value for name, value in group.items() if name != resources}
            for rid, resource in (group.get(resources) or {}).items():
                yield (f"{groups}/{gid}", rid), resource


def lost(before: Any, after: Any) -> dict[tuple[str, str], set[str]]:
    """Return the values of a document's entities that the same entities of another one don't have."""
    there = dict(entities(after))
    missing = {key: {*leaves(entity)} - {*leaves(there.get(key))} - OWN_TYPES for key, entity in entities(before)}
    return {key: values for key, values in missing.items() if values}


@pytest.mark.requirement("MSG-11", "EP-1", "M05-2")
def test_nothing_is_lost(documents: list[Path], tmp_path: Path) -> None:
    """Every value of every document that is imported is in the document that is compiled from the files."""
    imported = 0
    for number, path in enumerate(documents):
        registry = tmp_path / str(number) / "registry"
        report = import_documents([path], registry)
        errors = [item for item in report.diagnostics if item.severity is Severity.ERROR]
        if errors:
            assert {item.rule for item in errors} <= REFUSALS, path
            continue
        imported += 1
        language = yaml if path.suffix == ".yaml" else json
        before = language.parse(path.read_bytes()).value
        assert lost(before, compile_document(load(registry))) == {}, path
    assert imported > 100


def test_real_documents_go_round(documents: list[Path], tmp_path: Path) -> None:
    """All documents of one collection together: import, compile and import again gives the same files."""
    together = [path for path in documents if "real-time-sources" in path.parts]
    report = import_documents(together, tmp_path / "one" / "registry")
    assert not report.failed
    (tmp_path / "one.json").write_bytes(to_bytes(compile_document(load(tmp_path / "one" / "registry"))))
    import_documents([tmp_path / "one.json"], tmp_path / "two" / "registry")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    assert import_documents(together, tmp_path / "one" / "registry").files == ()


def test_every_document_can_be_checked(documents: list[Path]) -> None:
    """Reading and checking a real document ends in a report, whatever is wrong with it."""
    for path in documents:
        assert all(item.message for item in check(read_document(path)).diagnostics)
