"""Similar names: whether one is another one misspelled, and which of several is meant."""

from __future__ import annotations

import difflib
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_CHARS_TO_COMPARE, MIN_CHARS_TO_SLIP = 5, 3
_MAX_COMPARED_CHARS = 80
# A shorter text is one end of too many names.
_MIN_PART_CHARS = 5


@lru_cache(maxsize=8192)
def is_misspelled(one: str, other: str) -> bool:
    """Tell whether two names differ only in case, hyphens and underscores, or by one letter lost, changed or moved."""
    given, meant = fold_name(one), fold_name(other)
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
    given, meant = fold_name(name), fold_name(known)
    if not MIN_CHARS_TO_SLIP <= len(meant) < MIN_CHARS_TO_COMPARE or len(given) < MIN_CHARS_TO_SLIP:
        return False
    places = range(len(meant))
    doubled = {meant[: at + 1] + meant[at:] for at in places}
    gone = {meant[:at] + meant[at + 1 :] for at in places}
    swapped = {meant[:at] + meant[at : at + 2][::-1] + meant[at + 2 :] for at in places}
    return given != meant and given in {f"{meant}s", *doubled, *gone, *swapped}


@lru_cache(maxsize=8192)
def fold_name(name: str) -> str:
    """Return a name without case, hyphens and underscores, which don't tell names apart; one is compared with many."""
    return name.casefold().replace("-", "").replace("_", "")


def suggest_similar(text: str, choices: Iterable[str]) -> str:
    """Return a question that offers the choice most like the text, or the only one that has it at an end."""
    if len(text) > _MAX_COMPARED_CHARS:
        return ""
    folded = {choice.casefold(): choice for choice in choices}
    given = text.casefold()
    near = difflib.get_close_matches(given, folded, n=1, cutoff=0.7)
    if not near and len(given) >= _MIN_PART_CHARS:
        near = [each for each in folded if each.startswith(given)] or [each for each in folded if each.endswith(given)]
    return f'Did you mean "{folded[near[0]]}"?' if len(near) == 1 else ""
