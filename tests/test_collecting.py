"""The collector is held off, and goes through nothing at once when it is on again."""

from __future__ import annotations

import gc

from xregit.collecting import uncollected


def test_what_came_into_being_is_not_gone_through_afterwards() -> None:
    """Thousands of new values bring no run of the collector, neither while it is off nor when it is on again."""
    before = gc.get_stats()
    with uncollected():
        values = [[number] for number in range(10_000)]
    values.append([])
    assert gc.isenabled()
    assert gc.get_stats() == before


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
