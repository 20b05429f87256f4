"""What the system says of a file that was written → whether that will tell of each later change, as Git has it.

A change within the same moment of the file system's clock would leave no trace. So that clock is waited for: most have
moved on after a few milliseconds, those that count seconds are not worth it.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

from xregit.source.files import status_of

if TYPE_CHECKING:
    from xregit.source.files import Status

WAITS, SECONDS = 20, 0.001


def settled(path: Path, status: Status) -> bool:
    """Wait until a file that had a status a moment ago can't be changed any more without getting another one.

    False where that would take long, or the file is another one by now. The folder of the file gets the time of now,
    which is what the file system makes of it.
    """
    place = Path(os.path.realpath(path))
    try:
        for _ in range(WAITS):
            os.utime(place.parent)
            if place.parent.stat().st_mtime_ns > max(status[-2:]):
                return status_of(place.stat()) == status
            sleep(SECONDS)
    except OSError:
        return False
    return False
