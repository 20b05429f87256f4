"""The tools that read the code, run as tests, so that one command runs everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = sys.executable
TOOLS = {
    "style": (PYTHON, "-m", "ruff", "check", "--quiet"),
    "format": (PYTHON, "-m", "ruff", "format", "--check", "--quiet"),
    "types": (PYTHON, "-m", "mypy"),
    "floors": (str(Path(PYTHON).with_name("lint-imports")),),
}


@pytest.mark.parametrize("name", TOOLS)
def test_tool_finds_nothing(name: str, root: Path) -> None:
    """The tool has nothing to say about the code of this repository."""
    done = subprocess.run(TOOLS[name], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
