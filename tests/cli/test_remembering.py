"""What a run keeps for the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.synthetic import write_registry
from tests.source.repositories import new_repository
from xregit.cli.remembering import FEW_FILES, FINDINGS, VALUES, place
from xregit.cli.running import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_large_registry_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two runs say the same; the first keeps what it has parsed, in the folder that the user names for caches."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    repository = new_repository(tmp_path / "repository")
    folder = write_registry(repository.root / "registry", FEW_FILES)
    repository.commit("Begin")
    monkeypatch.chdir(repository.root)
    outputs = []
    for _ in range(2):
        assert run(["check", "--against", "main"]) == 0
        outputs.append(capsys.readouterr().out)
        assert place(folder, VALUES).is_relative_to(tmp_path / "cache")
        assert place(folder, VALUES).is_file()
        assert place(folder, FINDINGS).is_file()
    assert outputs == ["Nothing found.\n"] * 2


def test_small_registry_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few files are parsed sooner than they are worth keeping."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert run(["init", "new"]) == 0
    assert run(["--registry", "new/registry", "check"]) == 0
    assert not (tmp_path / "cache").exists()
