"""A job that is killed again and again, at any moment, loses nothing and takes nothing twice.

It sorts by turns as if there were few tables and as if there were many, whose messages are gathered.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import xregit
from tests.spark.streams import event, registry_of, rows, write
from xregit.cli.runner import INTERRUPTED
from xregit.spark.streams.checkpoint import BATCH, SPARK
from xregit.spark.streams.job import CHECKPOINT
from xregit.spark.streams.router import FEW_TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

KILLS, SECONDS = 12, 600
FILES, ROWS, MANY = 4, 20, 20_000
LONGEST = 4.0
TABLES = ("g__one", "g__two", "unmatched", "ambiguous")
TYPES = ("t.one", "t.two", "t.both", "t.none", "t.one")
READY = "ready"
PROGRAM = """
import sys, xregit
from xregit.spark.session import session
from xregit.spark.streams import router
registry, messages, tables, few = sys.argv[1:]
router.FEW_TABLES = int(few)
loaded = xregit.load(registry)
# Java starts in a sixth less of the processor's time where it does not verify Spark's own classes.
quick = "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
session(name="killed", conf={"spark.driver.extraJavaOptions": quick})
print("ready", flush=True)
xregit.route(loaded, messages, tables, batch_files=1)
"""


def begin(folder: Path, *, gathers: bool) -> subprocess.Popen[str]:
    """Start a job, and return it when its session is up; all its processes are one group.

    It sorts as if there were many tables, whose messages are gathered, or few.
    """
    arguments = [*(str(folder / name) for name in ("test.json", "in", "tables")), str(0 if gathers else FEW_TABLES)]
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
    """Killed at a dozen random moments and then let run to its end, a job has every row in exactly one table, once."""
    chance = random.Random("route")  # noqa: S311 - moments, not secrets
    registry_of(tmp_path)
    kills = files = 0
    while kills < KILLS:
        files = more(tmp_path, files)
        with begin(tmp_path, gathers=kills % 2 == 0) as job:
            try:
                assert job.wait(chance.uniform(0, LONGEST)) == 0
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                kills += 1
    with begin(tmp_path, gathers=False) as job:
        assert job.wait() == 0
    result = Counter(_identity(row) for table in TABLES for row in rows(tmp_path / "tables", table))
    events = {str(each) for each in range(files * ROWS) if each % ROWS}
    assert result == Counter(events | {f"not a message {each * ROWS}" for each in range(files)})


def test_stream_follows_what_comes_until_interrupted(tmp_path: Path) -> None:
    """With --stream the command takes files as they come; interrupted, it ends well and says what it did."""
    registry_of(tmp_path)
    (tmp_path / "in").mkdir()
    with routing(tmp_path, "--stream") as job:
        for number in (1, 2):
            write(tmp_path / "in" / f"{number}.jsonl", event(number))
            end = time.monotonic() + SECONDS
            # Rows are there a moment before the batch is done and counted.
            while not (tmp_path / "tables" / CHECKPOINT / SPARK / "commits" / str(number - 1)).exists():
                assert job.poll() is None
                assert time.monotonic() < end
                time.sleep(0.2)
        job.send_signal(signal.SIGINT)
        said, _ = job.communicate(timeout=SECONDS)
    assert (job.returncode, said) == (0, f"{tmp_path / 'tables'}: g__one 2\n")
    assert len(rows(tmp_path / "tables", "g__one")) == 2


@pytest.mark.parametrize(("options", "code"), [(["--stream"], 0), ([], INTERRUPTED)], ids=["stream", "batch"])
def test_interrupt_in_a_batch_ends_without_a_word(
    spark: SparkSession, tmp_path: Path, options: list[str], code: int
) -> None:
    """Neither Python nor Java has anything to say of it, and the next run finishes the batch; only a stream may end."""
    registry = registry_of(tmp_path)
    write(tmp_path / "in" / "1.jsonl", *map(event, range(1, MANY + 1)))
    with routing(tmp_path, *options) as job:
        end = time.monotonic() + SECONDS
        while not (tmp_path / "tables" / CHECKPOINT / BATCH).exists():
            assert job.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        os.killpg(job.pid, signal.SIGINT)
        _, complaints = job.communicate(timeout=SECONDS)
    assert (job.returncode, complaints.strip()) == (code, "")
    xregit.route(registry, tmp_path / "in", tmp_path / "tables", spark=spark)
    assert len(rows(tmp_path / "tables", "g__one")) == MANY


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
