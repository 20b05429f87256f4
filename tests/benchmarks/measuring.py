"""What a program costs: the processor time of all its processes, and the memory of the largest of them."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of processor time, and MiB of the largest process."""

    seconds: float
    peak: float


def cost(program: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> Cost:
    """Run a program of Python in a folder, in an interpreter of its own, and return what it and its children cost.

    Raises:
        AssertionError: it failed; with what it printed.
    """
    _adopt()
    log = folder / "printed"
    with log.open("wb") as printed:
        done = subprocess.Popen(
            [sys.executable, *program],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", **(environment or {})},
        )
        _, status, used = os.wait4(done.pid, 0)
        done.returncode = os.waitstatus_to_exitcode(status)
    assert done.returncode == 0, log.read_text(encoding="utf-8", errors="replace")
    spent = [used, *_left_behind()]
    return Cost(sum(each.ru_utime + each.ru_stime for each in spent), max(each.ru_maxrss for each in spent) / 1024)


def _adopt() -> None:
    """Become the parent of what children leave behind, as Spark's Java may be: its time would be nobody's."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _left_behind() -> list[os.struct_rusage]:  # type: ignore[name-defined]
    """Wait for the processes that a program has left behind."""
    found = []
    while True:
        try:
            found.append(os.wait4(-1, 0)[2])
        except ChildProcessError:
            return found
