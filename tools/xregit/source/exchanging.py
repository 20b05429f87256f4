"""Two folders in each other's place in one step, as Linux can: at no moment is either of the two names missing."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_HERE = -100  # AT_FDCWD: paths are as they are for any other call
_EXCHANGE = 2  # RENAME_EXCHANGE


def exchanged(one: Path, other: Path) -> bool:
    """Exchange what two paths name, and tell whether that was done: not every system or file system can.

    If it was not done, both are as they were.
    """
    rename = _renameat2()
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0


@cache
def _renameat2() -> Any:
    """Return the function of the C library, or None where there is none."""
    if sys.platform != "linux":
        return None
    found = getattr(ctypes.CDLL(None), "renameat2", None)
    if found is not None:
        found.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return found
