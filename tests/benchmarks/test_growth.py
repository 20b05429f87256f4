from __future__ import annotations

import pytest

from tests.benchmarks import bench_growth
from tests.benchmarks.bench_growth import Row, least_grown, steepest
from tests.benchmarks.measurement import Cost
from tests.benchmarks.operations import OPERATIONS


@pytest.mark.parametrize(
    ("measured", "told"),
    [((1.1, 0.9), 1.1), ((1.4, 1.1, 0.9), 1.1), ((1.5, 1.4, 1.6, 1.0), 1.4)],
    ids=["at once", "noise", "too fast"],
)
def test_what_seems_to_grow_too_fast_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, measured: tuple[float, ...], told: float
) -> None:
    """One measure that is right will do; three that are not are believed."""
    powers = iter(measured)
    monkeypatch.setattr(bench_growth, "grown", lambda *_: [_row(None), _row(next(powers))])
    assert steepest(least_grown({}, OPERATIONS[0])) == told


def _row(power: float | None) -> Row:
    return Row(1, Cost(1.0, 1.0), Cost(1.0, 1.0), power)
