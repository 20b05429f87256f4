"""The work that comparing two schemas may take, counted in steps: the answer is the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass

# A step is some microsecond of work.
MAX_STEPS = 2_000_000


class TooLargeError(Exception):
    """Two schemas are too large, or too intricate, to be compared within the budget."""


@dataclass(slots=True)
class Budget:
    """The steps that one direction of a comparison may still take.

    Whatever loops over pairs, or may be reached again and again, spends steps for each turn.
    """

    steps: int = MAX_STEPS

    def spend(self, steps: int = 1) -> None:
        """Take steps from the budget.

        Raises:
            TooLargeError: it is used up.
        """
        self.steps -= steps
        if self.steps < 0:
            raise TooLargeError
