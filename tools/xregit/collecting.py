"""The garbage collector, held off while very many values come into being that all stay alive."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


# What is old is gone through when much has grown old since, which the collector doesn't know of what is aged here. So a
# program that runs on, such as a site that is served, would keep each catalog that it ever read.
AGED_BEFORE_COLLECTED = 16
# Python 3.12 freezes a few hundred objects of its own when it starts; a program that freezes has thousands.
FROZEN_BY_PYTHON = 1_000
_aged = count(1)


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
    gc.freeze()
    gc.unfreeze()
    if next(_aged) % AGED_BEFORE_COLLECTED == 0:
        gc.collect()
