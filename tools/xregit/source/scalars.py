"""Unquoted YAML scalars by the core schema of YAML 1.2, and numbers that keep their text."""

from __future__ import annotations

import math
import re
from typing import Any, Self

from xregit.source.parse_result import MAX_INTEGER_DIGITS


class _WithText:
    """A number that keeps its text; copies and pickles keep it too."""

    text: str

    def __new__(cls, value: float, text: str) -> Self:
        """Keep the text beside the value."""
        number = super().__new__(cls, value)  # type: ignore[call-arg]
        number.text = text
        return number

    def __getnewargs__(self) -> Any:
        return +self, self.text  # type: ignore[operator]


class PlainInt(_WithText, int):
    """An integer whose text in the file isn't how Python would write it, such as ``0x1F`` or ``007``."""


class PlainFloat(_WithText, float):
    """A number whose text in the file isn't how Python would write it, such as ``1.10`` or ``1e3``."""


def without_text(value: Any) -> Any:
    """Return the value with ordinary numbers only; lists and mappings are copied, nesting is at most MAX_DEPTH."""
    if isinstance(value, dict):
        return {key: without_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_text(item) for item in value]
    return +value if isinstance(value, PlainInt | PlainFloat) else value


#: Text that doesn't begin with one of these is a string; the empty text is null.
FIRST_CHARACTERS = frozenset("-+.0123456789~tTfFnN")
CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
NOT_NUMBERS = frozenset(
    [sign + name for sign in ("", "+", "-") for name in (".inf", ".Inf", ".INF")] + [".nan", ".NaN", ".NAN"],
)

_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def scalar(text: str) -> str | int | float | bool | None:
    """Return the value of unquoted text; a number keeps its text where Python would write it differently.

    Raises:
        ValueError: the number can't be kept exactly or at all; the message says why.
    """
    if text in CONSTANTS:
        return CONSTANTS[text]
    if _DECIMAL.fullmatch(text):
        return _integer(text, 10)
    if _FLOAT.fullmatch(text):
        return _float(text)
    if _OTHER_BASE.fullmatch(text):
        return _integer(text, 0)
    if text in NOT_NUMBERS:
        raise ValueError(f"{text} is not a number that JSON can hold")
    return text


def _integer(text: str, base: int) -> int:
    if len(text) > MAX_INTEGER_DIGITS:
        raise ValueError(f"the integer has {len(text)} digits; at most {MAX_INTEGER_DIGITS} are kept")
    value = int(text, base)
    return value if str(value) == text else PlainInt(value, text)


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:MAX_INTEGER_DIGITS]} is too large")
    return value if repr(value) == text else PlainFloat(value, text)
