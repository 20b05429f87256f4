"""Python's garbage collector, kept from running while very many values are made that all stay alive."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


# The collector makes a full collection once its oldest generation has grown by a quarter, but it does not count what
# `_age` moves there. A program that runs on, such as a site that is served, would so keep each catalog that it ever
# read. `_age` therefore counts for itself, and collects seldom: to go through all objects of a large program costs more
# than reading a small catalog.
AGED_BEFORE_COLLECTED = 16
GROWTH_BEFORE_COLLECTED = 0.25  # of what the oldest generation held, as the collector itself has it
# Python 3.12 freezes a few hundred objects of its own when it starts; a program that freezes has thousands.
FROZEN_BY_PYTHON = 1_000


class _Ages:
    """How often `_age` ran, how many objects it aged since the last full collection, and how many were old then."""

    times = 0
    grown = 0
    old = 0


@contextmanager
def uncollected() -> Iterator[None]:
    """Run a bounded computation without the collector, which would look at a large catalog again and again in vain.

    On 10,000 messages, the collector takes a fifth of the time of reading, checking and compiling.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            _age()
            gc.enable()


def _age() -> None:
    """Move all objects to the oldest generation, or the collector would begin with looking at every new one."""
    if gc.get_freeze_count() > FROZEN_BY_PYTHON:
        return
    _Ages.times += 1
    _Ages.grown += gc.get_count()[0]
    is_due = _Ages.times % AGED_BEFORE_COLLECTED == 0 and _Ages.grown > GROWTH_BEFORE_COLLECTED * _Ages.old
    if is_due:
        gc.collect()
    gc.freeze()
    if is_due:
        _Ages.grown, _Ages.old = 0, gc.get_freeze_count()
    gc.unfreeze()
