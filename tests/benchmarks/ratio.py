"""How long one thing takes compared with another that is measured in turn with it, so that load hits both."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from pytest_benchmark.fixture import BenchmarkFixture


def ratio(
    benchmark: BenchmarkFixture, run: Callable[[], object], baseline: Callable[[], object], *, rounds: int
) -> float:
    """Return the least time of ``run`` as a multiple of that of ``baseline``: the runs that load disturbed least."""
    times: dict[str, list[float]] = {"run": [], "baseline": []}

    def timed(name: str, program: Callable[[], object]) -> None:
        start = perf_counter()
        program()
        times[name].append(perf_counter() - start)

    benchmark.pedantic(timed, ("run", run), setup=lambda: timed("baseline", baseline), rounds=rounds)
    result = min(times["run"]) / min(times["baseline"])
    benchmark.extra_info.update(baseline=min(times["baseline"]), ratio=result)
    print(f"\n{benchmark.name}: {result:.2f} times its baseline")
    return result
