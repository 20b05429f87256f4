"""How fast the package and the command line start, against a program that imports the two libraries they need."""

from __future__ import annotations

import shutil
import subprocess
import sys
from statistics import median
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.measuring import cost
from tests.benchmarks.ratio import ratio
from tests.source.repositories import new_repository

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

LIMIT = 1.5
HALF_A_SECOND, ROUNDS = 0.5, 5
BASELINE = ("-c", "import yaml, click")
STARTS = {"import": ("-c", "import xregit"), "help": ("-m", "xregit", "--help")}


@pytest.mark.parametrize("name", STARTS)
def test_start_takes_as_long_as_its_libraries(benchmark: BenchmarkFixture, name: str) -> None:
    """Starting costs at most half as much again as importing yaml and click in a bare interpreter."""
    found = ratio(benchmark, lambda: start(*STARTS[name]), lambda: start(*BASELINE), rounds=21)
    assert found <= LIMIT, f"{name} takes {found:.2f} times as long as {BASELINE[1]!r}, more than {LIMIT}"


def test_check_of_one_file_takes_less_than_half_a_second(root: Path, tmp_path: Path) -> None:
    """Checking one message of the example catalog takes less than half a second of processor time, nothing kept."""
    (file, *_) = sorted((root / "registry" / "messagegroups").glob("*/messages/*.yaml"))
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")}
    program = ("-m", "xregit", "check", str(file))
    spent = [cost(program, root, {**cache, "PYTHONDONTWRITEBYTECODE": ""}).seconds for _ in range(ROUNDS + 1)][1:]
    print(f"\ncheck of one file: {median(spent):.2f} s")
    assert median(spent) < HALF_A_SECOND


@pytest.mark.parametrize("arguments", [("check",), ("check", "--against", "HEAD")], ids=" ".join)
def test_check_after_another_takes_less_than_half_a_second(
    root: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Checking the example catalog again, with one message edited each time, takes less than half a second."""
    repository = new_repository(tmp_path / "repository")
    shutil.copytree(root / "registry", repository.root / "registry")
    repository.commit("Begin")
    environment = {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPYCACHEPREFIX": str(tmp_path / "compiled"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    file = min((repository.root / "registry").glob("messagegroups/shops.sales/messages/*.yaml"))
    first = cost(("-m", "xregit", "check"), repository.root, environment).seconds
    spent = []
    for number in range(ROUNDS + 1):
        with file.open("a", encoding="utf-8") as end:
            end.write(f"# Edit {number}\n")
        spent.append(cost(("-m", "xregit", *arguments), repository.root, environment).seconds)
    print(f"\n{' '.join(arguments)} after an edit: {median(spent[1:]):.2f} s; a first check: {first:.2f} s")
    assert median(spent[1:]) < HALF_A_SECOND


def start(*arguments: str) -> None:
    """Start the interpreter once."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
