"""Files and folders that are written as a whole or not at all, even if a disk is full or a run is killed.

Everything is built beside its place, under a hidden name that ``file_tree.list_files`` passes over, and then renamed.
The hidden file or folder is locked while a run works on it, so that a second run fails instead of mixing in, and
what a killed run leaves behind is overwritten by the next.

What is locked is the thing itself, by ``flock``, and no file beside it: nothing is left behind, and runs in other
containers or on other machines that share the folder are kept out, too. Libraries such as filelock lock files of their
own, which they leave behind, and can't lock folders or what is about to be renamed.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from xregit.errors import XregitError

if sys.platform != "win32":
    import fcntl


_NEW, _OLD = ".new", ".old"
_NAMES_TAKEN = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENOENT})
# Of the Linux call renameat2: paths are as they are for any other call (AT_FDCWD), and RENAME_EXCHANGE.
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def write(path: Path, data: bytes) -> None:
    """Replace one file, and wait until its bytes are on the disk; devices and pipes are written as they are.

    Raises:
        XregitError: it can't be written; what stood there before still does.
    """
    with _report_os_error(path), _report_odd_name(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
            return
        place = Path(os.path.realpath(path))
        beside = _beside(place, _NEW)
        place.parent.mkdir(parents=True, exist_ok=True)
        with write_lock(place, beside, Path.touch), _remove_on_failure(beside):
            _fill(beside, place, data)
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            beside.replace(place)


def write_files(root: Path, files: Mapping[str, bytes]) -> None:
    """Write many files below a folder, by their relative paths; others there are left alone.

    All are built before the first gets its name, so that a full disk leaves everything as it was. They get their names
    in the order given, and a folder that is new gets its own with all that is in it: a killed run leaves nothing half.
    No symbolic link below the folder is followed: it may have come with a clone.
    Whoever else may write there at the same time is kept out by `edit_lock`.

    Raises:
        XregitError: one of them can't be written.
    """
    with _report_os_error(root), _report_odd_name(root), ExitStack() as undo:
        units: dict[Path, Path] = {}
        for relative, data in files.items():
            place = _without_links(root, relative)
            if place.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            unit = _unit(place)
            if unit not in units:
                units[unit] = _beside(unit, _NEW)
                undo.callback(_remove, units[unit])
                _remove(units[unit])  # a killed run left it
            path = units[unit] / place.relative_to(unit)
            path.parent.mkdir(parents=True, exist_ok=True)
            _fill(path, place, data)
        for unit, beside in units.items():
            beside.replace(unit)


def write_and_remove(root: Path, files: Mapping[str, bytes], removals: Iterable[str]) -> None:
    """Write files below a folder, then remove others, and the folders that are empty without them.

    Raises:
        XregitError: they can't be written; nothing has changed then.
    """
    write_files(root, files)
    gone = [root / path for path in removals]
    for path in gone:
        path.unlink()
    folders = {parent for path in gone for parent in path.parents if parent.is_relative_to(root)}
    for folder in sorted(folders, key=lambda item: len(item.parts), reverse=True):
        if folder != root and not any(folder.iterdir()):
            folder.rmdir()


def replace_tree(target: Path, files: Mapping[str, bytes], ours: Callable[[Path], bool] | None = None) -> None:
    """Replace a whole folder by one that holds exactly these files, by their relative paths.

    ``ours`` returns whether a former run has written a folder, by its content; without it, any may be replaced.

    Raises:
        XregitError: it can't be written, or the target is a folder nobody wants to lose; what stood there still does.
    """
    with _report_odd_name(target), _report_os_error(target):
        if ours is not None and target.is_dir() and any(target.iterdir()) and not ours(target):
            raise XregitError(f'"{target}" would be replaced as a whole, but it holds other files; name another folder')
        with replace_folder(target) as folder:
            for relative, data in files.items():
                path = _inside(folder, relative)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)


@contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder beside the target, and put it in the target's place if all goes well.

    Killed between the two renames at its end, it leaves the old folder hidden; the next run puts it back first.

    Raises:
        XregitError: it can't be written, or the target is a folder nobody wants to lose; what stood there still does.
    """
    place = Path(os.path.realpath(target))
    beside, old = _beside(place, _NEW), _beside(place, _OLD)
    with _report_os_error(target):
        _refuse_to_lose(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        with write_lock(place, beside, _make_folder), _remove_on_failure(beside):
            if old.exists() and not place.exists():
                old.rename(place)
            shutil.rmtree(old, ignore_errors=True)
            for entry in list(beside.iterdir()):  # a killed run left them
                _remove(entry)
            yield beside
            _swap(beside, place, old)


@contextmanager
def edit_lock(folder: Path) -> Iterator[None]:
    """Keep other runs from editing the files below a folder, from before they are read until they are written.

    What is locked is the folder itself, or the nearest one above it where it is missing; nothing is left behind.

    Raises:
        XregitError: another run is editing them.
    """
    place = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    with _hold(place, _create_nothing, f'another run is editing files in "{place}"; wait for its end'):
        yield


@contextmanager
def write_lock(place: Path, beside: Path, create: Callable[[Path], None]) -> Iterator[None]:
    """Lock the file or folder ``beside`` the place that is written to; ``create`` makes it if it is missing.

    Raises:
        XregitError: another run holds it.
    """
    with _hold(beside, create, _another_run(place)):
        yield


def _beside(place: Path, ending: str) -> Path:
    return place.with_name(f".{place.name}{ending}")


def _inside(root: Path, relative: str) -> Path:
    path = PurePosixPath(relative)
    if path.is_absolute() or not path.parts or ".." in path.parts:
        raise XregitError(f'"{relative}" is not a path below "{root}"')
    return root / path


def _without_links(root: Path, relative: str) -> Path:
    path, place = _inside(root, relative), _inside(Path(os.path.realpath(root)), relative)
    if os.path.realpath(path) != str(place):
        raise XregitError(f'"{path}" is a symbolic link or lies behind one; remove the link')
    return place


def _unit(place: Path) -> Path:
    """Return what gets its name as a whole: the topmost folder above a place that is missing, else the place."""
    unit = place
    while not unit.parent.exists():
        unit = unit.parent
    return unit


def _fill(beside: Path, place: Path, data: bytes) -> None:
    beside.write_bytes(data)
    if place.exists():
        beside.chmod(place.stat().st_mode & 0o7777)


def _make_folder(path: Path) -> None:
    with suppress(FileExistsError):  # mkdir's own exist_ok fails where another run takes the folder away meanwhile
        path.mkdir()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _swap(beside: Path, place: Path, old: Path) -> None:
    """Put the new folder in its place, at best in one step; the lock on its hidden name is on it wherever it is."""
    if place.exists():
        with write_lock(place, place, _make_folder):  # what is hidden a moment later, and is not to be taken by others
            if _exchange(beside, place):
                shutil.rmtree(beside, ignore_errors=True)
                return
    try:
        if place.exists():
            place.rename(old)
        beside.rename(place)
    except OSError as error:
        if old.exists() and not place.exists():
            old.rename(place)
        if error.errno in _NAMES_TAKEN:  # another run has come between the two renames
            raise XregitError(_another_run(place)) from error
        raise
    shutil.rmtree(old, ignore_errors=True)


def _refuse_to_lose(place: Path) -> None:
    """Stop where the folder is no output of ours, such as the registry itself or the repository."""
    precious = next((name for name in (".git", "registry.yaml") if (place / name).exists()), None)
    if precious:
        raise XregitError(f'"{place}" would be replaced as a whole, but it holds "{precious}"; name another folder')
    if Path.cwd().is_relative_to(place):
        message = f'"{place}" would be replaced as a whole, but it holds the working directory; name another folder'
        raise XregitError(message)
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(place.stat().st_mode):  # asked once, since another run may be exchanging the folder
            return
        raise XregitError(f'"{place}" is a file, but a folder is to be written there; remove it or name another folder')


@contextmanager
def _report_os_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f'"{path}" can\'t be written: {error.strerror or error}; what was there before is unchanged'
        raise XregitError(message) from error


@contextmanager
def _report_odd_name(path: Path) -> Iterator[None]:
    """Report a name that the system refuses, such as one with NUL; the code inside raises no other ValueError."""
    try:
        yield
    except ValueError as error:
        raise XregitError(f'"{str(path)!a}" can\'t be written: {error}') from error


@contextmanager
def _remove_on_failure(beside: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(OSError):
            _remove(beside)
        raise


def _another_run(place: Path) -> str:
    """Return the message for a place that another run writes to."""
    return f'another run is writing "{place}"; wait for its end'


def _create_nothing(_: Path) -> None:
    """Leave a path as it is."""


@contextmanager
def _hold(path: Path, create: Callable[[Path], None], refusal: str) -> Iterator[None]:
    if sys.platform == "win32":  # two runs at once are not told apart there
        create(path)
        yield
        return
    descriptor = _lock(path, create, refusal)
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(path: Path, create: Callable[[Path], None], refusal: str) -> int:
    while True:
        create(path)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:  # another run has just renamed it to its place
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise XregitError(refusal) from error
        except OSError:  # a file system without locks
            return descriptor
        if _is_still(path, descriptor):
            return descriptor
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    """Return whether the path still names the open file; another run may have renamed that to its place meanwhile."""
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False


def _exchange(one: Path, other: Path) -> bool:
    """Exchange what two paths name, and return whether that worked: not every system or file system can.

    If it did not, both are as they were.
    """
    rename = _renameat2()
    return (
        rename is not None and rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0
    )


@cache
def _renameat2() -> Any:
    """Return the function of the C library, or None where there is none."""
    if sys.platform != "linux":
        return None
    function = getattr(ctypes.CDLL(None), "renameat2", None)
    if function is not None:
        function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    return function
