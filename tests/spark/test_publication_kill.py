"""A publication that is killed, between the transactions of its tables or whenever, is finished by the next one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from tests.spark.repository import SAMPLE, CatalogRepository
from tests.waiting import PATIENCE_SECONDS
from xregit.spark.publication import publish
from xregit.spark.rows import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# After so many new versions of tables it is killed: the first time and the second.
VERSIONS = (1, 2)
NEVER = 1_000_000
# Or so many times at random moments, between the first new version and the end of a run that nobody kills.
KILLS = 3
CHANGED = {
    "registry.yaml": "registryid: sample\nname: Changed\n",
    "messagegroups/brakes/messagegroup.yaml": "description: Changed.\nenvelope: CloudEvents/1.0\n",
    "messagegroups/brakes/messages/alias.yaml": "description: Its own now.\n",
    "endpoints/garage/endpoint.yaml": "usage: [consumer]\ndescription: Changed.\n",
    "schemagroups/brakes/schemagroup.yaml": "description: Changed.\n",
}


def test_killed_publication_loses_and_doubles_nothing(
    spark: SparkSession, repository: CatalogRepository, tmp_path: Path
) -> None:
    """The versions that the last publication names hold its commit all the time, and in the end there are two."""
    folder = tmp_path / "tables"
    first = repository.commit(SAMPLE, "Begin")
    publish(first, folder, spark=spark)
    second = repository.commit(CHANGED)
    told = {registry.origin.history.head: rows(registry) for registry in (first, second)}
    for versions in VERSIONS:
        kill(repository.root, folder, versions)
        names_what_is_there(folder, told)
    done = publish(second, folder, spark=spark)
    holds(folder, told[done.commit])
    assert sorted(row["number"] for row in table(folder, "publications")) == [1, 2]
    assert not publish(second, folder, spark=spark).changed


def test_publication_killed_at_any_moment_loses_and_doubles_nothing(
    spark: SparkSession, repository: CatalogRepository, tmp_path: Path
) -> None:
    """The same with a commit before each, of which some are never published by themselves."""
    folder = tmp_path / "tables"
    first = repository.commit(SAMPLE, "Begin")
    publish(first, folder, spark=spark)
    told = {first.origin.history.head: rows(first)}
    moments = random.Random("publish")  # noqa: S311 - nothing to guess here
    earliest = latest = 0.0
    for number in range(KILLS + 1):
        name = f"messagegroups/brakes/messages/new{number}.yaml"
        last = repository.commit({**CHANGED, name: f"description: New {number}.\n"})
        told[last.origin.history.head] = rows(last)
        if number == 0:
            earliest, latest = times(repository.root, folder)
        else:
            kill(repository.root, folder, seconds=moments.uniform(earliest, latest))
        names_what_is_there(folder, told)
    publish(last, folder, spark=spark)
    names_what_is_there(folder, told)
    holds(folder, told[last.origin.history.head])
    numbers = sorted(row["number"] for row in table(folder, "publications"))
    assert numbers == list(range(1, len(numbers) + 1))


def names_what_is_there(folder: Path, told: Mapping[str, Mapping[str, Any]]) -> None:
    """The last publication names versions of the tables that hold what its commit has."""
    last = max(table(folder, "publications"), key=itemgetter("number"))
    for name, version in dict(last["versions"]).items():
        assert hashes(table(folder, name, version)) == hashes(told[last["commit"]][name])


def holds(folder: Path, told: Mapping[str, Any]) -> None:
    """The tables as they are hold some rows, and no others."""
    assert {name: hashes(table(folder, name)) for name in told} == {name: hashes(some) for name, some in told.items()}


def begun(at: Path, folder: Path) -> subprocess.Popen[bytes]:
    """Begin to publish with a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "xregit", "publish", "--tables", str(folder)]
    return subprocess.Popen(command, cwd=at, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)


def times(at: Path, folder: Path) -> tuple[float, float]:
    """Publish, and return after how many seconds there was a new version, and after how many all was done."""
    before, start, first = len(logged(folder)), time.monotonic(), 0.0
    with begun(at, folder) as job:
        while job.poll() is None:
            if not first and len(logged(folder)) > before:
                first = time.monotonic() - start
            time.sleep(0.001)
    assert job.returncode == 0
    assert first
    return first, time.monotonic() - start


def kill(at: Path, folder: Path, versions: int = NEVER, seconds: float = PATIENCE_SECONDS) -> None:
    """Publish with a process of its own, and kill it when there are so many new versions, or after so many seconds.

    Where we are kept waiting it may have ended by then, which is well too.
    """
    before = len(logged(folder))
    with begun(at, folder) as job:
        end = time.monotonic() + seconds
        while job.poll() is None and time.monotonic() < end and len(logged(folder)) < before + versions:
            time.sleep(0.001)
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
    assert job.returncode in {0, -signal.SIGKILL}
    assert job.returncode == 0 or versions == NEVER or len(logged(folder)) >= before + versions


def logged(folder: Path) -> list[Path]:
    """Return the files of all tables that each hold a transaction."""
    return list(folder.glob("*/_delta_log/*.json"))


def table(folder: Path, name: str, version: int | None = None) -> list[dict[str, Any]]:
    """Return the rows of a table, at a version or as it is."""
    result: list[dict[str, Any]] = pa.table(DeltaTable(folder / name, version=version).scan()).to_pylist()
    return result


def hashes(some: Any) -> list[str]:
    """Return what tells rows from others, in order."""
    return sorted(row["hash"] for row in some)
