"""What ruff, mypy and import-linter can not say of the code and the repository."""

from __future__ import annotations

import re
from pathlib import Path

from git import Repo

# What stands at the top, besides files and folders whose names begin with a dot.
TOP = {"LICENSE", "README.md", "pyproject.toml", "registry", "site", "tests", "tools"}

# Python 3.11.4 and older forget to step back where a group fails that is repeated possessively (gh-106052): (?:ab)*+
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+(?!,)")


def test_patterns_mean_the_same_in_every_python(root: Path) -> None:
    """A possessive quantifier stands after one character or set; a group is written ``(?>(?:…)*)``."""
    files = {path: path.read_text() for path in (root / "tools").rglob("*.py")}
    assert [path for path, text in files.items() if POSSESSIVE_GROUP.search(text)] == []


def test_nothing_else_stands_at_the_top(root: Path) -> None:
    """No folder that was made to try something is in the repository."""
    with Repo(root) as repo:
        names = {path.partition("/")[0] for path in repo.git.ls_files().splitlines()}
    assert {name for name in names if not name.startswith(".")} == TOP
