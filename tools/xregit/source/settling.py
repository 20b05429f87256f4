"""A file that was just written → whether its status will show every later change.

A change within the same tick of the file system's clock would leave the status as it is (Git calls such a file "racily
clean"). So the next tick is waited for. Most clocks tick within a few milliseconds; those that count seconds are not
worth the wait.
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
    """Wait until any change of a file must give it another status than the one given, and tell whether that is so.

    False if that would take too long, or if the file has another status by now. To read the file system's clock, the
    file's folder is touched.
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
