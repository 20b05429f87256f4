"""Similar names: whether one is another one misspelled, and which of several is meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

MIN_CHARS_TO_COMPARE, MIN_CHARS_TO_SLIP = 5, 3
_MAX_COMPARED_CHARS = 80
# A shorter text is one end of too many names.
_MIN_PART_CHARS = 5


@lru_cache(maxsize=8192)
def is_misspelled(one: str, other: str) -> bool:
    """Return whether two names differ only in case, hyphens and underscores, or by a letter lost, changed or moved."""
    first, second = fold_name(one), fold_name(other)
    if first == second:
        return True
    if abs(len(first) - len(second)) > 1 or min(len(first), len(second)) < MIN_CHARS_TO_COMPARE:
        return False
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    rest, other_rest = first[start:], second[start:]
    if any(part[:1].isdigit() for part in (rest, other_rest)):
        return False  # numbers tell things apart on purpose
    swapped = rest[:2] == other_rest[:2][::-1] and rest[2:] == other_rest[2:]
    return swapped or rest[1:] == other_rest[1:] or rest == other_rest[1:] or rest[1:] == other_rest


@lru_cache(maxsize=8192)
def is_slip(name: str, word: str) -> bool:
    """Return whether a name is a short known one with a letter doubled, dropped or swapped, or with an "s" at its end.

    Other letters make other words of short ones: "node" and "mode", "uri" and "url", "time" and "timer".
    """
    slip, word = fold_name(name), fold_name(word)
    if not MIN_CHARS_TO_SLIP <= len(word) < MIN_CHARS_TO_COMPARE or len(slip) < MIN_CHARS_TO_SLIP:
        return False
    places = range(len(word))
    doubled = {word[: at + 1] + word[at:] for at in places}
    dropped = {word[:at] + word[at + 1 :] for at in places}
    swapped = {word[:at] + word[at : at + 2][::-1] + word[at + 2 :] for at in places}
    return slip != word and slip in {f"{word}s", *doubled, *dropped, *swapped}


def is_near(name: str, known: str) -> bool:
    """Return whether a name is most likely meant to be a known one."""
    return is_misspelled(name, known) or is_slip(name, known)


@lru_cache(maxsize=8192)
def fold_name(name: str) -> str:
    """Return a name without case, hyphens and underscores, which don't tell names apart; one is compared with many."""
    return name.casefold().replace("-", "").replace("_", "")


def fold_words(text: str) -> str:
    """Return a text without case, hyphens, underscores and the "s" at the end of its words."""
    return re.sub(r"(?<=[^\W\d])s(?![^\W_])", "", text.casefold()).replace("-", "").replace("_", "")


def suggest_similar(text: str, choices: Iterable[str]) -> str:
    """Return a question that offers the choice most like the text."""
    near = most_similar(text, choices)
    return f'Did you mean "{near}"?' if near else ""


def most_similar(text: str, choices: Iterable[str]) -> str:
    """Return the choice most like the text, or the only one that has it at an end; empty if none is like it."""
    if len(text) > _MAX_COMPARED_CHARS:
        return ""
    folded = {choice.casefold(): choice for choice in choices}
    query = text.casefold()
    near = difflib.get_close_matches(query, folded, n=1, cutoff=0.7)
    if not near and len(query) >= _MIN_PART_CHARS:
        near = [each for each in folded if each.startswith(query)] or [each for each in folded if each.endswith(query)]
    return folded[near[0]] if len(near) == 1 else ""
