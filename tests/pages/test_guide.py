"""What the hand-written pages show as right is right."""

from __future__ import annotations

import re
from pathlib import Path

from xregit.catalog import read_folder
from xregit.diagnostics import Severity
from xregit.rules import check

EXAMPLE = re.compile(r"`registry/(\S+\.(?:yaml|json))`[^\n]*\n\n```(?:yaml|json)\n(.*?)```", re.DOTALL)


def test_authoring_examples_are_a_sound_registry(tmp_path: Path, root: Path) -> None:
    """The files that the authoring guide shows, put together, have no fault and lack nothing."""
    found = dict(EXAMPLE.findall((root / "site/docs/authoring.md").read_text()))
    files = found | {"registry.yaml": "registryid: guide\n"}
    for name, text in files.items():
        path = tmp_path / "registry" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    report = check(read_folder(tmp_path / "registry"))
    assert len(found) >= 8
    assert [item for item in report.diagnostics if item.severity is not Severity.INFO] == []


def test_every_block_of_code_is_one_for_the_site(root: Path) -> None:
    """A fence names a language alone or attributes in braces: the site shows one with other words as text."""
    pages = sorted((root / "site" / "docs").glob("*.md"))
    lines = [(page.name, line) for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    fences = [(name, line) for name, line in lines if line.lstrip().startswith("```")]
    assert [each for each in fences if not re.fullmatch(r"\s*```(\w*|\{[^}]*\})", each[1])] == []
