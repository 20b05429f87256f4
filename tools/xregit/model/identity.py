"""What follows from a value that is never changed, worked out once, whatever the value is equal to."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Thing = TypeVar("Thing")
Result = TypeVar("Result")


def once(size: int) -> Callable[[Callable[[Thing], Result]], Callable[[Thing], Result]]:
    """Remember what a function returns for up to as many values; each is kept with its result, so no other is it.

    Mappings of attributes have no hash, and what makes one of their identity costs more than many of the functions.
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
