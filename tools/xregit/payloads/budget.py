"""The budget of fields and values for an answer about a schema: a few lines can describe any number of them."""

from __future__ import annotations

from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from xregit.payloads.base import Field, PayloadError

if TYPE_CHECKING:
    from collections.abc import Callable

# A schema with more fields than that describes no payload that anyone could look at.
MAX_FIELDS = 20_000
MAX_VALUES = 5_000
MAX_CHARACTERS = 10_000
MORE_FIELDS = Field("…", "any", "more fields than can be listed")

Params = ParamSpec("Params")
Result = TypeVar("Result")
_remaining: ContextVar[int] = ContextVar("left", default=0)


class BudgetError(PayloadError):
    """An example that would have more values than anyone could look at."""

    def __init__(self) -> None:
        """Say how many are too many."""
        super().__init__(f"an example would have more than {MAX_VALUES:,} values")


def with_budget(most: int) -> Callable[[Callable[Params, Result]], Callable[Params, Result]]:
    """Return a decorator that lets a function take room for at most so many parts; each call begins anew."""

    def decorated(make: Callable[Params, Result]) -> Callable[Params, Result]:
        @wraps(make)
        def made(*args: Params.args, **options: Params.kwargs) -> Result:
            before = _remaining.set(most)
            try:
                return make(*args, **options)
            finally:
                _remaining.reset(before)

        return made

    return decorated


def has_budget() -> bool:
    """Take room for one part, and tell whether there was any."""
    left = _remaining.get()
    _remaining.set(left - 1)
    return left > 0


def spend() -> None:
    """Take room for one value.

    Raises:
        LargeError: there is none left.
    """
    if not has_budget():
        raise BudgetError
