"""What each main operation costs at every size: against its floor, how it grows, and how much memory it takes.

    python -m pytest -s tests/benchmarks/bench_growth.py [--update-golden]

prints the table, and with the switch writes it into site/docs/benchmarks.md. ``XREGIT_BENCH_SIZES`` has other numbers
of messages, such as ``100,1000``; ``XREGIT_BENCH_ONLY`` names the operations to take, ``XREGIT_BENCH_ROUNDS`` how often
small ones are repeated.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from math import log
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.measuring import Cost, cost
from tests.benchmarks.operations import OPERATIONS, Operation, Sized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

PAGE = Path(__file__).parents[2] / "site" / "docs" / "benchmarks.md"
SIZES = tuple(int(size) for size in os.environ.get("XREGIT_BENCH_SIZES", "100,1000,10000").split(","))
ONLY = os.environ.get("XREGIT_BENCH_ONLY", ",".join(each.name for each in OPERATIONS)).split(",")
# What is the same at any size, and taken off before growth is computed, is what one message costs.
START = 1
EXPONENT = 1.15
# Up to so many messages each program is run a few times, since noise is more than what is measured.
SMALL = 1_000
ROUNDS = int(os.environ.get("XREGIT_BENCH_ROUNDS", "3"))
# Seconds below which a difference is noise.
LEAST = 0.25
HEAD = """# What it costs

Each main operation on a registry of so many messages (50 to a group, all protocols, files of some 51 lines), cold: no
cache, an interpreter of its own. `python -m pytest -s tests/benchmarks/bench_growth.py --update-golden` writes this
page; CI runs the same with fewer messages and fails where a power passes 1.15.

- **CPU** is the processor time of all processes, on however many cores.
- The **floor** is the least that any program would do, in an interpreter of its own too: compose the same YAML with
  libyaml, parse and write the same JSON, write the same pages through one cached template, start the same Spark and
  write a row of each message, or parse the same events and write them.
- The **power** says with which power of the number of messages the cost grows between the two largest sizes, without
  what a registry of one message costs: 1 is linear.
- The **peak** is the memory of the largest process.
- `diff` compares with a commit before one file in a hundred was changed; `route` sorts 20 events for each message.

{machine}.

{table}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """What one operation costs at one size."""

    messages: int
    cost: Cost
    floor: Cost


@pytest.fixture(scope="module")
def registries(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Sized]:
    """Return a registry of each size; its files are written when they are read first."""
    return {size: Sized(tmp_path_factory.mktemp(f"size{size}"), size) for size in (START, *SIZES)}


@dataclass(frozen=True, slots=True)
class Growth:
    """What one operation costs at every size, and the power of the number of messages with which that grows."""

    rows: tuple[Row, ...]
    power: float


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[dict[str, Growth]]:
    """Collect the rows, print them at the end, and write the page when golden files are."""
    found: dict[str, Growth] = {}
    yield found
    print(f"\n{markdown(found)}")
    if request.config.getoption("--update-golden"):
        PAGE.write_text(HEAD.format(machine=machine(), table=markdown(found)), encoding="utf-8")


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each.name in ONLY], ids=lambda each: each.name)
def test_cost_is_linear(
    benchmark: BenchmarkFixture, registries: dict[int, Sized], table: dict[str, Growth], operation: Operation
) -> None:
    """The cost of an operation, without what one message costs, grows at most with the power 1.15 of the messages."""
    rows = benchmark.pedantic(lambda: [measured(each, operation) for each in registries.values()], rounds=1)
    found = table[operation.name] = Growth(tuple(rows[1:]), exponent(*rows[:1], *rows[-2:]))
    benchmark.extra_info.update(power=found.power, ratios=[row.cost.seconds / row.floor.seconds for row in rows])
    assert found.power <= EXPONENT, f"{operation.name} grows with the power {found.power:.2f} of its messages"


def measured(registry: Sized, operation: Operation) -> Row:
    """Run an operation and its floor in turn; return the middle costs."""
    runs: list[tuple[Cost, Cost]] = []
    for number in range(ROUNDS if registry.messages <= SMALL else 1):
        cache = {"XDG_CACHE_HOME": str(registry.root / f"cache-{operation.name}{number}")}
        done = cost(registry.program(operation.run), registry.root, cache)
        runs.append((done, cost(registry.program(operation.floor), registry.root, cache)))
    return Row(registry.messages, *(_middle(each) for each in zip(*runs, strict=True)))


def _middle(costs: tuple[Cost, ...]) -> Cost:
    return Cost(median(each.seconds for each in costs), max(each.peak for each in costs))


def exponent(start: Row, less: Row, more: Row) -> float:
    """Return the power of the number of messages with which the cost grew between the two largest sizes."""
    spent = [max(row.cost.seconds - start.cost.seconds, LEAST) for row in (less, more)]
    return log(spent[1] / spent[0]) / log(more.messages / less.messages)


def markdown(found: dict[str, Growth]) -> str:
    """Return the table."""
    lines = [
        "| Operation | Messages | CPU, s | Floor, s | Ratio | Power | Peak, MiB |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, growth in found.items():
        for row in growth.rows:
            power = f"{growth.power:.2f}" if row is growth.rows[-1] else ""
            lines.append(
                f"| {name} | {row.messages:,} | {row.cost.seconds:.2f} | {row.floor.seconds:.2f} "
                f"| {row.cost.seconds / row.floor.seconds:.2f} | {power} | {row.cost.peak:,.0f} |"
            )
    return "\n".join(lines)


def machine() -> str:
    """Say what the figures were measured on."""
    return f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, {platform.system()}"
