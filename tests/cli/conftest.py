"""A new registry, which commands are run in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from xregit.cli.runner import run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Make a new registry with ``init`` and go there; as in a fresh clone of it, nothing is built yet."""
    monkeypatch.chdir(tmp_path)
    assert run(["init"]) == 0
    shutil.rmtree(tmp_path / "build")
    capsys.readouterr()
    return tmp_path
