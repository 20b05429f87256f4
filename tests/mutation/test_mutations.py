"""Hundreds of wrong catalogs, with one fault each: what is found, where, by which rule, and that nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from tests.mutation import families
from tests.mutation.mutations import CASES, Contents, Fault, by_hand, contents_of
from tests.sizes import EVERY, FULL, sample
from xregit.catalog import read_contents
from xregit.rules import check

ROOT = Path("/catalog/registry")
TODAY = date(2026, 6, 1)
MIN_FAULTS, MIN_FOUND = 500, 0.98 if FULL else 0.95  # a sample may hold more of the known misses
KINDS = (
    *(families.misspelled_keys, families.wrong_types, families.dangling_references),
    *(families.misspelled_keywords, families.odd_characters),
)
# How many files of the large catalog lie between two that are broken.
STEP = 60


@pytest.fixture(scope="module")
def small() -> Contents:
    """Return the files of a small catalog that has a bit of everything."""
    return contents_of(CASES / "catalog")


@pytest.fixture(scope="module")
def large(root: Path) -> Contents:
    """Return the files of the example catalog."""
    return contents_of(root / "registry")


def findings(contents: Contents) -> list[tuple[str, str, int]]:
    """Return rule, file and line of everything that is found."""
    diagnostics = check(read_contents(ROOT, contents), TODAY).diagnostics
    return [(item.rule, item.path.removeprefix("registry/"), item.line) for item in diagnostics]


def missed(contents: Contents, faults: list[Fault]) -> list[str]:
    """Return for each fault of which anything but the one finding is reported what was due, and what is there."""
    reports = ((fault, findings(fault.made(contents))) for fault in faults)
    return [
        f"{fault.name}: due {(fault.rule, fault.file, fault.line)}, found {report}"
        for fault, report in reports
        if report != [(fault.rule, fault.file, fault.line)]
    ]


def of_small(contents: Contents) -> list[Fault]:
    """Return the faults of the small catalog, or a sample: those that were thought of, and all of each kind."""
    every = [fault for kind in KINDS for fault in kind(contents)]
    return list(sample([*by_hand(contents), *every, *families.broken_texts(contents, 3)]))


def of_large(contents: Contents) -> list[Fault]:
    """Return some faults of the example catalog, the same each time."""
    return list(sample([fault for kind in KINDS for fault in list(kind(contents))[::STEP]]))


def test_catalogs_without_the_faults_are_right(small: Contents, large: Contents) -> None:
    """What is found is there because of the fault."""
    assert findings(small) == []
    assert findings(large) == []


def test_faults_are_found_where_they_are(small: Contents, record_property: Callable[[str, object], None]) -> None:
    """At least 98 of 100 are found in the right line by the right rule and nothing else is; no check ends early."""
    faults = of_small(small)
    assert len(faults) >= MIN_FAULTS // EVERY
    wrong = missed(small, faults)
    record_property("found", f"{len(faults) - len(wrong)} of {len(faults)}")
    assert 1 - len(wrong) / len(faults) >= MIN_FOUND, "\n".join(wrong)


@pytest.mark.long
def test_faults_are_found_in_a_large_catalog(large: Contents, record_property: Callable[[str, object], None]) -> None:
    """Among many messages, endpoints and schemas that are right it is the same."""
    faults = of_large(large)
    wrong = missed(large, faults)
    record_property("found", f"{len(faults) - len(wrong)} of {len(faults)}")
    assert 1 - len(wrong) / len(faults) >= MIN_FOUND, "\n".join(wrong)
