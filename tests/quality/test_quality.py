"""The tools that read the code, run as tests, so that one command runs everything."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", TOOLS)
def test_tool_finds_nothing(name: str, root: Path) -> None:
    """The tool has nothing to say about the code of this repository."""
    process = subprocess.run(TOOLS[name], cwd=root, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr


def test_nothing_else_stands_at_the_top(root: Path) -> None:
    """No folder that was made to try something is in the repository."""
    with Repo(root) as repo:
        names = {path.partition("/")[0] for path in repo.git.ls_files().splitlines()}
    assert {name for name in names if not name.startswith(".")} == TOP
