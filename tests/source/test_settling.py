"""A file that was written is known again by what the system says of it, unless anybody has changed it since."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from xregit.source.files import status_of
from xregit.source.settling import settled
from xregit.source.writing import write_parts

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 20
HOUR = 3_600_000_000_000


def test_every_later_change_tells(tmp_path: Path) -> None:
    """Even one at once, of as many bytes, whose time is put back."""
    file = tmp_path / "file"
    for _ in range(ROUNDS):
        status = write_parts(file, (b"one", b"two"))
        assert status == status_of(file.stat())
        assert settled(file, status)
        before = file.stat()
        file.write_bytes(b"twoone")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert status_of(file.stat()) != status
        assert status_of(file.stat())[:-1] == status[:-1]


def test_another_file_is_not_settled(tmp_path: Path) -> None:
    """Another run may have written there meanwhile, or have removed what was written."""
    file = tmp_path / "file"
    status = write_parts(file, (b"one",))
    assert status
    write_parts(file, (b"one",))
    assert not settled(file, status)
    file.unlink()
    assert not settled(file, status)


def test_a_clock_that_does_not_move_on_is_not_waited_for(tmp_path: Path) -> None:
    """A file whose time is not over soon may change without another one."""
    file = tmp_path / "file"
    status = write_parts(file, (b"one",))
    assert status
    number, size, modified, changed = status
    assert not settled(file, (number, size, modified, changed + HOUR))


def test_behind_a_link(tmp_path: Path) -> None:
    """It is the file that counts, wherever it is."""
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "folder" / "file")
    status = write_parts(link, (b"one",))
    assert status
    assert settled(link, status)


def test_pipes_have_no_status(tmp_path: Path) -> None:
    """What is no file is not known again."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert write_parts(pipe, (b"one",)) is None
    os.close(reader)
