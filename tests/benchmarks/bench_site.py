"""How long the docs site takes: for ten times the messages, for each page, and against writing the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.ratio import ratio
from tests.benchmarks.synthetic import write_registry

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

SMALL, LARGE = 1_000, 10_000
# What ten times the messages may cost.
GROWTH = 11.0
# What is aimed at and not reached yet: milliseconds of CPU for a page, and all against one cached template.
PAGE_MS, TEMPLATE = 3.0, 3.0

# Prints the seconds of CPU that a build took, and how many pages it wrote.
BUILD = """
import json, sys, time
from pathlib import Path
from xregit.pages.building import build_site
registry, out = Path(sys.argv[1]), Path(sys.argv[2])
start = time.process_time()
build_site(registry, None, out)
print(json.dumps([time.process_time() - start, sum(1 for _ in out.rglob("index.html"))]))
"""
# Writes the files of a built site anew, each through the same template of Jinja.
TEMPLATED = """
import sys
from pathlib import Path
from jinja2 import Template
built, out, template = Path(sys.argv[1]), Path(sys.argv[2]), Template("<!doctype html>{{ text }}")
for path in built.rglob("index.*"):
    target = out / path.relative_to(built)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(template.render(text=path.read_text(encoding="utf-8")), encoding="utf-8")
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write both registries."""
    folder = tmp_path_factory.mktemp("sites")
    for size in (SMALL, LARGE):
        write_registry(folder / f"registry{size}", size)
    return folder


def test_site_grows_with_its_messages(places: Path) -> None:
    """Ten times the messages cost at most eleven times the CPU; what a page costs is printed."""
    seconds, pages = zip(*(_built(places, size) for size in (SMALL, LARGE)), strict=True)
    cost = [1000 * each / count for each, count in zip(seconds, pages, strict=True)]
    growth = seconds[1] / seconds[0]
    print(
        f"\n{cost[0]:.2f} and {cost[1]:.2f} ms a page, aim {PAGE_MS}; {LARGE} messages cost {growth:.1f} times {SMALL}"
    )
    assert growth <= GROWTH


def test_site_against_one_template(benchmark: BenchmarkFixture, places: Path) -> None:
    """How many times as long a site takes as writing the same pages through one cached template is printed."""
    _built(places, SMALL)
    site = places / f"site{SMALL}"
    found = ratio(
        benchmark,
        lambda: _built(places, SMALL),
        lambda: subprocess.run([sys.executable, "-c", TEMPLATED, site, places / "templated"], check=True),
        rounds=3,
    )
    print(f"aim {TEMPLATE}")
    assert found > 1


def _built(places: Path, size: int) -> tuple[float, int]:
    """Build a site in an interpreter of its own; return its seconds of CPU and its pages."""
    command = (sys.executable, "-c", BUILD, places / f"registry{size}", places / f"site{size}")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, pages = json.loads(done.stdout)
    return seconds, pages
