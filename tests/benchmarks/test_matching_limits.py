from __future__ import annotations

import pytest

from tests.benchmarks import bench_matching


def test_benchmarks_hold_the_agreed_limits() -> None:
    """The limits are those of the project's numbers for matching."""
    limits = bench_matching
    assert (limits.FEW, limits.MANY, limits.FLAT, limits.BUILD_SECONDS) == (10, 10_000, 1.5, 1.0)
    assert limits.FLOORS == {"types": 2.0, "templates": 3.0}


@pytest.mark.parametrize("kind", ["types", "templates", "topics"])
def test_benchmark_messages_are_recognised(kind: str) -> None:
    """Each message that is measured fits one definition, with the context that its templates ask for."""
    found = [bench_matching.matcher(kind, 100).match(text) for text in bench_matching.messages(kind, 100)]
    assert [item.outcome for item in found] == ["one"] * len(found)
    assert all(bool(item.matches[0].context) == (kind != "types") for item in found)
