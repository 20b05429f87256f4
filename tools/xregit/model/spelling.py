"""Whether one name is another one, misspelled."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile

MIN_CHARS_TO_COMPARE, MIN_CHARS_TO_SLIP = 5, 3


@lru_cache(maxsize=8192)
def is_misspelled(one: str, other: str) -> bool:
    """Tell whether two names differ only in case, hyphens and underscores, or by one letter lost, changed or moved."""
    given, meant = plain(one), plain(other)
    if given == meant:
        return True
    if abs(len(given) - len(meant)) > 1 or min(len(given), len(meant)) < MIN_CHARS_TO_COMPARE:
        return False
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(given, meant, strict=False)))
    left, right = given[start:], meant[start:]
    if any(part[:1].isdigit() for part in (left, right)):
        return False  # numbers tell things apart on purpose
    swapped = left[:2] == right[:2][::-1] and left[2:] == right[2:]
    return swapped or left[1:] == right[1:] or left == right[1:] or left[1:] == right


@lru_cache(maxsize=8192)
def is_slip(name: str, known: str) -> bool:
    """Tell whether a name is a short known one with a letter doubled, dropped or swapped, or with an "s" at its end.

    Other letters make other words of short ones: "node" and "mode", "uri" and "url", "time" and "timer".
    """
    given, meant = plain(name), plain(known)
    if not MIN_CHARS_TO_SLIP <= len(meant) < MIN_CHARS_TO_COMPARE or len(given) < MIN_CHARS_TO_SLIP:
        return False
    places = range(len(meant))
    doubled = {meant[: at + 1] + meant[at:] for at in places}
    gone = {meant[:at] + meant[at + 1 :] for at in places}
    swapped = {meant[:at] + meant[at : at + 2][::-1] + meant[at + 2 :] for at in places}
    return given != meant and given in {f"{meant}s", *doubled, *gone, *swapped}


@lru_cache(maxsize=8192)
def plain(name: str) -> str:
    """Return a name without case, hyphens and underscores, which don't tell names apart; one is compared with many."""
    return name.casefold().replace("-", "").replace("_", "")
