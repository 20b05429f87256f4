"""Every requirement of the specifications has something that fulfils it and a test that shows it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.conformance.marks import TARGET
from tests.conformance.table import citing_attributes, citing_rules, page, requirements, resolves

APPLICABLE = [row for row in requirements() if row.applies]
PAGE = Path("site/docs/conformance.md")


@pytest.fixture(scope="module")
def tests(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Sequence[str]]:
    """Return requirement → tests that carry it, of the whole suite."""
    target = tmp_path_factory.mktemp("marks") / "marks.json"
    environment = {**os.environ, TARGET: str(target), "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "tests.conformance.marks", "-p", "no:cov"]
    process = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    collected: dict[str, list[str]] = json.loads(target.read_text())
    return collected


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
