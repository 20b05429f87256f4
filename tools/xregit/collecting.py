"""The garbage collector, held off while very many values come into being that all stay alive."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


# What is old is gone through when much has grown old since, which the collector doesn't know of what is aged here. So a
# program that runs on, such as a site that is served, would keep each catalog that it ever read. Every so often it is
# looked whether that much has; to go through all that a large program holds costs more than reading a small catalog.
AGED_BEFORE_COLLECTED = 16
MUCH = 0.25  # as the collector has it
# Python 3.12 freezes a few hundred objects of its own when it starts; a program that freezes has thousands.
FROZEN_BY_PYTHON = 1_000


class _Ages:
    """How often something was aged, how much since all was gone through, and how much was there then."""

    times = 0
    grown = 0
    old = 0


@contextmanager
def uncollected() -> Iterator[None]:
    """Run a bounded computation without the collector, which would look at a large catalog again and again in vain.

    On 10,000 messages it takes a fifth of the time of reading, checking and compiling.
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
    """Count all that is there as old; else the collector would begin with going through every value that is new."""
    if gc.get_freeze_count() > FROZEN_BY_PYTHON:
        return
    _Ages.times += 1
    _Ages.grown += gc.get_count()[0]
    is_due = _Ages.times % AGED_BEFORE_COLLECTED == 0 and _Ages.grown > MUCH * _Ages.old
    if is_due:
        gc.collect()
    gc.freeze()
    if is_due:
        _Ages.grown, _Ages.old = 0, gc.get_freeze_count()
    gc.unfreeze()
