"""Whether one name is another one, misspelled."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

MIN_CHARS_TO_COMPARE = 5


@lru_cache(maxsize=8192)
def is_misspelled(one: str, other: str) -> bool:
    """Tell whether two names differ in case and underscores alone, or in one letter: missing, other or swapped."""
    plain, meant = (re.sub("[-_]", "", name.casefold()) for name in (one, other))
    if plain == meant:
        return True
    if min(len(plain), len(meant)) < MIN_CHARS_TO_COMPARE or abs(len(plain) - len(meant)) > 1:
        return False
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(plain, meant, strict=False)))
    left, right = plain[start:], meant[start:]
    if any(part[:1].isdigit() for part in (left, right)):
        return False  # numbers tell things apart on purpose
    swapped = left[:2] == right[:2][::-1] and left[2:] == right[2:]
    return swapped or left[1:] == right[1:] or left == right[1:] or left[1:] == right
