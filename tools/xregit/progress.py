"""Progress of long work: what is being done, and how much of it is, for a program that shows it.

Without one, nothing happens.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Display(Protocol):
    """What shows progress; tasks may begin within tasks."""

    def begin(self, name: str, total: int) -> None:
        """Begin a task of so many parts, 0 where their number is not known."""

    def advance(self) -> None:
        """Count a part of the innermost task as done."""

    def end(self) -> None:
        """End the innermost task."""


_display: ContextVar[Display | None] = ContextVar("display", default=None)


def current() -> Display | None:
    """Return the display that work in this thread tells how far it is."""
    return _display.get()


@contextmanager
def shown_by(display: Display) -> Iterator[None]:
    """Let all work within the block, in this thread, tell the display how far it is."""
    token = _display.set(display)
    try:
        yield
    finally:
        _display.reset(token)


@contextmanager
def task(name: str) -> Iterator[None]:
    """Name what is done within the block, such as ``starting Spark``."""
    display = _display.get()
    if display is None:
        yield
        return
    display.begin(name, 0)
    try:
        yield
    finally:
        display.end()


def track(items: Iterable[Item], name: str, total: int = 0) -> Iterator[Item]:
    """Yield the items, each a part of a task; ``total`` is their number where they have no length."""
    display = _display.get()
    if display is None:
        yield from items
        return
    display.begin(name, len(items) if isinstance(items, Collection) else total)
    try:
        for item in items:
            yield item
            display.advance()
    finally:
        display.end()
