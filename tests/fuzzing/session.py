"""Readers to what fuzzing them brought: ``python -m tests.fuzzing.session 600 yaml json`` runs each for ten minutes.

These are minutes of the processor's time, so that a busy machine tries no less than an idle one. Every reader is fuzzed
by a process of its own, two at a time; one that dies begins anew with what it has learned. What is found stands below
the folder, one file for each fault, to be moved to ``regressions/<reader>`` once it is mended.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.fuzzing.readers import READERS

FOLDER = Path("build") / "fuzzing"
AT_ONCE = 2
# A process ends after so many, since what leads it is kept in memory and grows; the next one goes on.
PROCESS_SECONDS = 60
_STATUS = re.compile(r"^(?:#|Done )(\d+)(?:\t| runs)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Result:
    """What fuzzing one reader came to: seconds by the clock and of the processor, inputs tried, most memory."""

    reader: str
    seconds: int
    cpu: float
    inputs: int
    megabytes: int
    finds: tuple[Path, ...]


def session(seconds: int, readers: list[str]) -> int:
    """Fuzz readers, print a line for each, and return how many faults there are."""
    print(f"{'reader':<14}{'seconds':>8}{'CPU':>8}{'inputs':>12}{'MiB':>6}{'finds':>6}", flush=True)
    results: list[Path] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for one in pool.map(lambda name: fuzzed(name, seconds), readers):
            figures = f"{one.seconds:>8}{one.cpu:>8.0f}{one.inputs:>12,}{one.megabytes:>6}{len(one.finds):>6}"
            print(f"{one.reader:<14}{figures}", flush=True)
            results += one.finds
    for path in results:
        print(path)
    return len(results)


def fuzzed(reader: str, seconds: int) -> Result:
    """Fuzz one reader for so many seconds of the processor's time, in as many processes as that takes."""
    folder = FOLDER / reader
    (folder / "finds").mkdir(parents=True, exist_ok=True)
    inputs, cpu, most = 0, 0.0, 0
    start = monotonic()
    while (left := min(seconds - cpu, PROCESS_SECONDS)) > 0:
        log = folder / "log.txt"
        command = [sys.executable, "-m", "tests.fuzzing.fuzz", reader, str(folder), str(left)]
        with log.open("wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output)
        usage = os.wait4(process.pid, 0)[2]
        tried = max(map(int, _STATUS.findall(log.read_text(encoding="utf-8", errors="replace"))), default=0)
        inputs, cpu, most = inputs + tried, cpu + usage.ru_utime + usage.ru_stime, max(most, usage.ru_maxrss)
        if not tried:
            print(f"{reader}: no input was tried; see {log}", file=sys.stderr)
            break
    finds = tuple(path for path in sorted((folder / "finds").iterdir()) if path.suffix != ".txt")
    return Result(reader, int(monotonic() - start), cpu, inputs, most // 1024, finds)


if __name__ == "__main__":
    asked, *names = sys.argv[1:]
    sys.exit(min(session(int(asked), names or list(READERS)), 1))
