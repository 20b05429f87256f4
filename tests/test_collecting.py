"""The collector is held off, and goes through nothing at once when it is on again."""

from __future__ import annotations

import gc
from weakref import WeakSet

import pytest

from xregit.collecting import AGED_BEFORE_COLLECTED, uncollected

WEIGHT, ENOUGH = 40_000, 6 * AGED_BEFORE_COLLECTED


@pytest.mark.parametrize("frozen", [0, 400])
def test_what_came_into_being_is_not_gone_through_afterwards(frozen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of new values bring no run of the collector, neither while it is off nor when it is on again.

    But for every sixteenth time, so that of two in a row at most one does. Python 3.12 has frozen some when it starts.
    """
    monkeypatch.setattr(gc, "get_freeze_count", lambda: frozen)
    quiet, held = [], []
    for _ in range(2):
        before = gc.get_stats()
        with uncollected():
            held += [[number] for number in range(10_000)]
        held += [[number] for number in range(200)]  # more than Python holds ready
        quiet.append(gc.get_stats() == before)
    assert gc.isenabled()
    assert any(quiet)


def test_a_program_that_runs_on_forgets() -> None:
    """What refers to itself, as a catalog and its entities do, is not kept for ever."""

    class Loop:
        """Something that refers to itself."""

        def __init__(self) -> None:
            self.itself = self
            self.weight: list[list[int]] = [[] for _ in range(WEIGHT)]

    known: WeakSet[Loop] = WeakSet()
    most = 0
    for _ in range(ENOUGH):
        with uncollected():
            known.add(Loop())
        most = max(most, len(known))
    assert most < ENOUGH // 2


def test_a_large_program_is_not_gone_through_for_little() -> None:
    """Small catalogs, however many, don't have all looked at that a program holds besides."""
    held = [[number] for number in range(20 * WEIGHT)]
    gc.collect()
    runs = []
    for _ in range(8 * AGED_BEFORE_COLLECTED):
        with uncollected():
            values = [[number] for number in range(100)]
        runs.append(gc.get_stats()[-1]["collections"])
    assert len(held) > len(values)
    assert runs[-1] - runs[0] <= 1


def test_collector_that_is_off_stays_off() -> None:
    """Inside and after a computation that holds the collector off, it is as it was."""
    gc.disable()
    try:
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_others_have_frozen_stays_frozen() -> None:
    """A program that keeps values from the collector goes on to do so."""
    gc.freeze()
    try:
        with uncollected():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
