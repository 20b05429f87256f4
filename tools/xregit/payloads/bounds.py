"""The bounds that a schema sets to a value beyond its type, in the same words for all languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_PATTERN_CHARS = 120
_MATCHES = "matches "
_BITS = (8, 16, 32, 64, 128)
# What types of so many bits hold, which their names say already.
_OWN = {f"{-(2 ** (bits - 1))} to {2 ** (bits - 1) - 1}" for bits in _BITS} | {f"0 to {2**bits - 1}" for bits in _BITS}


def range_text(low: Any, high: Any, *, above: bool = False, below: bool = False) -> str:
    """Return the words for a range, none where it has no end; ``above`` and ``below`` say that an end is outside."""
    if low is not None and high is not None and not above and not below:
        return f"{low}" if low == high else f"{low} to {high}"
    parts = [f"{'more than' if above else 'at least'} {low}"] if low is not None else []
    parts += [f"{'less than' if below else 'at most'} {high}"] if high is not None else []
    return " and ".join(parts)


def count_text(low: float | None, high: float | None, what: str, one: str) -> str:
    """Return the words for how many of ``what`` there are, such as "at least 1 character"; ``one`` is a single one."""
    low = low or None
    words = range_text(low, high)
    last = high if high is not None else low
    return f"{words} {one if last == 1 else what}" if words else ""


def pattern_texts(patterns: Iterable[Any]) -> tuple[str, ...]:
    """Return the words for regular expressions, each once; what is too long to be read is cut."""
    texts = dict.fromkeys(str(pattern) for pattern in patterns)
    cut = (text if len(text) <= MAX_PATTERN_CHARS else f"{text[:MAX_PATTERN_CHARS]}…" for text in texts)
    return tuple(f"{_MATCHES}{text}" for text in cut)


def beyond_type(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words for what a type of a known form does not say itself: its range, and how it is written."""
    return tuple(text for text in words if text not in _OWN and not text.startswith(_MATCHES))
