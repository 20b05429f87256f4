"""Work counted in steps, the lines of Python that run: the same on every machine, however fast or busy it is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class _LimitPassedError(BaseException):
    """More steps were taken than a test allows; an ``except Exception`` of what is tested does not catch it."""


@contextmanager
def at_most(limit: int) -> Iterator[Callable[[], int]]:
    """Count the steps of everything that is called in the block, and give a function that returns their number so far.

    Whatever C code does between two lines counts as one step.

    Raises:
        AssertionError: there are more steps than the limit; the work is stopped there.
    """
    taken = 0

    def trace(_frame: FrameType, _event: str, _value: Any) -> Any:
        nonlocal taken
        taken += 1
        if taken > limit:
            raise _LimitPassedError
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield lambda: taken
    except _LimitPassedError:
        message = f"stopped after {limit:,} steps"
        raise AssertionError(message) from None
    finally:
        sys.settrace(before)


def steps(work: Callable[[], object], limit: int) -> int:
    """Run work and return how many steps it took.

    Raises:
        AssertionError: it took more than the limit, at which it was stopped.
    """
    with at_most(limit) as taken:
        work()
        return taken()
