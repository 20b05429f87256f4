"""How long the check of a branch of 10,000 messages takes after an earlier run, against a check that knows of none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.ratio import ratio
from tests.benchmarks.synthetic import write_registry
from tests.source.repositories import new_repository

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

MESSAGES, CHANGED = 10_000, 5
# What is allowed of a cold check. A check of the branch reads two states, and every rule looks at every message again.
BRANCH, SAME = 1.3, 0.9


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with a branch that changes some of the messages."""
    made = new_repository(tmp_path_factory.mktemp("check") / "repository")
    folder = write_registry(made.root / "registry", MESSAGES)
    made.commit("All messages")
    made.git("checkout", "-q", "-b", "branch")
    paths = sorted(folder.glob("messagegroups/*/messages/*.yaml"))
    for path in paths[:: MESSAGES // CHANGED]:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("A sensor", "One sensor"), encoding="utf-8")
    made.commit("Some messages")
    return made.root


@pytest.mark.parametrize(("arguments", "limit"), [(("--against", "main"), BRANCH), ((), SAME)], ids=["branch", "same"])
def test_check_after_another(
    benchmark: BenchmarkFixture, repository: Path, arguments: tuple[str, ...], limit: float
) -> None:
    """What is remembered saves the parsing of all files that have not changed."""
    cache = repository.parent / "cache"

    def cold() -> None:
        shutil.rmtree(cache, ignore_errors=True)
        check(repository, cache)

    found = ratio(benchmark, lambda: check(repository, cache, *arguments), cold, rounds=5)
    assert found <= limit, f"it takes {found:.2f} times as long as a cold check, more than {limit}"


def check(repository: Path, cache: Path, *arguments: str) -> None:
    """Check the registry in an interpreter of its own."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    subprocess.run([sys.executable, "-m", "xregit", "check", *arguments], cwd=repository, env=environment, check=True)
