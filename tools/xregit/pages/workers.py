"""Work shared out to forked processes: each begins with all that this one knows, and hands back what comes of its work.

What this process has read and made is theirs without a copy, as long as nobody changes it; so the work should write
what is large where it belongs, and return what is small.
"""

from __future__ import annotations

import gc
import os
import signal
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from xregit.errors import XregitError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Thing = TypeVar("Thing")
Result = TypeVar("Result")

# So many things are taken, and handed back, at a time; all numbers of shares fit into the smallest pipe.
MIN_SHARE, MAX_SHARES = 16, 1_024
NUMBER_BYTES = 4
# A process pays from so many things on, each of which takes a millisecond or more.
WORTH = 100
# More would hardly save time, since what one process does alone takes as long as by then all others, but memory.
MAX_PROCESSES = 8
_SIGNALS = {each.value: each.name for each in signal.Signals}  # most of those for real time have no name


class Worker(NamedTuple):
    """A process, and where what it hands back is read."""

    process: BaseProcess
    reader: Connection


def processes(things: int) -> int:
    """Return how many processes to share things out to: one for each core that this one may use, if they are many.

    It is one where the system can't fork safely, as a process with threads can't: only one of them would go on, and
    find locked what the others hold.
    """
    tasks = Path("/proc/self/task")  # Linux has it
    if not tasks.is_dir() or len(list(tasks.iterdir())) > 1:
        return 1
    return max(1, min(len(os.sched_getaffinity(0)), MAX_PROCESSES, things // WORTH))


def shared_out(work: Callable[[Thing], Result], things: Sequence[Thing], count: int) -> Generator[Result]:
    """Give what ``work`` returns for each thing, in their order; ``count`` processes do it, if the system has room.

    With one it is done here. So is a share again at which a process has failed: whatever the fault, it is raised here.
    Processes go on working while what they have done is being looked at; whoever stops to look has to close this.

    Raises:
        XregitError: a process was ended from outside.
    """
    size = max(MIN_SHARE, -(-len(things) // MAX_SHARES))
    shares = [things[start : start + size] for start in range(0, len(things), size)]
    if min(count, len(shares)) < 2:  # noqa: PLR2004 - one process is this one
        yield from map(work, things)
        return
    arrived: dict[int, list[Result] | None] = {}
    with _started(work, shares, min(count, len(shares))) as workers:
        for number, share in enumerate(shares):
            while workers and number not in arrived:
                arrived |= _next(workers)
            found = arrived.pop(number, None)
            yield from map(work, share) if found is None else found


@contextmanager
def _started(work: Callable[[Thing], Result], shares: Sequence[Sequence[Thing]], count: int) -> Iterator[list[Worker]]:
    """Start processes, fewer if the system has no room for more, and let none of them outlive this."""
    fork, workers = get_context("fork"), list[Worker]()
    tickets = _tickets(len(shares))
    try:
        with suppress(OSError), _uninterrupted():
            for _ in range(count):
                reader, writer = fork.Pipe(duplex=False)
                with writer:
                    others = [worker.reader for worker in workers]
                    process = fork.Process(target=_run, args=(work, shares, tickets, writer, [*others, reader]))
                    process.start()
                workers.append(Worker(process, reader))
        yield list(workers)
    finally:
        os.close(tickets)
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.join()
            worker.reader.close()


def _tickets(count: int) -> int:
    """Return a pipe that holds the number of each share, of which each process reads one when it needs work."""
    tickets, writer = os.pipe()
    with open(writer, "wb") as file:  # noqa: PTH123 - it has no path
        file.write(b"".join(number.to_bytes(NUMBER_BYTES) for number in range(count)))
    return tickets


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off an interruption until all processes have been started; they themselves never hear of it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _next(workers: list[Worker]) -> dict[int, list[Result] | None]:
    """Return what has been handed back meanwhile, by the numbers of shares; forget the processes that are done."""
    found: dict[int, list[Result] | None] = {}
    ready = set(wait([worker.reader for worker in workers]))
    for worker in [worker for worker in workers if worker.reader in ready]:
        try:
            number, results = worker.reader.recv()
        except (EOFError, OSError):
            workers.remove(worker)
            _refuse_killed(worker.process)
        else:
            found[number] = results
    return found


def _refuse_killed(process: BaseProcess) -> None:
    process.join()
    code = process.exitcode or 0
    if code:
        how = f"was ended by {_SIGNALS.get(-code, f'signal {-code}')}" if code < 0 else f"ended with {code}"
        message = (
            f"a process that made pages {how}, as happens where memory runs out; what was there before is unchanged"
        )
        raise XregitError(message)


def _run(
    work: Callable[[Thing], Result],
    shares: Sequence[Sequence[Thing]],
    tickets: int,
    writer: Connection,
    readers: Sequence[Connection],
) -> None:
    """Do one share after the other, until there are no more or nobody waits for them."""
    gc.disable()  # it writes to each value that it looks at, and what is written to is copied
    for reader in readers:  # else it would seem that somebody reads, though the process that waits may be gone
        reader.close()
    with suppress(BrokenPipeError):
        while ticket := os.read(tickets, NUMBER_BYTES):
            number = int.from_bytes(ticket)
            writer.send((number, _done(work, shares[number])))


def _done(work: Callable[[Thing], Result], share: Sequence[Thing]) -> list[Result] | None:
    """Return what comes of a share; nothing where that fails."""
    try:
        return [work(thing) for thing in share]
    except Exception:  # noqa: BLE001 - the process that waits does it again, so that it has the error itself
        return None
