"""Values in sentences about what is wrong with a message."""

from __future__ import annotations

from typing import Any

from xregit.model import faults


def shown(value: Any) -> str:
    """Return the value as a reader recognises it, on one line whatever it holds."""
    text = faults.shown(value)
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
