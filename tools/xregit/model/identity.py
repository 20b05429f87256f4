"""A cache of functions by the identity of their argument, which must never change."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def cache_by_identity(size: int) -> Callable[[Callable[[Thing], Result]], Callable[[Thing], Result]]:
    """Remember the results of a function for up to ``size`` arguments, found again by identity.

    Each argument is kept with its result, so its ``id`` can't become another one's. Mappings of attributes can't be
    hashed, and wrapping them in something that can costs more than many of the functions.
    """

    def remembering(function: Callable[[Thing], Result]) -> Callable[[Thing], Result]:
        known: dict[int, tuple[Thing, Result]] = {}

        @wraps(function)
        def remembered(thing: Thing) -> Result:
            found = known.get(id(thing))
            if found is None:
                result = function(thing)
                if len(known) >= size:
                    known.clear()
                found = known[id(thing)] = (thing, result)
            return found[1]

        return remembered

    return remembering
