"""What the docs site costs: for ten times the messages, for each page, and against writing the same bytes.

A build and the template that writes its bytes take turns, so that load hits both; each has a new folder, and begins
when the system has written what was there before. None is removed before the last round: for each new file, a file
system without a journal looks at all those that were removed in the last minutes, which takes ten times as long as to
make one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from tests.benchmarks.synthetic import write_registry

SMALL, LARGE, ROUNDS = 1_000, 10_000, 3
# What ten times the messages may cost, and a page in milliseconds of CPU.
GROWTH, PAGE_MS = 11.0, 3.0
# How many times what one cached template takes is aimed at. It is told and not held: most of what the template takes is
# the file system's time, which differs tenfold between machines.
TEMPLATE = 3.0
MAX_PAGE_BYTES = 60_000
# Memory as a folder, as Linux has it, and what all rounds need of it.
MEMORY, MEMORY_BYTES = Path("/dev/shm"), 6 * 2**30  # noqa: S108 - only to look how much room there is

# Prints the seconds of CPU that a build took in all its processes, imports included, in programs and in the system,
# those by the clock, how many pages it wrote, and the bytes of the largest page of a message.
BUILD = """
import json, os, sys, time
from pathlib import Path
clock = time.perf_counter()
from xregit.pages.builder import build_site
registry, out = Path(sys.argv[1]), Path(sys.argv[2])
build_site(registry, out)
clock, used = time.perf_counter() - clock, os.times()
pages = list(out.rglob("index.html"))
largest = max(path.stat().st_size for path in pages if "messages" in path.parts)
seconds = used.user + used.children_user, used.system + used.children_system
print(json.dumps([*seconds, clock, len(pages), largest]))
"""
# Prints the same seconds for writing the pages of a built site anew, with the Markdown beside them, each through the
# same compiled template that escapes as ours do, and each into a new folder on the same disk.
TEMPLATED = """
import json, os, sys, time
from pathlib import Path
from jinja2 import Environment
from markupsafe import Markup
built, out = Path(sys.argv[1]), Path(sys.argv[2])
texts = [(path.relative_to(built), Markup(path.read_text(encoding="utf-8"))) for path in built.rglob("index.*")]
template = Environment(autoescape=True).from_string("<!doctype html>{{ text }}")
before, clock = os.times(), time.perf_counter()
for name, text in texts:
    target = out / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(template.render(text=text), encoding="utf-8")
clock, used = time.perf_counter() - clock, os.times()
print(json.dumps([used.user - before.user, used.system - before.system, clock]))
"""


class Cost(NamedTuple):
    """Seconds of CPU in programs and in the system, and by the clock; of a build its pages, and the largest's bytes."""

    user: float
    system: float
    clock: float
    pages: float = 0
    largest: float = 0

    @property
    def seconds(self) -> float:
        """All seconds of CPU."""
        return self.user + self.system


class Round(NamedTuple):
    """A small site, a large one, and the bytes of the large one through one template."""

    small: Cost
    large: Cost
    template: Cost


@pytest.fixture(scope="module")
def registries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write both registries."""
    folder = tmp_path_factory.mktemp("registries")
    for size in (SMALL, LARGE):
        write_registry(folder / str(size), size)
    return folder


def test_site_grows_with_its_messages(registries: Path, tmp_path: Path) -> None:
    """Ten times the messages cost at most eleven times the CPU, and a page of many no more than it may."""
    found = _rounds(registries, tmp_path)
    cost = median(1000 * each.large.seconds / each.large.pages for each in found)
    growth = median(each.large.seconds / each.small.seconds for each in found)
    largest = max(each.large.largest for each in found)
    print(f"\n{LARGE} messages cost {growth:.1f} times {SMALL}, on {len(os.sched_getaffinity(0))} cores")
    print(f"the largest page of a message has {largest:,.0f} bytes, without its shared assets")
    _tell("disk", found)
    assert growth <= GROWTH
    assert largest < MAX_PAGE_BYTES
    assert cost <= PAGE_MS


@pytest.mark.skipif(
    not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < MEMORY_BYTES, reason="memory has no room for all rounds"
)
def test_site_without_a_disk(registries: Path) -> None:
    """Where the disk is memory, what is left is what programs do; it is told and not held."""
    with TemporaryDirectory(dir=MEMORY) as folder:
        _tell("memory", _rounds(registries, Path(folder)))


def _rounds(registries: Path, folder: Path) -> list[Round]:
    """Build the sites and write the large one's bytes, in turns."""
    try:
        return [_round(registries, folder / str(number)) for number in range(ROUNDS)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _round(registries: Path, folder: Path) -> Round:
    small, large = (_run(BUILD, registries / str(size), folder / str(size)) for size in (SMALL, LARGE))
    return Round(small, large, _run(TEMPLATED, folder / str(LARGE), folder / "templated"))


def _run(program: str, source: Path, target: Path) -> Cost:
    """Run a program in an interpreter of its own, when the system has nothing left to write."""
    target.parent.mkdir(parents=True, exist_ok=True)
    os.sync()
    done = subprocess.run((sys.executable, "-c", program, source, target), capture_output=True, text=True, check=True)
    return Cost(*json.loads(done.stdout))


def _tell(where: str, found: list[Round]) -> None:
    """Print what a page took, and how many times the template that is: the median of all rounds, and each."""
    pages = found[0].large.pages
    sides = {"a build": [each.large for each in found], "one template": [each.template for each in found]}
    for name, costs in sides.items():
        each = ", ".join(f"{1000 * cost.seconds / pages:.2f}" for cost in costs)
        system, clock = median(1000 * cost.system / pages for cost in costs), median(cost.clock for cost in costs)
        print(f"{where}: {name} {each} ms of CPU a page, {system:.2f} of them the system's, {clock:.1f} s by the clock")
    times = median(each.large.seconds / each.template.seconds for each in found)
    clock = median(each.large.clock / each.template.clock for each in found)
    print(f"{where}: a build is {times:.1f} times one template, by the clock {clock:.1f} times; aim {TEMPLATE}")
