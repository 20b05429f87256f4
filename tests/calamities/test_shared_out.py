"""A site that several processes make: whatever befalls one of them, the old site stands, and none is left over."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.synthetic import PREFIX, write_registry
from tests.calamities.subjects import left
from xregit.pages.workers import WORTH

if TYPE_CHECKING:
    from collections.abc import Iterator

MESSAGES = 4 * WORTH
PATIENCE_SECONDS = 60
# More than any file may have; it is in the middle of the messages, which are shared out by then.
LONG, LONGEST_BYTES = MESSAGES // 2, 300_000

# So many processes make its pages.
COUNT = min(len(os.sched_getaffinity(0)), MESSAGES // WORTH)

pytestmark = pytest.mark.skipif(COUNT == 1, reason="one core makes a site alone")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a registry, and with a site that is there already."""
    write_registry(tmp_path / "registry", MESSAGES)
    (tmp_path / "build/site/assets").mkdir(parents=True)
    for name in ("assets/xregit.css", "index.html"):
        (tmp_path / "build/site" / name).write_text("old")
    return tmp_path


def begin(folder: Path, file_bytes: int = resource.RLIM_INFINITY) -> subprocess.Popen[str]:
    """Start the build in a group of its own; none of its files may have more bytes than given."""
    return subprocess.Popen(
        [sys.executable, "-c", BUILD, str(file_bytes)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


BUILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
from xregit.cli import main
main(["site"])
"""


def workers(process: subprocess.Popen[str]) -> list[int]:
    """Return the processes that make pages, as soon as there are all."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError):
            found = [int(each) for each in children.read_text().split() if _is_worker(int(each), process.pid)]
            if len(found) == COUNT:
                return found
        time.sleep(0.002)
    pytest.fail("it has shared nothing out")


def _is_worker(each: int, parent: int) -> bool:
    """Tell a fork of the process from Git, which it asks too."""
    return all(b"xregit.cli" in Path(f"/proc/{pid}/cmdline").read_bytes() for pid in (each, parent))


def alive(group: int) -> Iterator[int]:
    """Give the processes of a group."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, own = path.read_text().rpartition(")")[2].split()[:3]
            if int(own) == group and state != "Z":
                yield int(path.parent.name)


def gone(group: int) -> bool:
    """Tell whether no process of a group is left, soon."""
    end = time.monotonic() + PATIENCE_SECONDS
    while list(alive(group)) and time.monotonic() < end:
        time.sleep(0.02)
    return not list(alive(group))


def untouched(folder: Path) -> bool:
    """Tell whether the old site is there as it was."""
    site = folder / "build/site"
    return sorted(path.name for path in site.rglob("*") if path.is_file() and path.read_text() == "old") == [
        "index.html",
        "xregit.css",
    ]


def works(folder: Path) -> None:
    """The next run makes the site."""
    process = begin(folder)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert len(list(folder.glob("build/site/messagegroups/*/messages/*/index.html"))) == MESSAGES
    assert left(folder) == []


def test_killed_worker_ends_the_build_in_one_line(folder: Path) -> None:
    """A process that the system ends, as it does where memory runs out, is told; the others end with it."""
    process = begin(folder)
    os.kill(workers(process)[-1], signal.SIGKILL)
    _, said = process.communicate()
    assert process.returncode == 2, said
    assert said.startswith("xregit: error: ")
    assert "SIGKILL" in said
    assert said.count("\n") == 1
    assert gone(process.pid)
    assert untouched(folder)
    assert left(folder) == []


def test_interrupted_build_ends_at_once(folder: Path) -> None:
    """Ctrl-C, of which all processes of a terminal hear, ends all of them without a word."""
    process = begin(folder)
    workers(process)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in said
    assert gone(process.pid)
    assert untouched(folder)
    assert left(folder) == []


def test_nobody_works_for_a_build_that_was_killed(folder: Path) -> None:
    """Once nobody waits for their pages, processes end, and the next run begins anew."""
    process = begin(folder)
    workers(process)
    process.kill()
    _, said = process.communicate()
    assert "Traceback" not in said
    assert gone(process.pid)
    assert untouched(folder)
    works(folder)


def test_fault_of_a_worker_is_told_as_by_one(folder: Path) -> None:
    """What a process can't write is told like what the build itself can't write."""
    message = folder / f"registry/messagegroups/plant{LONG // 50}/messages/{PREFIX}{LONG}.yaml"
    message.write_text(message.read_text().replace("A sensor of", "A long story. " * (LONGEST_BYTES // 14) + "Of"))
    process = begin(folder, LONGEST_BYTES)
    workers(process)
    _, said = process.communicate()
    assert process.returncode == 2, said
    assert "File too large; what was there before is unchanged" in said
    assert said.count("\n") == 1
    assert gone(process.pid)
    assert untouched(folder)
    assert left(folder) == []
