"""Commands run as a user runs them, in a process of their own that may talk to no other host."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

from tests.source.repositories import Repository, new_repository

OFFLINE = Path(__file__).parent / "offline"


def python(*arguments: str, at: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder and return what it printed; what it turns to outside this machine ends it."""
    result = os.pathsep.join([str(OFFLINE), *(path for path in sys.path if path)])
    environment = {**os.environ, "PYTHONPATH": result, **variables}
    return subprocess.run(
        [sys.executable, *arguments], cwd=at, env=environment, capture_output=True, text=True, check=False
    )


def xregit(*arguments: str, at: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder and return what it printed."""
    return python("-m", "xregit", *arguments, at=at, **variables)


def cloned(root: Path, into: Path) -> Repository:
    """Return a repository of one commit that holds the example catalog and the site's own pages."""
    repository = new_repository(into)
    copytree(root / "registry", into / "registry")
    copytree(root / "site", into / "site")
    repository.commit("Begin")
    return repository
