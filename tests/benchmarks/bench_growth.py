"""What each main operation costs at every size: how it grows with the registry, and how much memory it takes.

    python -m pytest -s tests/benchmarks/bench_growth.py [--update-golden]

prints the table, and with the switch writes it into site/manual/benchmarks.md. ``XREGIT_BENCH_SIZES`` has other numbers
of messages, such as ``100,1000``; ``XREGIT_BENCH_ONLY`` names the operations to take.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from math import log
from pathlib import Path

import pytest

from tests.benchmarks.measurement import Cost, cost
from tests.benchmarks.operations import OPERATIONS, SizedRegistry

PAGE = Path(__file__).parents[2] / "site" / "manual" / "benchmarks.md"
SIZES = tuple(int(size) for size in os.environ.get("XREGIT_BENCH_SIZES", "100,1000,10000,50000").split(","))
ONLY = os.environ.get("XREGIT_BENCH_ONLY", ",".join(OPERATIONS)).split(",")
# Growth counts from so many messages on, if they cost this share of what a single one does: the rest is noise.
FEW, SHARE = 1_000, 0.1
# The least of so many runs counts, which other programs disturbed least; long runs are made once.
RUNS, LONG_RUN = 3, 10.0
# A size at which a run would cost more seconds than these is left out.
LONGEST = 300.0
HEAD = """# Benchmarks

Each main operation on a registry of so many messages (50 to a group, all protocols, files of some 51 lines), cold: no
cache, an interpreter of its own. `python -m pytest -s tests/benchmarks/bench_growth.py --update-golden` writes this
page. 50,000 messages are left out where a run would take over five minutes.

- **CPU** is the processor time of all processes, on however many cores.
- The **power** says with which power of the number of messages the cost has grown since the size before, without what
  a registry of one message costs: 1 is linear, 2 is quadratic; Python's garbage collector alone turns 1 into 1.2.
  Small registries have none: most of their cost is the start.
- The **peak** is the memory of the largest process.
- `diff` compares with a commit before one file in a hundred was changed; `route` sorts 20 events for each message.

{machine}.

{table}
"""


@pytest.fixture(scope="module")
def registries(tmp_path_factory: pytest.TempPathFactory) -> dict[int, SizedRegistry]:
    """Return a registry of each size, and one of a single message; files are written when they are first read."""
    return {size: SizedRegistry(tmp_path_factory.mktemp(f"size{size}"), size) for size in (1, *SIZES)}


@pytest.fixture(scope="module")
def rows(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Collect the rows of the table, print it at the end, and write the page when golden files are."""
    lines = ["| Operation | Messages | CPU, s | Power | Peak, MiB |", "|---|---|---|---|---|"]
    yield lines
    table = "\n".join(lines)
    print(f"\n{table}")
    if request.config.getoption("--update-golden"):
        python = f"Python {platform.python_version()}, {platform.system()}"
        machine = f"{os.cpu_count()} cores ({platform.machine()}), {python}"
        PAGE.write_text(HEAD.format(machine=machine, table=table), encoding="utf-8")


@pytest.mark.parametrize("name", ONLY)
def test_growth(registries: dict[int, SizedRegistry], rows: list[str], name: str) -> None:
    """With which power of the messages the cost of an operation grows, without what a single message costs."""
    start = least_cost(registries[1], name)
    before, messages = start, 1
    for size in SIZES:
        if messages > 1 and before.seconds * size / messages > LONGEST:
            break
        now = least_cost(registries[size], name)
        known = messages >= FEW and before.seconds - start.seconds >= SHARE * start.seconds
        power = ""
        if known:
            growth = (now.seconds - start.seconds) / (before.seconds - start.seconds)
            power = f"{log(growth) / log(size / messages):.2f}"
        rows.append(f"| {name} | {size:,} | {now.seconds:.2f} | {power} | {now.peak:,.0f} |")
        before, messages = now, size


def least_cost(registry: SizedRegistry, name: str) -> Cost:
    """Run an operation a few times, and return the least cost."""
    costs: list[Cost] = []
    while len(costs) < RUNS and sum(each.seconds for each in costs) < LONG_RUN:
        costs.append(cost(registry.program(OPERATIONS[name]), registry.root, {}))
    return min(costs, key=lambda each: each.seconds)
