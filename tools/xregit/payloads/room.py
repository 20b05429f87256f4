"""Limits to the size of an answer about a schema: a few lines can describe more values than there are atoms."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from xregit.payloads.shapes import Field, PayloadError

# A schema with more fields than that describes no payload that anyone could look at.
MAX_FIELDS = 20_000
MAX_VALUES = 5_000
MAX_CHARACTERS = 10_000
BEYOND = Field("…", "any", "more fields than can be listed")

Given = ParamSpec("Given")
Made = TypeVar("Made")
_left: ContextVar[int] = ContextVar("left", default=0)


class LargeError(PayloadError):
    """An example that would have more values than anyone could look at."""

    def __init__(self) -> None:
        """Say how many are too many."""
        super().__init__(f"an example would have more than {MAX_VALUES:,} values")


def bounded(most: int) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Return a decorator that lets a function take room for at most so many parts; each call begins anew."""

    def decorated(make: Callable[Given, Made]) -> Callable[Given, Made]:
        @wraps(make)
        def made(*args: Given.args, **options: Given.kwargs) -> Made:
            before = _left.set(most)
            try:
                return make(*args, **options)
            finally:
                _left.reset(before)

        return made

    return decorated


def has_room() -> bool:
    """Take room for one part, and tell whether there was any."""
    left = _left.get()
    _left.set(left - 1)
    return left > 0


def take_room() -> None:
    """Take room for one value.

    Raises:
        LargeError: there is none left.
    """
    if not has_room():
        raise LargeError
