"""A catalog and the document that it compiles to are judged alike."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rules.examples import TODAY, example
from xregit.catalog import Registry, read_folder
from xregit.catalog.settings import Settings
from xregit.document import compile_document, read_document, to_bytes
from xregit.rules import RULES, Rule, check

# Faults that a document can't have, and why.
MENDED = {
    "unknown-rule": "settings are no part of a document",
    "domainlabel-not-found": "settings are no part of a document",
    "pattern-without-match": "settings are no part of a document",
    "unknown-rule-waived": "neither are waivers",
    "waiver-without-effect": "neither are waivers",
    "group-without-owner": "a document has no files that one could own",
    "malformed-id": "an entity whose id is a path is left out",
    "xref-with-other-attributes": "of an alias only the reference is written",
    "protocol-without-version": "protocols are written in their canonical spelling",
    "envelope-without-version": "so are envelopes",
    "channel-without-name": "an empty channel is left out",
    "two-documents": "a version's document is written once",
    "defaultversionid-not-found": "the version that is the default in fact is written",
    "invalid-under-another-name": "names are written with their hyphens, so that it is an invalid-attribute",
    "option-under-two-names": "of two values the one under the model's name is written",
    "attribute-among-options": "declarations of attributes are written where they belong",
    "format-in-binary-mode": "a format that means nothing is left out",
}


def as_document(registry: Registry, folder: Path) -> Registry:
    """Compile a registry, and read the document, with the severities that are set for the registry."""
    file = folder / "registry.json"
    file.write_bytes(to_bytes(compile_document(registry)))
    paths = tuple(scope for scope in registry.settings.paths if scope.pattern.startswith("/"))
    settings = Settings(rules=registry.settings.rules, paths=paths)
    return replace(read_document(file), settings=settings)


def wrong(registry: Registry, folder: Path) -> list[str]:
    """Return what is wrong with the document of a registry, without what comments in the files accept."""
    comments = " ".join(item.text for listed in registry.directives.values() for item in listed)
    diagnostics = check(as_document(registry, folder), TODAY).diagnostics
    return [str(item) for item in diagnostics if item.rule not in comments]


def test_document_of_the_example_catalog_has_nothing_wrong(root: Path, tmp_path: Path) -> None:
    """What is right as files is right as a document."""
    assert wrong(read_folder(root / "registry"), tmp_path) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_document_of_a_good_example_has_nothing_wrong(rule: Rule, tmp_path: Path) -> None:
    """So it is for what each rule recommends."""
    assert wrong(example(rule.name, "Good").registry(tmp_path), tmp_path) == []


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.check], ids=lambda rule: rule.name)
def test_document_of_a_bad_example_has_the_same_faults(rule: Rule, tmp_path: Path) -> None:
    """What compiling does not mend is found in the document as in the files."""
    registry = example(rule.name, "Bad").registry(tmp_path)
    result = Counter(
        item.rule for item in check(as_document(registry, tmp_path), TODAY).diagnostics if item.rule == rule.name
    )
    due = Counter(item.rule for item in check(registry, TODAY).diagnostics if item.rule == rule.name)
    assert (result != due) == (rule.name in MENDED)
