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

LIMIT = 1.5
HALF_A_SECOND, ROUNDS = 0.5, 5
BASELINE = ("-c", "import yaml, click")
STARTS = {"import": ("-c", "import xregit"), "help": ("-m", "xregit", "--help")}


@pytest.mark.parametrize("name", STARTS)
def test_start_takes_as_long_as_its_libraries(benchmark: BenchmarkFixture, name: str) -> None:
    """Starting costs at most half as much again as importing yaml and click in a bare interpreter."""
    result = ratio(benchmark, lambda: start(*STARTS[name]), lambda: start(*BASELINE), rounds=21)
    assert result <= LIMIT, f"{name} takes {result:.2f} times as long as {BASELINE[1]!r}, more than {LIMIT}"


def test_check_takes_less_than_half_a_second(root: Path, tmp_path: Path) -> None:
    """Checking the example catalog takes less than half a second of processor time."""
    compiled = {"PYTHONPYCACHEPREFIX": str(tmp_path / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    spent = [cost(("-m", "xregit", "check"), root, compiled).seconds for _ in range(ROUNDS + 1)][1:]
    print(f"\ncheck of the example: {median(spent):.2f} s")
    assert median(spent) < HALF_A_SECOND


def start(*arguments: str) -> None:
    """Start the interpreter once."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
