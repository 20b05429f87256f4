"""Numbers that remember how they were written, so that ``1.10`` can still become the text "1.10"."""

from __future__ import annotations

from typing import Any, Self


class PlainInt(int):
    """An integer whose text in the file isn't how Python would write it, such as ``0x1F`` or ``007``."""

    text: str

    def __new__(cls, value: int, text: str) -> Self:
        """Keep the text beside the value."""
        number = super().__new__(cls, value)
        number.text = text
        return number

    def __getnewargs__(self) -> tuple[int, str]:  # type: ignore[override]
        """Let copies and pickles keep the text."""
        return int(self), self.text


class PlainFloat(float):
    """A number whose text in the file isn't how Python would write it, such as ``1.10`` or ``1e3``."""

    text: str

    def __new__(cls, value: float, text: str) -> Self:
        """Keep the text beside the value."""
        number = super().__new__(cls, value)
        number.text = text
        return number

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        """Let copies and pickles keep the text."""
        return float(self), self.text


def without_text(value: Any) -> Any:
    """Return the value with ordinary numbers only; lists and mappings are copied, nesting is at most MAX_DEPTH."""
    if isinstance(value, dict):
        return {key: without_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_text(item) for item in value]
    if isinstance(value, PlainInt):
        return int(value)
    if isinstance(value, PlainFloat):
        return float(value)
    return value
