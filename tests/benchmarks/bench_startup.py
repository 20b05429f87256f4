"""How fast the package and the command line start, against a program that imports the two libraries they need."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.ratio import ratio

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

LIMIT = 1.5
BASELINE = ("-c", "import yaml, click")
STARTS = {"import": ("-c", "import xregit"), "help": ("-m", "xregit", "--help")}


@pytest.mark.parametrize("name", STARTS)
def test_start_takes_as_long_as_its_libraries(benchmark: BenchmarkFixture, name: str) -> None:
    """Starting costs at most half as much again as importing yaml and click in a bare interpreter."""
    found = ratio(benchmark, lambda: start(*STARTS[name]), lambda: start(*BASELINE), rounds=21)
    assert found <= LIMIT, f"{name} takes {found:.2f} times as long as {BASELINE[1]!r}, more than {LIMIT}"


def start(*arguments: str) -> None:
    """Start the interpreter once."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
