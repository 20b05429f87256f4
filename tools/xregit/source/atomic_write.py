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
from pathlib import Path, PurePosixPath

from xregit.errors import XregitError

if sys.platform != "win32":
    import fcntl


_NAMES_TAKEN = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENOENT})
# Of the Linux call renameat2: paths are as they are for any other call (AT_FDCWD), and RENAME_EXCHANGE.
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def write(path: Path, data: bytes) -> None:
    """Replace one file, and wait until its bytes are on the disk; devices and pipes are written as they are.

    Raises:
        XregitError: it can't be written; what stood there before still does.
    """
    with _reported(path, ValueError):
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
            return
        place = Path(os.path.realpath(path))
        beside = _beside(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        with _building(place, beside, Path.touch):
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
    with _reported(root, ValueError), ExitStack() as undo:
        units: dict[Path, Path] = {}
        for relative, data in files.items():
            place = _without_links(root, relative)
            if place.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            unit = place  # what gets its name as a whole: the topmost folder above that is missing, else the file
            while not unit.parent.exists():
                unit = unit.parent
            if unit not in units:
                units[unit] = _beside(unit)
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
    with _reported(target, ValueError):
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
    beside, old = _beside(place), _beside(place, ".old")
    with _reported(target):
        _refuse_to_lose(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        with _building(place, beside, _make_folder):
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
    with _lock(place, f'another run is editing files in "{place}"; wait for its end'):
        yield


@contextmanager
def _building(place: Path, beside: Path, create: Callable[[Path], None]) -> Iterator[None]:
    """Lock what is built beside its place, and remove it if that fails."""
    with _lock(beside, _another_run(place), create):
        try:
            yield
        except BaseException:
            with suppress(OSError):
                _remove(beside)
            raise


def _beside(place: Path, ending: str = ".new") -> Path:
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
        with _lock(place, _another_run(place), _make_folder):  # it is hidden a moment later, and not for others to take
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


def _exchange(one: Path, other: Path) -> bool:
    """Exchange what two paths name, and return whether that worked: not every system or file system can.

    If it did not, both are as they were.
    """
    if sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "renameat2"):
        return False
    paths = os.fsencode(one), os.fsencode(other)
    return bool(ctypes.CDLL(None).renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0)


def _refuse_to_lose(place: Path) -> None:
    """Stop where the folder is no output of ours, such as the registry itself or the repository."""
    precious = next((f'"{name}"' for name in (".git", "registry.yaml") if (place / name).exists()), "")
    precious = precious or ("the working directory" if Path.cwd().is_relative_to(place) else "")
    if precious:
        raise XregitError(f'"{place}" would be replaced as a whole, but it holds {precious}; name another folder')
    with suppress(FileNotFoundError):
        if not stat.S_ISDIR(place.stat().st_mode):  # asked once, since another run may be exchanging the folder
            message = f'"{place}" is a file, but a folder is to be written there; remove it or name another folder'
            raise XregitError(message)


@contextmanager
def _reported(path: Path, *odd_name: type[ValueError]) -> Iterator[None]:
    """Report errors of the system, and with ``ValueError`` names that it refuses, such as one with NUL."""
    try:
        yield
    except OSError as error:
        message = f'"{path}" can\'t be written: {error.strerror or error}; what was there before is unchanged'
        raise XregitError(message) from error
    except odd_name as error:
        raise XregitError(f'"{str(path)!a}" can\'t be written: {error}') from error


def _another_run(place: Path) -> str:
    """Return the message for a place that another run writes to."""
    return f'another run is writing "{place}"; wait for its end'


@contextmanager
def _lock(path: Path, refusal: str, create: Callable[[Path], None] = lambda _: None) -> Iterator[None]:
    """Lock a file or folder, which is created first, as long as the block runs.

    Raises:
        XregitError: another run holds it, with ``refusal`` as the message.
    """
    if sys.platform == "win32":  # two runs at once are not told apart there
        create(path)
        yield
        return
    descriptor = _open_locked(path, refusal, create)
    try:
        yield
    finally:
        os.close(descriptor)


def _open_locked(path: Path, refusal: str, create: Callable[[Path], None]) -> int:
    while True:
        create(path)
        with suppress(FileNotFoundError):  # another run has just renamed it to its place
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                os.close(descriptor)
                raise XregitError(refusal) from error
            except OSError:  # a file system without locks
                return descriptor
            with suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(descriptor).st_ino:  # else it was renamed meanwhile
                    return descriptor
            os.close(descriptor)
