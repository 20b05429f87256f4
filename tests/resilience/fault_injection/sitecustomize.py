"""Loaded by each Python that starts with this folder on its path: it does to the process what a test has ordered.

The order is JSON in the variable SABOTAGE: ``limits`` by their names, and with ``step`` the number of the step that
changes files below the folder ``within``, just before which the process gets the ``signal``. At its end a process
writes how many such steps it took, and the most memory it had, to the file ``tell``.
"""

from __future__ import annotations

import atexit
import json
import os
import resource
import sys
from itertools import count
from pathlib import Path

ORDER = json.loads(os.environ.get("SABOTAGE", "{}"))
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
STEPS = frozenset({"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate"})
_taken = count(1)


def changes(event: str, arguments: tuple[object, ...]) -> bool:
    """Tell whether an event is a step that changes files below the folder."""
    if event not in STEPS and not (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING):
        return False
    path = arguments[0]
    return isinstance(path, str | bytes) and os.path.realpath(os.fsdecode(path)).startswith(ORDER["within"] + os.sep)


def sabotage(event: str, arguments: tuple[object, ...]) -> None:
    """Count the steps, and send the signal before the one that the order names."""
    if changes(event, arguments) and next(_taken) == ORDER.get("step"):
        os.kill(os.getpid(), ORDER["signal"])


def tell() -> None:
    """Write what the process has done and needed."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    kib = next(int(line.split()[1]) for line in lines if line.startswith("VmPeak:"))
    Path(ORDER["tell"]).write_text(json.dumps({"steps": next(_taken) - 1, "bytes": kib * 1024}), encoding="ascii")


for name, limit in ORDER.get("limits", {}).items():
    resource.setrlimit(getattr(resource, name), (limit, limit))
if "within" in ORDER:
    sys.addaudithook(sabotage)
if "tell" in ORDER:
    atexit.register(tell)
