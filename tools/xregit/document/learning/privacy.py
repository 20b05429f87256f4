"""What of a message may be written into a catalog: words that people chose for kinds of things, and nothing else.

A value is kept out unless it looks like such a word, so that a name, a number, a key or a token is never taken for one.
"""

from __future__ import annotations

import re

# A word with at most two digits, such as "order", "bag-sorted", "v1" or "l2".
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]*[0-9]{0,2}[A-Za-z_-]*|[0-9]{1,2}|")
_MAX_WORD = 32
_PARTS = re.compile(r"[./:]+")
# Random text: so many consonants in a row, or so many changes of case, has no word.
_CONSONANTS = re.compile(r"(?i)[b-df-hj-np-tv-xz]{6,}")
_HUMPS = re.compile(r"[a-z][A-Z]")
_MAX_HUMPS = 6
_HEX = re.compile(r"[0-9a-fA-F]{8,}")
_SECRET = re.compile(r"(sk|pk|rk)_|gh[pousr]_|xox|AKIA|AIza|eyJ")
# What follows such a word, or stands under such a name, may tell who somebody is.
_PERSON = re.compile(
    r"(?i)(user|customer|member|person|people|patient|employee|account|client|player|driver|guest|passenger|contact"
    r"|owner|author|subscriber|student|citizen|tenant|session|token|secret|key|auth|password|login|mail|phone)(s|ies)?"
)


def is_word(text: str) -> bool:
    """Return whether a text is a word, as in a topic or a name; "" is one."""
    return (
        len(text) <= _MAX_WORD
        and _WORD.fullmatch(text) is not None
        and _HEX.fullmatch(text) is None
        and _SECRET.match(text) is None
        and _CONSONANTS.search(text) is None
        and len(_HUMPS.findall(text)) <= _MAX_HUMPS
    )


def is_public(text: str) -> bool:
    """Return whether all parts of a type, a topic or a level of one are words."""
    return all(map(is_word, _PARTS.split(text)))


def is_field(name: str) -> bool:
    """Return whether a name is that of a field, and no value."""
    return bool(name) and is_word(name.lstrip("@$_"))


def is_plural(word: str) -> bool:
    """Return whether a word names several things, so that what follows it tells them apart."""
    return word.endswith("s") and not word.endswith("ss") and len(word) > len("gas")


def names_person(word: str) -> bool:
    """Return whether what follows a word may be somebody's name, or a secret."""
    return _PERSON.fullmatch(word) is not None
