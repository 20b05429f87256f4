"""What each main operation costs at every size: against its floor, how it grows, and how much memory it takes.

    python -m pytest -s tests/benchmarks/bench_growth.py [--update-golden]

prints the table, and with the switch writes it into site/docs/benchmarks.md. ``XREGIT_BENCH_SIZES`` has other numbers
of messages, such as ``100,1000``; ``XREGIT_BENCH_ONLY`` names the operations to take. ``XREGIT_BENCH_FLOORS=no`` leaves
out the floors, which only the table tells: so CI does, where growth alone counts.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.measurement import Cost, cost
from tests.benchmarks.operations import OPERATIONS, Operation, Sized

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_benchmark.fixture import BenchmarkFixture

PAGE = Path(__file__).parents[2] / "site" / "docs" / "benchmarks.md"
SIZES = tuple(int(size) for size in os.environ.get("XREGIT_BENCH_SIZES", "100,1000,10000,50000").split(","))
ONLY = os.environ.get("XREGIT_BENCH_ONLY", ",".join(each.name for each in OPERATIONS)).split(",")
FLOORS = os.environ.get("XREGIT_BENCH_FLOORS") != "no"
# What is the same at any size, and taken off before growth is computed, is what one message costs.
START = 1
# A quadratic part shows as 1.5 and more at CI's sizes. Python's garbage collector alone makes for up to 1.2.
EXPONENT = 1.3
# What else a machine does makes a cost look like growth: what seems to grow too fast is measured so often at most.
TRIES = 3
# From so many messages on, what they cost is more than noise, if it is at least this share of what any start costs.
TELLING, SHARE = 1_000, 0.1
# Each program runs until it has cost so many seconds, for the middle of a few runs; and at most so often.
ENOUGH, ROUNDS = 10.0, 7
# A size at which a run would cost more seconds than these is left out.
LONGEST = 300.0
HEAD = """# What it costs

Each main operation on a registry of so many messages (50 to a group, all protocols, files of some 51 lines), cold: no
cache, an interpreter of its own. `python -m pytest -s tests/benchmarks/bench_growth.py --update-golden` writes this
page; CI runs the same with fewer messages and fails where a power passes 1.3. 50,000 messages are left out where a
run would take over five minutes.

- **CPU** is the processor time of all processes, on however many cores.
- The **floor** is the least that any program would do, in an interpreter of its own too: compose the same YAML with
  libyaml, parse and write the same JSON, write the same pages through one cached template, start the same Spark and
  write a row of each message, or parse the same events and write them.
- The **power** says with which power of the number of messages the cost has grown since the size before, without what
  a registry of one message costs: 1 is linear. CPU time counts, of which noise is the more the smaller the registry;
  what seems to grow with more than 1.3 is measured up to three times, and the least counts.
- The **peak** is the memory of the largest process.
- `diff` compares with a commit before one file in a hundred was changed; `route` sorts 20 events for each message.

{machine}.

{table}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """What one operation costs at one size, and with which power of the messages that grew since the size before."""

    messages: int
    cost: Cost
    floor: Cost | None
    power: float | None = None


@pytest.fixture(scope="module")
def registries(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Sized]:
    """Return a registry of each size; its files are written when they are read first."""
    return {size: Sized(tmp_path_factory.mktemp(f"size{size}"), size) for size in (START, *SIZES)}


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[dict[str, list[Row]]]:
    """Collect the rows, print them at the end, and write the page when golden files are."""
    found: dict[str, list[Row]] = {}
    yield found
    print(f"\n{markdown(found)}")
    if request.config.getoption("--update-golden"):
        PAGE.write_text(HEAD.format(machine=machine(), table=markdown(found)), encoding="utf-8")


@pytest.mark.parametrize("operation", [each for each in OPERATIONS if each.name in ONLY], ids=lambda each: each.name)
def test_cost_is_linear(
    benchmark: BenchmarkFixture, registries: dict[int, Sized], table: dict[str, list[Row]], operation: Operation
) -> None:
    """The cost of an operation, without what one message costs, grows at most with the power 1.3 of the messages."""
    rows = table[operation.name] = benchmark.pedantic(lambda: least_grown(registries, operation), rounds=1)
    powers = {row.messages: row.power for row in rows if row.power is not None}
    ratios = [row.cost.seconds / row.floor.seconds for row in rows if row.floor is not None]
    benchmark.extra_info.update(powers=powers, ratios=ratios)
    assert powers, "no two sizes tell how the cost grows"
    assert steepest(rows) <= EXPONENT, f"{operation.name} grows with these powers of its messages: {powers}"


def least_grown(registries: dict[int, Sized], operation: Operation) -> list[Row]:
    """Return what an operation costs, measured anew while it seems to grow too fast; the least growth counts."""
    tries = []
    for _ in range(TRIES):
        tries.append(grown(registries, operation))
        if steepest(tries[-1]) <= EXPONENT:
            break
    return min(tries, key=steepest)


def steepest(rows: list[Row]) -> float:
    """Return the largest power of some rows, 0 where none is told."""
    return max((row.power for row in rows if row.power is not None), default=0.0)


def grown(registries: dict[int, Sized], operation: Operation) -> list[Row]:
    """Return what an operation costs at each size but the start, as long as it takes no longer than it may."""
    start, *rest = registries.values()
    rows = [measured(start, operation)]
    for registry in rest:
        before = rows[-1]
        if len(rows) > 1 and before.cost.seconds * registry.messages / before.messages > LONGEST:
            break
        row = measured(registry, operation)
        more = before.cost.seconds - rows[0].cost.seconds
        tells = before.messages >= TELLING and more >= SHARE * rows[0].cost.seconds
        rows.append(replace(row, power=exponent(rows[0], before, row)) if tells else row)
    return rows[1:]


def measured(registry: Sized, operation: Operation) -> Row:
    """Run an operation and its floor in turn; return the middle costs."""
    runs: list[Cost] = []
    floors: list[Cost] = []
    while not runs or (len(runs) < ROUNDS and sum(done.seconds for done in runs) < ENOUGH):
        runs.append(cost(registry.program(operation.run), registry.root, {}))
        if FLOORS:
            floors.append(cost(registry.program(operation.floor), registry.root, {}))
    return Row(registry.messages, _middle(runs), _middle(floors) if floors else None)


def _middle(costs: Sequence[Cost]) -> Cost:
    return Cost(median(each.seconds for each in costs), max(each.peak for each in costs))


def exponent(start: Row, less: Row, more: Row) -> float:
    """Return with which power of the number of messages the cost grew between two sizes."""
    spent = [row.cost.seconds - start.cost.seconds for row in (less, more)]
    return log(spent[1] / spent[0]) / log(more.messages / less.messages)


def markdown(found: dict[str, list[Row]]) -> str:
    """Return the table."""
    lines = [
        "| Operation | Messages | CPU, s | Floor, s | Ratio | Power | Peak, MiB |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {name} | {row.messages:,} | {row.cost.seconds:.2f} | {_beside(row)} "
        f"| {'' if row.power is None else f'{row.power:.2f}'} "
        f"| {row.cost.peak:,.0f} |"
        for name, rows in found.items()
        for row in rows
    ]
    return "\n".join(lines)


def _beside(row: Row) -> str:
    """Return the cells of the floor and of the ratio to it."""
    return " | " if row.floor is None else f"{row.floor.seconds:.2f} | {row.cost.seconds / row.floor.seconds:.2f}"


def machine() -> str:
    """Say what the figures were measured on."""
    return f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, {platform.system()}"
