"""Progress of long work: what is being done, and how much of it is, for a program that shows it.

Without one, nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
# Takes the name of a task, how many of its parts are done, and how many there are, 0 where that is not known.
Show = Callable[[str, int, int], None]

_show: ContextVar[Show | None] = ContextVar("show", default=None)


@contextmanager
def shown_by(show: Show) -> Iterator[None]:
    """Let all work within the block, in this thread, be shown by a function."""
    token = _show.set(show)
    try:
        yield
    finally:
        _show.reset(token)


@contextmanager
def task(name: str) -> Iterator[None]:
    """Name what is done within the block, such as ``starting Spark``."""
    show = _show.get()
    if show is not None:
        show(name, 0, 0)
    yield


def track(items: Iterable[Item], name: str, total: int = 0) -> Iterator[Item]:
    """Yield the items, each a part of a task; ``total`` is their number where they have no length."""
    show = _show.get()
    if show is None:
        yield from items
        return
    count = len(items) if isinstance(items, Collection) else total
    for done, item in enumerate(items):
        show(name, done, count)
        yield item
