"""Interrupts while Spark works.

Spark's own handler asks Java something, whatever Python is asking it at the moment: both fail, with pages of traces.
"""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager, suppress
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

Answer = TypeVar("Answer")

# How often Java is asked the same. One question fails, rarely two.
TIMES = 5


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


def asked(question: Callable[[], Answer]) -> Answer:
    """Return what Java answers: after an interrupt the first question may find its connection closed.

    Raises:
        Py4JError: it answers none of several times.
        OSError: the same, where its process has ended.
    """
    from py4j.protocol import Py4JError

    for _ in range(TIMES - 1):
        with suppress(Py4JError, OSError):
            return question()
    return question()


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
