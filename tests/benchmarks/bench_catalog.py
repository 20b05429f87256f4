"""How long checking and compiling a large catalog takes, against libyaml composing the same files."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.ratio import ratio
from tests.benchmarks.synthetic import write_registry

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

MESSAGES = 10_000
LIMIT = 2.0

COMPOSE = """
import sys, yaml
from pathlib import Path
for path in Path(sys.argv[1]).rglob("*.yaml"):
    yaml.compose(path.read_bytes(), Loader=yaml.CSafeLoader)
"""
CHECK_AND_COMPILE = """
import sys, xregit
registry = xregit.read(sys.argv[1])
report = xregit.check(registry)
assert not report.diagnostics, report.diagnostics[:3]
xregit.compile(registry)
"""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the catalog into a Git repository of one commit."""
    repository = tmp_path_factory.mktemp("repository")
    folder = write_registry(repository / "registry", MESSAGES)
    author = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.com", "-c", "gc.auto=0")
    for arguments in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "All messages")):
        subprocess.run(["git", "-C", repository, *arguments], check=True)
    return folder


def test_check_and_compile_take_a_few_times_what_parsing_takes(benchmark: BenchmarkFixture, catalog: Path) -> None:
    """Reading, checking and compiling, cold and in one process, is at most twice what composing YAML costs."""
    found = ratio(benchmark, lambda: program(CHECK_AND_COMPILE, catalog), lambda: program(COMPOSE, catalog), rounds=5)
    assert found <= LIMIT, f"check and compile take {found:.2f} times as long as libyaml composing, more than {LIMIT}"


def program(text: str, catalog: Path) -> None:
    """Run a program on the catalog in an interpreter of its own."""
    subprocess.run([sys.executable, "-c", text, catalog], check=True)
