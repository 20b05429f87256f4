"""How much the tests take: a sample, so that the README's line ends soon, or with XREGIT_FULL=1 everything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")

FULL = os.environ.get("XREGIT_FULL") == "1"
# Of drawn examples, sizes and documents, one in so many.
EVERY = 1 if FULL else 8


def some(number: int) -> int:
    """Return how many of a number of drawn examples are tried."""
    return -(-number // EVERY)


def sample(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items that are taken, the same ones each time."""
    return items[::EVERY]
