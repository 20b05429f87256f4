"""One run at a time: a second one that would write the same files fails at once and says why."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from xregit.errors import XregitError

if sys.platform != "win32":
    import fcntl


@contextmanager
def editing(folder: Path) -> Iterator[None]:
    """Keep other runs from editing the files below a folder, from before they are read until they are written.

    What is locked is the folder itself, or the nearest one above it where it is missing; nothing is left behind.

    Raises:
        XregitError: another run is editing them.
    """
    place = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    with _held(place, _as_it_is, f'another run is editing files in "{place}"; wait for its end'):
        yield


@contextmanager
def writing_to(place: Path, beside: Path, create: Callable[[Path], None]) -> Iterator[None]:
    """Lock the file or folder ``beside`` the place that is written to; ``create`` makes it if it is missing.

    Raises:
        XregitError: another run holds it.
    """
    with _held(beside, create, another_run(place)):
        yield


def another_run(place: Path) -> str:
    """Return what to say where another run writes to a place."""
    return f'another run is writing "{place}"; wait for its end'


def _as_it_is(_: Path) -> None:
    """Create nothing."""


@contextmanager
def _held(path: Path, create: Callable[[Path], None], refusal: str) -> Iterator[None]:
    if sys.platform == "win32":  # two runs at once are not told apart there
        create(path)
        yield
        return
    descriptor = _lock(path, create, refusal)
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(path: Path, create: Callable[[Path], None], refusal: str) -> int:
    while True:
        create(path)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:  # another run has just renamed it to its place
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise XregitError(refusal) from error
        except OSError:  # a file system without locks
            return descriptor
        if _is_still(path, descriptor):
            return descriptor
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    """Tell whether the path names what was opened; another run may have renamed that to its place meanwhile."""
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False
