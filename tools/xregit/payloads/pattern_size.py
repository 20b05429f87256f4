"""How large compiled patterns may become: 90 letters of any script, a few characters, take megabytes."""

from __future__ import annotations

#: What all patterns of one document may take together, and a single one, in bytes.
TOTAL, LARGEST = 200_000_000, 10_000_000


def pattern_size(count: int) -> int:
    """Return how many bytes each of so many patterns may take."""
    return min(LARGEST, TOTAL // max(count, 1))
