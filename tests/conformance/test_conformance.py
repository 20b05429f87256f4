"""Every requirement of the specifications has something that fulfils it and a test that shows it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.collection import COLLECTED
from tests.conformance.table import citing_attributes, citing_rules, page, requirements, resolves

APPLICABLE = [row for row in requirements() if row.applies]
PAGE = Path("site/manual/conformance.md")


@pytest.fixture(scope="module")
def tests(request: pytest.FixtureRequest, root: Path) -> Mapping[str, Sequence[str]]:
    """Return requirement → tests that carry it, each by its function; it takes a run that has collected all tests."""
    collected = request.config.stash[COLLECTED]
    if {item.path for item in collected} != set((root / "tests").rglob("test_*.py")):
        pytest.skip("only a run of the whole suite knows which tests show a requirement")
    shown: dict[str, set[str]] = defaultdict(set)
    for item in collected:
        for mark in item.iter_markers("requirement"):
            for requirement in mark.args:
                shown[requirement].add(item.nodeid.split("[", 1)[0])
    return {requirement: sorted(names) for requirement, names in shown.items()}


def test_every_applicable_requirement_has_a_test(tests: Mapping[str, Sequence[str]]) -> None:
    """No row of the table is empty where a registry of files can fulfil it."""
    assert [row.id for row in APPLICABLE if not tests.get(row.id)] == []


def test_every_applicable_requirement_is_fulfilled_by_something() -> None:
    """A rule, an attribute of the model or a function stands for each."""
    cited = {*citing_rules(), *citing_attributes()}
    assert [row.id for row in APPLICABLE if not row.by and row.id not in cited] == []


def test_what_does_not_apply_says_why() -> None:
    """What only a live server can do has its reason, and nothing else is left out."""
    assert all(row.why_not for row in requirements() if not row.applies)
    assert not any(row.why_not for row in APPLICABLE)


def test_functions_exist() -> None:
    """What the table names is there."""
    assert [name for row in requirements() for name in row.by if not resolves(name)] == []


def test_only_known_requirements_are_cited(tests: Mapping[str, Sequence[str]]) -> None:
    """No rule, model file or test names a requirement that doesn't exist."""
    known = {row.id for row in requirements()}
    assert {*citing_rules(), *citing_attributes(), *tests} - known == set()


def test_table_is_complete(shared: Path) -> None:
    """It has the rows of the shared table, no more and no fewer."""
    text = (shared / "spec" / "requirements.md").read_text(encoding="utf-8")
    assert [row.id for row in requirements()] == re.findall(r"^\| ((?:MSG|M05|EP|CEM)-[0-9]+) \|", text, re.MULTILINE)


def test_page_is_current(
    root: Path, tests: Mapping[str, Sequence[str]], golden: Callable[[str | Path, str | bytes], None]
) -> None:
    """The page of the site is the one that this code writes."""
    golden(root / PAGE, page(tests))
