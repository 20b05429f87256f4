"""Where the processor's time goes while a catalog is read, checked and compiled, or its site is built.

    python -m tests.benchmarks.profiling [MESSAGES] [site]

looks at the stack at each tick of the processor's time, which costs next to nothing, where counting calls would make
small functions seem slow. It prints for each phase the functions of xregit in which, or below which, most time goes.
With `site` it builds the docs site on one core instead, and prints what each part of that takes.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING

import xregit
from tests.benchmarks.synthetic import write_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

PACKAGE = str(Path(xregit.__file__).parent) + "/"
TICK = 0.001
SHOWN = 20
FRAME = 0.9  # functions that have more of a phase only hold the others
ROUNDS = 4

Stacks = Counter[frozenset[str]]
MESSAGE = "pages/message_page.py message_page"
LISTS = ("pages/site.py", "pages/context.py")
# What building a site consists of. A tick belongs to the first part that fits: for each of its tuples, the stack has a
# function whose name begins with one of these texts.
PARTS: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    ("pages as Markdown", (("pages/site.py as_markdown",),)),
    ("the search index", (("pages/search.py",),)),
    ("examples on the wire", ((MESSAGE,), ("pages/examples.py", "pages/commands.py"))),
    ("YAML and JSON of each message", ((MESSAGE,), ("pages/documents.py",))),
    ("templates of messages", ((MESSAGE,), ("pages/renderer.py",))),
    ("what else a page of a message says", ((MESSAGE,),)),
    ("pages of groups, and lists", (LISTS,)),
    ("reading the registry", (("catalog/", "source/yaml", "source/file_tree"),)),
    ("MkDocs, the theme's frames, and files", ()),
)


@contextmanager
def sampled(stacks: Stacks) -> Iterator[None]:
    """Count in how many ticks each function is on the stack."""

    def look(_signal: int, frame: FrameType | None) -> None:
        found: set[str] = set()
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith(PACKAGE):
                found.add(f"{code.co_filename.removeprefix(PACKAGE)} {code.co_qualname}")
            frame = frame.f_back
        stacks[frozenset(found)] += 1

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def table(phase: str, seconds: float, stacks: Stacks) -> Iterator[str]:
    """Give the lines of one phase."""
    yield f"{phase}: {seconds / ROUNDS:.2f} s"
    ticks: Counter[str] = Counter()
    for stack, count in stacks.items():
        ticks.update(dict.fromkeys(stack, count))
    shares = [(count / stacks.total(), name) for name, count in ticks.most_common() if "<" not in name]
    for share, name in [(share, name) for share, name in shares if share < FRAME][:SHOWN]:
        yield f"  {share:6.1%}  {name}"


def profile(folder: Path) -> Iterator[str]:
    """Give the tables of all phases."""
    stacks: dict[str, Stacks] = {"read": Counter(), "check": Counter(), "compile": Counter()}
    seconds: Counter[str] = Counter()
    for _ in range(ROUNDS):
        start = process_time()
        with sampled(stacks["read"]):
            registry = xregit.read(folder)
        read = process_time()
        with sampled(stacks["check"]):
            xregit.check(registry)
        checked = process_time()
        with sampled(stacks["compile"]):
            xregit.compile(registry)
        seconds.update({"read": read - start, "check": checked - read, "compile": process_time() - checked})
    for phase, found in stacks.items():
        yield from table(phase, seconds[phase], found)


def part(stack: frozenset[str]) -> str:
    """Return which part of building a site a stack belongs to."""
    return next(name for name, needed in PARTS if all(any(each.startswith(some) for each in stack) for some in needed))


def site_profile(folder: Path) -> Iterator[str]:
    """Give the parts of building a site, in one process, as other processes have clocks of their own."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    stacks: Stacks = Counter()
    start = process_time()
    with sampled(stacks):
        xregit.build_site(folder, folder.parent / "site")
    yield f"site: {process_time() - start:.2f} s"
    ticks: Counter[str] = Counter()
    for stack, count in stacks.items():
        ticks[part(stack)] += count
    yield from (f"  {count / stacks.total():6.1%}  {name}" for name, count in ticks.most_common())


def main() -> None:
    """Profile a registry of the given number of messages."""
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with TemporaryDirectory() as folder:
        write_registry(Path(folder) / "registry", messages)
        for line in (site_profile if sys.argv[2:] == ["site"] else profile)(Path(folder) / "registry"):
            print(line)


if __name__ == "__main__":
    main()
