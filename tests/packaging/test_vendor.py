"""The libraries that the map loads are the files of npm's packages, byte by byte."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

VENDOR = "tools/xregit/pages/assets/vendor"


@pytest.mark.skipif(shutil.which("npm") is None, reason="that takes npm; .ci/debian installs it")
def test_libraries_are_those_of_npm(root: Path, tmp_path: Path) -> None:
    """Nobody has changed a library, and its version is the one that .ci/vendor names."""
    subprocess.run([root / ".ci/vendor", tmp_path / "vendor"], check=True, capture_output=True)
    expected = {path.name: path.read_bytes() for path in (tmp_path / "vendor").iterdir()}
    assert {path.name: path.read_bytes() for path in (root / VENDOR).iterdir()} == expected
