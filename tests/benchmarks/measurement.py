"""What a program costs: the processor time of all its processes, and the memory of the largest of them (Linux)."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PR_SET_CHILD_SUBREAPER = 36
# A process begins with the memory of what started it as its peak; the shell has next to none, and is gone at once.
LAUNCH = '"$@" >"$0" 2>&1 & echo $!'


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of processor time, and MiB of the largest process; ``peaks`` has those of each program, by its name."""

    seconds: float
    peak: float
    peaks: Mapping[str, float] = field(default_factory=dict)


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
        ended: dict[int, tuple[int, float, float]] = {}
        peaks: dict[str, float] = {}
        while int(launched.stdout) not in ended or _more():
            name = _next()
            number, status, used = os.wait4(-1, 0)
            ended[number] = (status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
            peaks[name] = max(peaks.get(name, 0), used.ru_maxrss / 1024)
        assert ended[int(launched.stdout)][0] == 0, log.read().decode(errors="replace")
    return Cost(sum(seconds for _, seconds, _ in ended.values()), max(peaks.values()), peaks)


def _next() -> str:
    """Wait for a process to end, and return what its program is called."""
    found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    assert found is not None
    return Path(f"/proc/{found.si_pid}/comm").read_text(encoding="utf-8").strip()


def _more() -> bool:
    """Say whether there are processes that have not been waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
