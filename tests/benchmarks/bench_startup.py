"""How fast the package and the command line start, against a program that imports the two libraries they need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.measurement import cost
from tests.benchmarks.ratio import ratio

ROUNDS = 5
BASELINE = ("-c", "import yaml, click")
STARTS = {"import": ("-c", "import xregit"), "help": ("-m", "xregit", "--help")}


@pytest.mark.parametrize("name", STARTS)
def test_start_against_its_libraries(benchmark: BenchmarkFixture, name: str) -> None:
    """Starting, against importing yaml and click in a bare interpreter."""
    ratio(benchmark, lambda: start(*STARTS[name]), lambda: start(*BASELINE), rounds=21)


def test_check_of_the_example(root: Path, tmp_path: Path) -> None:
    """The processor time that checking the example catalog takes."""
    compiled = {"PYTHONPYCACHEPREFIX": str(tmp_path / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    spent = [cost(("-m", "xregit", "check"), root, compiled).seconds for _ in range(ROUNDS + 1)][1:]
    print(f"\ncheck of the example: {median(spent):.2f} s")


def start(*arguments: str) -> None:
    """Start the interpreter once."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
