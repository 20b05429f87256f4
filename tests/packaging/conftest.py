"""What is built to be installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the source archive and the wheel; building them fetches nothing."""
    folder = tmp_path_factory.mktemp("built")
    build(root, folder)
    return folder


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    """Return the wheel."""
    (result,) = built.glob("*.whl")
    return result


def build(source: Path, folder: Path) -> None:
    """Build both of them from a folder of sources."""
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
