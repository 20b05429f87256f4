"""Progress on standard error: a bar on a terminal, in a log a line now and then, and in the end what took how long."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from shutil import get_terminal_size
from threading import Event, Lock, Thread
from time import monotonic
from types import TracebackType
from typing import Self, TextIO

from xregit.progress import current, shown_by

# Seconds: work that is shorter shows nothing; so often a bar moves, and a log gets a line.
QUIET, FRAME, LINE = 2.0, 0.2, 10.0
BAR_COLUMNS = 20
CLEAR = "\r\x1b[2K"
# Set to "never" it keeps standard error free of progress, for programs that read it.
VARIABLE = "XREGIT_PROGRESS"


@dataclass(slots=True)
class Task:
    """One task: how many of its parts are done, and when it began."""

    name: str
    total: int
    began: float
    done: int = 0
    inner: float = 0.0


class ProgressDisplay:
    """Shows the innermost task while it is entered; a thread of its own does, as work may be in a library for long."""

    def __init__(self, stream: TextIO) -> None:
        """Take where to show it: a terminal gets a bar, anything else lines."""
        self.stream = stream
        self.is_terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        self.tasks: list[Task] = []
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._drawn = False
        self._lock = Lock()
        self._stop = Event()
        self._thread = Thread(target=self._run, name="progress", daemon=True)
        self._context: AbstractContextManager[None] = shown_by(self)

    def __enter__(self) -> Self:
        """Begin to show."""
        self._context.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Clear the bar, and say what took how long if it was long."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._context.__exit__(kind, error, traceback)
        self.hide()
        if kind is None and sum(self.seconds.values()) >= QUIET:
            self._write(f"{self.times()}\n")

    def begin(self, name: str, total: int) -> None:
        """Begin a task within the one that is innermost."""
        self.tasks.append(Task(name, total, monotonic()))
        if self._thread.ident is None:
            with suppress(RuntimeError):  # there is too little memory for a thread, so the work goes on unseen
                self._thread.start()

    def advance(self) -> None:
        """Count a part of the innermost task as done."""
        self.tasks[-1].done += 1

    def end(self) -> None:
        """End the innermost task; what it took is its own, and no longer that of the one around it."""
        if not self.tasks:
            return  # of a generator that nobody has gone through to its end
        ended = self.tasks.pop()
        seconds = monotonic() - ended.began
        self.seconds[ended.name] += seconds - ended.inner
        if self.tasks:
            self.tasks[-1].inner += seconds

    def times(self) -> str:
        """Return a sentence on what took how long, the longest first; shorter than a second counts as nothing."""
        longest = sorted(self.seconds.items(), key=lambda item: -item[1])
        parts = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in longest if seconds >= 1)
        return f"Took {sum(self.seconds.values()):.0f} s{parts and f': {parts}'}."

    def hide(self) -> None:
        """Clear the bar, so that something else can be printed; it comes back by itself."""
        with self._lock:
            if self._drawn:
                self._write(CLEAR)
                self._drawn = False

    def line(self) -> str:
        """Return what is being done and how far it is, nothing where nothing is; numbers may be a moment old."""
        tasks = list(self.tasks)
        if not tasks:
            return ""
        task, seconds = tasks[-1], monotonic() - tasks[0].began
        name = task.name[:1].upper() + task.name[1:]
        counted = f"{name}, {task.done:,} of {task.total:,}" if task.total else name
        if not self.is_terminal:
            return f"{counted}, {seconds:.0f} s"
        full = BAR_COLUMNS * min(task.done, task.total) // task.total if task.total else 0
        bar = f"[{'#' * full}{'-' * (BAR_COLUMNS - full)}] " if task.total else ""
        return f"{bar}{counted}, {seconds:.0f} s"[: get_terminal_size().columns - 1]

    def _run(self) -> None:
        while not self._stop.wait(FRAME if self.is_terminal else LINE):
            tasks = list(self.tasks)
            if tasks and monotonic() - tasks[0].began >= QUIET:
                self._show(self.line())

    def _show(self, line: str) -> None:
        with self._lock:
            if line and not self._stop.is_set():
                self._write(f"{CLEAR}{line}" if self.is_terminal else f"{line}\n")
                self._drawn = self.is_terminal

    def _write(self, text: str) -> None:
        try:
            self.stream.write(text)
            self.stream.flush()
        except (OSError, ValueError):  # nobody reads it any more
            self._stop.set()


def progress_display() -> ProgressDisplay | None:
    """Return a display on standard error, unless the environment forbids it."""
    return None if os.environ.get(VARIABLE) == "never" else ProgressDisplay(sys.stderr)


def hide_progress() -> None:
    """Clear the bar before something else is printed."""
    display = current()
    if isinstance(display, ProgressDisplay):
        display.hide()
