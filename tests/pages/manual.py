"""The manual of xregit, built as its workflow builds it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def build_manual(out: Path) -> None:
    """Build the manual into a folder; a link that leads nowhere fails."""
    command = (sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-f", "site/manual.yml", "-d", str(out))
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "true", "SITE_URL": ""}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
