"""Verdicts to sentences: each said once, with the places where it is true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xregit.payloads.compatibility.answers import ROOT, WORST_FIRST, Verdict, worst

_MAX_SENTENCES = 3
_MAX_PLACES = 3


def worst_first(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return verdicts by what they say of the worse direction; otherwise they stay in their order."""
    return sorted(verdicts, key=lambda item: WORST_FIRST.index(worst(item.backward, item.forward)))


def told(verdicts: Iterable[Verdict]) -> str:
    """Return what several verdicts say, without the last full stop; of many sentences and places the first few."""
    places: dict[str, list[str]] = {}
    for item in verdicts:
        places.setdefault(item.message.removesuffix("."), []).append(item.where)
    said = [f"{_places(where)}{message}" for message, where in places.items()]
    more = len(said) - _MAX_SENTENCES
    return ". ".join(said[:_MAX_SENTENCES]) + (f", and {more} more" if more > 0 else "")


def _places(where: Sequence[str]) -> str:
    """Return the places before a sentence; what is said of the payload as a whole needs none."""
    names = list(dict.fromkeys(where))
    if names == [ROOT]:
        return ""
    more = len(names) - _MAX_PLACES
    return ", ".join(names[:_MAX_PLACES]) + (f" and {more} more" if more > 0 else "") + ": "
