"""The tools that read the code, run as tests, so that one command runs everything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from git import Repo

PYTHON = sys.executable
TOOLS = {
    "style": (PYTHON, "-m", "ruff", "check", "--quiet"),
    "format": (PYTHON, "-m", "ruff", "format", "--check", "--quiet"),
    "types": (PYTHON, "-m", "mypy"),
    "floors": (str(Path(PYTHON).with_name("lint-imports")),),
}

# What stands at the top, besides files and folders whose names begin with a dot.
TOP = {"LICENSE", "README.md", "pyproject.toml", "registry", "site", "tests", "tools"}

# Python 3.11.4 and older forget to step back where a group fails that is repeated possessively (gh-106052): (?:ab)*+
POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+(?!,)")


@pytest.mark.parametrize("name", TOOLS)
def test_tool_finds_nothing(name: str, root: Path) -> None:
    """The tool has nothing to say about the code of this repository."""
    process = subprocess.run(TOOLS[name], cwd=root, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr


def test_patterns_mean_the_same_in_every_python(root: Path) -> None:
    """A possessive quantifier stands after one character or set; a group is written ``(?>(?:…)*)``."""
    files = {path: path.read_text() for path in (root / "tools").rglob("*.py")}
    assert [path for path, text in files.items() if POSSESSIVE_GROUP.search(text)] == []


def test_nothing_else_stands_at_the_top(root: Path) -> None:
    """No folder that was made to try something is in the repository."""
    with Repo(root) as repo:
        names = {path.partition("/")[0] for path in repo.git.ls_files().splitlines()}
    assert {name for name in names if not name.startswith(".")} == TOP
