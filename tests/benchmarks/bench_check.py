"""What checking and compiling 10,000 messages costs after an earlier run, against a run that knows of none."""

from __future__ import annotations

import shutil
from statistics import median
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.measuring import cost
from tests.benchmarks.synthetic import write_registry
from tests.source.repositories import new_repository

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

    from tests.source.repositories import Repository

MESSAGES, CHANGED = 10_000, 5
ROUNDS = 5
# What is allowed of a cold check: of a branch against the one that it left, after one edit, and of the same files.
LIMITS = {"branch": 0.2, "edit": 0.15, "same": 0.15}
# And of a first build, of checking and compiling together: after one edit, after committing it, and of the same files.
OF_BUILD = {"edit": 0.14, "commit": 0.14, "same": 0.12}
# What a check may take of a program that checks and keeps nothing; a check starts the command line, too.
KEEPING = 1.25
CHECK = ("-m", "xregit", "check")
BUILD = ("-m", "xregit", "build", "--only", "check,document")
UNKEPT = """
from datetime import date
import xregit
from xregit.collecting import uncollected
with uncollected():
    registry = xregit.read("registry")
    xregit.check(registry, date.today())
"""
WRITTEN = """
    from pathlib import Path
    from xregit.document import to_bytes
    from xregit.source import writing
    writing.write(Path("build", "registry.json"), to_bytes(xregit.compile(registry)))
"""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return a repository with a branch that changes some of the messages."""
    made = new_repository(tmp_path_factory.mktemp("check") / "repository")
    folder = write_registry(made.root / "registry", MESSAGES)
    made.commit("All messages")
    made.git("checkout", "-q", "-b", "branch")
    for path in sorted(folder.glob("messagegroups/*/messages/*.yaml"))[:: MESSAGES // CHANGED]:
        reword(path, "A sensor", "One sensor")
    made.commit("Some messages")
    return made


@pytest.mark.parametrize("what", LIMITS)
def test_check_after_another(benchmark: BenchmarkFixture, repository: Repository, what: str) -> None:
    """Only what a change may concern is read and checked again; it is the processor's time that counts."""
    root = repository.root
    arguments = (*CHECK, "--against", "main") if what == "branch" else CHECK
    file = min((root / "registry").glob("messagegroups/plant7/messages/*.yaml"))
    ratios = []

    def both() -> None:
        shutil.rmtree(root.parent / "cache", ignore_errors=True)
        cold = seconds(root, CHECK)
        if what == "edit":
            reword(file, "cycle", "whole cycle")
        ratios.append(seconds(root, arguments) / cold)

    seconds(root, CHECK)  # compiles the tool
    benchmark.pedantic(both, rounds=ROUNDS)
    found = median(ratios)
    benchmark.extra_info.update(ratio=found)
    print(f"\n{benchmark.name}: {found:.2f} times its baseline")
    assert found <= LIMITS[what], f"it takes {found:.2f} times as long as a cold check, more than {LIMITS[what]}"


@pytest.mark.parametrize("what", OF_BUILD)
def test_build_after_another(benchmark: BenchmarkFixture, repository: Repository, what: str) -> None:
    """What nothing has happened to is copied from the last document."""
    root = repository.root
    file = min((root / "registry").glob("messagegroups/plant9/messages/*.yaml"))
    ratios = []

    def both() -> None:
        shutil.rmtree(root.parent / "cache", ignore_errors=True)
        cold = seconds(root, BUILD)
        if what != "same":
            reword(file, "cycle", "whole cycle")
        if what == "commit":
            repository.commit("One message")
        ratios.append(seconds(root, BUILD) / cold)

    seconds(root, BUILD)  # compiles the tool
    benchmark.pedantic(both, rounds=ROUNDS)
    found = median(ratios)
    benchmark.extra_info.update(ratio=found)
    print(f"\n{benchmark.name}: {found:.2f} times its baseline")
    assert found <= OF_BUILD[what], f"it takes {found:.2f} times as long as a first build, more than {OF_BUILD[what]}"


@pytest.mark.parametrize(("run", "unkept"), [(CHECK, UNKEPT), (BUILD, UNKEPT + WRITTEN)], ids=["check", "build"])
def test_keeping_costs_little(
    benchmark: BenchmarkFixture, repository: Repository, run: tuple[str, ...], unkept: str
) -> None:
    """A run that knows of none before it takes little longer for what it keeps."""
    root = repository.root
    ratios = []

    def both() -> None:
        shutil.rmtree(root.parent / "cache", ignore_errors=True)
        ratios.append(seconds(root, run) / seconds(root, ("-c", unkept)))

    seconds(root, run)  # compiles the tool
    benchmark.pedantic(both, rounds=ROUNDS)
    found = median(ratios)
    benchmark.extra_info.update(ratio=found)
    print(f"\n{benchmark.name}: {found:.2f} times its baseline")
    assert found <= KEEPING, f"it takes {found:.2f} times as long as one that keeps nothing, more than {KEEPING}"


def reword(path: Path, old: str, new: str) -> None:
    """Replace words in a file."""
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def seconds(root: Path, program: tuple[str, ...]) -> float:
    """Return the processor's time of a program in a repository; it finds what users have from earlier runs."""
    places = {"PYTHONPYCACHEPREFIX": str(root.parent / "compiled"), "XDG_CACHE_HOME": str(root.parent / "cache")}
    return cost(program, root, {"PYTHONDONTWRITEBYTECODE": "", **places}).seconds
