"""Single values to YAML text that readers of YAML 1.1 and 1.2 understand alike, quoted only where one might not."""

from __future__ import annotations

import math
import re
from functools import lru_cache

# A first character after which neither version sees an indicator, a number, a date or a merge key.
_PLAIN = re.compile(r"[^\W\d][^\n]*|[/$(_][^\n]*")
# What ends or changes unquoted text: a comment, a key's colon, blanks at its end.
_UNSAFE = re.compile(r" #|:(?:\s|$)|\s$|\t")
_UNSAFE_IN_BRACKETS = re.compile(r"[,\[\]{}:#?]")
_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
# Keys and values of a catalog are much alike.
MAX_REMEMBERED = 65_536
_ATOMS = {None: "null", True: "true", False: "false"}
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


@lru_cache(maxsize=MAX_REMEMBERED)
def quoted_if_needed(text: str) -> str:
    """Return the text as a value or key of its own line."""
    return text if _is_plain(text) else quoted(text)


@lru_cache(maxsize=MAX_REMEMBERED)
def quoted_in_brackets(text: str) -> str:
    """Return the text as a value or key between brackets."""
    return text if _is_plain(text) and not _UNSAFE_IN_BRACKETS.search(text) else quoted(text)


def quoted(text: str) -> str:
    """Return the text in quotes: single ones where double ones would need escapes for nothing but themselves."""
    if not text.isprintable() and _UNPRINTABLE.search(text):
        return '"' + _UNPRINTABLE.sub(_escaped, text.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def is_printable(text: str) -> bool:
    """Tell whether the text's only unprintable characters are line feeds and tabs."""
    # What Python calls printable is, and is found sooner.
    return text.isprintable() or _UNPRINTABLE.search(text.replace("\n", "").replace("\t", "")) is None


def atom(value: float | None) -> str:
    """Return a number, boolean or null; a number that remembers how it was written is written so again.

    Raises:
        ValueError: the number is infinite or NaN.
    """
    if value is None or isinstance(value, bool):
        return _ATOMS[value]
    text = getattr(value, "text", None)
    if isinstance(text, str):
        return text
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        message = f"{value} can't be written as YAML that is also JSON"
        raise ValueError(message)
    mantissa, exponent, power = repr(value).partition("e")
    return mantissa + (".0" if exponent and "." not in mantissa else "") + exponent + power


def _is_plain(text: str) -> bool:
    return (
        _PLAIN.fullmatch(text) is not None
        and text.casefold() not in _WORDS
        and not _UNSAFE.search(text)
        and (text.isprintable() or not _UNPRINTABLE.search(text))
    )


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    known = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    return known or (f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}")  # noqa: PLR2004
