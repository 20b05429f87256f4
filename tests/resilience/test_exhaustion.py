"""Without room, right or memory a command says so in a line and leaves what was there; with them it does its work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.disks import read_only, small_disk
from tests.resilience.commands import COMMANDS, Subject, leftovers, run, state

DISK_BYTES, LARGEST_BYTES = 24 * 2**20, 100
FILLER = ".filler"
# Shares of the memory that a command takes at most, beyond what it takes to begin. Whether a library crashes at one of
# them depends on where the system puts things, so there are some more.
SHARES = (0.1, 0.2, 0.35, 0.5, 0.8)
# More often than that Python runs out of memory only while it reports that it has.
REPEATS = 10
HASHLIB = "ERROR:root:code for hash"
LOST = "<built-in function exec> returned NULL without setting an exception"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a small file system; mounting one takes root's rights."""
    with small_disk(tmp_path / "disk", DISK_BYTES) as folder:
        yield folder


@pytest.fixture(scope="session")
def least(tmp_path_factory: pytest.TempPathFactory) -> int:
    """Return how much memory it takes to begin."""
    folder = tmp_path_factory.mktemp("least")
    return run(("--version",), folder, tell=str(folder / "told")).told["bytes"]


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Leave no room on a disk."""
    filler = disk / FILLER
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    yield
    filler.unlink()


def fails(subject: Subject, at: Path, reason: str, **limits: int) -> None:
    """It ends as wrong usage does, with a line that has the reason, and nothing has changed."""
    ended = run(subject.command.arguments, at, limits=limits)
    assert ended.code == 2, ended.said
    assert "Traceback" not in ended.said
    last = ended.said.splitlines()[-1]
    assert last.startswith("xregit: error: ")
    assert reason in last
    unchanged(subject, at)


def unchanged(subject: Subject, at: Path) -> None:
    """All is as before, and nothing is left of what was tried."""
    as_before(subject, at)
    assert leftovers(at) == []


def as_before(subject: Subject, at: Path) -> None:
    """What was there before is as it was."""
    result = state(at)
    result.pop(FILLER, None)
    assert result == subject.before


def works(subject: Subject, at: Path) -> None:
    """Now it does what it should."""
    ended = run(subject.command.arguments, at)
    assert ended.code == 0, ended.said
    assert state(at) == subject.undisturbed[0]


@pytest.mark.parametrize("name", COMMANDS)
def test_full_or_read_only_disk_changes_nothing(name: str, subjects: Callable[[str], Subject], disk: Path) -> None:
    """What stands there stands; once there is room and right again, the command works."""
    subject = subjects(name)
    at = subject.copy(disk / "copy")
    with full(disk):
        fails(subject, at, "No space left on device; what was there before is unchanged")
    with read_only(disk):
        fails(subject, at, "Read-only file system")
    works(subject, at)


@pytest.mark.parametrize("name", ["build", "fmt", "import"])
def test_file_that_may_not_be_that_large_changes_nothing(name: str, subjects: Callable[[str], Subject]) -> None:
    """A file that can't be written to its end takes nobody else's place; any user can see to that."""
    subject = subjects(name)
    fails(subject, subject.copy(), "File too large", RLIMIT_FSIZE=LARGEST_BYTES)


@pytest.mark.parametrize("name", ["build", "site", "rename", "import"])
def test_without_memory_nothing_changes(name: str, subjects: Callable[[str], Subject], least: int) -> None:
    """With less than it needs, a command says so in a line; where a library crashes it is not half done either."""
    subject = subjects(name)
    after, ended = subject.undisturbed
    said = []
    for share in SHARES:
        at = subject.copy()
        limit = least + int(share * (ended.told["bytes"] - least))
        tried = run(subject.command.arguments, at, limits={"RLIMIT_AS": limit})
        # Python itself may lose the error that says so, and end with an error of its own that nothing can catch.
        crashed = tried.code < 0 or f"SystemError: {LOST}" in tried.said or tried.said.count("MemoryError") > REPEATS
        # Python's hashlib logs a traceback for each hash of an OpenSSL that does not fit into memory.
        assert crashed or HASHLIB in tried.said or "Traceback" not in tried.said
        assert state(at) == after if tried.code == 0 else tried.code == 2 or crashed, tried.said
        if tried.code:
            as_before(subject, at)
            if leftovers(at):  # by a crash, or for want of the memory that it takes to tidy up
                works(subject, at)
            said.append(tried.said)
    assert any("xregit: error: there is not enough memory" in lines for lines in said)
