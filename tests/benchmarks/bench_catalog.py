"""What checking and compiling a large catalog costs, against libyaml composing the same files."""

from __future__ import annotations

import shutil
from statistics import median
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.measurement import cost
from tests.benchmarks.synthetic import write_registry
from tests.source.repositories import new_repository

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

MESSAGES = 10_000
ROUNDS = 5
# What both may take, as multiples of the floor; the middle of five pairs varies by a tenth.
AIM, LIMIT = 1.5, 1.6

COMPOSE = """
import yaml
from pathlib import Path
for path in Path("registry").rglob("*.yaml"):
    yaml.compose(path.read_bytes(), Loader=yaml.CSafeLoader)
"""
CHECK_AND_COMPILE = """
import xregit
registry = xregit.read("registry")
report = xregit.check(registry)
assert not report.diagnostics, report.diagnostics[:3]
xregit.compile(registry)
"""
# The command writes 45 MB and what later runs ask for, and passes over the end of the interpreter.
PROGRAMS = {
    "the floor": ("-c", COMPOSE),
    "one process": ("-c", CHECK_AND_COMPILE),
    "the command": ("-m", "xregit", "build", "--only", "check,document"),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the catalog into a Git repository of one commit, and return its root."""
    made = new_repository(tmp_path_factory.mktemp("catalog") / "repository")
    write_registry(made.root / "registry", MESSAGES)
    made.commit("All messages")
    return made.root


def test_check_and_compile_take_a_few_times_what_parsing_takes(benchmark: BenchmarkFixture, root: Path) -> None:
    """Reading, checking and compiling, cold, in one process and as a command, take little more than composing YAML."""
    spent: dict[str, list[float]] = {name: [] for name in PROGRAMS}

    def all_in_turn() -> None:
        for name, program in PROGRAMS.items():
            spent[name].append(seconds(root, program))

    for program in PROGRAMS.values():
        seconds(root, program)  # compiles the tool
    benchmark.pedantic(all_in_turn, rounds=ROUNDS)
    found = {name: median(map(float.__truediv__, times, spent["the floor"])) for name, times in spent.items()}
    benchmark.extra_info.update({name: median(times) for name, times in spent.items()}, ratio=found["one process"])
    for name, times in spent.items():
        print(f"\n{name}: {median(times):.2f} s, {found[name]:.2f} times the floor", end="")
    print(f"; the aim is {AIM}")
    slow = {name: round(times, 2) for name, times in found.items() if times > LIMIT}
    assert not slow, f"more than {LIMIT} times the floor: {slow}"


def seconds(root: Path, program: tuple[str, ...]) -> float:
    """Return the processor's time of a program in the repository."""
    shutil.rmtree(root / "build", ignore_errors=True)
    compiled = {"PYTHONPYCACHEPREFIX": str(root.parent / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    return cost(program, root, compiled).seconds
