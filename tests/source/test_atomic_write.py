"""Files and folders that are there as a whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.disks import small_disk
from tests.waiting import PATIENCE_SECONDS
from xregit.errors import XregitError
from xregit.source.atomic_write import replace_folder, replace_tree, write, write_files
from xregit.source.file_tree import list_files

TOOLS = str(Path(__file__).parents[2] / "tools")
MIB = 2**20

Attempt = Callable[[], None]


def _tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _start(script: str, *arguments: object) -> subprocess.Popen[str]:
    code = "from pathlib import Path\nimport os, signal, sys\nfrom xregit.source.atomic_write import *\n"
    return subprocess.Popen(
        [sys.executable, "-c", code + textwrap.dedent(script), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": TOOLS},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run(script: str, *arguments: object) -> tuple[int, str, str]:
    process = _start(script, *arguments)
    output, errors = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, output, errors


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB; mounting one takes root's rights."""
    with small_disk(tmp_path / "disk", 2**20) as disk:
        yield disk


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    """Folders are made as needed, a script stays executable, and nothing is left beside."""
    path = tmp_path / "made" / "file"
    write(path, b"one")
    path.chmod(0o754)
    write(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o754
    assert list(path.parent.iterdir()) == [path]


def test_new_files_have_the_users_usual_mode(tmp_path: Path) -> None:
    """What is built beside is not more private than what a program would write there."""
    (tmp_path / "usual").write_bytes(b"")
    write(tmp_path / "file", b"")
    write_files(tmp_path, {"many/file": b""})
    replace_tree(tmp_path / "tree", {"file": b""})
    usual = (tmp_path / "usual").stat().st_mode
    assert [(tmp_path / name).stat().st_mode for name in ("file", "many/file", "tree/file")] == [usual] * 3


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it leads to is replaced, for files and for folders."""
    (tmp_path / "file").symlink_to("real")
    (tmp_path / "folder").symlink_to("tree")
    write(tmp_path / "file", b"x")
    replace_tree(tmp_path / "folder", {"a": b"x"})
    assert (tmp_path / "real").read_bytes() == b"x"
    assert (tmp_path / "tree" / "a").read_bytes() == b"x"
    assert (tmp_path / "folder").is_symlink()


def test_a_pipe_is_written_to_and_not_replaced() -> None:
    """``-o /dev/stdout`` works, and root doesn't lose a device."""
    assert _run("write(Path('/dev/stdout'), b'text')") == (0, "text", "")


@pytest.mark.parametrize("bad", ["..", "../x", "/x", "", "a/../../x"])
def test_no_path_leaves_the_folder(tmp_path: Path, bad: str) -> None:
    """An odd id can't write elsewhere."""
    with pytest.raises(XregitError, match="is not a path below"):
        replace_tree(tmp_path / "out", {"a": b"", bad: b""})
    with pytest.raises(XregitError, match="is not a path below"):
        write_files(tmp_path / "in", {"a": b"", bad: b""})
    assert _tree(tmp_path) == {}


def test_many_are_written_through_no_link(tmp_path: Path) -> None:
    """A file or folder that a link puts elsewhere, outside or inside, stays as it was, and so do the others."""
    write_files(tmp_path, {"out/file": b"theirs", "in/file": b"old"})
    (tmp_path / "in" / "file-link").symlink_to("../out/file")
    (tmp_path / "in" / "folder-link").symlink_to("../out")
    (tmp_path / "in" / "inside").symlink_to("file")
    for bad in ("file-link", "folder-link/file", "folder-link/new", "inside"):
        with pytest.raises(XregitError, match="remove the link"):
            write_files(tmp_path / "in", {"file": b"new", bad: b"ours"})
    assert _tree(tmp_path / "out") == {"file": b"theirs"}
    assert (tmp_path / "in" / "file").read_bytes() == b"old"


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Files that aren't in the new one are gone, nothing is left beside."""
    target = tmp_path / "made" / "out"
    replace_tree(target, {"a/b/c": b"1", "d": b"2"})
    replace_tree(target, {"a/x": b"3"})
    assert _tree(tmp_path) == {"made/out/a/x": b"3"}
    assert list(target.parent.iterdir()) == [target]


def test_a_folder_of_others_is_not_replaced(tmp_path: Path) -> None:
    """Where it can be told what a former run has written, anything else stays; an empty folder is anybody's."""
    target = tmp_path / "out"
    target.mkdir()
    replace_tree(target, {"mark": b"1"}, lambda folder: (folder / "mark").exists())
    replace_tree(target, {"a": b"2"}, lambda folder: (folder / "mark").exists())
    with pytest.raises(XregitError, match="holds other files"):
        replace_tree(target, {"mark": b"3"}, lambda folder: (folder / "mark").exists())
    assert _tree(tmp_path) == {"out/a": b"2"}


def test_writing_many_leaves_others_alone(tmp_path: Path) -> None:
    """Files that were there already are kept or replaced."""
    write_files(tmp_path, {"a/b": b"1", "c": b"2"})
    write_files(tmp_path, {"a/b": b"3", "a/d": b"4"})
    assert _tree(tmp_path) == {"a/b": b"3", "c": b"2", "a/d": b"4"}


def test_a_folder_in_the_way_stays(tmp_path: Path) -> None:
    """A folder where a file is due, and the reverse, are errors of one line."""
    write_files(tmp_path, {"folder/a": b"1", "file": b"2"})
    before = _tree(tmp_path)
    attempts: tuple[Attempt, ...] = (
        lambda: write(tmp_path / "folder", b""),
        lambda: write(tmp_path / "file" / "x", b""),
        lambda: write_files(tmp_path, {"new": b"", "folder": b""}),
        lambda: write_files(tmp_path, {"file/x": b""}),
        lambda: replace_tree(tmp_path / "file", {"a": b""}),
        lambda: replace_tree(tmp_path / "folder", {"a": b"", "a/b": b""}),
        lambda: write(tmp_path / ("x" * 300), b""),
        lambda: write(tmp_path / "a\0b", b""),
        lambda: write_files(tmp_path, {"a\0b": b""}),
        lambda: replace_tree(tmp_path / "folder", {"a\0b": b""}),
    )
    for attempt in attempts:
        with pytest.raises(XregitError) as raised:
            attempt()
        assert "\n" not in str(raised.value)
        assert _tree(tmp_path) == before


def test_what_nobody_wants_to_lose_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository, a registry and the working directory are no outputs."""
    write_files(tmp_path, {"repository/.git/config": b"", "registry/registry.yaml": b"", "here/file": b""})
    before = _tree(tmp_path)
    monkeypatch.chdir(tmp_path / "here")
    for name in ("repository", "registry", "here", "."):
        with pytest.raises(XregitError, match="name another folder"):
            replace_tree(tmp_path / name, {"a": b""})
    assert _tree(tmp_path) == before


def test_a_full_disk_leaves_what_was_there(disk: Path) -> None:
    """ENOSPC is one line, the old content is intact, and the space is free again."""
    write_files(disk, {"file": b"old", "out/a": b"old"})
    attempts: tuple[Attempt, ...] = (
        lambda: write(disk / "file", bytes(2 * MIB)),
        lambda: write_files(disk, {"file": b"new", "more": bytes(2 * MIB)}),
        lambda: replace_tree(disk / "out", {"a": b"new", "b": bytes(2 * MIB)}),
    )
    for attempt in attempts:
        with pytest.raises(XregitError, match="No space left on device; what was there before is unchanged"):
            attempt()
        assert _tree(disk) == {"file": b"old", "out/a": b"old"}
    write(disk / "file", bytes(MIB // 2))


def test_a_read_only_disk_leaves_what_was_there(disk: Path) -> None:
    """EROFS is one line."""
    write_files(disk, {"file": b"old", "out/a": b"old"})
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    attempts: tuple[Attempt, ...] = (
        lambda: write(disk / "file", b""),
        lambda: replace_tree(disk / "out", {}),
    )
    for attempt in attempts:
        with pytest.raises(XregitError, match="Read-only file system"):
            attempt()
    assert _tree(disk) == {"file": b"old", "out/a": b"old"}


def test_a_file_size_limit_leaves_what_was_there(tmp_path: Path) -> None:
    """EFBIG is what a user without root's rights can provoke; it takes the same way."""
    write_files(tmp_path, {"file": b"old", "out/a": b"old"})
    script = """
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        root, large = Path(sys.argv[1]), bytes(2000)
        for attempt in (
            lambda: write(root / "file", large),
            lambda: write_files(root, {"file": b"new", "more": large}),
            lambda: replace_tree(root / "out", {"a": b"new", "b": large}),
        ):
            try:
                attempt()
            except Exception as error:
                print(type(error).__name__, error)
    """
    code, output, errors = _run(script, tmp_path)
    assert (code, errors) == (0, "")
    assert [("XregitError" in line, "File too large" in line) for line in output.splitlines()] == [(True, True)] * 3
    assert _tree(tmp_path) == {"file": b"old", "out/a": b"old"}


def test_a_closed_folder_leaves_what_was_there(nobodys_folder: Path) -> None:
    """EACCES is one line."""
    write_files(nobodys_folder, {"closed/file": b"old"})
    (nobodys_folder / "closed").chmod(0o500)
    with pytest.raises(XregitError, match="Permission denied"):
        write(nobodys_folder / "closed" / "file", b"new")
    (nobodys_folder / "closed").chmod(0o700)
    assert _tree(nobodys_folder) == {"closed/file": b"old"}


KILLED_WHILE_BUILDING = """
    class Files(dict):
        def items(self):
            yield "a", b"half"
            yield "b/c", b"half"
            os.kill(os.getpid(), signal.SIGKILL)
    replace_tree(Path(sys.argv[1]), Files())
"""


def test_a_killed_run_leaves_the_old_folder(tmp_path: Path) -> None:
    """The next run cleans up what is left beside."""
    target = tmp_path / "out"
    replace_tree(target, {"a": b"old"})
    assert _run(KILLED_WHILE_BUILDING, target)[0] == -signal.SIGKILL
    assert _tree(target) == {"a": b"old"}
    assert list_files(tmp_path).files == ("out/a",)
    replace_tree(target, {"d": b"new"})
    assert _tree(tmp_path) == {"out/d": b"new"}


def test_a_run_killed_between_its_renames_is_put_right(tmp_path: Path) -> None:
    """The old folder comes back before anything else happens, so that a failing run leaves it too."""
    target = tmp_path / "out"
    write_files(tmp_path, {".out.old/a": b"old", ".out.new/a": b"new"})
    with pytest.raises(XregitError):
        replace_tree(target, {"a": b"", "a/b": b""})
    assert _tree(tmp_path) == {"out/a": b"old"}
    write_files(tmp_path, {".out.old/a": b"older"})
    replace_tree(target, {"a": b"new"})
    assert _tree(tmp_path) == {"out/a": b"new"}


def test_what_a_killed_run_left_of_a_file_is_overwritten(tmp_path: Path) -> None:
    """A longer rest doesn't show through."""
    (tmp_path / ".file.new").write_bytes(b"a long rest")
    write(tmp_path / "file", b"new")
    assert _tree(tmp_path) == {"file": b"new"}


def test_two_runs_in_one_folder_are_told_apart(tmp_path: Path) -> None:
    """The second one fails at once, the first one ends well; afterwards the folder is free."""
    target = tmp_path / "out"
    script = """
        class Files(dict):
            def items(self):
                print("building", flush=True)
                sys.stdin.readline()
                yield "a", b"first"
        replace_tree(Path(sys.argv[1]), Files())
    """
    first = _start(script, target)
    assert first.stdout
    assert first.stdout.readline() == "building\n"
    with pytest.raises(XregitError, match=f'another run is writing "{target}"'):
        replace_tree(target, {"a": b"second"})
    assert first.communicate("\n", timeout=PATIENCE_SECONDS) == ("", "")
    assert _tree(tmp_path) == {"out/a": b"first"}
    replace_tree(target, {"a": b"third"})
    assert _tree(tmp_path) == {"out/a": b"third"}


def test_many_runs_in_one_folder_leave_one_whole_folder(tmp_path: Path) -> None:
    """Whoever comes last, all files are of one run; those that give way say so."""
    script = """
        from xregit.errors import XregitError
        for round in range(60):
            try:
                replace_tree(Path(sys.argv[1]), {str(n): sys.argv[2].encode() for n in range(20)})
            except XregitError as error:
                print(error)
    """
    target = tmp_path / "out"
    runs = [_start(script, target, name) for name in "abcd"]
    outputs = [run.communicate(timeout=PATIENCE_SECONDS) for run in runs]
    assert [errors for _, errors in outputs] == [""] * 4
    lines = {line for output, _ in outputs for line in output.splitlines()}
    assert all("another run is writing" in line for line in lines), lines
    assert len(_tree(target)) == 20
    assert len(set(_tree(target).values())) == 1
    assert list_files(tmp_path).files == tuple(sorted(f"out/{n}" for n in range(20)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one file."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").touch()
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("error", "raised"), [(ValueError("a bug"), ValueError), (OSError(28, "No space left on device"), XregitError)]
)
def test_failing_writer_leaves_the_old_folder(folder: Path, error: Exception, raised: type[Exception]) -> None:
    """A full disk is a line, a bug stays what it is, and either way the old folder is there as it was."""
    with pytest.raises(raised, match=str(error.args[-1])), replace_folder(folder):
        raise error
    assert [path.name for path in folder.iterdir()] == ["old"]
    assert [path.name for path in folder.parent.iterdir()] == ["out"]
