"""A catalog and the document that it compiles to are judged alike."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.rules.examples import example
from xregit.catalog import read_folder
from xregit.document import compile_document, read_document, to_bytes
from xregit.rules import RULES, Rule, check

if TYPE_CHECKING:
    from pathlib import Path

    from xregit.catalog import Registry

# Faults that a document can't have, and why.
MENDED = {
    "unknown-rule": "settings are no part of a document",
    "malformed-id": "an entity whose id is a path is left out",
    "xref-with-other-attributes": "of an alias only the reference is written",
    "protocol-without-version": "protocols are written in their canonical spelling",
    "two-documents": "a version's document is written once",
    "defaultversionid-not-found": "the version that is the default in fact is written",
}


def as_document(registry: Registry, folder: Path) -> Registry:
    """Compile a registry, and read the document."""
    file = folder / "registry.json"
    file.write_bytes(to_bytes(compile_document(registry)))
    return read_document(file)


def test_document_of_the_example_catalog_has_nothing_wrong(root: Path, tmp_path: Path) -> None:
    """What is right as files is right as a document."""
    document = as_document(read_folder(root / "registry"), tmp_path)
    assert [str(item) for item in check(document).diagnostics] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_document_of_a_good_example_has_nothing_wrong(rule: Rule, tmp_path: Path) -> None:
    """So it is for what each rule recommends."""
    document = as_document(example(rule.name, "Good").registry(tmp_path), tmp_path)
    assert [str(item) for item in check(document).diagnostics] == []


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.check], ids=lambda rule: rule.name)
def test_document_of_a_bad_example_has_the_same_faults(rule: Rule, tmp_path: Path) -> None:
    """What compiling does not mend is found in the document as in the files."""
    registry = example(rule.name, "Bad").registry(tmp_path)
    found = Counter(item.rule for item in check(as_document(registry, tmp_path)).diagnostics if item.rule == rule.name)
    due = Counter(item.rule for item in check(registry).diagnostics if item.rule == rule.name)
    assert (found != due) == (rule.name in MENDED)
