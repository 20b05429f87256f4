"""The guide's walk through a broker, as a reader would copy it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ports import HOST
from tests.waiting import PATIENCE_SECONDS

PROGRAMS = ("bash", "jq", "mosquitto_pub", "mosquitto_sub")


def block(text: str, language: str) -> str:
    """Return the first block of a language in a page."""
    result = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert result
    return result[1]


@pytest.mark.smoke
def test_message_is_recognised_as_the_guide_says(root: Path, tmp_path: Path, mosquitto: int) -> None:
    """The lines of the page on brokers, run one after the other, print what the page says that they print."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not here; .ci/debian installs them")
    page = (root / "site" / "manual" / "brokers.md").read_text(encoding="utf-8")
    (tmp_path / "registry").symlink_to(root / "registry")
    script = "set -euo pipefail\n" + block(page, "sh").replace("-h localhost", f"-h {HOST} -p {mosquitto}")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == block(page, "json")
