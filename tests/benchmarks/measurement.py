"""What a program costs: the processor time of all its processes, and the memory of the largest of them (Linux)."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

PR_SET_CHILD_SUBREAPER = 36
# A process begins with the memory of what started it as its peak; the shell has next to none, and is gone at once.
LAUNCH = '"$@" >"$0" 2>&1 & echo $!'


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of processor time, and MiB of the largest process."""

    seconds: float
    peak: float


def cost(program: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Cost:
    """Run a program of Python in a folder, in an interpreter of its own, and return what it and its children cost.

    Raises:
        AssertionError: it failed; with what it printed.
    """
    # The parent of what is left behind, as the program is by the shell, and Spark's Java may be: nobody else's time.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    own = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with NamedTemporaryFile() as log:
        launched = subprocess.run(
            ["/bin/sh", "-c", LAUNCH, log.name, sys.executable, *program],
            cwd=folder,
            env={**os.environ, **own, **environment},
            stdout=subprocess.PIPE,
            check=True,
        )
        seconds = peak = 0.0
        while True:
            try:
                process, status, usage = os.wait4(-1, 0)
            except ChildProcessError:
                return Cost(seconds, peak)
            assert process != int(launched.stdout) or status == 0, log.read().decode(errors="replace")
            seconds += usage.ru_utime + usage.ru_stime
            peak = max(peak, usage.ru_maxrss / 1024)
