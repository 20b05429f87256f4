"""A job that is killed again and again, at any moment, loses nothing and takes nothing twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.streams import event, registry_of, route, rows, write
from tests.waiting import PATIENCE_SECONDS, wait_until
from xregit.catalog import Registry
from xregit.cli.runner import INTERRUPTED
from xregit.spark.streams.job import CHECKPOINT
from xregit.spark.streams.sink import BATCHES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

KILLS = 5
FILES, ROWS, MANY = 4, 20, 20_000
LONGEST = 4.0
TABLES = ("g__one", "g__two", "unmatched", "ambiguous")
TYPES = ("t.one", "t.two", "t.both", "t.none", "t.one")
READY = "ready"
PROGRAM = """
import sys, xregit
from xregit.spark.session import session
registry, messages, tables = sys.argv[1:]
loaded = xregit.load(registry)
# Java starts in a sixth less of the processor's time where it does not verify Spark's own classes.
quick = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
session(name="killed", conf={"spark.driver.extraJavaOptions": quick})
print("ready", flush=True)
xregit.route(loaded, messages, tables, batch_files=1).awaitTermination()
"""


def begin(folder: Path) -> subprocess.Popen[str]:
    """Start a job, and return it when its session is up; all its processes are one group."""
    arguments = [str(folder / name) for name in ("test.json", "in", "tables")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    job = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert job.stdout is not None
    assert job.stdout.readline().strip() == READY
    return job


def more(folder: Path, files: int) -> int:
    """Add some files, one line of each no message, to those that are there; return how many there are then."""
    for number in range(files, files + FILES):
        first = number * ROWS
        events = (event(each, TYPES[each % len(TYPES)]) for each in range(first + 1, first + ROWS))
        write(folder / "in" / f"{number}.jsonl", f"not a message {first}", *events)
    return files + FILES


def test_nothing_is_lost_or_doubled_by_kills(tmp_path: Path) -> None:
    """Killed at five random moments and then let run to its end, a job has every row in exactly one table, once."""
    chance = random.Random("route")  # noqa: S311 - moments, not secrets
    registry_of(tmp_path)
    kills = files = 0
    while kills < KILLS:
        files = more(tmp_path, files)
        with begin(tmp_path) as job:
            try:
                assert job.wait(chance.uniform(0, LONGEST)) == 0
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                kills += 1
    with begin(tmp_path) as job:
        assert job.wait() == 0
    result = Counter(_identity(row) for table in TABLES for row in rows(tmp_path / "tables", table))
    events = {str(each) for each in range(files * ROWS) if each % ROWS}
    assert result == Counter(events | {f"not a message {each * ROWS}" for each in range(files)})


@pytest.mark.parametrize("group", [False, True], ids=["by itself", "with its Java"])
def test_stream_follows_what_comes_until_it_is_stopped(spark: SparkSession, tmp_path: Path, *, group: bool) -> None:
    """With --stream the command takes files as they come; stopped in a batch, it ends well, and the next goes on.

    Clusters ask the command to terminate, systemd asks all of its processes.
    """
    registry, tables = registry_of(tmp_path), tmp_path / "tables"
    write(tmp_path / "in" / "1.jsonl", event(1))
    with routing(tmp_path, "--stream") as job:
        wait_until((tables / CHECKPOINT / "commits" / "0").exists, job)  # a moment after the rows, the batch is counted
        write(tmp_path / "in" / "2.jsonl", *map(event, range(2, MANY + 1)))
        wait_until((tables / CHECKPOINT / "offsets" / "1").exists, job)
        (os.killpg if group else os.kill)(job.pid, signal.SIGTERM)
        output, complaints = job.communicate(timeout=PATIENCE_SECONDS)
    assert job.returncode == 0
    assert output.startswith(f"{tables}: g__one ")
    # What the first batch did; PySpark's own processes may complain that Java no longer listens to them.
    assert complaints.splitlines()[0] == "g__one 1"
    assert "XregitError" not in complaints
    assert_finished(registry, tmp_path, spark)


def test_interrupt_in_a_batch_ends_without_a_word(spark: SparkSession, tmp_path: Path) -> None:
    """Neither Python nor Java has anything to say of it, and the next run finishes the batch."""
    registry = registry_of(tmp_path)
    write(tmp_path / "in" / "1.jsonl", *map(event, range(1, MANY + 1)))
    with routing(tmp_path) as job:
        wait_until((tmp_path / "tables" / BATCHES.name).exists, job)
        os.killpg(job.pid, signal.SIGINT)
        _, complaints = job.communicate(timeout=PATIENCE_SECONDS)
    assert (job.returncode, complaints.strip()) == (INTERRUPTED, "")
    assert_finished(registry, tmp_path, spark)


def assert_finished(registry: Registry, folder: Path, spark: SparkSession) -> None:
    """Check that after one more run each event is there once."""
    route(registry, folder / "in", folder / "tables", spark=spark)
    assert Counter(row["ce_id"] for row in rows(folder / "tables", "g__one")) == Counter(map(str, range(1, MANY + 1)))


def routing(folder: Path, *options: str) -> subprocess.Popen[str]:
    """Begin a job of the command, whose processes can be interrupted together, as those in a terminal are."""
    places = ["--input", str(folder / "in"), "--tables", str(folder / "tables")]
    command = [sys.executable, "-m", "xregit", "route", *options, "--catalog", str(folder / "test.json"), *places]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _identity(row: dict[str, str]) -> str:
    """Return what a message is told from others by: the id of its event, or its text."""
    if "ce_id" in row:
        return row["ce_id"]
    text = row["message"]
    return str(json.loads(text)["id"]) if text.startswith("{") else text
