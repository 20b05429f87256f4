"""Interrupts while Spark works.

Spark's own handler asks Java something, whatever Python is asking it at the moment: both fail, with pages of traces.
"""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


@contextmanager
def interrupts() -> Iterator[Event]:
    """Give what is set when the process is interrupted; the second interrupt is raised as usual.

    In other threads than the main one, nothing is ever set: only that one is interrupted.

    Raises:
        KeyboardInterrupt: it is the second.
    """
    interrupted = Event()

    def note(_signal: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    if current_thread() is not main_thread():
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupts_as_before() -> Iterator[None]:
    """Handle interrupts as before, whatever is begun meanwhile: Spark sets its own handler when it begins."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if before is not None and current_thread() is main_thread():
            signal.signal(signal.SIGINT, before)


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """Raise an interrupt as one, where what Spark does on its way out failed: Java may have closed the connection.

    Raises:
        KeyboardInterrupt: something went wrong because of one.
    """
    outside = sys.exception()
    try:
        yield
    except Exception as error:
        if any(isinstance(each, KeyboardInterrupt) for each in _before(error, outside)):
            raise KeyboardInterrupt from error
        raise


def _before(error: BaseException, outside: BaseException | None) -> Iterator[BaseException]:
    """Give what an error followed, the newest first, up to what was being handled outside."""
    before = error.__cause__ or error.__context__
    while before is not None and before is not outside:
        yield before
        before = before.__cause__ or before.__context__
