"""What the docs site costs: for ten times the messages, for each page, and against writing the same bytes.

Pages are made on all cores: CPU is that of all processes, and the clock says what the cores save.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.benchmarks.synthetic import write_registry

if TYPE_CHECKING:
    from pathlib import Path

SMALL, LARGE = 1_000, 10_000
# What ten times the messages may cost, and a page in milliseconds of CPU.
GROWTH, PAGE_MS = 11.0, 3.0
# How many times what one cached template takes is aimed at. It is told and not held: the template's time is the disk's,
# which is up to fifteen times longer for the same files at another moment.
TEMPLATE, ROUNDS = 3.0, 3
MAX_PAGE_BYTES = 60_000

# Prints the seconds of CPU that a build took in all its processes, imports included, those by the clock, how many pages
# it wrote, and the bytes of the largest page of a message.
BUILD = """
import json, resource, sys, time
from pathlib import Path
start, clock = time.process_time(), time.perf_counter()
from xregit.pages.building import build_site
registry, out = Path(sys.argv[1]), Path(sys.argv[2])
build_site(registry, None, out)
clock = time.perf_counter() - clock
others = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = time.process_time() - start + others.ru_utime + others.ru_stime
pages = list(out.rglob("index.html"))
largest = max(path.stat().st_size for path in pages if "messages" in path.parts)
print(json.dumps([seconds, clock, len(pages), largest]))
"""
# Prints the seconds of CPU, and by the clock, that it takes to write the pages of a built site anew, with the Markdown
# beside them, each through the same compiled template that escapes as ours do, and each into its own new folder on the
# same disk.
TEMPLATED = """
import json, shutil, sys, time
from pathlib import Path
from jinja2 import Environment
from markupsafe import Markup
built, out = Path(sys.argv[1]), Path(sys.argv[2])
shutil.rmtree(out, ignore_errors=True)
texts = [(path.relative_to(built), Markup(path.read_text(encoding="utf-8"))) for path in built.rglob("index.*")]
template = Environment(autoescape=True).from_string("<!doctype html>{{ text }}")
start, clock = time.process_time(), time.perf_counter()
for name, text in texts:
    target = out / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(template.render(text=text), encoding="utf-8")
print(json.dumps([time.process_time() - start, time.perf_counter() - clock]))
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write both registries."""
    folder = tmp_path_factory.mktemp("sites")
    for size in (SMALL, LARGE):
        write_registry(folder / f"registry{size}", size)
    return folder


def test_site_grows_with_its_messages(places: Path) -> None:
    """Ten times the messages cost at most eleven times the CPU, and a page of many no more than it may."""
    found = [_built(places, size) for size in (SMALL, LARGE)]
    cost = [1000 * each.seconds / each.pages for each in found]
    growth = found[1].seconds / found[0].seconds
    print(f"\n{cost[0]:.2f} and {cost[1]:.2f} ms a page; {LARGE} messages cost {growth:.1f} times {SMALL}")
    print(f"by the clock {found[0].clock:.1f} and {found[1].clock:.1f} s, on {len(os.sched_getaffinity(0))} cores")
    largest = max(each.largest for each in found)
    print(f"the largest page of a message has {largest:,.0f} bytes, without its shared assets")
    for _ in range(ROUNDS):
        seconds, clock = _run(TEMPLATED, places / f"site{LARGE}", places / "templated")
        times = f"{found[1].seconds / seconds:.1f} times it, by the clock {found[1].clock / clock:.1f} times"
        print(f"one cached template: {1000 * seconds / found[1].pages:.2f} ms a page; {times}; aim {TEMPLATE}")
    assert growth <= GROWTH
    assert largest < MAX_PAGE_BYTES
    assert cost[1] <= PAGE_MS


class Built(NamedTuple):
    """What a build took: seconds of CPU, and by the clock; its pages, and the bytes of the largest of a message."""

    seconds: float
    clock: float
    pages: float
    largest: float


def _built(places: Path, size: int) -> Built:
    """Build a site in an interpreter of its own."""
    return Built(*_run(BUILD, places / f"registry{size}", places / f"site{size}"))


def _run(program: str, source: Path, target: Path) -> list[float]:
    done = subprocess.run((sys.executable, "-c", program, source, target), capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout)
    return found
