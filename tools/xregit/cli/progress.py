"""Progress on standard error: a line that is replaced on a terminal, in a log a line every ten seconds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from shutil import get_terminal_size
from time import monotonic
from typing import TextIO

from xregit.progress import shown_by

# Seconds between two lines about the same task on a terminal, and between any two in a log.
FRAME, LINE = 0.2, 10.0
CLEAR = "\r\x1b[2K"
# Set to "never" it keeps standard error free of progress, for programs that read it.
VARIABLE = "XREGIT_PROGRESS"


class ProgressDisplay:
    """Shows the task that has begun last, when it begins and when parts of it are done."""

    def __init__(self, stream: TextIO) -> None:
        """Take where to show it."""
        self.stream = stream
        self.is_terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._name, self._drawn = "", False
        self._next = monotonic() + (0 if self.is_terminal else LINE)

    def show(self, name: str, done: int, total: int) -> None:
        """Show a task, unless that is too early."""
        now = monotonic()
        if now < self._next and (name == self._name or not self.is_terminal):
            return
        self._name, self._next = name, now + (FRAME if self.is_terminal else LINE)
        line = f"{name[:1].upper()}{name[1:]}" + (f", {done:,} of {total:,}" if total else "")
        self._write(f"{CLEAR}{line[: get_terminal_size().columns - 1]}" if self.is_terminal else f"{line}\n")
        self._drawn = self.is_terminal

    def hide(self) -> None:
        """Clear the line, so that something else can be printed."""
        if self._drawn:
            self._write(CLEAR)
            self._drawn = False

    def _write(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError):  # it was closed
            self._next = float("inf")


_display: ContextVar[ProgressDisplay | None] = ContextVar("display", default=None)


@contextmanager
def progress_display(stream: TextIO) -> Iterator[None]:
    """Show the progress of the work within the block, unless the environment forbids it."""
    if os.environ.get(VARIABLE) == "never":
        yield
        return
    display = ProgressDisplay(stream)
    token = _display.set(display)
    try:
        with shown_by(display.show):
            yield
    finally:
        _display.reset(token)
        display.hide()


def hide_progress() -> None:
    """Clear the line before something else is printed."""
    display = _display.get()
    if display is not None:
        display.hide()
