"""What a run keeps for the next one."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.synthetic import PREFIX, write_registry
from tests.source.repositories import new_repository
from xregit.cli.remembering import FINDINGS, MIN_VALUES_TO_KEEP, VALUES, place
from xregit.cli.repeating import MIN_FILES_TO_KEEP
from xregit.cli.running import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.mark.parametrize("what", [("check", FINDINGS, MIN_FILES_TO_KEEP), ("diff", VALUES, MIN_VALUES_TO_KEEP)])
def test_registry_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], what: tuple[str, str, int]
) -> None:
    """Two runs say the same; the first keeps what it has found or parsed, where the user wants caches to be."""
    command, kept, count = what
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    repository = new_repository(tmp_path / "repository")
    folder = write_registry(repository.root / "registry", count)
    repository.commit("Begin")
    monkeypatch.chdir(repository.root)
    outputs = []
    for _ in range(2):
        assert run([command, *(["main"] if command == "diff" else ["--against", "main"])]) == 0
        outputs.append(capsys.readouterr().out)
        assert [path.relative_to(tmp_path / "cache") for path in files_in(tmp_path / "cache")] == [
            place(folder, kept).relative_to(tmp_path / "cache")
        ]
    assert outputs[0] == outputs[1]


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder and its folders."""
    return [path for path in folder.rglob("*") if path.is_file()]


def test_small_registry_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few files are checked sooner than they are worth keeping."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert run(["init", "new"]) == 0
    assert run(["--registry", "new/registry", "check"]) == 0
    assert not (tmp_path / "cache").exists()


LOADED = """
import sys
from xregit.cli.running import run
code = run(["check"])
print(code, "jsonschema_rs" in sys.modules)
"""


def test_schema_is_read_where_no_run_has_found_it_right(tmp_path: Path) -> None:
    """What reads schemas is loaded for those that are new."""
    folder = write_registry(tmp_path / "registry", MIN_FILES_TO_KEEP)
    file = folder / "messagegroups" / "plant0" / "messages" / f"{PREFIX}0.yaml"
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    said = []
    for old, new in (("", ""), ("A sensor", "One sensor"), ("type: number", "type: integer"), ("integer", "whole")):
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        program = [sys.executable, "-c", LOADED]
        done = subprocess.run(program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        said.append(done.stdout.splitlines()[-1])
    assert said == ["0 True", "0 False", "0 True", "1 True"]


def edits(folder: Path) -> Iterator[str]:
    """Make one change after the other, and say what each is."""
    first = folder / "messagegroups" / "plant0" / "messages"
    file = first / f"{PREFIX}0.yaml"
    yield "none"
    before = file.stat()
    file.write_text(file.read_text(encoding="utf-8").replace("A sensor", "1 sensor"), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    yield "same size and time"
    (first / f"{PREFIX}5.yaml").rename(first / "renamed.yaml")
    (folder / "messagegroups" / "plant1" / "messagegroup.yaml").write_text("envelope: CloudEvents/1.0\n")
    yield "renamed, and a group"
    file.write_text(file.read_text(encoding="utf-8") + "# xregit: ignore-file unknown-rule -- why\nnew: [\n")
    yield "comment and broken"


# What becomes of the files between two runs.
DAMAGE: list[Callable[[bytes], bytes]] = [bytes, bytes, lambda data: data[: len(data) // 2], lambda _: b"xregit\n{}"]


def test_runs_say_the_same_whatever_was_kept(tmp_path: Path) -> None:
    """After each edit, two runs at once that know of earlier ones, or of damaged ones, say what one alone does."""
    repository = new_repository(tmp_path / "repository")
    folder = write_registry(repository.root / "registry", MIN_VALUES_TO_KEEP)
    repository.commit("Begin")
    for edit, damage in zip(edits(folder), DAMAGE, strict=True):
        for file in (tmp_path / "cache").rglob("*"):
            if file.is_file():
                file.write_bytes(damage(file.read_bytes()))
        runs = [started(repository.root, tmp_path / name) for name in ("cache", "cache", edit)]
        known, twin, fresh = [(run.communicate(), run.returncode) for run in runs]
        assert known == twin == fresh, edit


def started(repository: Path, cache: Path) -> subprocess.Popen[str]:
    """Begin a check of a repository's registry, in an interpreter of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "xregit", "check", "--against", "main", "--format", "json"],
        cwd=repository,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
