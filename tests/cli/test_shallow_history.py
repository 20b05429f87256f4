"""What is said where epochs and times can't come from the whole history."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.source.repositories import new_repository
from xregit.cli.runner import run


def repository(folder: Path) -> Path:
    """Make a repository whose registry.yaml was written in one commit and changed in another."""
    result = new_repository(folder)
    for name in ("One", "Two"):
        result.commit(name, **{"registry/registry.yaml": f"registryid: test\nname: {name}\n"})
    return folder / "registry"


def compiled(registry: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return the registry's epoch in the compiled document, and what was said beside."""
    capsys.readouterr()
    assert run(["--registry", str(registry), "compile"]) == 0
    output, errors = capsys.readouterr()
    return json.loads(output)["epoch"], errors


def test_whole_history_leaves_no_doubt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The epoch is the number of commits that touched the file."""
    assert compiled(repository(tmp_path / "whole"), capsys) == (2, "")


def test_shallow_clone_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A clone without its past says what helps."""
    repository(tmp_path / "whole")
    clone: list[str | Path] = ["git", "clone", "-q", "--depth", "1", f"file://{tmp_path}/whole", tmp_path / "shallow"]
    subprocess.run(clone, check=True)
    epoch, said = compiled(tmp_path / "shallow" / "registry", capsys)
    assert epoch == 1
    assert '"git fetch --unshallow" brings the rest, in a workflow "fetch-depth: 0" for actions/checkout' in said


def test_folder_outside_git_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without Git there are no times to tell."""
    registry = tmp_path / "registry"
    registry.mkdir()
    (registry / "registry.yaml").write_text("registryid: test\n", encoding="utf-8")
    epoch, said = compiled(registry, capsys)
    assert epoch == 1
    assert "not in a Git repository" in said
